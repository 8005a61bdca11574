"""How a value in a permuted run relates to that in the run that is permuted.

Each relation says what a permutation of the participants makes of a value.  `Bunch` and `Picked`
say less: there the second run may have another order, or another element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .refusals import NotShownError


class Relation:
    """How the values of two runs relate."""


@dataclass(frozen=True)
class Same(Relation):
    """Equal in both runs: a number, a text, a function; ``numbers`` are all it may be."""

    numbers: frozenset[int] | None = None


@dataclass(frozen=True, eq=False)
class Data(Relation):
    """A list, a set or a table that exists when the file is loaded: the same in both runs."""

    value: object


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
    """A set or a bag of values that are equal in the second run exactly if they are in the first.

    A dictionary that exists when the file is loaded is one of its keys.
    """

    element: Relation

    def __post_init__(self) -> None:
        """Refuse members that two runs may hold differently.

        Raises
        ------
        NotShownError
            If values that are equal in one run may differ in the other one.
        """
        if not is_renamed(self.element):
            why = "holds as members what depends on the order of replicas"
            raise NotShownError(why, "put each replica in by itself")


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


def is_renamed(value: Relation) -> bool:
    """Whether it is known of all parts of a value what a renaming makes of each of them."""
    if isinstance(value, (Shifted, Bunch, Picked, Unclear)):
        return False
    return all(map(is_renamed, parts_of(value)))


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
    if isinstance(value, Made):
        return tuple(part for _, part in value.parts)
    return (value.of,) if isinstance(value, Maybe) else ()


def rebuilt(value: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """Return a value whose innermost parts are changed."""
    if isinstance(value, Several):
        return Several(tuple(rebuilt(one, change) for one in value.items))
    if isinstance(value, Made):
        parts = tuple((name, rebuilt(one, change)) for name, one in value.parts)
        return Made(value.declaration, parts)
    if isinstance(value, (Listed, Indexed, Bunch, SetOf)):
        return replace(value, element=rebuilt(value.element, change))
    if isinstance(value, Maybe):
        return Maybe(rebuilt(value.of, change))
    if isinstance(value, Carried):
        return Carried(value.how, rebuilt(value.value, change))
    return change(value)


def without_symbols(value: Relation, depth: int) -> Relation:
    """Return a value outside of the loops that are deeper than this."""

    def outside(one: Relation) -> Relation:
        if isinstance(one, Replica) and one.symbol > depth:
            return Replica(one.kind, one.may_be_none)
        if isinstance(one, Place):
            return Place(one.form, tuple(n if n <= depth else 0 for n in one.indices))
        return one

    return rebuilt(value, outside)


def has_replica(value: Relation) -> bool:
    """Whether a value is changed by renaming the participants."""
    renamed = isinstance(value, (Replica, ReplicaSet, Shifted, Indexed, Bunch, Picked))
    return renamed or any(map(has_replica, parts_of(value)))
