"""The memory of the table of seen states, and how it is spread over more buckets."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial

from .build import Code
from .memory import Region, Shared, region_of
from .seen import SMEAR
from .threads import Threads

EXACT_BUCKETS = 1 << 16
"""The smallest table whose tags, with 24 bits of hash each, determine their buckets as it grows."""

FINGERPRINT_BUCKETS = 1 << 24
"""The same for tags with 16 bits of the bucket's hash: 40 bits and 48 others make 88."""

LONGEST = 8
"""The most buckets of a window."""

LARGE = 1 << 24
"""Buckets for each bucket of a window, so that only large tables, slow anyway, have long ones."""

APART = 1 << 12
"""The most buckets of which one worker moves all tags."""

PIECE = 1 << 18
"""Entries of the overflow table that are put back before their memory is freed."""


def window(buckets: int) -> int:
    """Return the number of buckets of a window.

    The tags in a bucket have their homes in as many buckets, and their lowest 16 upper bits must
    tell which: windows of n buckets need a table of n * 2^24.
    """
    return min(max(buckets // LARGE, 1), LONGEST)


def overflow_size(buckets: int) -> int:
    """Return the number of entries of the overflow table without its smear.

    A large table is fuller when its overflow table is full.
    """
    return buckets * (28 if window(buckets) > 1 else 19) // 64


def table_bytes(buckets: int) -> int:
    """Return the size of a table and its overflow table in bytes."""
    return buckets * 64 + overflow_size(buckets) * 12


def buckets_for(states: int) -> int:
    """Return a number of buckets in which so many states, spread by chance, find room."""
    for reach, load in ((7, 7.3), (4, 6.8), (2, 6)):
        buckets = int(states / load)
        if window(buckets) >= reach:
            return buckets
    return states // 5


class Table:
    """The table of seen states.

    Parameters
    ----------
    shared
        The block that all workers share.
    memory
        The most bytes that the table may use.
    threads
        They move its tags.
    """

    def __init__(self, shared: Region, memory: int, threads: Threads) -> None:
        self.shared, self.threads = shared, threads
        self.region = Region(memory, huge=True)
        # Two of each: when the table grows, tags move from one to the other.
        most = overflow_size(memory // 64) + (1 << SMEAR)
        self._overflows = [Region(8 * most), Region(8 * most)]
        self._missing = [Region(4 * most), Region(4 * most)]

    def use(self, code: Code) -> None:
        """Use the functions of this machine code."""
        self._grow = code.function("grow", 2)
        self._reinsert = code.function("reinsert", 6)

    def set_sizes(self, buckets: int) -> None:
        """Write where the table is, and how large."""
        shared, size = self.shared, overflow_size(buckets)
        shared[Shared.TABLE], shared[Shared.BUCKETS] = self.region.address, buckets
        shared[Shared.WINDOW] = window(buckets)
        shared[Shared.OVERFLOW] = self._overflows[0].address
        shared[Shared.MISSING] = self._missing[0].address
        shared[Shared.OVERFLOW_SPREAD] = size
        shared[Shared.OVERFLOW_SIZE] = size + (1 << SMEAR)
        shared[Shared.OVERFLOW_LIMIT] = size * 6 // 7

    def prepare_all(self) -> None:
        """Populate its memory, all of which will be used soon."""
        buckets = self.shared[Shared.BUCKETS]
        self.threads.prepare(self.region, (buckets + window(buckets)) * 64)

    def grow(self, buckets: int) -> None:
        """Spread the table over more buckets; no worker may be running."""
        shared = self.shared
        old, entries = shared[Shared.BUCKETS], shared[Shared.OVERFLOW_SIZE]
        shared[Shared.OVERFLOWED] = 0
        self._overflows.reverse()
        self._missing.reverse()
        self.set_sizes(buckets)
        self.prepare_all()
        for low in self._spread(old, buckets):
            # Those tags that overflowed go where the others went, so that memory is soon free.
            first = low * overflow_size(old) // old + (1 << SMEAR) if low else 0
            entries = self._put_back(first, entries, low)

    def _spread(self, old: int, new: int) -> Iterator[int]:
        """Move all tags of `old` buckets, each worker a part of those that can be moved at a time.

        A tag of bucket b moves beyond b, unless b is one of the first: these are moved last, from a
        copy.  So the tags from b on move beyond all of them if b is large enough.  It yields the
        buckets from which on all tags have moved.
        """
        reach = window(old)
        bottom = min(-(-(reach * new) // (new - old)) + 1, old)
        left = old + reach - 1
        while left > bottom:
            # Homes are up to reach - 1 buckets before their tags.
            low = max(-(-left * old // new) + reach, bottom)
            if left - low <= APART:
                low, parts = bottom, 1
            else:
                parts = min(self.threads.count, APART // 64)
            bounds = [low + (left - low) * part // parts for part in range(parts + 1)]
            # What lies between two parts moves last, since windows there overlap.
            between = [(bound - 2 * LONGEST, bound) for bound in bounds[1:-1]]
            starts, ends = [low, *bounds[1:-1]], [first for first, _ in between] + [left]
            self._move(old, new, list(zip(starts, ends, strict=True)), self.region.address)
            self._move(old, new, between, self.region.address)
            left = low
            yield left
        copy = Region(left * 64)
        ctypes.memmove(copy.address, self.region.address, left * 64)
        self.region.clear(0, left * 64)
        self._move(old, new, [(0, left)], copy.address)
        copy.close()
        yield 0

    def _put_back(self, first: int, end: int, low: int) -> int:
        """Put tags of the old overflow table back, from entry `first` to `end`, piece by piece.

        Returns
        -------
        int
            The entry from which on none is left: tags whose homes are before bucket `low` stay.
        """
        tags, missing = self._overflows[1], self._missing[1]
        while end > first:
            start = (end - 1) // PIECE * PIECE
            if start < first or self._reinsert(
                self.shared.address, tags.address, missing.address, start, end - start, low
            ):
                break
            tags.forget(start * 8, (end - start) * 8)
            missing.forget(start * 4, (end - start) * 4)
            end = start
        return end

    def _move(self, old: int, new: int, ranges: list[tuple[int, int]], address: int) -> None:
        """Move the tags of some ranges of buckets, each by a worker."""
        before, one = window(old) - 1, divmod(1 << 40, old)
        orders = [
            region_of((old, new, *some, *divmod(some[1] - before << 40, old), *one, address))
            for some in ranges
        ]
        move = partial(self._grow, self.shared.address)
        self.threads.finish(partial(move, order.address) for order in orders)
        for order in orders:
            order.close()

    def close(self) -> None:
        """Free its memory."""
        for region in (self.region, *self._overflows, *self._missing):
            region.close()
