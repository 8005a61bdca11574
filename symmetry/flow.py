"""The reads and writes of a piece of code, and the relations of its names where it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .relations import Relation


class Location(NamedTuple):
    """A variable or a container of the state.

    ``indices`` are the loops whose participants index it; 0 for any other index.
    """

    form: str
    indices: tuple[int, ...]


class Write(NamedTuple):
    """A write; those of one location with the same ``how`` commute.

    It is the name of a commutative operation, or a constant after ``=``; empty for any other.
    """

    location: Location
    how: str = ""


@dataclass
class Effects:
    """What a piece of code reads and writes.

    Attributes
    ----------
    fails
        Whether an assertion may fail, or an error is raised.
    unknown
        The name of a function that may read and write anything.
    """

    reads: set[Location] = field(default_factory=set)
    writes: set[Write] = field(default_factory=set)
    fails: bool = False
    unknown: str = ""

    def add(self, other: Effects) -> None:
        """Add those of another piece of code."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.fails |= other.fails
        self.unknown = self.unknown or other.unknown

    def settled(self, depth: int) -> Effects:
        """Return them after the loops that are deeper than this."""

        def after(at: Location) -> Location:
            return Location(at.form, tuple(n if n <= depth else 0 for n in at.indices))

        writes = {Write(after(one.location), one.how) for one in self.writes}
        return Effects(set(map(after, self.reads)), writes, self.fails, self.unknown)

    def copy(self) -> Effects:
        """Return them as they are now."""
        return Effects(set(self.reads), set(self.writes), self.fails, self.unknown)


class Result(NamedTuple):
    """What a function returns; ``is_picked`` is whether that is of any of some participants."""

    value: Relation
    is_picked: bool = False


@dataclass
class Flow:
    """Where a piece of code has got to.

    Attributes
    ----------
    local
        The relations of the slots.
    alive
        Whether anything gets here.
    left
        The relations where a block or a loop was left, or a round of it ended, by its label.
    """

    local: dict[str, Relation] = field(default_factory=dict)
    alive: bool = True
    effects: Effects = field(default_factory=Effects)
    results: list[Result] = field(default_factory=list)
    left: dict[tuple[int, bool], list[dict[str, Relation]]] = field(default_factory=dict)

    def copy(self) -> Flow:
        """Return it as it is now."""
        left = {label: list(each) for label, each in self.left.items()}
        return Flow(dict(self.local), self.alive, self.effects.copy(), list(self.results), left)
