"""Checks that words from a file are a valid state.

Actions and predicates are translated for values within their declared ranges, so nothing else may
reach them.  The check is machine code too, in the subset of Python that ``translate`` takes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from ...core.layout import WORD_BITS, Layout
from .build import Code
from .intrinsics import below, load, shifted
from .memory import region_of
from .program import Program
from .values import MACHINE

ARITHMETIC = MACHINE

ALL = (1 << WORD_BITS) - 1


class WordRanges(IntEnum):
    """Byte offsets in the entry of a word, which has the ranges of its variables.

    A variable of b bits is out of range if it becomes 2^b or more when the gap between its highest
    value and 2^b - 1 is added.  The variables of a word are checked together, even and odd ones
    separately, so that each sum has a zero bit to carry into.  The variable with the word's last
    bit has no bit for that, and is compared.
    """

    UNUSED = 0
    EVEN = 8
    EVEN_GAPS = 16
    EVEN_CARRIES = 24
    ODD = 32
    ODD_GAPS = 40
    ODD_CARRIES = 48
    LAST_SHIFT = 56
    LAST_HIGH = 64
    SIZE = 72


def is_valid(p: Program, ranges: int, state: int) -> bool:
    """Whether every variable of a state is within its range."""
    wrong = 0
    for word in range(p.words):
        entry = ranges + word * WordRanges.SIZE
        value = load(state + 8 * word)
        even = (value & load(entry + WordRanges.EVEN)) + load(entry + WordRanges.EVEN_GAPS)
        odd = (value & load(entry + WordRanges.ODD)) + load(entry + WordRanges.ODD_GAPS)
        wrong = wrong | value & load(entry + WordRanges.UNUSED)
        wrong = wrong | even & load(entry + WordRanges.EVEN_CARRIES)
        wrong = wrong | odd & load(entry + WordRanges.ODD_CARRIES)
        last = shifted(value, load(entry + WordRanges.LAST_SHIFT))
        if below(load(entry + WordRanges.LAST_HIGH), last):
            wrong = 1
    return wrong == 0


def valid_states(p: Program, ranges: int, states: int, count: int) -> int:
    """Return how many consecutive states are valid, up to the first one that is not."""
    for number in range(count):
        if not is_valid(p, ranges, states + number * p.words * 8):
            return number
    return count


def ranges_of(layout: Layout[Any]) -> tuple[int, ...]:
    """Return the entries of all words of a state, as consecutive numbers."""
    entries = []
    for word in range(layout.words):
        entry = dict.fromkeys(WordRanges, 0)
        entry[WordRanges.LAST_HIGH] = ALL
        unused = ALL
        for number, variable in enumerate(v for v in layout.stored if v.word == word):
            mask = (1 << variable.width) - 1
            high = variable.high - variable.low
            unused &= ~(mask << variable.shift)
            if variable.shift + variable.width == WORD_BITS:
                entry[WordRanges.LAST_SHIFT], entry[WordRanges.LAST_HIGH] = variable.shift, high
            elif high < mask:
                first, gaps, carries = (
                    (WordRanges.ODD, WordRanges.ODD_GAPS, WordRanges.ODD_CARRIES)
                    if number % 2
                    else (WordRanges.EVEN, WordRanges.EVEN_GAPS, WordRanges.EVEN_CARRIES)
                )
                entry[first] |= mask << variable.shift
                entry[gaps] |= mask - high << variable.shift
                entry[carries] |= 1 << variable.shift + variable.width
        entry[WordRanges.UNUSED] = unused
        entries += [entry[place] for place in sorted(WordRanges) if place is not WordRanges.SIZE]
    return tuple(entries)


class Validity:
    """Checks whether states in memory are valid.

    Parameters
    ----------
    code
        The code of a search, which exports :func:`valid_states`.
    """

    def __init__(self, code: Code, layout: Layout[Any]) -> None:
        self._ranges = region_of(ranges_of(layout))
        self._valid_states = code.function("valid_states", 3)

    def holds(self, address: int, count: int) -> bool:
        """Whether that many consecutive states from an address on are valid."""
        return self._valid_states(self._ranges.address, address, count) == count

    def close(self) -> None:
        """Give the memory back."""
        self._ranges.close()
