"""How a value in a permuted run relates to that in the run that is permuted.

Each relation says what a permutation of the participants makes of a value.  `Bunch` and `Picked`
say less: there the second run may have another order, or another element.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from .refusals import NotShownError


class Relation:
    """How the values of two runs relate."""


@dataclass(frozen=True)
class Same(Relation):
    """Equal in both runs: a number, a text, a function; ``numbers`` are all it may be."""

    numbers: frozenset[int] | None = None


@dataclass(frozen=True)
class Data(Relation):
    """A list, a set or a table that exists when the file is loaded: the same in both runs."""

    value: object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return False
        alike = isinstance(self.value, frozenset) and self.value == other.value
        return alike or self.value is other.value

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, frozenset) else id(self.value)


@dataclass(frozen=True)
class Replica(Relation):
    """The number of a participant of some kind, which is renamed; or NONE in both runs.

    ``symbol`` is the loop of whose round it is; 0 for any other.
    """

    kind: str
    may_be_none: bool = False
    symbol: int = 0


@dataclass(frozen=True)
class ReplicaSet(Relation):
    """Participants of some kind as a bit mask, which are renamed.

    With ``wide`` it may have other bits, like a complement; these are the same in both runs.
    """

    kind: str
    wide: bool = False


@dataclass(frozen=True)
class Thinned(Relation):
    """Such a mask without its lowest members: only its size is the same in both runs."""

    kind: str


@dataclass(frozen=True)
class Shifted(Relation):
    """Such a mask shifted right by a participant: only the lowest bit is the same in both runs."""

    kind: str


@dataclass(frozen=True)
class Place(Relation):
    """A part of the state.

    Parameters
    ----------
    form
        Its path, with ``[]`` for each index.
    indices
        For each index, the loop whose participant it is; 0 for any other.
    """

    form: str
    indices: tuple[int, ...] = ()


@dataclass(frozen=True)
class Position(Relation):
    """The number of a member of a set or a bag of the state, whose order a renaming changes.

    It is that of the renamed member in the second run.  An action chooses it, and its generated
    code alone uses it: as the index of that member, and to ask whether there are so many.
    """


@dataclass(frozen=True)
class Alternatives(Relation):
    """One of several parts of the state, in both runs the same one but for its indices."""

    places: tuple[Place, ...]


@dataclass(frozen=True)
class Several(Relation):
    """A tuple or a list with a relation for each item."""

    items: tuple[Relation, ...]


@dataclass(frozen=True)
class Listed(Relation):
    """A list whose length and order are the same in both runs."""

    element: Relation


@dataclass(frozen=True)
class Indexed(Relation):
    """A list with an element for each participant of a kind, by their numbers."""

    kind: str
    element: Relation


@dataclass(frozen=True)
class Bunch(Relation):
    """A list that is renamed in the second run, where its order may be another one."""

    element: Relation


@dataclass(frozen=True)
class SetOf(Relation):
    """A set of values that are equal in the second run exactly if they are in the first one."""

    element: Relation

    def __post_init__(self) -> None:
        """Refuse members that are not renamed each by itself."""
        refuse_unlike(self.element)


@dataclass(frozen=True)
class Table(Relation):
    """A dictionary or a bag; ``ordered`` is whether its keys come in the same order."""

    key: Relation
    value: Relation
    ordered: bool = False

    def __post_init__(self) -> None:
        """Refuse keys that are not renamed each by itself."""
        refuse_unlike(self.key)


@dataclass(frozen=True)
class Made(Relation):
    """A record outside of the state, with a relation for each part."""

    declaration: type
    parts: tuple[tuple[str, Relation], ...]

    def part(self, name: str) -> Relation | None:
        """Return the relation of a part; None if it has none of that name."""
        return dict(self.parts).get(name)


@dataclass(frozen=True)
class Nothing(Relation):
    """None in both runs."""


@dataclass(frozen=True)
class Maybe(Relation):
    """None in both runs, or related values."""

    of: Relation


@dataclass(frozen=True)
class Picked(Relation):
    """One of several, which depends on their order; both runs have one, or neither has."""


@dataclass(frozen=True)
class Never(Relation):
    """What no value has: the element of an empty list."""


@dataclass(frozen=True)
class Unclear(Relation):
    """Not known to be related, with the reason."""

    why: str


@dataclass(frozen=True)
class Carried(Relation):
    """What a name has in a round of a loop over participants, which other rounds may have changed.

    ``how`` is the one way in which the loop changes it so far, as in `flow.Write`, and ``value``
    is what it may be after any number of such rounds.
    """

    how: str
    value: Relation


NOTHING = Nothing()

TRUTH = Same(frozenset((0, 1)))
"""A truth value that is not known."""

NEVER = Never()

ORDER = "carries a value from one replica to the next, so that their order matters"
"""Why what a round of a loop leaves behind may not be read by another one."""


def refuse_unlike(value: Relation) -> None:
    """Refuse to count or to look up what two runs may hold differently.

    Raises
    ------
    NotShownError
        If values that are equal in one run may differ in the other one.
    """
    if isinstance(value, (Thinned, Shifted, Bunch, Picked)):
        why = "holds as members or keys what depends on the order of replicas"
        raise NotShownError(why, "put each replica in by itself")
    for part in parts_of(value):
        refuse_unlike(part)


def exactly(number: int) -> Same:
    """Return a number that is known."""
    return Same(frozenset((int(number),)))


def known_number(value: Relation) -> int | None:
    """Return what a number is in any case; None if there are several such."""
    if isinstance(value, Same) and value.numbers is not None and len(value.numbers) == 1:
        return min(value.numbers)
    return None


def parts_of(value: Relation) -> tuple[Relation, ...]:
    """Return the relations of what a value is made of."""
    if isinstance(value, Several):
        return value.items
    if isinstance(value, (Listed, Indexed, Bunch, SetOf)):
        return (value.element,)
    if isinstance(value, Table):
        return value.key, value.value
    if isinstance(value, Made):
        return tuple(part for _, part in value.parts)
    return (value.of,) if isinstance(value, Maybe) else ()


def without_symbols(value: Relation, depth: int) -> Relation:
    """Return a value outside of the loops that are deeper than this."""
    if isinstance(value, Replica) and value.symbol > depth:
        return Replica(value.kind, value.may_be_none)
    if isinstance(value, Place):
        return Place(value.form, tuple(n if n <= depth else 0 for n in value.indices))
    inner: dict[str, Any] = {}
    for one in fields(value):  # type: ignore[arg-type]  # each is a dataclass
        held = getattr(value, one.name)
        if isinstance(held, Relation):
            inner[one.name] = without_symbols(held, depth)
        elif isinstance(held, tuple):
            inner[one.name] = tuple(
                without_symbols(item, depth) if isinstance(item, Relation)
                else (item[0], without_symbols(item[1], depth)) if isinstance(item, tuple)
                else item
                for item in held
            )  # fmt: skip
    return replace(value, **inner) if inner else value  # type: ignore[type-var]


def has_replica(value: Relation) -> bool:
    """Whether a value is changed by renaming the participants."""
    renamed = isinstance(value, (Replica, ReplicaSet, Thinned, Shifted, Indexed, Bunch, Picked))
    return renamed or any(map(has_replica, parts_of(value)))
