"""How much memory a search may use: what is free, within the limits of the control group."""

from __future__ import annotations

from pathlib import Path

SHARE = 0.8
"""Of what is free, so much is used by default."""

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return the default of ``--max-memory``, in bytes."""
    free = [_meminfo(), _cgroup("memory.max", "memory.current")]
    free.append(_cgroup("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
    known = [bytes_free for bytes_free in free if bytes_free is not None]
    return int(SHARE * max(min(known, default=4 << 30), 64 << 20))


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
