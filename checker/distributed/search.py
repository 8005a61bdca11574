"""The distributed engine: each level is a Spark job, or is done here if that is faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from time import perf_counter
from typing import Any

from ...core.interrupts import Stop, Stopped, postponed, reason
from ...core.layout import State
from ...core.result import Cluster, Progress, Resources
from ...core.spec import Property
from ..compiled.checkpoint import code_hash
from ..compiled.comparison import Comparison
from ..compiled.generate import Generator
from ..counterexample import itself
from ..liveness.decide import decided
from ..liveness.lasso import Decided
from ..manifest import CheckpointError, Level
from ..request import SearchRequest
from ..search import LevelSearch
from .columns import Export
from .exports import Exports, opened_exports
from .history import History
from .kernel import ENTRIES, Candidates, Counts, Kernel, Violations, least
from .manifest import StoreManifest, opened_store, read_manifest
from .runs import Run, level_name
from .sizing import senders_of, shares_of
from .store import UnwritableError
from .tasks import Expanded, Owned, Plan, expand_share, own_share, write_level
from .workers import KERNEL, sources

BRANCHING = 8.0
"""Candidates expected per state before any was expanded."""

NEAR = 64 << 20
"""The most bytes of runs that the driver reads from a store that is not on its disk."""


class SparkSearch(LevelSearch):
    """A breadth-first search whose levels are found by Spark, and its results so far."""

    name = "spark"
    manifest: StoreManifest

    def __init__(self, request: SearchRequest) -> None:
        super().__init__(request)
        system, properties, symmetry = self.system, self.properties, self.symmetry
        resources = request.resources
        self.cluster = resources.cluster or Cluster()
        self._text, self.module = Generator(system, properties, True, symmetry).module(
            ENTRIES, request.tick
        )
        self._initial = [system.layout.pack(state) for state in system.initial_states()]
        self._stack = ExitStack()
        try:
            self.store = self._stack.enter_context(
                opened_store(self.cluster, begin=not resources.resume)
            )
            self.manifest = self._begun(resources)
            self.store.search = self.manifest.search
            self.exports: Exports | None = self._stack.enter_context(
                opened_exports(self.cluster.export, self.manifest, system, properties)
            )
            if not self.manifest.levels:
                # Levels without a manifest would look like somebody else's files.
                self.manifest.save(self.store)
        except BaseException:
            self._stack.close()
            raise
        canonical = symmetry.canonical if symmetry else itself
        self.history = History(system, self.store, canonical)
        counts = len(system.instances), len(properties)
        self.kernel = Kernel(self._text, self.module, *counts, request.tick)
        self.comparison = Comparison(system, properties, self.kernel.sampler.steps)
        self._jobs: Any = None
        self._branching = BRANCHING
        for name, (level, words) in self.manifest.violations.items():
            self.violations[name] = level, [system.layout.unpack(words)]

    def _begun(self, resources: Resources) -> StoreManifest:
        """Return the manifest to resume, or that of a new search."""
        code = code_hash(self.module, self._initial)
        if resources.resume:
            manifest = read_manifest(self.store)
            manifest.require(code, self.system, self.properties, self.store.location)
            return manifest
        shares = self.cluster.partitions or 0
        return StoreManifest(about=resources.about, code=code, shares=shares)

    @property
    def taken(self) -> list[int]:
        """How often each instance of an action was taken."""
        return self.manifest.taken or [0] * len(self.system.instances)

    @property
    def spark_levels(self) -> int:
        """How many levels were found by Spark."""
        return self.manifest.spark_levels

    def run(self) -> None:
        """Search until all is seen or decided, a limit is reached, or the user interrupts."""
        try:
            if not self.manifest.levels:
                with postponed():
                    self._begin()
            while self._undecided():
                self.stopped_by = self.request.limits.reached(depth=self.depth)
                if not self.stopped_by and self._watch(0.0):
                    self._find_next_level()
        except KeyboardInterrupt as error:
            self.stopped_by = reason(error)
        except UnwritableError as error:
            self.stopped_by = Stopped(Stop.UNWRITABLE, str(error))

    def _undecided(self) -> bool:
        """Whether there is a level to expand, and a reason to."""
        if self.stopped_by or not self.depth or self.depth < len(self.manifest.levels):
            return False
        return self.request.goes_on(self.violations)

    def _begin(self) -> None:
        """Keep the initial states as the first level."""
        self.kernel.begin(self._active())
        table = Candidates(self.kernel, 1, len(self._initial))
        table.begin_with(self._initial)
        count = table.drain()
        run = Run(level_name(0), 1, count)
        files = write_level(self.kernel, self.store, run, 0, 0, table, self._tables())
        table.close()
        counts = self.kernel.counts()
        self.comparison.compare(counts.samples)
        self._note(0, counts.violations)
        self._add_level(run, files, counts.taken)

    def _tables(self) -> Export | None:
        """Return the tables to write, if any."""
        return self.exports.tables if self.exports else None

    def _find_next_level(self) -> None:
        """Expand the last level: successors that were not seen before are the next one."""
        frontier = self.manifest.runs[-1]
        if self.symmetry:
            self._verify_symmetry(frontier)
        here = self._pays_here(frontier)
        plan = self._plan(frontier, here)
        owned = self._owned_here(plan) if here else self._connected().run(plan, self._watch)
        if owned is not None:
            with postponed():
                self._keep_level(plan, owned, here)

    def _keep_level(self, plan: Plan, owned: Sequence[Owned], here: bool) -> None:
        """Record the results of a level, and save them in the store."""
        frontier = plan.frontier
        counts = self._summed(plan, owned)
        new = Run(plan.found, plan.shares, sum(part.states for part in owned))
        self._branching = max(sum(counts.taken) / max(frontier.states, 1), 1.0)
        taken = [a + b for a, b in zip(self.taken, counts.taken, strict=True)]
        self._note(self.depth, counts.violations)
        self.manifest.spark_levels += not here
        self._add_level(new, [name for one in owned for name in one.all_files], taken)

    def _pays_here(self, frontier: Run) -> bool:
        """Whether a level is so small that a job would cost more than it saves."""
        if frontier.states * self._branching >= self.cluster.local_levels:
            return False
        return self.store.local or self.distinct_states * self.kernel.record <= NEAR

    def _plan(self, frontier: Run, here: bool) -> Plan:
        earlier = tuple(self.manifest.runs)
        shares = 1 if here else self._shares(frontier)
        return Plan(
            store=self.store.address,
            search=self.manifest.search,
            sources=sources(),
            module=self.module,
            instances=len(self.system.instances),
            properties=len(self.properties),
            active=self._active(),
            level=self.depth,
            frontier=frontier,
            branching=self._branching,
            earlier=earlier,
            shares=shares,
            senders=1 if here else senders_of(shares, self._connected().context.defaultParallelism),
            export=self._tables(),
        )

    def _shares(self, frontier: Run) -> int:
        """Return the number of shares of a level that is a job; a search never changes the most."""
        if not self.manifest.shares:
            self.manifest.shares = max(self._connected().context.defaultParallelism, 1)
        most, least = self.manifest.shares, self.cluster.local_levels
        candidates = frontier.states * self._branching
        return shares_of(most, least, candidates, self.manifest.runs)

    def _connected(self) -> Any:
        """Return the runner of jobs; Spark is started for the first one."""
        if self._jobs is None:
            from .jobs import Jobs
            from .manifest import spark_folder
            from .session import spark_context

            self.request.report(self._progress(0, doing="starting Spark"))
            self.store.write(KERNEL.format(self.module.digest), [self._text.encode()])
            folder = self._stack.enter_context(spark_folder(self.store))
            context = self._stack.enter_context(spark_context(self.cluster, folder))
            self._jobs = Jobs(context)
        return self._jobs

    def _owned_here(self, plan: Plan) -> list[Owned] | None:
        """Find a level in this process; None if a limit was reached meanwhile."""
        stopped = False

        def sent() -> Iterator[bytes | Expanded]:
            nonlocal stopped
            for _, part in expand_share(self.kernel, self.store, plan, 0):
                if stopped or not self._watch(0.0):
                    stopped = True
                    return
                yield part

        parts = list(sent())
        if stopped:
            return None
        return [own_share(self.kernel, self.store, plan, 0, parts)]

    def _summed(self, plan: Plan, owned: Sequence[Owned]) -> Counts:
        """Return the sums over all shares, after checking that each was done once, completely."""
        expanded = [part for one in owned for part in one.expanded]
        shares = list(range(plan.shares))
        if (
            sorted(one.share for one in owned) != shares
            or sorted(part.share for part in expanded) != shares
            or sum(part.states for part in expanded) != plan.frontier.states
        ):
            raise CheckpointError(
                f"{self.store.location}/{plan.frontier.name}: does not hold the "
                f"{plan.frontier.states} states that were written; the store must be one that the "
                "driver and all executors share"
            )
        states = sum(run.states for run in plan.earlier)
        if sum(one.earlier for one in owned) != states:
            raise CheckpointError(
                f"{self.store.location}: its runs do not hold the {states} states that were "
                "written; the store must be one that the driver and all executors share"
            )
        total = Counts([0] * len(self.system.instances))
        for part in expanded:
            taken = zip(total.taken, part.counts.taken, strict=True)
            total.taken = [a + b for a, b in taken]
        for counts in [*(part.counts for part in expanded), *(one.counts for one in owned)]:
            total.violations = least(total.violations, counts.violations)
            self.comparison.compare(counts.samples)
        return total

    def _add_level(self, run: Run, files: Sequence[str], taken: Sequence[int]) -> None:
        """Make a run the last level, and save that in the store; `files` are those of tables."""
        self.manifest.end_level(Level(run.states, shares=run.shares), taken)
        if self.exports:
            self.exports.add(files)
        self.manifest.save(self.store)
        if self.exports:
            self.exports.publish()

    def _note(self, level: int, violations: Violations) -> None:
        """Keep the violations found with the level of that number."""
        for number, (_, words) in violations.items():
            prop = self.properties[number]
            if prop.name not in self.violations:
                at = level - 1 if prop.kind.is_of_steps else level
                self.violations[prop.name] = at, [self.system.layout.unpack(words)]
                self.manifest.violations[prop.name] = at, list(words)
                if self.exports:
                    self.exports.add_outside(number, at, words)

    def _watch(self, part_done: float, notice: str = "") -> bool:
        """Report progress; False if a limit is reached."""
        progress = self._progress(part_done, notice=notice)
        self.request.report(progress)
        return self._within_limits(progress.distinct_states, progress.seconds)

    def _progress(self, part_done: float, notice: str = "", doing: str = "") -> Progress:
        """Return the progress of the search, given the share of the present level that is done."""
        return Progress(
            self.distinct_states,
            self.depth,
            int((self.manifest.levels[-1].states if self.manifest.levels else 0) * (1 - part_done)),
            perf_counter() - self.request.started,
            largest=self._largest(self.taken),
            notice=notice,
            doing=doing,
        )

    def _verify_symmetry(self, frontier: Run) -> None:
        """Check that the permutations of some states of a level are treated alike."""
        assert self.symmetry is not None
        for state in self.history.first(frontier, 64 if self.symmetry.promised else 4):
            self.symmetry.verify(state, self.properties)

    def least_parents(self, level: int, children: set[State]) -> dict[State, State]:
        """Return for each child its parent with the least fingerprint on the level before it."""
        before, *following = self.manifest.runs[level - 1 : level + 1]
        # A level all of which is outside the constraint has no run.
        run = following[0] if following else None
        return {child: self.history.parent(child, run, before) for child in children}

    def states(self) -> list[list[State]]:
        """Return all states, level by level."""
        return [self.history.states(run) for run in self.manifest.runs]

    def some(self, most: int) -> list[State]:
        """Return no states: a level is read as a whole or not at all."""
        return []

    def decided(self, properties: Sequence[Property]) -> Iterator[Decided]:
        """Decide liveness properties one after the other, once it has seen all states."""
        return decided(self.system, properties)

    def close(self) -> None:
        """End Spark, if it was started here, and release the store."""
        self._stack.close()
