"""The compiled engine: the same breadth-first search as ``interpreted``, in machine code.

Narrow levels of a search, many at a time: machine code goes from one to the next by itself.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from time import perf_counter
from typing import Any

from ...core.errors import Reason
from ...core.interrupts import Alarm, Stop, Stopped, abandon, reason
from ...core.layout import Layout, State
from ...core.memory import MemoryLimit, available_memory
from ...core.result import Progress, Resources
from ...core.spec import Property
from ..interpreted import Search, least_parents
from ..liveness.decide import decided as in_python
from ..liveness.formulas import with_premises
from ..liveness.lasso import Decided
from ..manifest import Level, Manifest
from ..request import SearchRequest
from ..search import LevelSearch
from .build import Code
from .checkpoint import Checkpoint, Journal, code_hash, restore
from .comparison import Comparison
from .kernel import Block
from .levels import Levels, spread_over
from .machine import Machine, Segments, Sizes
from .memory import DONE, GROW, MAX_NUMBER, TARGETS, MemoryLimitError, Region, Shared, Worker
from .memory_budget import LEAST_MEMORY, MemoryBudget, first_buckets
from .sampler import Words
from .threads import STUCK
from .tiers import Tiers
from .verification import Verification, refuse_forgotten

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
        block.write(Block.RECORDS, records)
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
        search.add_level([segment])
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


FINGERPRINT_BITS = 88


class UnfitError(Exception):
    """A step went beyond an array or a range; only the interpreted engine can say which."""


def _ended_by(error: KeyboardInterrupt | MemoryError | MemoryLimitError) -> Stopped:
    """Return what ended a search."""
    if isinstance(error, MemoryLimitError):
        return Stopped(Stop.OUT_OF_MEMORY)
    return reason(error)


class CompiledSearch(LevelSearch):
    """A breadth-first search in machine code, and its results so far.

    Attributes
    ----------
    comparison
        Compares samples of machine code with Python.
    verification
        Verifies its answer, beginning with what the interpreted engine has found.
    begun_from
        The initial states.
    """

    name = "compiled"

    def __init__(self, request: SearchRequest, interpreted: Search | None = None) -> None:
        super().__init__(request)
        system, properties, resources = self.system, self.properties, request.resources
        self.exact = request.exact
        self.levels = Levels()
        self.frontier: Segments = []
        self._left_in_level = 0
        self._intact = True
        self.tiers = Tiers(request)
        self.module = self.tiers.module
        self.limit = resources.memory or available_memory()
        self._words: dict[str, tuple[int, Words]] = {}
        initial = interpreted.initial if interpreted else []
        self.begun_from = list(map(system.layout.pack, initial or system.initial_states()))
        self._code = code_hash(self.module, self.begun_from)
        self._first = self.tiers.begin(self._code)
        # Making code has taken memory.
        left = MemoryLimit(self.limit, request.resident).left()
        self.memory = max(left, LEAST_MEMORY)
        keep = None
        if resources.checkpoint:
            keep = Checkpoint(resources.checkpoint, begin=not resources.resume)
        self._begun = None
        if keep and resources.resume:
            self._begun = keep.manifest_of(self._code, system, properties)
        self.machine = machine = self._machine(resources)
        self.room = MemoryBudget(self.machine, self.memory, self.tiers.memory)
        self.narrow = Narrow(machine) if self.exact else None
        self._parents = Parents(system.layout, self.levels, machine, self.pieces, self.narrow)
        predicates = with_premises(properties)
        self.comparison = Comparison(system, predicates, lambda state: machine.sampler.steps(state))
        self.verification = Verification(self, interpreted or Search(request))
        self.manifest = self._begun or Manifest(about=resources.about, code=self._code)
        self.journal = None
        if keep or not self.exact:
            every = resources.checkpoint_every
            self.journal = Journal(self.machine, keep, self.manifest, every)

    def _machine(self, resources: Resources) -> Machine:
        """Make the machine, with a table that is large enough for the states of a checkpoint."""
        known = self._begun.states if self._begun else 0
        buckets = first_buckets(self.memory, self.limit, self.exact, known, self.module.words)
        sizes = Sizes(
            memory=self.memory,
            workers=resources.workers or len(os.sched_getaffinity(0)),
            chunk=resources.chunk,
            buckets=buckets,
        )
        instances, properties = len(self.system.instances), len(self.properties)
        code = Code(self._first)
        return Machine(code, self.module, self.exact, instances, properties, sizes)

    @property
    def distinct_states(self) -> int:
        """Distinct states found."""
        return self.machine.inserted

    @property
    def taken(self) -> list[int]:
        """How often each instance of an action was taken."""
        return self.machine.taken

    @property
    def collision_probability(self) -> float:
        """Probability that two states have the same fingerprint: n(n-1)/2 pairs of 88 bits."""
        states = self.distinct_states
        return 0.0 if self.exact else states * (states - 1) / 2 / 2**FINGERPRINT_BITS

    def run(self) -> None:
        """Search until all is seen or decided, a limit is reached, or the user interrupts."""
        self.room.most_states = self.request.limits.max_states
        try:
            self.tiers.compare(self.machine.sampler, self.comparison)
            self._go_on() if self._begun and self._begun.levels else self._begin()
            while self._undecided():
                self.stopped_by = self.request.limits.reached(depth=len(self.levels))
                if not self.stopped_by:
                    self._expand_last_level()
            if not self.stopped_by:
                self.tiers.end()
            self.tiers.give_up()
            self._verify()
        except (KeyboardInterrupt, MemoryError, MemoryLimitError) as error:
            self.stopped_by = _ended_by(error)
        try:
            if not self.machine.stuck:
                self._compare()
        except (KeyboardInterrupt, MemoryError, MemoryLimitError) as error:
            # Whatever ends the comparison of the last samples, the checkpoint is saved.
            self.stopped_by = _ended_by(error)
        if self.machine.stuck:
            assert self.stopped_by is not None
            self.stopped_by = self.stopped_by.noting(STUCK)
        self.levels.drop_empty()
        if self.journal:
            self.writing(self.journal.save)

    def _undecided(self) -> bool:
        """Whether there is a level to expand, and a reason to."""
        if self.stopped_by or not self.levels[-1]:
            return False
        return self.request.goes_on(self.violations)

    def _begin(self) -> None:
        """Store the initial states."""
        machine = self.machine
        self.room.for_states()
        before = machine.positions()
        complete = machine.add_states(self.begun_from, self._watch)
        while not complete and self._make_room():
            complete = machine.add_states(self.begun_from, self._watch)
        if machine.failed:
            raise UnfitError
        self.frontier = self._taken_away(before, 0)
        self._finish_level(complete)

    def _expand_last_level(self) -> None:
        """Find the states of the next level: successors that were not seen before."""
        self.verification.level_begins()
        self._optimise()
        frontier, self.frontier = self.frontier, []
        complete = False
        try:
            complete = all(self._expand(some) and self._intact for some in self.pieces(frontier))
        finally:
            self._finish_level(complete)
        self._watch()

    def pieces(self, level: Segments) -> Iterator[Segments]:
        """Yield a level's states in portions that fit into memory, most often a single one."""
        if self.exact:
            yield level
            return
        assert self.journal is not None
        [(first, count)] = level
        for some in self.journal.pieces(first, count):
            count -= some
            self._left_in_level = count
            yield [(0, some)]

    def _expand(self, frontier: Segments) -> bool:
        """Add the successors of states to the next level; False if the search has to stop."""
        machine = self.machine
        start = machine.positions(), machine.shared[Shared.TAIL]
        one_level = partial(machine.run, machine.work, machine.begin_level(frontier))
        batch = batch_of(self, frontier)
        run = batch or one_level
        try:
            while True:
                answer, run = run(self._watch), one_level
                if machine.failed:
                    raise UnfitError
                if answer == DONE or self.stopped_by:
                    return answer == DONE
                if answer == GROW and not self._make_room():
                    return False
        finally:
            if batch:
                start = keep_passed(self)
            self.frontier += self._taken_away(*start)

    def _taken_away(self, before: list[tuple[int, int]], tail: int) -> Segments:
        """Return the segments of states found since the workers were at the positions `before`.

        With fingerprints they go to disk, and their memory can be reused.
        """
        segments = self.machine.new_segments(before, tail)
        if self.exact:
            return segments
        assert self.journal is not None
        first = self.journal.file.states
        self.writing(partial(self.journal.add, segments))
        self.machine.start_over()
        return [(first, self.journal.file.states - first)]

    def _finish_level(self, complete: bool) -> None:
        """Make the states found the next level; a checkpoint is made of complete levels only."""
        if not self.exact and self.frontier:
            # Its pieces follow each other in the file.
            first = self.frontier[0][0]
            count = sum(some for _, some in self.frontier)
            self.frontier = [(first, count)] if count else []
        elif self.journal is not None and complete:
            self.writing(partial(self.journal.add, self.frontier))
        self.add_level(self.frontier)
        if not self.machine.stuck:
            self._note_violations(len(self.levels) - 2)
            self._compare(complete)
        if complete:
            self.verification.level_ended()
        if self.journal is not None and complete and self._intact:
            self.writing(partial(self.journal.finish_level, self._words))

    def add_level(self, level: Segments) -> None:
        """Record a level that was found."""
        self.levels.append(level)
        checksum = self.journal.end_level() if self.journal else 0
        self.manifest.end_level(Level(sum(count for _, count in level), checksum))

    def _verify(self) -> None:
        """Verify the answer; a search that was stopped claims too little for that."""
        if not self.stopped_by and not self.machine.failed:
            self._compare()
            self.levels.drop_empty()
            with Alarm(self.request.limits.seconds, self.request.started, at_once=True):
                self.verification.end()

    def _compare(self, complete: bool = False) -> None:
        """Compare samples with Python, unless a step failed: machine code then has no answer.

        What an unfinished verification has left behind are not samples of the search.
        """
        if not self.machine.failed and not self.verification.is_asking:
            samples = self.machine.sampler.take()
            self.comparison.compare(samples)
            self.verification.try_promises(sample.state for sample in samples)
            if complete:
                refuse_forgotten(samples, self.comparison.properties, self.violations)

    def _optimise(self) -> None:
        """Have code optimised beside the search if that may pay; go on with it if it is ready."""
        doing = f"optimising {len(self.system.instances):,} instances of actions"
        with Alarm(self.request.limits.seconds, self.request.started, at_once=True):
            self.tiers.begin_second(self.machine, self.memory, lambda: self._report(doing))
            if not self.tiers.is_ready():
                return
            self.verification.code()
        self.machine.switch_to(Code(self.tiers.second()))
        self.tiers.use_second()
        self.tiers.compare(self.machine.sampler, self.comparison)

    def writing(self, write: Callable[[], None]) -> None:
        """Write something to disk; stop the search if that fails."""
        assert self.journal is not None
        try:
            write()
        except OSError as error:
            why = f"{self.journal.place}, which cannot be written to ({error.strerror})"
            self.stopped_by = Stopped(Stop.UNWRITABLE, why)
            self._intact = False

    def _go_on(self) -> None:
        """Restore the search of another process."""
        assert self.journal is not None
        violated = restore(self.system, self.properties, self.symmetry, self.journal)
        firsts = zip(self.journal.firsts, self.manifest.levels, strict=False)
        self.levels.extend([(first, level.states)] for first, level in firsts)
        self.frontier = self.levels[-1]
        for name, (level, words) in violated.items():
            self._keep(name, level, words)
        self.machine.shared[Shared.ACTIVE] = self._active()
        self.room.for_states()

    def _watch(self, doing: str = "") -> bool:
        """Report progress; False if a limit is reached."""
        self._report(doing)
        return self._within_limits(self.distinct_states, perf_counter() - self.request.started)

    def _report(self, doing: str = "") -> None:
        machine, seconds = self.machine, perf_counter() - self.request.started
        left = machine.shared[Shared.CHUNKS] - machine.shared[Shared.CURSOR]
        queue = max(left, 0) * machine.sizes.chunk + self._left_in_level
        depth, largest = len(self.levels), self._largest(machine.taken)
        used, distinct = machine.bytes_used, machine.inserted
        self.request.report(Progress(distinct, depth, queue, seconds, used, largest, doing=doing))

    def _make_room(self) -> bool:
        """Let the table grow, or the memory for states; False if there is no memory left."""
        if not self._watch():
            return False
        if not self.room.make() and not (self.tiers.give_up() and self.room.make()):
            self.stopped_by = Stopped(Stop.MAX_MEMORY, f"{self.limit >> 20}M")
        return self.stopped_by is None

    def _note_violations(self, expanded: int) -> None:
        """Keep the violations found on a level; those of the first violated level count."""
        machine = self.machine
        for number, (_, words) in machine.take_found().items():
            prop = self.properties[number]
            level = expanded if prop.kind.is_of_steps else len(self.levels) - 1
            self._keep(prop.name, level, words)
        machine.shared[Shared.ACTIVE] = self._active()

    def _keep(self, name: str, level: int, words: Words) -> None:
        """Keep a violation, unless one of that property is known already."""
        if name not in self.violations:
            self._words[name] = level, words
            self.violations[name] = level, [self.system.layout.unpack(words)]

    def read(self, first: int, count: int) -> list[State]:
        """Return consecutive states."""
        return list(map(self.system.layout.unpack, self.words(first, count)))

    def words(self, first: int, count: int) -> list[Words]:
        """Return the words of consecutive states."""
        if not self.exact:
            assert self.journal is not None
            self.journal.file.read(self.machine.ahead, 0, first, count)
            first = 0
        return list(self.machine.read([(first, count)]))

    def least_parents(self, level: int, children: set[State]) -> dict[State, State]:
        """Return for each child its parent with the least fingerprint on the level before it.

        Raises
        ------
        MemoryError
            If there is no memory for that; a violation is then reported without its trace.
        """
        if self.machine.stuck:
            before = self._level(self.levels[level - 1])
            return least_parents(self.system, self.symmetry, before, children)
        try:
            return self._parents.of(level, children)
        except MemoryLimitError as error:
            raise MemoryError(str(error)) from None

    def some(self, most: int) -> list[State]:
        """Return states of every level, about so many at most."""
        places = spread_over(self.levels, most)
        return [state for place in places for state in self.read(place, 1)]

    def decided(self, properties: Sequence[Property]) -> list[Decided]:
        """Decide liveness properties once it has seen all states; a limit can leave all out.

        Python decides them where machine code cannot evaluate a predicate.
        """
        from .state_graph import UndecidableError, decided

        try:
            watch = partial(self._watch, "deciding liveness properties")
            memory = self.request.memory
            answers = decided(self.machine, self.levels, watch, self.system, properties, memory)
        except UndecidableError:
            return self._decided_in_python(properties)
        except MemoryLimitError:
            self.stopped_by = Stopped(Stop.MAX_MEMORY, f"{self.limit >> 20}M")
            return []
        self._compare()
        return answers

    def _decided_in_python(self, properties: Sequence[Property]) -> list[Decided]:
        """Decide liveness properties on the state graph that Python finds, and say so."""
        begun = perf_counter()
        with self.request.memory.kept():
            answers = list(in_python(self.system, properties))
        why = (
            f"liveness was decided in Python, in {perf_counter() - begun:.1f} s: a predicate goes "
            "beyond an array, a range, the members of a set or 64 bits in some state"
        )
        self.because = (Reason(why),)
        return answers

    def close(self) -> None:
        """Free all memory and unlock the checkpoint, also if that is interrupted."""
        try:
            self.tiers.give_up()
            self.machine.close()
        finally:
            if self.journal is not None:
                self.journal.close()

    def _level(self, level: Segments) -> list[State]:
        return [state for some in level for state in self.read(*some)]

    def states(self) -> list[list[State]]:
        """Return all states, level by level."""
        return list(map(self._level, self.levels))
