"""The verdicts of a search that has ended, with the traces that show them.

When the search for traces ends: it counts within the limits of the search before it.

A violation that was found is reported all the same; it then lacks its trace.

How a trace violates a property: a finite one in its last state, a lasso in its cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from time import perf_counter
from typing import Any

from ..core.behavior import Behavior
from ..core.interrupts import Alarm, LimitReachedError, Stop, Stopped, is_interrupt, reason
from ..core.layout import State
from ..core.result import Verdict, doing
from ..core.spec import EngineError, Kind, Outcome, Property, TidegateError, Trace, TransitionSystem
from .counterexample import confirm, confirm_end, itself, least, shortest_traces
from .liveness.decide import lasso_of
from .liveness.lasso import Witness, confirm_lasso
from .request import SearchRequest
from .search import LevelSearch

GRACE = 1.0
"""Seconds for the traces of a search that was stopped itself: most take a few milliseconds."""

SLACK = 8 << 20
"""Bytes by which a trace may exceed the memory limit: most take a few kilobytes."""

_OFTEN = 1024
"""Steps between two looks at what changes slowly."""


class Deadline:
    """Ends the search for the traces of one search.

    Parameters
    ----------
    was_stopped
        What stopped the search itself, if anything did.  After the time limit or an interrupt there
        is a little time left for the traces.

    Attributes
    ----------
    stopped_by
        What ended the search for the traces; None if nothing did.
    """

    def __init__(self, request: SearchRequest, was_stopped: Stopped | None) -> None:
        self.stopped_by: Stopped | None = None
        ended = was_stopped is not None and was_stopped.by in (Stop.TIME_LIMIT, Stop.INTERRUPT)
        self._request, self._was_stopped = request, was_stopped if ended else None
        self._limit, self._started = request.limits.seconds, request.started
        if ended:
            self._limit = GRACE if self._limit is None else self._limit
            self._started = max(self._started, perf_counter() + GRACE - self._limit)
        self._alarm = Alarm()
        self._steps = self._more = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End the block when the time is up, memory is short or a signal comes, and note that."""
        try:
            watched = Alarm(self._limit, self._started, at_once=True)
            self._more = SLACK - min(self._request.memory.left(), 0)
            with self._request.memory.kept(SLACK), watched as self._alarm:
                yield
        except KeyboardInterrupt as error:
            self._note(reason(error))
        except TidegateError:
            if self._alarm.stopped_by is None:
                raise
            # The model may have swallowed the interrupt, and with it a step.
            self._note(self._alarm.stopped_by)

    def watch(self) -> None:
        """Raise an interrupt if the block has to end: a thread has no signals, memory has none.

        Raises
        ------
        LimitReachedError
            If it has.
        """
        self._steps += 1
        if self._limit is not None and perf_counter() - self._started >= self._limit:
            raise LimitReachedError(Stopped(Stop.TIME_LIMIT, f"{self._limit:g}"))
        if self._steps % _OFTEN:
            return
        self._request.report(doing("finding the steps of the trace"))
        if self._alarm.stopped_by is not None:
            raise LimitReachedError(self._alarm.stopped_by)
        if stopped := self._request.memory.reached(perf_counter(), self._more):
            raise LimitReachedError(stopped)

    def _note(self, stopped_by: Stopped) -> None:
        """Keep what ended the block; within the grace that is what had stopped the search."""
        ran_out = stopped_by.by is Stop.TIME_LIMIT and self._was_stopped is not None
        self.stopped_by = self._was_stopped if ran_out else stopped_by


@dataclass
class Judged:
    """The decisions on the properties that need all states, with the steps between them.

    Attributes
    ----------
    decided
        Names of the properties that hold or are violated.
    vacuous
        Names of those whose premise holds in no state.
    witnesses
        For each violated liveness property where it is violated.
    """

    decided: set[str] = field(default_factory=set)
    vacuous: set[str] = field(default_factory=set)
    witnesses: dict[str, Witness] = field(default_factory=dict)


def verdicts_of(
    request: SearchRequest, search: LevelSearch, judged: Judged, complete: bool
) -> tuple[list[Verdict], Verdict | None]:
    """Return the verdict on every property, and the one that is reported first.

    That is never the verdict on an assumption.  A violation that was found is a verdict whatever
    ends the search for its trace; an interrupt is noted in `search`.
    """
    ends = _Ends(request, search, judged)
    verdicts = [_verdict(prop, ends, judged, complete) for prop in request.properties]
    if search.stopped_by is None and is_interrupt(ends.deadline.stopped_by):
        search.stopped_by = ends.deadline.stopped_by
    violated = [
        verdict
        for verdict in verdicts
        if verdict.outcome is Outcome.VIOLATED
        and verdict.trace is not None
        and verdict.property not in request.system.assumptions
    ]
    return verdicts, min(violated, key=ends.order, default=None)


