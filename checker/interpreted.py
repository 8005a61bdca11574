"""The reference engine: breadth-first search, level by level.  Read this one first.

A level holds the states at the same distance from the initial states.  A level is always finished
before a violation in it is reported, so the counterexample is a shortest one, and does not depend
on the order in which states were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import inf
from time import perf_counter, thread_time
from typing import Any

from ..core.interrupts import Alarm, Stop, Stopped, reason
from ..core.layout import State
from ..core.result import Progress
from ..core.spec import Kind, ModelError, Property, TidegateError, Trace, TransitionSystem
from ..core.symmetry import Symmetry
from .counterexample import itself, shortest_traces
from .liveness.decide import decided
from .liveness.lasso import Decided
from .manifest import Level
from .request import SearchRequest
from .samples import spread
from .search import LevelSearch

_WIDE = 4096
"""Variables of states of which each is followed by a look at the clock and the memory."""

_VERIFIED_EVERY = 64
"""One of so many states on a level is compared with its permutations."""

_PROMISED = 1.0
"""CPU seconds in which all are, if a function is declared symmetric and not shown to be."""


GROWTH = 1.2
"""How much wider than the one before a level is in a search that is not near its end."""

EARLY = 0.25
"""The part of the time to wait after which it can be told how long a search will take."""


@dataclass(frozen=True)
class Pause:
    """When a search pauses, so that another engine can continue: as soon as all are reached.

    Parameters
    ----------
    states
        Distinct states; or `long`, CPU seconds of the search.
    seconds
        CPU seconds of the search.
    per_level
        CPU seconds for each level so far.
    rest
        CPU seconds that the rest of a level must take for a pause amid it.
    ahead
        CPU seconds that the next two levels must take, if they go on growing, for a pause before
        `long`.
    """

    states: int
    seconds: float
    per_level: float
    long: float
    rest: float = inf
    ahead: float = inf

    def is_due(self, states: int, seconds: float, levels: int) -> bool:
        """Whether to pause now."""
        return self._may_be(seconds, levels) and (states >= self.states or seconds >= self.long)

    def is_worth_it(self, states: int, seconds: float, levels: Sequence[Sized]) -> bool:
        """Whether to pause before the last level, since those from there on will take long."""
        width, before = len(levels[-1]), len(levels[-2]) if len(levels) > 1 else 0
        growth = width / max(before, 1)
        if growth < GROWTH or not self._may_be(seconds, len(levels)):
            return False
        to_come = width * (1 + growth) * seconds / max(states - width, 1)
        return seconds >= self.long * EARLY and to_come >= self.ahead

    def _may_be(self, seconds: float, levels: int) -> bool:
        return seconds >= max(self.seconds, levels * self.per_level)


NEVER = Pause(0, inf, 0.0, inf)
"""For a search that does not pause."""


class Search(LevelSearch):
    """A breadth-first search and its results so far.

    Attributes
    ----------
    initial
        The initial states, as the model yields them: all of them, once the first level is complete.
    seen
        Every distinct state found.
    levels
        The same states by their distance from an initial state.
    outside
        Every state met outside the system's constraint: judged, but in no level and not expanded.
    alarm
        Rings when the time is up, also between two looks at the clock.
    torn
        How many states of the last level but one are expanded if it paused amid that, or 0; amid
        the first level how many initial states are judged.
    """

    name = "interpreted"

    def __init__(self, request: SearchRequest) -> None:
        super().__init__(request)
        self.initial: list[State] = []
        self.seen: set[State] = set()
        self.outside: set[State] = set()
        self.levels: list[list[State]] = []
        self._state: State | None = None
        self._taken = [0] * len(self.system.instances)
        self.alarm = Alarm()
        self.torn = 0
        self._pause, self._began, self._verifying = NEVER, 0.0, 0.0
        self._looked = request.started
        self._between = max(_WIDE // max(len(self.system.layout.variables), _WIDE // 64), 1)
        self._violated = self.system.judge(self.properties)
        trial = request.trial
        self._successors = trial.successors if trial else self.system.successors
        of_steps = {prop.kind: prop for prop in self.properties if prop.kind.is_of_steps}
        self._deadlock = of_steps.get(Kind.DEADLOCK)
        self._assertion = of_steps.get(Kind.ASSERTION)

    @property
    def distinct_states(self) -> int:
        """Distinct states found."""
        return len(self.seen)

    @property
    def taken(self) -> list[int]:
        """How often each instance of an action was taken."""
        return self._taken

    def run(self, pause: Pause | None = None) -> bool:
        """Search until all is seen or decided, a limit is reached, or the user interrupts.

        Returns
        -------
        bool
            Whether it ended; False if it only paused, after the first level at which `pause` is
            due, or amid one whose rest takes long.  It continues when called again.
        """
        self._pause, self._began = pause or NEVER, thread_time()
        try:
            with self.request.memory.kept():
                if not self._went_on():
                    return False
        except KeyboardInterrupt as error:
            self.stopped_by = reason(error, perf_counter() - self._looked)
        except ModelError as error:
            no_violations = {
                *(prop.name for prop in self.properties if prop.kind is Kind.SOMETIMES),
                *(prop.name for prop in self.system.assumptions),
            }
            if self.violations.keys() <= no_violations:
                # Whatever ends this, the model is wrong.
                with suppress(KeyboardInterrupt, MemoryError, TidegateError):
                    error.trace = self._trace()
                raise
            # Violations from before remain.
            self.stopped_by = Stopped(Stop.FAILED, note=f": {error.head()}")
        if self.levels and not self.levels[-1]:
            self.levels.pop()
        return True

    def _went_on(self) -> bool:
        """Search; return whether that ended, not only paused."""
        if self.finished == 0:
            self._find_level(self._begin)
        if self.stopped_by or (self.torn and self.finished == 0):
            return self.stopped_by is not None
        while self.torn or (self.levels[-1] and self.request.goes_on(self.violations)):
            if not self.torn and (self._is_due() or self._is_worth_it()):
                return False
            self.stopped_by = self.request.limits.reached(depth=self.finished)
            if not self.stopped_by:
                self._find_level(self._expand_last_level)
            if self.torn:
                return False
            if self.stopped_by:
                break
        return True

    @property
    def finished(self) -> int:
        """How many levels are complete, unless it was stopped."""
        return len(self.levels) - bool(self.torn)

    def _is_due(self) -> bool:
        """Whether to pause now."""
        seconds = thread_time() - self._began
        return self._pause.is_due(len(self.seen), seconds, len(self.levels))

    def _is_worth_it(self) -> bool:
        seconds = thread_time() - self._began
        return self._pause.is_worth_it(len(self.seen), seconds, self.levels)

    def _trace(self) -> Trace | None:
        """Return the behavior to the state from which steps were being taken, if it has a step."""
        if self._state is None or len(self.levels) == 2:
            return None
        target = len(self.levels) - 2, self._state
        canonical = self.symmetry.canonical if self.symmetry else itself
        [(_, trace)] = shortest_traces(self.system, self.least_parents, [target], canonical)
        return trace

    def least_parents(self, level: int, children: set[State]) -> dict[State, State]:
        """Return for each child its parent with the least fingerprint on the level before it."""
        failed = self.stopped_by is not None and self.stopped_by.by is Stop.FAILED
        return least_parents(self.system, self.symmetry, self.levels[level - 1], children, failed)

    def states(self) -> list[list[State]]:
        """Return all states, level by level."""
        return self.levels

    def decided(self, properties: Sequence[Property]) -> Iterator[Decided]:
        """Decide liveness properties one after the other, once it has seen all states."""
        with self.request.memory.kept():
            yield from decided(self.system, properties)

    def some(self, most: int) -> list[State]:
        """Return states of every level, and outside the constraint, about so many at most."""
        levels = spread(self.levels, most)
        per_level = -(-most // max(len(levels), 1))
        outside = list(islice(self.outside, per_level))
        return [state for level in levels for state in spread(level, per_level)] + outside

    def close(self) -> None:
        """Do nothing: the memory is freed with the search itself."""

    def _find_level(self, find: Callable[[], None]) -> None:
        """Find the states of a level, and record it, also if that ends early.

        A trial of functions declared pure evaluates the model again in some of them.
        """
        if self.torn:
            self.manifest.levels.pop()
        else:
            self.levels.append([])
        try:
            find()
        finally:
            self.manifest.end_level(Level(len(self.levels[-1])), self._taken)
        if self.request.trial and not self.stopped_by and not self.torn:
            self.request.trial.level_ended(self.levels[-1])

    def _begin(self) -> None:
        """Find the initial states; once a pause is due, those that are left are only listed."""
        first, self.torn = self.torn, 0
        is_new = not first
        states = self.system.initial_states() if is_new else self.initial[first:]
        for number, state in enumerate(states, first):
            if is_new:
                self.initial.append(state)
            if not self.torn:
                self._meet(state)
            self.stopped_by = self.alarm.stopped_by
            if not self.stopped_by and number & 255 == 255:
                self._look()
                if not self.torn and self._is_due():
                    self.torn = number + 1
            if self.stopped_by or (self.torn and not is_new):
                return

    def _look(self) -> float:
        """Look at the clock and at the memory; return the seconds since the search began."""
        self._looked = perf_counter()
        seconds = self._looked - self.request.started
        over = self.request.limits.reached(seconds=seconds)
        self.stopped_by = over or self.request.memory.reached(self._looked)
        return seconds

    def _verify(self, symmetry: Symmetry, state: State, number: int) -> None:
        """Check that the permutations of some states are treated alike.

        If a function is only declared to do so, they are as many as half of the time allows.
        """
        is_due = not number % _VERIFIED_EVERY
        if not symmetry.promised and not is_due:
            return
        began = thread_time()
        if is_due or self._verifying < _PROMISED + (began - self._began) / 2:
            symmetry.verify(state, self.properties)
            self._verifying += thread_time() - began

    def _expand_last_level(self) -> None:
        """Find the states of the next level: successors that were not seen before."""
        limits, began, first = self.request.limits, thread_time(), self.torn
        frontier, self.torn = self.levels[-2], 0
        for expanded, state in enumerate(islice(frontier, first, None), first):
            if self.symmetry:
                self._verify(self.symmetry, state, expanded)
            self._state, stuck = state, True
            for instance, successor in self._successors(state):
                self._taken[instance] += 1
                self._meet(successor)
                stuck = False
            if self.system.failed:
                if self._assertion:
                    self._note(self._assertion, len(self.levels) - 2, state)
            elif stuck and self._deadlock:
                self._note(self._deadlock, len(self.levels) - 2, state)
            self.stopped_by = limits.reached(len(self.seen)) or self.alarm.stopped_by
            if self.stopped_by:
                return
            if not expanded % self._between:
                seconds = self._look()
                queue = len(frontier) - expanded
                self.request.report(Progress(len(self.seen), len(self.levels), queue, seconds))
                if self.stopped_by:
                    return
                rest = (thread_time() - began) * (queue - 1) / (expanded + 1 - first)
                if rest >= self._pause.rest and self._is_due():
                    self.torn = expanded + 1
                    return

    def _meet(self, state: State) -> None:
        """Judge the state in the record if it is new; add it to the last level if it is inside."""
        written = state
        if self.symmetry:
            state = self.symmetry.canonical(state)
        if state in self.seen or state in self.outside:
            return
        # Judge what a replay reads: a True that was written to a whole number reads as 1 then.
        self.system.layout.load(written)
        if self.system.inside():
            self.seen.add(state)
            self.levels[-1].append(state)
        else:
            self.outside.add(state)
        for prop in self._violated():
            self._note(prop, len(self.levels) - 1, state)

    def _note(self, prop: Property, level: int, state: State) -> None:
        """Keep a violation, unless an earlier level violates the property."""
        first, states = self.violations.setdefault(prop.name, (level, []))
        if first == level:
            states.append(state)


def least_parents(
    system: TransitionSystem[Any, Any],
    symmetry: Symmetry | None,
    before: Sequence[State],
    children: set[State],
    failed: bool = False,
) -> dict[State, State]:
    """Return for each child its parent with the least fingerprint among the states `before`.

    Parameters
    ----------
    failed
        Whether an error of the model ended the search: it may be met again in one of the states,
        whose other steps count.
    """
    canonical = symmetry.canonical if symmetry else itself
    orphans, parents = set(children), dict[State, State]()
    # A fingerprint takes a fraction of the time of all steps of its state.
    for state in sorted(before, key=system.layout.fingerprint):
        if not orphans:
            break
        with suppress(*[ModelError] if failed else []):
            for _, successor in system.successors(state, watched=False):
                child = canonical(successor)
                if child in orphans:
                    orphans.remove(child)
                    parents[child] = state
    return parents
