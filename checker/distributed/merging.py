"""Merges several runs into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..compiled.memory import Region
from .kernel import Kernel
from .runs import Run, stretches, write_run
from .store import Store

OUT = 1 << 20
"""Records that are merged at a time."""


def merge_runs(
    kernel: Kernel, store: Store, runs: Sequence[Run], name: str, share: int, shares: int
) -> None:
    """Write a share of several runs as a share of one."""
    inputs = [_Input(kernel, _pieces(kernel, store, run, share, shares)) for run in runs]
    file = Run(name, shares, 0, parents=False).file(share)
    write_run(store, file, kernel.words, _merged(kernel, inputs), None)


class _Input:
    """One of the inputs of a merge: the address of its next records, and their end."""

    def __init__(self, kernel: Kernel, pieces: Iterator[tuple[Any, int]]) -> None:
        self._record, self._pieces = kernel.record, pieces
        self._buffer: Any = None
        self.take_next()

    def take_next(self) -> None:
        """Advance to the next piece; the address is 0 after the last one."""
        self._buffer, count = next(self._pieces, (None, 0))
        self.address = self._buffer.address if self._buffer is not None else 0
        self.end = self.address + count * self._record


def _pieces(
    kernel: Kernel, store: Store, run: Run, share: int, shares: int
) -> Iterator[tuple[Any, int]]:
    for stretch in stretches(store, run, kernel.words, share, shares):
        yield from stretch.file.pieces(stretch.first, stretch.end)


def _merged(kernel: Kernel, inputs: Sequence[_Input]) -> Iterator[memoryview]:
    """Yield the records of sorted inputs in their order, a buffer at a time."""
    cursors, out = Region(16 * len(inputs)), Region(OUT * kernel.record)
    left = [one for one in inputs if one.address]
    while left:
        for number, one in enumerate(left):
            cursors[16 * number], cursors[16 * number + 8] = one.address, one.end
        written = kernel.call["merge"](cursors.address, len(left), out.address, OUT)
        yield out.view(0, written * kernel.record)
        for number, one in enumerate(left):
            one.address = cursors[16 * number]
            if one.address == one.end:
                one.take_next()
        left = [one for one in left if one.address]
