"""Placement of texts in a diagram: they must not overlap each other, arrow heads or signs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDE, LINE = 6.8, 13
"""Width of a character at most, on average, and height of a line, of the small texts."""

CHARACTERS, NARROW, LINES = 20, 14, 3
"""Characters of a line between two lanes, of one amid them, and lines of a text at most."""

_BUCKET = 64.0


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Box) -> float:
        """Return the area that two rectangles have in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across * down if across > 0 and down > 0 else 0.0


@dataclass(frozen=True)
class Spot:
    """Where a text might go: the baseline of its first line, or of its last with `above`."""

    x: float
    y: float
    anchor: str = "start"
    above: bool = False

    def first(self, lines: int) -> float:
        """Return the baseline of the first of a number of lines."""
        return self.y - LINE * (lines - 1) if self.above else self.y

    def box(self, lines: Sequence[str]) -> Box:
        """Return the room that lines take here."""
        width = WIDE * max(map(len, lines))
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        top = self.first(len(lines)) - LINE + 2
        return Box(left, top, left + width, top + LINE * len(lines))


def wrapped(text: str, characters: int = CHARACTERS) -> list[str]:
    """Return a text in lines that fit between two lanes.

    >>> wrapped("leads e2 isr {0,1} (stale)")
    ['leads e2 isr {0,1}', '(stale)']
    """
    together = re.sub(r"(?<=isr) (?=\{)|(?<=m\d) (?=\()", "\u00a0", text)
    lines = textwrap.wrap(together, characters, max_lines=LINES, placeholder=" …")
    return [line.replace("\u00a0", " ") for line in lines]


class Room:
    """The parts of a diagram that are taken so far.

    Parameters
    ----------
    width
        Of the diagram.
    left
        Where the lanes begin: texts stay to the right of it.
    lanes
        Where the lines of the participants are, which texts avoid.
    """

    def __init__(self, width: float, left: float, lanes: Iterable[float]) -> None:
        self._width, self._left, self._lanes = width, left, tuple(lanes)
        self._taken: dict[int, list[Box]] = {}

    def take(self, box: Box) -> None:
        """Mark a part as taken: texts avoid it."""
        for bucket in self._buckets(box):
            self._taken.setdefault(bucket, []).append(box)

    def put(self, spots: Iterable[Spot], lines: Sequence[str]) -> Spot:
        """Return the first of the spots that is free, or the freest one, and take it."""
        best, least = Spot(0, 0), float("inf")
        for spot in spots:
            cost = self._cost(spot.box(lines))
            if cost < least:
                best, least = spot, cost
            if not cost:
                break
        self.take(best.box(lines))
        return best

    def _cost(self, box: Box) -> float:
        near = (
            box_taken for bucket in self._buckets(box) for box_taken in self._taken.get(bucket, ())
        )
        cost = sum(box.shared(other) for other in near)
        cost += sum(40.0 for lane in self._lanes if box.left < lane + 2 and lane - 2 < box.right)
        outside = max(0.0, self._left - box.left) + max(0.0, box.right - self._width)
        return cost + outside * LINE * 2 + (1000.0 if box.top < 0 else 0.0)

    @staticmethod
    def _buckets(box: Box) -> range:
        return range(int(box.top // _BUCKET), int(box.bottom // _BUCKET) + 1)
