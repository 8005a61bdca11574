"""Values in two runs of a function that differ by a permutation of replicas."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from types import FunctionType

from ...core.fields import Array, Record

Index = int | str
"""Which element of an array: a symbol, or a constant as text."""

_symbols = count(1)


def fresh() -> int:
    """Return a new symbol for an unknown value."""
    return next(_symbols)


@dataclass(frozen=True)
class Number:
    """The same number in both runs; ``values`` are its possible values, if they are few.

    ``member`` says that it is the same object, too, as a member of an enumeration is.
    """

    values: frozenset[int] | None = None
    symbol: int = field(default_factory=fresh)
    member: bool = False


@dataclass(frozen=True)
class Replica:
    """The number of a replica of some kind, which is renamed in the second run; or NONE in both."""

    kind: str
    may_be_none: bool
    symbol: int = field(default_factory=fresh)


@dataclass(frozen=True)
class ReplicaSet:
    """A set of replicas of some kind as a bit mask, whose members are renamed in the second run.

    With ``wide`` it may have other bits, like a complement; these are the same in both runs.
    """

    kind: str
    wide: bool = False


@dataclass(frozen=True)
class Thinned:
    """A set of replicas without its lowest members: only its size is the same in both runs."""

    kind: str


@dataclass(frozen=True)
class Shifted:
    """A set of replicas shifted right by a replica: only the lowest bit is the same in both."""

    kind: str


@dataclass(frozen=True)
class Part:
    """A record or an array of the state; ``form`` is its path without the indices.

    ``copy`` is a symbol if it is a copy of that part as of some moment, which nothing changes.
    """

    declared: type[Record] | Array
    form: str
    indices: tuple[Index, ...]
    copy: int = 0


@dataclass(frozen=True)
class Several:
    """A tuple of values."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Own:
    """A set outside of the state, as a bit mask."""

    mask: Value


@dataclass(frozen=True)
class Made:
    """A record that the code makes by name, with the values of its variables."""

    declared: type[Record]
    parts: tuple[tuple[str, Value], ...]

    def part(self, name: str) -> Value | None:
        """Return the value of a variable; None if it has none of that name."""
        return dict(self.parts).get(name)


@dataclass(frozen=True)
class Listed:
    """A list whose length and order are the same in both runs; ``element`` is any element."""

    element: Value


@dataclass(frozen=True)
class Bunch:
    """A list that is renamed in the second run, where its order may be another one.

    ``element`` is any element.  One of replicas alone is :class:`Each`.
    """

    element: Value


@dataclass(frozen=True)
class Pairs:
    """What enumerate() or zip() makes of arrays of the state that the same numbers index."""

    arrays: tuple[Part, ...]
    numbered: bool


@dataclass(frozen=True)
class Bound:
    """A method of a record of the state."""

    function: FunctionType
    owner: Part


@dataclass(frozen=True)
class Each:
    """The numbers that a loop iterates over, or some replicas of a kind, in whatever order.

    Such a replica may be there several times.
    """

    numbers: tuple[int, ...] | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Constant:
    """Anything but a number that is the same in both runs: a function, the constants, None."""

    value: object


@dataclass(frozen=True)
class Picked:
    """A result that depends on the order of replicas; both runs have one, or neither has.

    It is neither None nor NONE if there is one.  With ``plain`` it does not depend on the order: it
    is a plain number, or None.
    """

    plain: bool = False


@dataclass(frozen=True)
class Unclear:
    """A value that is unknown in the second run, with the reason."""

    why: str


@dataclass(frozen=True)
class Carried:
    """A local variable in a round of a loop over replicas that other rounds may have written.

    ``how`` is the one way in which the loop writes it so far, as in :class:`Write`, and ``value``
    is what it may be after any number of such rounds; None if it has no value before the loop.
    """

    how: str = ""
    value: Value | None = None
    why = "carries a value from one replica to the next, so that their order matters"


Value = (
    Number | Replica | ReplicaSet | Thinned | Shifted | Part | Own | Made | Listed | Bunch | Pairs
    | Bound | Several | Each | Constant | Picked | Unclear | Carried
)  # fmt: skip

NOTHING = Constant(None)

FOLLOWING = Unclear("follows from another fault")
"""The value of a variable after a statement that was refused."""

LOWEST = Constant(...)
"""A part of a record that is left out where the record is made."""


