"""Where translated code branches: numbers for both ways of every condition.

Which ways a state took is noted in a bit set while the state is worked on, the *marks*.  The search
keeps a state that takes a way which was not compared often enough, so that Python can be asked
about it (``sampling.py``).  Without this a rare branch would hardly ever be in a sample.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

MARKS = "%marks"
"""Address of the marks, which every function that was translated from the model is handed."""


@dataclass(frozen=True)
class Mark:
    """A truth value whose two ways are to be noted.

    ``number`` is the point of its truth, and the next one that of its falsehood.  ``only_if`` are
    truth values, each with the way that leads here: code that is cheap is computed also where
    Python would not come.
    """

    truth: str
    number: int
    only_if: tuple[tuple[str, bool], ...] = ()

    def under(self, truth: str, way: bool) -> Mark:
        """Return this mark where another truth value leads to it."""
        return replace(self, only_if=(*self.only_if, (truth, way)))


class Points:
    """The points of a module's functions.

    Parameters
    ----------
    width
        Bits of an element of the marks, an even number: 8 where many states are worked on side by
        side, else 64.
    compared
        Ways that need no point, by the numbers that they have where every way has one.

    Attributes
    ----------
    count
        How many points there are.
    """

    def __init__(self, width: int, compared: Set[int] = frozenset()) -> None:
        self.width = width
        self.count = 0
        self._compared = compared
        self._asked_for = 0
        self._unnoted: set[int] = set()

    def pair(self) -> int | None:
        """Return the number of the point for truth, one before that for falsehood.

        The two share an element.  None where both ways were compared often enough.
        """
        ways = range(self._asked_for, self._asked_for + 2)
        self._asked_for += 2
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
        """Return the value of its bit there; 0 where the way was compared often enough."""
        return 0 if number in self._unnoted else 1 << number % self.width
