"""The branches of translated code: a number for each of the two ways of every condition.

While a state is processed, a bit set, the *marks*, records which ways it took.  The search keeps a
state that takes a way which was not compared often enough, to compare it with Python
(``sampling.py``).  Otherwise a rare branch would hardly ever be in a sample.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

MARKS = "%marks"
"""Address of the marks, which is passed to every function translated from the model."""


@dataclass(frozen=True)
class Mark:
    """A truth value whose two ways are to be recorded.

    ``number`` is its point for true, and the next number that for false.  ``only_if`` has truth
    values, each with the way that leads here: cheap code runs even if Python would not get there.
    """

    truth: str
    number: int
    only_if: tuple[tuple[str, bool], ...] = ()

    def under(self, truth: str, way: bool) -> Mark:
        """Return this mark under the condition of another truth value."""
        return replace(self, only_if=(*self.only_if, (truth, way)))


class Points:
    """The points of a module's functions.

    Parameters
    ----------
    width
        Bits of an element of the marks, an even number: 8 if many states are processed side by
        side, otherwise 64.
    compared
        Ways that need no point, by the numbers that they have if every way has one.

    Attributes
    ----------
    count
        How many points there are.
    """

    def __init__(self, width: int, compared: Set[int] = frozenset()) -> None:
        self.width = width
        self.count = 0
        self._compared = compared
        self._ways = 0
        self._unnoted: set[int] = set()

    def pair(self) -> int | None:
        """Return the number of the point for true, one before that for false.

        The two share an element.  None if both ways were compared often enough.
        """
        ways = range(self._ways, self._ways + 2)
        self._ways += 2
        unnoted = [way in self._compared for way in ways]
        if all(unnoted):
            return None
        first = self.count
        self.count += 2
        self._unnoted.update(first + offset for offset in range(2) if unnoted[offset])
        return first

    @property
    def elements(self) -> int:
        """How many elements the marks have."""
        return -(-self.count // self.width)

    def element(self, number: int) -> int:
        """Return the element of the marks that a point is in."""
        return number // self.width

    def bit(self, number: int) -> int:
        """Return the value of its bit there; 0 if the way was compared often enough."""
        return 0 if number in self._unnoted else 1 << number % self.width
