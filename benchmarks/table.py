"""Measure the memory of the table in which an owner gathers the candidates of a level.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/table.py CANDIDATES LOG_SIZE

Candidates are random and distinct.  A state of the published KIP-320 with 3 replicas has two words
with log size 4, and three with 5.
"""

import ctypes
import os
import sys

from processes import below

from tidegate.checker.compiled.blocks import EXPORTED
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.distributed.kernel import Candidates, Kernel
from tidegate.library.selection import assemble

PIECE = 10_000


def main():
    """Fill a table, and print the bytes per candidate at the end and at most."""
    count, log_size = map(int, sys.argv[1:])
    bounds = ["replicas=3", "max_leader_epoch=2", f"log_size={log_size}", f"records={log_size}"]
    system, _ = assemble("examples/published.py:kip_320", bounds, ["none"])
    text, module = Generator(system, [], True, None).module(EXPORTED)
    kernel = Kernel(text, module, len(system.instances), 0)
    [(before, _)] = below([os.getpid()])
    table = Candidates(kernel, 1, 0)
    for _ in range(count // PIECE):
        some = os.urandom(PIECE * kernel.candidate)
        table.insert(ctypes.cast(ctypes.c_char_p(some), ctypes.c_void_p).value, PIECE)
    [(after, _)] = below([os.getpid()])
    now, most = (
        (figure - before.resident) / table.held for figure in (after.resident, after.highest)
    )
    sys.stdout.write(
        f"{table.held:,} candidates of {kernel.candidate} bytes: {now:.0f} bytes each, "
        f"{most:.0f} at most\n"
    )


if __name__ == "__main__":
    main()
