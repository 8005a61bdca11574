"""How much memory a search may use: free memory, within the limits of the system."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Sized
from pathlib import Path
from sys import getsizeof

from .result import Resources
from .stop import Stop, Stopped

SHARE = 0.8
"""The share of the free memory that is used by default."""

LLVM_BYTES = 400 << 20
"""The address space needed to load LLVM: it takes 160 MiB, and more to compile a model.

If it gets no more, it does not return but ends the process.
"""

SETS_ASIDE = 4
"""Bytes of address space that the compiled engine reserves for each byte that it may use."""

_LEAST = 64 << 20

_RESERVE = 48 << 20
"""Address space that is left for what follows a search: the trace, and the report."""

_LOOK = 0.05
"""Seconds between looks at the memory."""

_SLOT, _GROWS_FASTER, _NEARLY = 16, 50_000, 0.95
"""Bytes of a slot of a set, the members up to which it grows by four, and how full it may be before
it is taken to grow soon."""

_CGROUP = Path("/sys/fs/cgroup")


def available_memory(jobs: int = 1) -> int:
    """Return the default of ``--max-memory`` for each of several compiled searches, in bytes."""
    share, space = free_memory() // jobs, address_space()
    if space is None:
        return share
    # Each process has an address space of its own.
    return min(share, max((space - LLVM_BYTES) // SETS_ASIDE, _LEAST))


def free_memory() -> int:
    """Return the share of the free memory that is used by default, in bytes."""
    free = [_meminfo(), _cgroup("memory.max", "memory.current")]
    free.append(_cgroup("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
    known = [bytes_free for bytes_free in free if bytes_free is not None]
    return int(SHARE * max(min(known, default=4 << 30), _LEAST))


def address_space() -> int | None:
    """Return how much more address space this process may use (``ulimit -v``), if limited."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return None
    return max(most - _pages(0), 0)


def parse_size(text: str) -> int | None:
    """Return an amount of memory in bytes, written in bytes or in K, M, G or T (powers of 1024).

    None for any other text, and for less than 64M.

    >>> parse_size("500M"), parse_size("1.5 GiB"), parse_size("much")
    (524288000, 1610612736, None)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?", text, re.IGNORECASE)
    size = float(match[1]) * _UNITS.get(match[2].upper(), 1) if match else 0
    return int(size) if 64 << 20 <= size <= 1 << 50 else None


_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def share_of(jobs: int) -> Resources:
    """Return what each of several searches may use: its share of the cores and of the memory.

    Each runs only once, so its code is optimised only if that pays within the search.
    """
    workers = max(1, len(os.sched_getaffinity(0)) // jobs)
    return Resources(workers=workers, memory=available_memory(jobs), optimise_from=4_000_000)


def _meminfo() -> int | None:
    """Return the memory that can be used without swapping, as the kernel estimates it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _cgroup(limit: str, used: str) -> int | None:
    """Return the free memory of the control group, if it has a limit."""
    try:
        most = (_CGROUP / limit).read_text(encoding="ascii").strip()
        current = (_CGROUP / used).read_text(encoding="ascii").strip()
        return int(most) - int(current)
    except (OSError, ValueError):
        return None


def resident_memory() -> int:
    """Return the resident memory of this process in bytes; 0 if unknown."""
    return _pages(1)


class MemoryWatch:
    """Says when a search in Python has to end, since it is near its limit of memory.

    Parameters
    ----------
    limit
        Bytes that the search may use; None for the default.
    before
        Resident memory when it was requested.
    """

    def __init__(self, limit: int | None, before: int) -> None:
        self._limit = free_memory() if limit is None else limit
        self._before = before
        self._looked = 0.0

    def stopped_by(self, growing: Sized, now: float) -> Stopped | None:
        """Return what ends the search, if anything does.

        Parameters
        ----------
        growing
            The largest table, which takes twice its memory at once when it grows.
        now
            The time, since looking takes some.
        """
        if now - self._looked < _LOOK:
            return None
        self._looked = now
        table = getsizeof(growing)
        # CPython's sets grow when three fifths of their slots are taken.
        soon = len(growing) * _SLOT * 5 > table * 3 * _NEARLY
        more = 4 * table if soon and len(growing) < _GROWS_FASTER else 2 * table if soon else 0
        if resident_memory() - self._before + more > self._limit:
            return Stopped(Stop.MAX_MEMORY, f"{self._limit >> 20}M")
        space = address_space()
        if space is not None and space < more + _RESERVE:
            return Stopped(Stop.OUT_OF_MEMORY)
        return None


def _pages(field: int) -> int:
    """Return a field of this process's memory statistics, in bytes; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[field])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
