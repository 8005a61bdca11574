"""How much memory a search may use: free memory, within the limits of the system."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .interrupts import LimitReachedError, Stop, Stopped
from .result import Resources

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

_LOOK = 0.01
"""Seconds between looks at the memory."""

_BEYOND = 16 << 20
"""Bytes beyond the limit from which on the system refuses memory.

What grows slowly is to be ended by a look: where nothing at all is left, CPython 3.11 crashes when
it enters a function that needs a large frame.
"""

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


class MemoryLimit:
    """What a search may use of the memory.

    Parameters
    ----------
    limit
        In bytes; None for the default.
    before
        Resident memory when the search was requested, which is not the search's.

    Attributes
    ----------
    bytes
        The limit.
    """

    def __init__(self, limit: int | None, before: int) -> None:
        self.bytes = free_memory() if limit is None else limit
        self._before = before
        self._looked = 0.0

    def left(self) -> int:
        """Return how many bytes are left; fewer than 0 if it was exceeded."""
        return self._before + self.bytes - resident_memory()

    def reached(self, now: float, more: int = 0) -> Stopped | None:
        """Return what ends the search if nothing is left.

        Parameters
        ----------
        now
            The time, since looking takes some.
        more
            Bytes that it may use beyond the limit.
        """
        if now - self._looked < _LOOK:
            return None
        self._looked = now
        space = address_space()
        if space is not None and space < _RESERVE:
            return Stopped(Stop.OUT_OF_MEMORY)
        return None if self.left() + more > 0 else self._stopped()

    @contextmanager
    def kept(self, more: int = 0) -> Iterator[None]:
        """Let the system refuse this process what goes beyond the limit, also in a single call.

        It does so for the main thread only, since a process has one limit for all its threads.

        Parameters
        ----------
        more
            Bytes that the block may use beyond the limit.

        Raises
        ------
        LimitReachedError
            If the block gets no more memory.
        """
        left, space = max(self.left(), 0) + more, address_space()
        stopped = self._stopped()
        if space is not None and space - _RESERVE < left:
            left, stopped = max(space - _RESERVE, 0), Stopped(Stop.OUT_OF_MEMORY)
        left += _BEYOND
        before = resource.getrlimit(resource.RLIMIT_DATA)
        most = _pages(5) + left
        tighter = before[0] == resource.RLIM_INFINITY or most < before[0]
        try:
            if not tighter or threading.current_thread() is not threading.main_thread():
                stopped = Stopped(Stop.OUT_OF_MEMORY)
                yield
                return
            resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
            try:
                yield
            finally:
                # What follows needs memory, too: at the least this error.
                resource.setrlimit(resource.RLIMIT_DATA, before)
        except (MemoryError, SystemError) as error:
            # CPython loses a MemoryError in an import, and then says that no exception was set.
            if isinstance(error, SystemError) and "exception" not in str(error):
                raise
            raise LimitReachedError(stopped) from None

    def _stopped(self) -> Stopped:
        return Stopped(Stop.MAX_MEMORY, f"{self.bytes >> 20}M")


def _pages(field: int) -> int:
    """Return a field of this process's memory statistics, in bytes; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[field])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
