"""Where the states of each level are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

from ..samples import spread
from .machine import Segments


class Levels(Sequence[Segments]):
    """The segments of each level, in a few bytes each: there may be millions of levels."""

    def __init__(self) -> None:
        self._numbers = array("Q")
        self._ends = array("Q")

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> Segments: ...

    @overload
    def __getitem__(self, number: slice) -> list[Segments]: ...

    def __getitem__(self, number: int | slice) -> Segments | list[Segments]:
        """Return the segments of a level, or a list of those of several levels."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        begin = self._ends[number - 1] if number else 0
        numbers = self._numbers[begin : self._ends[number]]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def append(self, segments: Segments) -> None:
        """Add a level."""
        self._numbers.extend(chain.from_iterable(segment for segment in segments if segment[1]))
        self._ends.append(len(self._numbers))

    def extend(self, levels: Iterable[Segments]) -> None:
        """Add several levels."""
        for segments in levels:
            self.append(segments)

    def drop_empty(self) -> None:
        """Drop the last level if it has no states."""
        if self._ends and not self[-1]:
            self._ends.pop()


def spread_over(levels: Sequence[Sequence[tuple[int, int]]], most: int) -> Iterator[int]:
    """Yield the numbers of about so many states, at equal distances on each level.

    Parameters
    ----------
    levels
        Their segments, each the number of its first state, and how many there are.
    """
    chosen = spread(levels, most)
    for segments in chosen:
        count = sum(count for _, count in segments)
        step, passed = max(1, count * len(chosen) // most), 0
        for first, count in segments:
            yield from range(first + -passed % step, first + count, step)
            passed += count
