"""The common part of the searches in machine code: on one machine, and distributed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

from ...core.interrupts import Stopped
from ...core.layout import State
from ...core.result import Reason
from ..interpreted import spread
from ..request import SearchRequest
from .machine import Segments


class LevelSearch:
    """A breadth-first search in machine code, and its results so far.

    It has attributes of :class:`..interpreted.Search` that a report needs.
    """

    def __init__(self, request: SearchRequest) -> None:
        self.request = request
        self.system, self.properties = request.system, request.properties
        self.symmetry = request.symmetry
        self.violations: dict[str, tuple[int, list[State]]] = {}
        self.stopped_by: Stopped | None = None
        self.because: tuple[Reason, ...] = ()

    def _within_limits(self, distinct: int, seconds: float) -> bool:
        """Whether a search that has found so many states may continue; record why it may not."""
        self.stopped_by = self.request.limits.reached(distinct, seconds=seconds) or self.stopped_by
        return self.stopped_by is None

    def _largest(self, taken: Sequence[int]) -> str:
        """Return the name of the most frequent action; empty if none was taken."""
        if not any(taken):
            return ""
        return self.system.instances[max(range(len(taken)), key=taken.__getitem__)].action.name

    def _active(self) -> int:
        """Return a bit for every property that is still to be decided."""
        return sum(
            1 << number
            for number, prop in enumerate(self.properties)
            if prop.name not in self.violations
        )


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
