"""Narrow levels of a search, many at a time: machine code goes from one to the next by itself."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from ...core.layout import Layout, State
from ..interrupts import abandon
from .batches import Block
from .machine import Machine, Segments
from .memory import MAX_NUMBER, TARGETS, Region, Shared, Worker
from .sampler import Words

if TYPE_CHECKING:
    from .search import CompiledSearch

MOST_LEVELS = 4096
"""The most levels of a batch; it takes some milliseconds."""

OUTPUT_BYTES = 16 << 20
"""The most bytes for the ancestors that are found at once."""

Batch = Callable[[Callable[[], bool]], int]
"""Expands levels as long as what it is passed returns True: DONE, GROW or STOPPED."""


def least_of(*limits: int | None) -> int | None:
    """Return the least of some limits; None if there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


class Narrow:
    """Batches of levels that are a single chunk of states each, with everything in memory."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._block = machine.region(Block.RECORDS + 16 * MOST_LEVELS)
        machine.shared[Shared.BATCH] = self._block.address

    def is_narrow(self, level: Segments) -> bool:
        """Whether a level is a single chunk."""
        return len(level) == 1 and level[0][1] <= self._machine.sizes.chunk

    def batch(self, frontier: Segments, most: int | None, states: int | None) -> Batch | None:
        """Return what expands the frontier and levels after it; None if it is not narrow.

        Parameters
        ----------
        most
            The most levels to find; None for any number.
        states
            The number of distinct states at which to return; None for any.
        """
        if not self.is_narrow(frontier):
            return None
        machine, block = self._machine, self._block
        [worker, _] = machine.workers[0]
        more = MAX_NUMBER if states is None else max(states - machine.inserted, 0)
        block[Block.UNTIL] = min(worker[Worker.INSERTED] + more, MAX_NUMBER)
        block[Block.MOST], block[Block.PASSED] = min(most or MOST_LEVELS, MOST_LEVELS), 0
        block[Block.NEXT], block[Block.END] = worker[Worker.NEXT], worker[Worker.END]
        block[Block.TAIL] = machine.shared[Shared.TAIL]
        return partial(machine.run_first, machine.code.function("expand_levels", 1))

    @property
    def passed(self) -> Segments:
        """The levels found by the last batch, a segment each, but for the last level."""
        numbers = self._block.numbers(Block.RECORDS, 2 * self._block[Block.PASSED])
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    @property
    def start_of_last(self) -> tuple[list[tuple[int, int]], int]:
        """The positions of the workers before the last level, and the end of all blocks."""
        first = self._block[Block.NEXT], self._block[Block.END]
        return [first, *self._machine.positions()[1:]], self._block[Block.TAIL]

    def ancestors(self, levels: Sequence[Segments], targets: Sequence[Words]) -> list[list[Words]]:
        """Return the least parents of targets, then the least parents of these, and so on.

        Parameters
        ----------
        levels
            The levels of the parents, the deepest first; all are narrow.
        """
        machine, block = self._machine, self._block
        records = array("Q", chain.from_iterable(segment for [segment] in levels)).tobytes()
        block[Block.MOST] = len(levels)
        with block.view(Block.RECORDS, len(records)) as view:
            view[:] = records
        each = len(targets) * machine.module.words
        output = Region(8 * each * len(levels))
        block[Block.OUTPUT] = output.address
        machine.begin_level(levels[0])
        machine.set_targets(targets)
        try:
            reached = machine.run_first(machine.code.function("find_ancestors", 1), lambda: True)
            machine.forget_found()
            numbers = output.numbers(0, each * reached)
        finally:
            abandon(output) if machine.stuck else output.close()
        words = machine.module.words
        states = [tuple(numbers[at : at + words]) for at in range(0, len(numbers), words)]
        return [states[at : at + len(targets)] for at in range(0, len(states), len(targets))]


def batch_of(search: CompiledSearch, frontier: Segments) -> Batch | None:
    """Return what expands several narrow levels of a search, up to one that it has to see.

    None if the frontier is not narrow, or every level has to be seen.
    """
    # Under symmetry states of every level are compared.
    if search.narrow is None or search.symmetry or (search.journal and search.journal.is_due):
        return None
    limits = search.request.limits
    depths = limits.max_depth, search.verification.compares_next
    most = least_of(*(depth and depth - len(search.levels) for depth in depths))
    states = least_of(limits.max_states, search.tiers.due_at)
    return search.narrow.batch(frontier, most, states)


def keep_passed(search: CompiledSearch) -> tuple[list[tuple[int, int]], int]:
    """Add the levels that a batch went through; return where its last level began."""
    assert search.narrow is not None
    for segment in search.narrow.passed:
        if search.journal is not None:
            search.writing(partial(search.journal.add, [segment]))
            search.journal.end_level()
        search.levels.append([segment])
        search.verification.level_ended()
    return search.narrow.start_of_last


class Parents:
    """The least parents of states, level by level; those of narrow levels are found ahead.

    Parameters
    ----------
    levels
        The levels that the search has found.
    pieces
        Yields the states of a level in portions that are in memory.
    narrow
        None if not all states are in memory.
    """

    def __init__(
        self,
        layout: Layout[Any],
        levels: Sequence[Segments],
        machine: Machine,
        pieces: Callable[[Segments], Iterable[Segments]],
        narrow: Narrow | None,
    ) -> None:
        self._layout, self._levels = layout, levels
        self._machine, self._pieces, self._narrow = machine, pieces, narrow
        self._ahead: Iterator[list[Words]] = iter(())
        self._level, self._children = -1, list[State]()

    def of(self, level: int, children: set[State]) -> dict[State, State]:
        """Return for each child on a level its parent with the least fingerprint."""
        if level != self._level or children != set(self._children):
            self._look_ahead(level, children)
        parents = next(self._ahead, None)
        if parents is None:
            return self._on(level, children)
        states = [self._layout.unpack(words) for words in parents]
        before = dict(zip(self._children, states, strict=True))
        self._level, self._children = level - 1, states
        return before

    def _look_ahead(self, level: int, children: set[State]) -> None:
        """Find the parents of a level and of narrow levels above it."""
        self._level, self._children = level, sorted(children)
        self._ahead = iter(())
        if self._narrow is None or not 0 < len(children) <= TARGETS:
            return
        most = min(MOST_LEVELS, OUTPUT_BYTES // (len(children) * 8 * self._layout.words))
        above = (self._levels[number] for number in range(level - 1, max(level - 1 - most, -1), -1))
        narrow = list(takewhile(self._narrow.is_narrow, above))
        if len(narrow) > 1:
            targets = [self._layout.pack(child) for child in self._children]
            self._ahead = iter(self._narrow.ancestors(narrow, targets))

    def _on(self, level: int, children: set[State]) -> dict[State, State]:
        """Return the parents of one level."""
        ordered = sorted(children, key=self._layout.fingerprint)
        parents: dict[State, State] = {}
        for start in range(0, len(ordered), TARGETS):
            some = ordered[start : start + TARGETS]
            for number, (_, words) in self._least(self._levels[level - 1], some).items():
                parents[some[number]] = self._layout.unpack(words)
        return parents

    def _least(self, level: Segments, children: Sequence[State]) -> dict[int, tuple[int, Words]]:
        """Return for each child, by number, its least parent with the parent's fingerprint."""
        targets = [self._layout.pack(child) for child in children]
        least: dict[int, tuple[int, Words]] = {}
        for some in self._pieces(level):
            for number, parent in self._machine.parents(some, targets).items():
                least[number] = min(parent, least.get(number, parent))
        return least
