"""The memory and the workers of the compiled search: everything between Python and the kernel."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from ...core.interrupts import abandon, postponed
from .build import Code
from .memory import BATCH, GROW, RECENT, STOPPED, TARGETS, Region, Shared, Worker
from .program import Module
from .sampler import Sampler, Words
from .statefile import PIECE
from .table import Table, table_bytes
from .threads import Threads

MINUS_ONE = (1 << 64) - 1
TOUCHED = 512
"""The most buckets per state of a frontier for which the whole table is prepared."""

Segments = list[tuple[int, int]]
"""Segments of stored states: the number of the first state, and how many."""


@dataclass(frozen=True)
class Sizes:
    """How much memory a search may use, in bytes, and how its work is divided."""

    memory: int
    workers: int
    chunk: int
    buckets: int


def _overall(answers: Iterable[int]) -> int:
    """Return the common result of all workers; GROW, which repeats the call, has priority."""
    return max(answers, key=lambda answer: (answer == GROW, answer), default=STOPPED)


class Machine:
    """Machine code with the memory that it works in.

    Parameters
    ----------
    module
        The module that the code was made from.
    exact
        Whether all states stay in memory; otherwise only those in work do: a piece of the
        frontier, and the states found from there.
    instances, properties
        How many there are.
    """

    def __init__(
        self, code: Code, module: Module, exact: bool, instances: int, properties: int, sizes: Sizes
    ) -> None:
        self.module, self.exact, self.sizes = module, exact, sizes
        self.state_bytes = 8 * module.words
        self.instances = instances
        self.entry = self.state_bytes + 16
        self._found = max(properties, TARGETS) * self.entry
        self.shared = Region(Shared.SIZE)
        self.states = Region(sizes.memory, huge=True)
        self.ahead = self.states if exact else Region(PIECE * self.state_bytes, huge=True)
        self.segments = Region(24 * (4 * sizes.workers + 64))
        self.targets = Region(TARGETS * self.state_bytes)
        self._regions: list[Region] = []
        self.workers = [self._worker() for _ in range(sizes.workers)]
        self._most_written = 0
        self._threads = Threads(sizes.workers, self.shared, self)
        self.table = Table(self.shared, sizes.memory, self._threads)
        self._use(code)
        shared = self.shared
        shared[Shared.SEGMENTS], shared[Shared.CHUNK] = self.segments.address, sizes.chunk
        shared[Shared.TARGETS], shared[Shared.ACTIVE] = self.targets.address, MINUS_ONE
        shared[Shared.ALONE] = int(sizes.workers == 1)
        shared[Shared.STATES], shared[Shared.FRONTIER] = self.states.address, self.ahead.address
        self.table.set_sizes(sizes.buckets)

    def switch_to(self, code: Code) -> None:
        """Use other code of the same search; no worker may be running.

        An interrupt leaves one of the two with its sampler, never the functions of freed code.
        """
        with postponed():
            # Its sampler still writes to it.
            _, sampler = self.code, self.sampler
            self._use(code)
            sampler.close()

    def _use(self, code: Code) -> None:
        self.sampler, self.code = Sampler(code, self.module, self.instances), code
        self.work = code.function("work", 1)
        self._parents = code.function("find_parents", 1)
        self._add = code.function("add_states", 3)
        self.table.use(code)
        self._remember = code.function("remember", 4)
        self._represent = code.function("represent", 2)

    def _worker(self) -> tuple[Region, Region]:
        """Make a worker's block, and the memory that it points to."""
        buffer = max(self.sizes.chunk * self.instances, BATCH) * self.module.stride
        counters = 8 * self.instances
        recent = 2 * RECENT * self.state_bytes
        own = Region(buffer + 2 * counters + self._found + recent + 64)
        block = Region(Worker.SIZE)
        block[Worker.SHARED], block[Worker.REDO] = self.shared.address, MINUS_ONE
        block[Worker.BUFFER] = own.address
        block[Worker.TAKEN] = own.address + buffer
        block[Worker.SCRATCH] = own.address + buffer + counters
        block[Worker.FOUND] = own.address + buffer + 2 * counters
        block[Worker.RECENT] = own.address + buffer + 2 * counters + self._found
        ctypes.memset(block[Worker.RECENT], 0xFF, recent)
        return block, own

    def close(self) -> None:
        """Free all memory, unless a thread still works in it."""
        self._threads.close()
        if self.stuck:
            return
        self.sampler.close()
        self.table.close()
        regions = [self.shared, self.states, self.segments, self.targets, *self._regions]
        regions += [] if self.exact else [self.ahead]
        for region in [*regions, *(part for worker in self.workers for part in worker)]:
            region.close()

    def region(self, size: int) -> Region:
        """Return memory that is freed with the machine's own."""
        self._regions.append(Region(size))
        return self._regions[-1]

    @property
    def stuck(self) -> bool:
        """Whether some call of machine code did not return in time, so that a thread is in it."""
        return self._threads.stuck

    @property
    def inserted(self) -> int:
        """Distinct states added so far."""
        return sum(block[Worker.INSERTED] for block, _ in self.workers)

    @property
    def taken(self) -> list[int]:
        """How often each instance was taken in the finished chunks."""
        counts = (
            own.numbers(block[Worker.TAKEN] - own.address, self.instances)
            for block, own in self.workers
        )
        return list(map(sum, zip(*counts, strict=True)))

    @property
    def failed(self) -> bool:
        """Whether some step read beyond an array or wrote a value out of range."""
        return any(block[Worker.ERROR] for block, _ in self.workers)

    def forget_failures(self) -> None:
        """Go on after code that failed has changed nothing."""
        for block, _ in self.workers:
            block[Worker.ERROR] = 0

    @property
    def bytes_used(self) -> int:
        """Memory in use, in bytes."""
        shared = self.shared
        table = table_bytes(shared[Shared.BUCKETS])
        ahead = 0 if self.exact else self.ahead.size
        return table + max(shared[Shared.TAIL], self._most_written) * self.state_bytes + ahead

    def start_over(self) -> None:
        """Overwrite the states written so far, which have been saved elsewhere."""
        self._most_written = max(self._most_written, self.shared[Shared.TAIL])
        self.shared[Shared.TAIL] = 0
        for block, _ in self.workers:
            block[Worker.NEXT] = block[Worker.END] = 0

    def add_states(self, states: Sequence[Words], watch: Callable[[], bool] = lambda: True) -> bool:
        """Add states, all by the first worker; False if there is no room for all of them."""
        space = Region(max(1, len(states)) * self.state_bytes)
        space.write(0, array("Q", chain.from_iterable(states)).tobytes())
        call = partial(self._add, self.workers[0][0].address, space.address, len(states))
        try:
            added = self._threads.call([call], watch)
        finally:
            if self.stuck:
                abandon(space)
        if not self.stuck:
            space.close()
        return added == [len(states)]

    def restore(self, states: int, taken: Sequence[int]) -> None:
        """Count the first states in memory as found, and their steps as taken."""
        block, own = self.workers[0]
        block[Worker.INSERTED] = states
        for index, count in enumerate(taken):
            own[block[Worker.TAKEN] - own.address + 8 * index] = count

    def remember(self, first: int, number: int, count: int) -> bool:
        """Put states of the frontier's memory, from `first` on, into the table.

        They are numbered from `number` on.  False if no search would store them.
        """
        address = self.ahead.address + first * self.state_bytes
        block, _ = self.workers[0]
        return self._remember(block.address, address, number, count) == count and not self.failed

    def begin_level(self, frontier: Segments) -> int:
        """Make segments of states the frontier; return the number of its chunks."""
        chunk = self.sizes.chunk
        total = 0
        for number, (first, count) in enumerate(frontier):
            chunks = -(-count // chunk)
            self.segments[24 * number] = first
            self.segments[24 * number + 8] = count
            self.segments[24 * number + 16] = chunks
            total += chunks
        # Successors of so many states reach nearly every page of the table.
        if total * chunk * TOUCHED >= self.shared[Shared.BUCKETS]:
            self.table.prepare_all()
        self.shared[Shared.CHUNKS] = total
        self.shared[Shared.CURSOR] = 0
        return total

    def run(self, work: Callable[[int], int], chunks: int, watch: Callable[[], bool]) -> int:
        """Let the workers go through the chunks of a level: DONE, GROW or STOPPED.

        Parameters
        ----------
        work
            The function of the machine code that each worker runs, such as ``work``.
        watch
            Called now and then; False tells the workers to stop.
        """
        self.shared[Shared.STOP] = 0
        addresses = [block.address for block, _ in self.workers]
        if chunks <= 2:
            # One thread does them in turn: waking all threads takes longer than the work.
            return _overall(self._threads.call([lambda: _overall(map(work, addresses))], watch))
        return _overall(
            self._threads.call([partial(work, address) for address in addresses], watch)
        )

    def run_first(self, work: Callable[[int], int], watch: Callable[[], bool]) -> int:
        """Let the first worker run a function of the machine code; return its answer."""
        self.shared[Shared.STOP] = 0
        answers = self._threads.call([partial(work, self.workers[0][0].address)], watch)
        return answers[0] if answers else STOPPED

    def positions(self) -> list[tuple[int, int]]:
        """Return for every worker where its next state goes, and where its block ends."""
        return [(block[Worker.NEXT], block[Worker.END]) for block, _ in self.workers]

    def new_segments(self, before: list[tuple[int, int]], tail: int) -> Segments:
        """Return the segments of states added since the workers were at the positions `before`."""
        after = self.positions()
        segments = []
        for (old, old_end), (new, _) in zip(before, after, strict=True):
            stop = new if old <= new <= old_end else old_end
            segments.append((old, stop - old))
        holes = sorted((new, end) for new, end in after if end > tail and new < end)
        start = tail
        for hole, end in holes:
            segments.append((start, hole - start))
            start = end
        segments.append((start, self.shared[Shared.TAIL] - start))
        joined: Segments = []
        for first, count in sorted(segment for segment in segments if segment[1]):
            if joined and sum(joined[-1]) == first:
                joined[-1] = joined[-1][0], joined[-1][1] + count
            else:
                joined.append((first, count))
        return joined

    def prepare_states(self, count: int) -> None:
        """Populate the memory of the first states."""
        self._threads.prepare(self.states, count * self.state_bytes)

    def take_found(self) -> dict[int, tuple[int, Words]]:
        """Return for each property the least violating state with its fingerprint; forget them."""
        least: dict[int, tuple[int, Words]] = {}
        for block, own in self.workers:
            offset = block[Worker.FOUND] - own.address
            if not ctypes.string_at(own.address + offset, self._found).strip(b"\0"):
                continue
            for number in range(self._found // self.entry):
                at = offset + number * self.entry
                if own[at]:
                    words = tuple(own.numbers(at + 16, self.module.words))
                    violation = own[at + 8], words
                    least[number] = min(violation, least.get(number, violation))
            own.clear(offset, self._found)
        return least

    def parents(self, frontier: Segments, targets: Sequence[Words]) -> dict[int, tuple[int, Words]]:
        """Return for each target its predecessor with the least fingerprint in the frontier."""
        self.set_targets(targets)
        self.run(self._parents, self.begin_level(frontier), lambda: True)
        return self.forget_found()

    def set_targets(self, targets: Sequence[Words]) -> None:
        """Make states those whose predecessors are sought."""
        for number, words in enumerate(targets):
            for index, word in enumerate(words):
                self.targets[number * self.state_bytes + 8 * index] = word
        self.shared[Shared.TARGET_COUNT] = len(targets)

    def forget_found(self) -> dict[int, tuple[int, Words]]:
        """Return the predecessors that were found; forget them and their steps."""
        for block, own in self.workers:
            own.clear(block[Worker.SCRATCH] - own.address, 8 * self.instances)
        return self.take_found()

    def read(self, segments: Segments) -> Iterable[Words]:
        """Yield the states in segments of the frontier's memory."""
        for first, count in segments:
            for number in range(first, first + count):
                at = number * self.state_bytes
                yield tuple(self.ahead.numbers(at, self.module.words))

    def represent(self, states: Sequence[Words]) -> list[Words]:
        """Return the representatives of states under symmetry."""
        words = self.module.words
        space = array("Q", chain.from_iterable(states))
        self._represent(space.buffer_info()[0], len(states))
        return [tuple(space[at : at + words]) for at in range(0, len(space), words)]