def number(value: int) -> Number:
    """Return a number that is known."""
    return Number(frozenset((int(value),)))


def truth_value() -> Number:
    """Return a truth value that is not known."""
    return Number(frozenset((0, 1)), member=True)


def places(value: object) -> Iterator[str]:
    """Yield the forms of the parts of the state for which a value is another name."""
    if isinstance(value, Part):
        if not value.copy:
            yield value.form
    elif isinstance(value, tuple):
        for item in value:
            yield from places(item)
    elif isinstance(value, Value) and not isinstance(value, Constant | Number | Replica):
        for name in value.__dataclass_fields__:
            yield from places(getattr(value, name))


Location = tuple[str, tuple[Index, ...]]
"""A variable of the state: its form, and the indices in it."""


@dataclass(frozen=True)
class Write:
    """A write to a variable; writes with the same ``how`` commute.

    It is the kind of a commutative operation, or a constant; empty for other writes.
    """

    location: Location
    how: str = ""


@dataclass
class Effects:
    """The parts of the state that a piece of code reads and writes."""

    reads: set[Location] = field(default_factory=set)
    writes: set[Write] = field(default_factory=set)
    unknown: str = ""
    """The name of a function that may read and write anything."""
    fails: bool = False
    """Whether an assertion may fail, or an error is raised."""
    replaced: set[str] = field(default_factory=set)
    """The forms of parts for which another object was put: an old name keeps the old one."""

    def add(self, other: Effects) -> None:
        """Add the effects of another piece of code."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.unknown = self.unknown or other.unknown
        self.fails = self.fails or other.fails
        self.replaced |= other.replaced


@dataclass
class Flow:
    """The knowledge of all values at a place of a function.

    Attributes
    ----------
    local
        The local variables.
    loaded
        Variables of the state that were read or written before, with their values.
    certain
        Symbols of replicas that are not NONE here.
    """

    local: dict[str, Value] = field(default_factory=dict)
    loaded: dict[Location, Value] = field(default_factory=dict)
    certain: frozenset[int] = frozenset()

    def copy(self, certain: frozenset[int] = frozenset()) -> Flow:
        """Return a copy with more certain symbols."""
        return Flow(dict(self.local), dict(self.loaded), self.certain | certain)

    def forget(self, form: str) -> None:
        """Forget the value of a variable that is written, whatever its indices."""
        for location in [location for location in self.loaded if location[0] == form]:
            del self.loaded[location]


class NotShownError(Exception):
    """An expression that is not proved to treat replicas alike, with the reason.

    Attributes
    ----------
    node
        The expression or statement.
    where
        Its function and line; empty until they are known.
    repair
        How to repair it; empty if only the reason tells, by ``faults.REPAIRS``.
    progress
        How much was analysed before it.
    mistaken
        Whether a plain number is used as a replica: it may be one after all.
    others
        Those of later statements, if the analysis goes on after the first one.
    """

    def __init__(self, node: ast.AST, why: str, mistaken: bool = False, repair: str = "") -> None:
        super().__init__(why)
        self.node = node
        self.why = why
        self.where = ""
        self.repair = repair
        self.progress = 0
        self.mistaken = mistaken
        self.others: list[NotShownError] = []

    @property
    def rank(self) -> tuple[bool, int]:
        """How informative it is among the refusals of several interpretations."""
        return not self.mistaken, self.progress


_DICTIONARY = "makes a dictionary", "write if and elif, or a table of constants in the file"

_FORMS: dict[type[ast.AST], tuple[str, str]] = {
    ast.NamedExpr: ("assigns a name within an expression", "assign it in a line of its own"),
    ast.Lambda: ("is a lambda that is passed on or named", "write its expression where it is used"),
    ast.Dict: _DICTIONARY,
    ast.DictComp: _DICTIONARY,
    ast.GeneratorExp: ("is a generator that is passed on", "pass a list"),
    ast.Starred: ("passes on several values by a star", "name each of them"),
    ast.FunctionDef: ("defines a function within another one", "define it in the file, above"),
}
"""Forms of Python that the proof does not follow, each with its repair."""


def not_followed(node: ast.AST) -> NotShownError:
    """Return the refusal of a form of Python that the proof does not follow."""
    why, repair = _FORMS.get(type(node), ("is not in the language of models", "leave it out"))
    return NotShownError(node, why, repair=repair)