def _verdict(prop: Property, ends: _Ends, judged: Judged, complete: bool) -> Verdict:
    """Return the verdict on a property."""
    if prop.name in ends.traces or prop.name in ends.untraced:
        outcome = Outcome.HOLDS if prop.kind is Kind.SOMETIMES else Outcome.VIOLATED
        trace = ends.traces.get(prop.name)
        steps = len(trace.steps) if trace else ends.untraced[prop.name]
        stopped = None if trace else ends.deadline.stopped_by
        return Verdict(prop, outcome, trace, steps=steps, untraced=stopped)
    if prop.kind is Kind.SOMETIMES and complete:
        return Verdict(prop, Outcome.VIOLATED)
    if complete and (prop.name in judged.decided or not prop.kind.needs_graph):
        return Verdict(prop, Outcome.HOLDS, vacuous=prop.name in judged.vacuous)
    return Verdict(prop, Outcome.INCOMPLETE)


class _Ends:
    """The states in which a search found properties violated or reached, and the traces to them.

    Attributes
    ----------
    deadline
        Says what ended the search for the traces, if anything did.
    traces
        By the names of the properties; those that were finished.
    """

    def __init__(self, request: SearchRequest, search: LevelSearch, judged: Judged) -> None:
        self._request, self._search, self._judged = request, search, judged
        self._system: TransitionSystem[Any, Any] = request.system
        self._states = {name: (at, some[0]) for name, (at, some) in search.violations.items()}
        self.deadline = Deadline(request, search.stopped_by)
        self.traces: dict[str, Trace] = {}
        if not (self._states or judged.witnesses):
            return
        with self.deadline.watched():
            self._judge()
            for name, trace in chain(self._finite(), self._lassos()):
                self.traces[name] = trace

    def _judge(self) -> None:
        """Choose the least state for each property, and let Python judge it.

        Where its trace is not finished, nothing else does.
        """
        for prop in self._request.properties:
            if prop.name not in self._search.violations:
                continue
            level, states = self._search.violations[prop.name]
            state = least(self._system, states)
            self._states[prop.name] = level, state
            if self._search.symmetry:
                self._search.symmetry.verify(state, self._request.properties)
            confirm_end(self._system, prop, state)

    def _finite(self) -> Iterator[tuple[str, Trace]]:
        """Yield the trace to each state, with the name of its property."""
        symmetry, by_end = self._search.symmetry, dict[State, list[Property]]()
        for prop in self._request.properties:
            if prop.name in self._states:
                by_end.setdefault(self._states[prop.name][1], []).append(prop)
        for state, trace in shortest_traces(
            self._system,
            self._search.least_parents,
            self._states.values(),
            symmetry.canonical if symmetry else itself,
            self.deadline.watch,
        ):
            for prop in by_end[state]:
                confirm(self._system, prop, trace, self.deadline.watch)
                yield prop.name, trace

    def _lassos(self) -> Iterator[tuple[str, Trace]]:
        """Yield the lasso of each violated liveness property, with its name."""
        parents, watch = self._search.least_parents, self.deadline.watch
        for prop in self._request.properties:
            if prop.name in self._judged.witnesses:
                witness = self._judged.witnesses[prop.name]
                lasso = lasso_of(self._system, witness, parents, watch)
                confirm_lasso(self._system, prop, lasso, watch)
                yield prop.name, lasso

    @property
    def untraced(self) -> dict[str, int]:
        """For each property whose trace was not finished its steps, or those of its stem."""
        if self.deadline.stopped_by is None:
            return {}
        stems = {name: witness.stem for name, witness in self._judged.witnesses.items()}
        steps = {name: level for name, (level, _) in self._states.items()}
        steps |= {name: stem.depth + len(stem.states) - 1 for name, stem in stems.items()}
        return {name: number for name, number in steps.items() if name not in self.traces}

    def order(self, verdict: Verdict) -> tuple[int, int]:
        """Return what the verdict that is reported first has the least of."""
        assert verdict.trace is not None
        trace, name = verdict.trace, verdict.property.name
        state = self._states[name][1] if name in self._states else trace.states[-1]
        return len(trace.steps), self._system.layout.fingerprint(state)


def overall(verdicts: Sequence[Verdict], complete: bool) -> Outcome:
    """Return the outcome of a search from its verdicts."""
    if any(verdict.outcome is Outcome.VIOLATED for verdict in verdicts):
        return Outcome.VIOLATED
    if any(verdict.outcome is Outcome.INCOMPLETE for verdict in verdicts):
        return Outcome.INCOMPLETE
    # If all requested properties hold already, the other states decide nothing.
    return Outcome.HOLDS if complete or verdicts else Outcome.INCOMPLETE


def why_satisfied(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> str | None:
    """Return why a trace does not violate a property, or None if it does.

    The text is empty if a finite trace simply ends in a state that satisfies it.
    """
    if not prop.kind.is_liveness:
        return None if system.violates(prop, trace.states[-1]) else ""
    if trace.loop is None:
        return "only a behavior that repeats steps for ever can violate it"
    try:
        confirm_lasso(system, prop, trace)
    except EngineError as error:
        return str(error)
    return None


def behavior_of(system: TransitionSystem[Any, Any], verdict: Verdict | None) -> Behavior | None:
    """Return the trace of a verdict with what it is of; None if there is none."""
    if verdict is None or verdict.trace is None:
        return None
    return Behavior(system, verdict.trace, verdict.property)
