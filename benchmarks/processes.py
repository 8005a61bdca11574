"""The CPU time and memory of processes, from /proc, for benchmarks of several processes."""

import os
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A process at some moment.

    ``seconds`` is the CPU time of it and of its children that have ended; ``resident`` and
    ``highest`` are bytes of memory, including pages of mapped files and of shared memory,
    ``own`` is without these.
    """

    number: int
    command: str
    seconds: float
    resident: int
    highest: int
    own: int


def below(roots):
    """Return some processes and all their descendants, each with its parent's number."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    todo, descendants = [(root, 0) for root in roots], []
    while todo:
        number, parent = todo.pop()
        process = _read(number)
        if process:
            descendants.append((process, parent))
        todo += [(child, number) for child in children.get(number, [])]
    return descendants


def cpu_seconds():
    """Return the CPU seconds of this process and all its descendants."""
    return sum(process.seconds for process, _ in below([os.getpid()]))


def largest_resident():
    """Return the resident memory of the largest of these processes, in bytes."""
    return max(process.resident for process, _ in below([os.getpid()]))


def _read(number):
    entry = Path(f"/proc/{number}")
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
        command = (entry / "cmdline").read_text(errors="replace").replace("\0", " ")
        status = dict(line.split(":", 1) for line in (entry / "status").read_text().splitlines())
    except OSError:
        return None

    def size(name):
        # A zombie process has no memory.
        return int(status.get(name, "0 kB").split()[0]) << 10

    return Process(
        number,
        command,
        sum(map(int, fields[11:15])) / TICKS,
        size("VmRSS"),
        size("VmHWM"),
        size("RssAnon"),
    )
