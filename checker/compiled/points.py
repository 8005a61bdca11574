"""Where translated code branches: numbers for both ways of every condition.

Which ways a state took is noted in a bit set while the state is worked on, the *marks*.  The search
keeps a state that takes a way which was not compared often enough, so that Python can be asked
about it (``sampling.py``).  Without this a rare branch would hardly ever be in a sample.
"""

from __future__ import annotations

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
        Bits of an element of the marks: 8 where many states are worked on side by side, else 64.

    Attributes
    ----------
    count
        How many points there are.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.count = 0

    def new(self, ways: int) -> int:
        """Return the first number of a few new points that share an element."""
        if self.count % self.width + ways > self.width:
            self.count += self.width - self.count % self.width
        self.count += ways
        return self.count - ways

    @property
    def elements(self) -> int:
        """How many elements the marks have."""
        return -(-self.count // self.width)

    def element(self, number: int) -> int:
        """Return the element of the marks that a point is in."""
        return number // self.width

    def bit(self, number: int) -> int:
        """Return the value of its bit there."""
        return 1 << number % self.width
