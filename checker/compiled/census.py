"""Counts given states among all that a search has stored, in the subset that ``translate`` takes.

It knows nothing of the table of seen states, so that a fault there shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from types import TracebackType
from typing import Any

from ...core.layout import Layout, State
from .build import Code
from .intrinsics import load, shifted, store
from .memory import Region
from .program import Program
from .seen import same
from .values import MACHINE

ARITHMETIC = MACHINE

SPREAD = 0x9E3779B97F4A7C15
"""An odd number whose products have well-mixed upper bits."""


class Sought(IntEnum):
    """Byte offsets in an entry, after the words of the state: how often it was met, and where."""

    TIMES = 0
    LEVEL = 8
    SIZE = 16


def census(
    p: Program, states: int, count: int, level: int, slots: int, mask: int, sought: int
) -> None:
    """Count which consecutive states are among those sought.

    Parameters
    ----------
    level
        To be noted for each state that is met.
    slots
        Address of a table by hash: the number of an entry, from 1 on, or 0; it has one more
        slot than `mask` and is not full.
    sought
        Address of the entries.
    """
    size = p.words * 8 + Sought.SIZE
    for number in range(count):
        state = states + number * p.words * 8
        hashed = load(state)
        for word in range(1, p.words):
            hashed = hashed * SPREAD ^ load(state + 8 * word)
        slot = shifted(hashed * SPREAD, 32) & mask
        entry = load(slots + 8 * slot)
        while entry != 0:
            place = sought + (entry - 1) * size
            if same(p, state, place):
                times = place + p.words * 8
                store(times, load(times) + 1)
                store(times + Sought.LEVEL, level)
            slot = slot + 1 & mask
            entry = load(slots + 8 * slot)


def _slot(words: Sequence[int]) -> int:
    """Return the same hash of a state as :func:`census` uses."""
    hashed = 0
    for word in words:
        hashed = hashed * SPREAD % (1 << 64) ^ word
    return hashed * SPREAD % (1 << 64) >> 32


class Census:
    """Counts given states in the memory of a search.

    Parameters
    ----------
    code
        Of the search, which exports :func:`census`.
    sought
        The states to count, all different.
    """

    def __init__(self, code: Code, layout: Layout[Any], sought: Sequence[State]) -> None:
        self._census = code.function("census", 6)
        self._sought, self._words = len(sought), 8 * layout.words
        self._size = self._words + Sought.SIZE
        self._entries = Region(self._size * len(sought))
        self._mask = (1 << (16 * len(sought)).bit_length()) - 1
        self._slots = Region(8 * (self._mask + 1))
        for number, state in enumerate(sought):
            for word, value in enumerate(layout.pack(state)):
                self._entries[self._size * number + 8 * word] = value
            slot = _slot(layout.pack(state)) & self._mask
            while self._slots[8 * slot]:
                slot = slot + 1 & self._mask
            self._slots[8 * slot] = number + 1

    def take(self, address: int, count: int, level: int) -> None:
        """Count the states sought among consecutive ones, which are in that level."""
        entries = self._entries.address
        self._census(address, count, level, self._slots.address, self._mask, entries)

    def found(self) -> list[tuple[int, int]]:
        """Return for each state how often it was met, and the last level in which it was."""
        places = range(self._words, self._sought * self._size, self._size)
        return [(self._entries[at], self._entries[at + Sought.LEVEL]) for at in places]

    def __enter__(self) -> Census:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entries.close()
        self._slots.close()
