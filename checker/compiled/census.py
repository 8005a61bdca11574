"""Counts given states among all that a search has stored, in the subset that ``translate`` takes.

It knows nothing of the table of seen states, so that a fault there shows.
"""

from __future__ import annotations

from enum import IntEnum

from .intrinsics import load, store
from .program import Program
from .seen import fingerprint, same
from .values import MACHINE

ARITHMETIC = MACHINE


class Sought(IntEnum):
    """Byte offsets in an entry, after the words of the state: how often it was met, and where."""

    TIMES = 0
    LEVEL = 8
    SIZE = 16


def census(p: Program, states: int, count: int, level: int, slots: int, mask: int, sought: int) -> None:
    """Count which consecutive states are among those sought.

    Parameters
    ----------
    level
        To be noted for each state that is met.
    slots
        Address of a table by fingerprint: the number of an entry, from 1 on, or 0; it has one more
        slot than `mask` and is not full.
    sought
        Address of the entries.
    """
    size = p.words * 8 + Sought.SIZE
    for number in range(count):
        state = states + number * p.words * 8
        slot = fingerprint(p, state) & mask
        entry = load(slots + 8 * slot)
        while entry != 0:
            place = sought + (entry - 1) * size
            if same(p, state, place):
                times = place + p.words * 8
                store(times, load(times) + 1)
                store(times + Sought.LEVEL, level)
            slot = slot + 1 & mask
            entry = load(slots + 8 * slot)
