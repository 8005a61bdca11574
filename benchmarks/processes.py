"""What processes use, as the kernel says in /proc: for benchmarks of more than one process."""

import os
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A process at some moment.

    ``seconds`` is the CPU time of it and of its children that have ended; ``resident`` and
    ``highest`` are bytes of memory, pages of mapped files and of shared memory included,
    ``own`` those that are neither.
    """

    number: int
    command: str
    seconds: float
    resident: int
    highest: int
    own: int


def below(roots):
    """Return the processes of some numbers and all below them, each with its parent's number."""
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
    """Return the CPU seconds of this process and all below it."""
    return sum(process.seconds for process, _ in below([os.getpid()]))


def largest_resident():
    """Return the memory that the largest of them has now, in bytes."""
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
        # A process that has ended, and that nobody has waited for, has no memory.
        return int(status.get(name, "0 kB").split()[0]) << 10

    return Process(
        number,
        command,
        sum(map(int, fields[11:15])) / TICKS,
        size("VmRSS"),
        size("VmHWM"),
        size("RssAnon"),
    )
