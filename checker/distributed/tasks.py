"""The tasks of executors: expand a share of a level, and own a share of its successors.

Both depend only on the plan, the share and the runs in the store, so that a repeated task writes
the same bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..compiled.memory import GROUP, Region
from ..compiled.program import Module
from .columns import Export
from .kernel import Candidates, Counts, Kernel, Sieve
from .runs import Run, level_name, stretches, write_run
from .store import Store

HELD = 1 << 21
"""The most candidates that are gathered before they are sent."""


@dataclass(frozen=True)
class Plan:
    """The plan for finding a level.

    Attributes
    ----------
    store
        The address of the store.
    search
        The name of the search, which is in its files.
    sources
        Hash of the code that executors must have.
    module
        The description of the kernel, whose text is in the store.
    level
        Number of the level to find.
    frontier
        The level before it.
    branching
        Candidates to expect per state.
    earlier
        Runs that hold all states found so far.
    shares
        Partitions: the number of equal shares of all fingerprints.
    senders
        The tasks that expand, each of them consecutive shares of the frontier.
    export
        The tables to write, if any.
    """

    store: str
    search: str
    sources: str
    module: Module
    instances: int
    properties: int
    active: int
    level: int
    frontier: Run
    branching: float
    earlier: tuple[Run, ...]
    shares: int
    senders: int
    export: Export | None = None

    @property
    def found(self) -> str:
        """Name of the run of the level to find."""
        return level_name(self.level)

    def expanded_by(self, sender: int) -> range:
        """Return the shares of the frontier that a task expands."""
        first, end = (number * self.shares // self.senders for number in (sender, sender + 1))
        return range(first, end)


@dataclass
class Expanded:
    """The result of expanding a share, without the candidates; ``files`` are those of tables."""

    share: int
    states: int
    counts: Counts
    files: tuple[str, ...] = ()


@dataclass
class Owned:
    """The result of owning a share: new states, and the results of the expanded shares.

    ``earlier`` counts the states that it was compared with.  ``counts`` has no steps, but
    violations, and samples to compare with Python.
    """

    share: int
    states: int
    earlier: int
    counts: Counts
    expanded: list[Expanded] = field(default_factory=list)
    files: tuple[str, ...] = ()

    @property
    def all_files(self) -> list[str]:
        """Files of tables, also those of the expanded shares."""
        return [*self.files, *(name for part in self.expanded for name in part.files)]


Sent = tuple[int, "bytes | Expanded"]
"""Candidates for the owner of that number, as bytes; or a result for the driver."""


def expand_share(kernel: Kernel, store: Store, plan: Plan, share: int) -> Iterator[Sent]:
    """Expand a share of the frontier; yield candidates for the owners, and the result."""
    kernel.begin(plan.active)
    states = 0
    for stretch in stretches(store, plan.frontier, kernel.words, share, plan.shares):
        count = stretch.end - stretch.first
        states += count
        table = Candidates(kernel, 1, min(HELD, int(count * plan.branching) + GROUP))
        for buffer, some in stretch.file.pieces(stretch.first, stretch.end):
            done = 0
            # The code is only safe for valid states.
            if not kernel.are_states(buffer.address, some):
                raise stretch.file.damaged()
            while done < some:
                address = buffer.address + done * kernel.record
                done += table.expand(address, some - done)
                if table.held >= table.most:
                    yield from table.split(table.drain(), plan.shares)
                    table.clear()
        yield from table.split(table.drain(), plan.shares)
        table.close()
    files = _listed_steps(kernel, store, plan, share)
    yield share, Expanded(share, states, kernel.counts(), files)


def _listed_steps(kernel: Kernel, store: Store, plan: Plan, share: int) -> tuple[str, ...]:
    """Write the steps from a share of the frontier as tables, if these are requested."""
    if plan.export is None:
        return ()
    from .tables import write_steps

    pieces = (
        piece
        for stretch in stretches(store, plan.frontier, kernel.words, share, plan.shares)
        for piece in stretch.file.pieces(stretch.first, stretch.end)
    )
    return write_steps(kernel, plan.export, plan.level - 1, share, plan.shares, pieces)


def own_share(
    kernel: Kernel, store: Store, plan: Plan, share: int, sent: Iterable[bytes | Expanded]
) -> Owned:
    """Gather a share's candidates, and write the new ones as its part of the level's run."""
    kernel.begin(plan.active)
    expanded = []
    table = Candidates(kernel, plan.shares, 0)
    for part in sent:
        if isinstance(part, Expanded):
            expanded.append(part)
        else:
            table.insert(_address(part), len(part) // kernel.candidate)
    sieve, earlier = Sieve(table, table.drain()), 0
    for run in plan.earlier:
        sieve.begin()
        for stretch in stretches(store, run, kernel.words, share, plan.shares):
            earlier += stretch.end - stretch.first
            for buffer, count in stretch.file.pieces(stretch.first, stretch.end):
                sieve.subtract(buffer.address, count)
        sieve.end()
    run = Run(plan.found, plan.shares, sieve.count)
    files = write_level(kernel, store, run, plan.level, share, table, plan.export)
    counts = kernel.counts()
    table.close()
    return Owned(share, sieve.count, earlier, counts, expanded, files)


def write_level(
    kernel: Kernel,
    store: Store,
    run: Run,
    level: int,
    share: int,
    table: Candidates,
    export: Export | None,
) -> tuple[str, ...]:
    """Judge new states, and write them as a share of a level's run; return files of tables.

    Parameters
    ----------
    run
        With the number of states of this share.
    """
    count = run.states
    records, parents = Region(count * kernel.record), Region(count * 8)
    kernel.call["accept"](kernel.worker, table.address, count, records.address, parents.address)
    views = records.view(0, count * kernel.record), parents.view(0, count * 8)
    write_run(store, run.file(share), kernel.words, [views[0]], [views[1]])
    if export is None:
        return ()
    from .tables import write_states

    return write_states(kernel, export, level, share, run.shares, records.address, count)


def _address(part: bytes) -> int:
    """Return the address of bytes."""
    return ctypes.cast(ctypes.c_char_p(part), ctypes.c_void_p).value or 0
