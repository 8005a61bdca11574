"""What a value is in two runs of a function, of which one has its replicas renamed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import count
from types import FunctionType

from ...core.layout import Array, Record

Index = int | str
"""Which element of an array: a symbol, or a constant as text."""

_symbols = count(1)


def fresh() -> int:
    """Return a symbol: it stands for one value that is not known."""
    return next(_symbols)


@dataclass(frozen=True)
class Number:
    """The same number in both runs; ``values`` are those that it may be, if they are few."""

    values: frozenset[int] | None = None
    symbol: int = field(default_factory=fresh)


@dataclass(frozen=True)
class Replica:
    """The number of a replica, which is renamed in the second run; or NONE in both."""

    may_be_none: bool
    symbol: int = field(default_factory=fresh)


@dataclass(frozen=True)
class ReplicaSet:
    """A set of replicas as a bit mask, of which each member is renamed in the second run.

    With ``wide`` it may have other bits too, as a complement has, which are the same in both runs.
    """

    wide: bool = False


@dataclass(frozen=True)
class Thinned:
    """A set of replicas without some that were picked by their order: only its size is the same."""


@dataclass(frozen=True)
class Shifted:
    """A set of replicas shifted right by a replica: only its lowest bit is the same."""


@dataclass(frozen=True)
class Part:
    """A record or an array of the state; ``form`` is its path without the indices."""

    declared: type[Record] | Array
    form: str
    indices: tuple[Index, ...]


@dataclass(frozen=True)
class Several:
    """A tuple, of which each item is a value of its own."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Bound:
    """A method of a record of the state."""

    function: FunctionType
    owner: Part


@dataclass(frozen=True)
class Each:
    """What a loop may go over: numbers, or all the members of a set of replicas."""

    numbers: tuple[int, ...] | None = None
    of_set: bool = False


@dataclass(frozen=True)
class Constant:
    """Something that is no number, and the same in both runs: a function, the constants, None."""

    value: object


@dataclass(frozen=True)
class Picked:
    """A result that the order of replicas decides; whether there is one is the same in both runs.

    It is neither None nor NONE where there is one.  With ``plain`` the order decides nothing: it is
    a plain number, or None.
    """

    plain: bool = False


@dataclass(frozen=True)
class Unclear:
    """A value of which nothing is known in the second run, and why."""

    why: str


Value = (
    Number
    | Replica
    | ReplicaSet
    | Thinned
    | Shifted
    | Part
    | Bound
    | Several
    | Each
    | Constant
    | Picked
    | Unclear
)

NOTHING = Constant(None)


def number(value: int) -> Number:
    """Return a number that is known."""
    return Number(frozenset((int(value),)))


def truth_value() -> Number:
    """Return a truth value that is not known."""
    return Number(frozenset((0, 1)))


Location = tuple[str, tuple[Index, ...]]
"""A variable of the state: its form, and the indices in it."""


@dataclass(frozen=True)
class Write:
    """A variable that is written; ``how`` tells writes apart whose order does not matter.

    That is the sort of an operation that commutes with itself, or a constant; empty for others.
    """

    location: Location
    how: str = ""


@dataclass
class Effects:
    """What a piece of code reads and writes of the state."""

    reads: set[Location] = field(default_factory=set)
    writes: set[Write] = field(default_factory=set)
    unknown: str = ""
    """The name of a function that may read and write anything."""

    def add(self, other: Effects) -> None:
        """Add the effects of another piece of code."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.unknown = self.unknown or other.unknown


@dataclass
class Flow:
    """What is known at a place of a function.

    Attributes
    ----------
    local
        The local variables.
    loaded
        Variables of the state that were read or written before, with their value.
    certain
        Symbols of replicas that are not NONE here.
    """

    local: dict[str, Value] = field(default_factory=dict)
    loaded: dict[Location, Value] = field(default_factory=dict)
    certain: frozenset[int] = frozenset()

    def copy(self, certain: frozenset[int] = frozenset()) -> Flow:
        """Return a copy in which some more symbols are certain."""
        return Flow(dict(self.local), dict(self.loaded), self.certain | certain)

    def forget(self, form: str) -> None:
        """Forget what was read of a variable that is written, whatever its indices."""
        for location in [location for location in self.loaded if location[0] == form]:
            del self.loaded[location]


class NotShownError(Exception):
    """An expression that is not shown to treat replicas alike, and why.

    Attributes
    ----------
    node
        The expression or statement.
    where
        The function that it is in, and the line; empty as long as that is not known.
    progress
        How much was analysed before it was met.
    mistaken
        Whether a plain number is used as a replica: it may be one after all.
    """

    def __init__(self, node: ast.AST, why: str, repair: str = "", mistaken: bool = False) -> None:
        super().__init__(why)
        self.node = node
        self.why = why
        self.repair = repair
        self.where = ""
        self.progress = 0
        self.mistaken = mistaken

    @property
    def rank(self) -> tuple[bool, int]:
        """How much it tells, of several ways to take what may be a replica or a plain number."""
        return not self.mistaken, self.progress
