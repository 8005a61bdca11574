"""What executors do: expand a share of a level, and own a share of what follows.

Both depend on nothing but the plan, the share and the runs in the store, so whoever does them again
comes to the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from ..compiled.memory import GROUP, Region
from .kernel import Candidates, Counts, Found, Kernel, Sieve
from .runs import Run, stretches, write_run
from .store import Store

HELD = 1 << 21
"""Candidates that are gathered before they are sent off, at most."""

OUT = 1 << 20
"""Records that are merged at a time."""


@dataclass(frozen=True)
class Plan:
    """What there is to do to find a level.

    Attributes
    ----------
    store
        Where runs are kept.
    sources
        Hash of the code that executors must have.
    code
        Hash of the kernel's text, which is in the store.
    level
        Number of the level to find.
    frontier
        The level before it.
    branching
        Candidates to expect of a state.
    earlier
        Runs that hold all states found so far.
    merge
        Those among them that are merged on the way, into `merged`.
    shares
        Partitions: into how many equal shares all fingerprints are divided.
    """

    store: str
    sources: str
    code: str
    words: int
    stride: int
    instances: int
    properties: int
    active: int
    level: int
    frontier: Run
    branching: float
    earlier: tuple[Run, ...]
    merge: tuple[Run, ...]
    merged: str
    shares: int

    @property
    def found(self) -> str:
        """Name of the run of the level to find."""
        return level_name(self.level)


def level_name(level: int) -> str:
    """Return the name of a level's run."""
    return f"levels/{level:05d}"


@dataclass
class Expanded:
    """What came of expanding a share, but for the candidates."""

    share: int
    states: int
    counts: Counts


@dataclass
class Owned:
    """What came of owning a share: new states, and what those who expanded sent along."""

    share: int
    states: int
    found: Found
    expanded: list[Expanded] = field(default_factory=list)


Sent = tuple[int, "bytes | Expanded"]
"""Candidates for the owner of that number, as they lie in memory; or what is for the driver."""


def expand_share(kernel: Kernel, store: Store, plan: Plan, share: int) -> Iterator[Sent]:
    """Expand a share of the frontier; yield candidates for the owners, and what was counted."""
    kernel.begin(plan.active)
    states = 0
    for stretch in stretches(store, plan.frontier, kernel.words, share, plan.shares):
        if plan.frontier.shares == plan.shares:
            stretch.file.verify()
        count = stretch.end - stretch.first
        states += count
        table = Candidates(kernel, 1, min(HELD, int(count * plan.branching) + GROUP))
        for buffer, some in stretch.file.pieces(stretch.first, stretch.end):
            done = 0
            while done < some:
                address = buffer.address + done * kernel.record
                done += table.expand(address, some - done)
                if table.held >= table.most:
                    yield from table.split(table.drain(), plan.shares)
                    table.clear()
        yield from table.split(table.drain(), plan.shares)
        table.close()
    yield share, Expanded(share, states, kernel.counts())


def own_share(
    kernel: Kernel, store: Store, plan: Plan, share: int, sent: Iterable[bytes | Expanded]
) -> Owned:
    """Gather a share's candidates, and write those that are new as its part of the level's run."""
    expanded = []
    table = Candidates(kernel, plan.shares, 0)
    for part in sent:
        if isinstance(part, Expanded):
            expanded.append(part)
        else:
            table.insert(_address(part), len(part) // kernel.candidate)
    sieve = Sieve(table, table.drain())
    for run in plan.earlier:
        sieve.begin()
        for stretch in stretches(store, run, kernel.words, share, plan.shares):
            for buffer, count in stretch.file.pieces(stretch.first, stretch.end):
                sieve.subtract(buffer.address, count)
        sieve.end()
    kernel.begin(plan.active)
    write_level(kernel, store, plan.found, plan.shares, share, table, sieve.count)
    found = kernel.counts().found
    table.close()
    if plan.merge:
        merge_runs(kernel, store, plan, share)
    return Owned(share, sieve.count, found, expanded)


def write_level(
    kernel: Kernel,
    store: Store,
    name: str,
    shares: int,
    share: int,
    table: Candidates,
    count: int,
) -> None:
    """Judge new states, and write them as a share of a level's run."""
    records, parents = Region(count * kernel.record), Region(count * 8)
    kernel.call["accept"](kernel.worker, table.address, count, records.address, parents.address)
    views = records.view(0, count * kernel.record), parents.view(0, count * 8)
    file = Run(name, shares, count).file(share)
    write_run(store, file, kernel.words, [views[0]], [views[1]])


def merge_runs(kernel: Kernel, store: Store, plan: Plan, share: int) -> None:
    """Write a share of several runs as that of one."""
    name = Run(plan.merged, plan.shares, 0, parents=False).file(share)
    with ExitStack() as stack:
        inputs = [
            _Input(_pieces(store, run, kernel.words, share, plan.shares, stack))
            for run in plan.merge
        ]
        write_run(store, name, kernel.words, _merged(kernel, inputs), None)


class _Input:
    """One of the inputs of a merge: where its next records lie."""

    def __init__(self, pieces: Iterator[tuple[Any, int]]) -> None:
        self._pieces = pieces
        self.buffer: Any = None
        self.count = 0
        self.next()

    def next(self) -> None:
        """Go on to the next piece; `buffer` is None behind the last one."""
        self.buffer, self.count = next(self._pieces, (None, 0))


def _pieces(
    store: Store, run: Run, words: int, share: int, shares: int, stack: ExitStack
) -> Iterator[tuple[Any, int]]:
    for stretch in stretches(store, run, words, share, shares):
        yield from stretch.file.pieces(stretch.first, stretch.end)


def _merged(kernel: Kernel, inputs: Sequence[_Input]) -> Iterator[memoryview]:
    """Yield the records of sorted inputs in their order, a buffer at a time."""
    cursors = Region(16 * len(inputs) + 16)
    out = Region(OUT * kernel.record)
    left = [one for one in inputs if one.buffer is not None]
    _point(kernel, cursors, left)
    while left:
        written = kernel.call["merge"](cursors.address, len(left), out.address, OUT)
        yield out.view(0, written * kernel.record)
        ended = [n for n in range(len(left)) if cursors[16 * n] == cursors[16 * n + 8]]
        for number in ended:
            left[number].next()
            _aim(kernel, cursors, number, left[number])
        if any(left[number].buffer is None for number in ended):
            at = [(cursors[16 * n], cursors[16 * n + 8]) for n in range(len(left))]
            kept = [n for n, one in enumerate(left) if one.buffer is not None]
            left = [left[n] for n in kept]
            for number, n in enumerate(kept):
                cursors[16 * number], cursors[16 * number + 8] = at[n]


def _point(kernel: Kernel, cursors: Region, inputs: Sequence[_Input]) -> None:
    for number, one in enumerate(inputs):
        _aim(kernel, cursors, number, one)


def _aim(kernel: Kernel, cursors: Region, number: int, one: _Input) -> None:
    if one.buffer is not None:
        cursors[16 * number] = one.buffer.address
        cursors[16 * number + 8] = one.buffer.address + one.count * kernel.record


def _address(part: bytes) -> int:
    """Return where bytes lie in memory."""
    import ctypes

    return ctypes.cast(ctypes.c_char_p(part), ctypes.c_void_p).value or 0
