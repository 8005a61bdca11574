"""The memory of the compiled search: its layout, and how it is allocated.

This is the interface between the driver, in Python, and the kernel, in machine code.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import IntEnum
from time import perf_counter

from ...core.spec import TidegateError

NORESERVE = 0x4000
"""Linux's MAP_NORESERVE: reserves only address space; a page takes memory once it is written."""

DONT_NEED, HUGE_PAGES, POPULATE_WRITE = 4, 14, 23
"""Linux's MADV_DONTNEED, MADV_HUGEPAGE and, from 5.14 on, MADV_POPULATE_WRITE.

The first frees pages, which hold zeros when they are used again; the last populates pages at once.
"""

PIECE_BYTES, TRIAL_BYTES = 16 << 20, 4 << 20
"""Bytes that the operating system is asked to populate at a time, and the first time."""

SLOW = 5e-10
"""Seconds per byte above which huge pages are considered unavailable.

A virtual machine may have given free ones back to its host, and waits for each of them.
"""

GROUP = 256
"""States whose successors are computed together; a multiple of 64."""

BLOCK = 256
"""States for which a worker reserves room at a time."""

BATCH = 64
"""States whose buckets are prefetched together while states are restored."""

RECENT = 1 << 12
"""States in a worker's table of recent states; a power of two."""

TARGETS = 64
"""The most states whose parents are found together."""

MAX_NUMBER = 1 << 62
"""More than any number of states."""

DONE, GROW, STOPPED = 0, 1, 2
"""Why a worker returned: the level is finished, there is no room, or it was told to stop."""

_madvise = ctypes.CDLL(None).madvise
"""The C library's function, during which other Python threads can run."""


class MemoryLimitError(TidegateError):
    """The operating system does not grant the address space that a search needs."""


class Shared(IntEnum):
    """Byte offsets in the block that all workers share.

    A number that changes often has a cache line of its own.
    """

    CURSOR = 0
    TAIL = 64
    OVERFLOWED = 128
    STOP = 192
    TABLE = 256
    BUCKETS = 264
    OVERFLOW = 272
    OVERFLOW_SIZE = 280
    OVERFLOW_LIMIT = 288
    STATES = 296
    CAPACITY = 304
    FRONTIER = 312
    SEGMENTS = 320
    CHUNKS = 328
    CHUNK = 336
    ACTIVE = 344
    TARGETS = 352
    TARGET_COUNT = 360
    ALONE = 368
    MARKS = 376
    ENABLED = 384
    DEMANDS = 392
    DEMAND_WORDS = 400
    MISSING = 408
    OVERFLOW_SPREAD = 416
    WINDOW = 424
    BATCH = 432
    SIZE = 512


class Worker(IntEnum):
    """Byte offsets in a worker's own block.

    ``TOOK`` has a bit for each 64th of the instances, set if one of these was taken from the states
    expanded last, and ``TOUCHED`` from the states of a chunk.
    """

    SHARED = 0
    REDO = 8
    NEXT = 16
    END = 24
    INSERTED = 32
    BUFFER = 40
    TAKEN = 48
    SCRATCH = 56
    FOUND = 64
    ERROR = 72
    NOTED = 80
    RECENT = 88
    STATE = 96
    EDGE = 104
    EDGES_END = 112
    FIRST = 120
    ALIVE = 128
    ASSERTED = 128 + GROUP // 8
    TOOK = 128 + 2 * (GROUP // 8)
    TOUCHED = 128 + 2 * (GROUP // 8) + 8
    SIZE = 256


class Region:
    """A region of address space; its pages take memory once they are written.

    Parameters
    ----------
    size
        In bytes.
    huge
        Whether to ask for huge pages, which save most address translations, while the operating
        system has them.
    """

    def __init__(self, size: int, huge: bool = False) -> None:
        self.size = max(size, mmap.PAGESIZE)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
        try:
            self._map = mmap.mmap(-1, self.size, flags=flags)
        except (OSError, ValueError) as error:
            raise MemoryLimitError(
                f"no address space for {self.size >> 20} MiB ({error}); lower --max-memory, "
                "or allow more address space (ulimit -v)"
            ) from None
        self._huge = huge
        self._prepared = 0
        self._view = (ctypes.c_char * self.size).from_buffer(self._map)
        self.address = ctypes.addressof(self._view)

    def __getitem__(self, offset: int) -> int:
        """Return the number at an offset in bytes."""
        return int(ctypes.c_uint64.from_address(self.address + offset).value)

    def __setitem__(self, offset: int, value: int) -> None:
        """Write a number at an offset in bytes."""
        ctypes.c_uint64.from_address(self.address + offset).value = value

    def numbers(self, offset: int, count: int) -> list[int]:
        """Return consecutive numbers from an offset in bytes on."""
        array = (ctypes.c_uint64 * count).from_address(self.address + offset)
        return list(array)

    def read(self, offset: int, length: int) -> bytes:
        """Return a copy of a part of it, which must be as for :meth:`view`."""
        return bytes(self.view(offset, length))

    def write(self, offset: int, content: bytes) -> None:
        """Write bytes from an offset on, into a part that must be as for :meth:`view`."""
        self.view(offset, len(content))[:] = content

    def view(self, offset: int, length: int) -> memoryview:
        """Return a part of it, as bytes that can be read and written.

        No ``with`` releases it: while an iterator or an array still uses it, as one does that an
        error has left behind, releasing it raises another error instead of that.

        Raises
        ------
        MemoryLimitError
            If the region is smaller.
        """
        if offset + length > self.size:
            raise MemoryLimitError(
                f"--max-memory {self.size >> 20}M is too little for the states on disk, of which "
                f"{(offset + length >> 20) + 1}M are needed at once; allow more"
            )
        return memoryview(self._map)[offset : offset + length]

    def unprepared(self, length: int) -> Iterator[tuple[int, int]]:
        """Yield the pieces of the first bytes that are not populated yet: offset and length."""
        length = min(-(-length // mmap.PAGESIZE) * mmap.PAGESIZE, self.size)
        some = TRIAL_BYTES
        while self._prepared < length:
            some = min(length - self._prepared, some)
            self._prepared += some
            yield self._prepared - some, some
            some = PIECE_BYTES

    def prepare(self, offset: int, length: int) -> None:
        """Populate a piece, all of which will be written soon.

        That takes half as long as page by page.
        """
        began = perf_counter()
        if self._huge:
            self._advise(offset, length, HUGE_PAGES)
        self._advise(offset, length, POPULATE_WRITE)
        if perf_counter() - began > SLOW * length:
            self._huge = False

    def _advise(self, offset: int, length: int, advice: int) -> None:
        """Give advice to the operating system, which ignores what it does not know."""
        _madvise(ctypes.c_void_p(self.address + offset), ctypes.c_size_t(length), advice)

    def forget(self, offset: int, length: int) -> None:
        """Free the memory of some pages, the last one whole; they hold zeros afterwards."""
        self._advise(offset, -(-length // mmap.PAGESIZE) * mmap.PAGESIZE, DONT_NEED)

    def clear(self, offset: int, length: int) -> None:
        """Write zeros."""
        ctypes.memset(self.address + offset, 0, length)

    def close(self) -> None:
        """Free the address space once nobody has a view of it."""
        del self._view
        # An error that ends a search may hold a view in its traceback; that error is reported.
        with suppress(BufferError):
            self._map.close()


def region_of(numbers: Sequence[int]) -> Region:
    """Return memory that holds these numbers in a row."""
    region = Region(8 * len(numbers))
    for index, number in enumerate(numbers):
        region[8 * index] = number
    return region
