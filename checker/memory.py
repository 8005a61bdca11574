"""How much memory a search may use: what is free, within the limits of the control group."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .result import Resources

SHARE = 0.8
"""Of what is free, so much is used by default."""

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return the default of ``--max-memory``, in bytes."""
    free = [_meminfo(), _cgroup("memory.max", "memory.current")]
    free.append(_cgroup("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
    known = [bytes_free for bytes_free in free if bytes_free is not None]
    return int(SHARE * max(min(known, default=4 << 30), 64 << 20))


def parse_size(text: str) -> int | None:
    """Return an amount of memory in bytes, written in bytes or in K, M, G or T (powers of 1024).

    None for what is no such amount, or not one from 64M on.

    >>> parse_size("500M"), parse_size("1.5 GiB"), parse_size("much")
    (524288000, 1610612736, None)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?", text, re.IGNORECASE)
    size = float(match[1]) * _UNITS.get(match[2].upper(), 1) if match else 0
    return int(size) if 64 << 20 <= size <= 1 << 50 else None


_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def share_of(jobs: int) -> Resources:
    """Return what each of several searches may use: its part of the cores and of the memory."""
    workers = max(1, len(os.sched_getaffinity(0)) // jobs)
    return Resources(workers=workers, memory=available_memory() // jobs)


def _meminfo() -> int | None:
    """Return what the kernel thinks can be used without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _cgroup(limit: str, used: str) -> int | None:
    """Return what is left of a control group's memory, if it has a limit."""
    try:
        most = (_CGROUP / limit).read_text(encoding="ascii").strip()
        current = (_CGROUP / used).read_text(encoding="ascii").strip()
        return int(most) - int(current)
    except (OSError, ValueError):
        return None


def resident_memory() -> int:
    """Return how many bytes of memory this process holds; 0 where that is not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
