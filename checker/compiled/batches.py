"""Narrow levels one after another, in the subset of Python that ``translate`` takes.

Handing a level to the workers and back takes longer than a hundred states.  So one worker goes
through levels that are a single chunk each, up or down, until something needs the driver.
"""

from __future__ import annotations

from enum import IntEnum

from .intrinsics import load, store
from .kernel import do_chunk, find_in_chunk
from .memory import DONE, GROW, STOPPED, Shared, Worker
from .program import Program
from .seen import copy
from .values import MACHINE

ARITHMETIC = MACHINE


class Block(IntEnum):
    """Byte offsets in the block of a batch.

    ``MOST`` is the most levels of it, ``PASSED`` how many are recorded, and ``UNTIL`` the number of
    states at which it ends.  The level after those recorded begins where the worker was at
    ``NEXT``, ``END`` and ``TAIL``.  ``OUTPUT`` is the address for parents.  From ``RECORDS`` on
    there are two numbers for each level: its first state, and how many it has.
    """

    MOST = 0
    PASSED = 8
    UNTIL = 16
    NEXT = 24
    END = 32
    TAIL = 40
    OUTPUT = 48
    RECORDS = 56


def expand_levels(p: Program, worker: int) -> int:
    """Expand the frontier, a single chunk, and the levels after it: DONE, GROW or STOPPED.

    The last level found is not recorded: it may be in several segments, or lack states.
    """
    shared = load(worker + Worker.SHARED)
    batch, segment = load(shared + Shared.BATCH), load(shared + Shared.SEGMENTS)
    store(batch + Block.PASSED, 0)
    store(worker + Worker.NOTED, 0)
    while True:
        begin, end = load(worker + Worker.NEXT), load(worker + Worker.END)
        tail = load(shared + Shared.TAIL)
        store(batch + Block.NEXT, begin)
        store(batch + Block.END, end)
        store(batch + Block.TAIL, tail)
        if not do_chunk(p, shared, worker, 0):
            store(worker + Worker.REDO, 0)
            store(shared + Shared.CURSOR, 1)
            return GROW
        if load(worker + Worker.ERROR) != 0:
            return STOPPED
        first = tail if begin == end else begin
        count = load(worker + Worker.NEXT) - first
        # A worker's next block follows the one before, unless that was not the last of all.
        if load(worker + Worker.END) != end and first != tail and end != tail:
            return DONE
        if count <= 0 or count > load(shared + Shared.CHUNK) or must_end(p, shared, worker, batch):
            return DONE
        passed = load(batch + Block.PASSED)
        store(batch + Block.RECORDS + 16 * passed, first)
        store(batch + Block.RECORDS + 16 * passed + 8, count)
        store(batch + Block.PASSED, passed + 1)
        store(segment, first)
        store(segment + 8, count)


def must_end(p: Program, shared: int, worker: int, batch: int) -> bool:
    """Whether the driver has to see the level that was found last."""
    if load(shared + Shared.STOP) != 0 or load(worker + Worker.NOTED) != 0:
        return True
    if load(worker + Worker.INSERTED) >= load(batch + Block.UNTIL):
        return True
    return load(batch + Block.PASSED) + 1 >= load(batch + Block.MOST)


def find_ancestors(p: Program, worker: int) -> int:
    """Find the parents of the targets, their parents, and so on; return on how many levels.

    The recorded levels are those of the parents, the deepest first.
    """
    shared = load(worker + Worker.SHARED)
    batch, segment = load(shared + Shared.BATCH), load(shared + Shared.SEGMENTS)
    targets, count = load(shared + Shared.TARGETS), load(shared + Shared.TARGET_COUNT)
    size, output = (p.words + 2) * 8, load(batch + Block.OUTPUT)
    for level in range(load(batch + Block.MOST)):
        if load(shared + Shared.STOP) != 0:
            return level
        record = batch + Block.RECORDS + 16 * level
        store(segment, load(record))
        store(segment + 8, load(record + 8))
        find_in_chunk(p, shared, worker, 0)
        for target in range(count):
            if load(load(worker + Worker.FOUND) + target * size) == 0:
                return level
        for target in range(count):
            entry = load(worker + Worker.FOUND) + target * size
            copy(p, entry + 16, targets + target * p.words * 8)
            copy(p, entry + 16, output)
            output += p.words * 8
            store(entry, 0)
    return load(batch + Block.MOST)


EXPORTED = (expand_levels, find_ancestors)
"""What the driver calls; all arguments are numbers."""
