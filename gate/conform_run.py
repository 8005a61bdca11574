"""One cell that real brokers decide, in the process in which this runs."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Coroutine
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..analysis.conformance import Conformance, Conforming
from ..analysis.covering import CoveringWalks
from ..analysis.named import find_protocol, is_custom, is_same
from ..analysis.on_brokers import (
    forcible_behavior,
    forcible_distribution,
    of_brokers,
    protocol_to_walk,
    replay_on,
    run_brokers,
    systems_to_walk,
)
from ..analysis.properties import find_properties
from ..analysis.saved import replayed_as_recorded, systems_with_history
from ..analysis.selection import refuse_unknown_property
from ..brokers.distribution import Distribution, KafkaError, MissingKafkaError
from ..brokers.report import Report as Replayed
from ..checker.interrupts import listening
from ..checker.itf import itf
from ..checker.replay import retaken, without_failure
from ..checker.result import Resources, doing
from ..checker.tracefile import read_trace
from ..core.spec import Outcome, Property, ReplayError, Trace, TransitionSystem
from ..invariants import properties_of
from ..model import Protocol
from .cells import Cell, Expectation
from .conform_cells import ConformCell, SavedTrace, ShortestTrace, Walks
from .conform_judge import judge_replay, judge_walks
from .judge import Deviation, Finding, judge
from .results import CellOutcome, PropertyOutcome, Ran, Shown, Status, status_of
from .search import Report, Search, markdown_of


def conform_outcome_of(cell: ConformCell, resources: Resources, report: Report) -> CellOutcome:
    """Force on real brokers what a cell says, and judge what they do.

    A signal ends the brokers, and then this process.

    Raises
    ------
    TidegateError
        If Kafka, the protocol, its bounds or the trace cannot be used.
    """
    with listening():
        try:
            distribution = forcible_distribution(cell.kafka, "kafka =")
        except MissingKafkaError as error:
            if cell.optional:
                return CellOutcome(
                    cell, Status.SKIPPED, [Finding(Deviation.SKIPPED, "", f"skipped: {error}")]
                )
            hint = "with optional = true, this case would be skipped"
            raise MissingKafkaError(f"{error}; {hint}") from None
        return _Run(cell, distribution, resources, report).outcome()


@dataclass(frozen=True)
class _Behavior:
    """A behavior to replay, with its protocol and system."""

    protocol: Protocol
    system: TransitionSystem[Any, Any]
    trace: Trace
    property: Property | None


@dataclass
class _Run:
    """The run that decides one cell."""

    cell: ConformCell
    distribution: Distribution
    resources: Resources
    report: Report

    def __post_init__(self) -> None:
        self._started = perf_counter()
        self._ran = Ran(self.distribution.version)
        self._result = CellOutcome(self.cell, Status.PASSED, ran=self._ran)

    def outcome(self) -> CellOutcome:
        """Force what the cell says, and judge it."""
        result, forced = self._result, self.cell.forced
        if isinstance(forced, Walks):
            self._walk(forced)
        else:
            played = (
                self._saved(forced) if isinstance(forced, SavedTrace) else self._shortest(forced)
            )
            if played is not None:
                self._replay(played)
        result.status = status_of(result.findings)
        return result

    def _shortest(self, forced: ShortestTrace) -> _Behavior | None:
        """Search for the shortest violation; None, with findings, if there is none."""
        protocol = of_brokers(find_protocol(forced.protocol))
        [prop] = find_properties(protocol, [forced.property])
        expectation = Expectation(prop.name, violated=True)
        searched = Cell(forced.protocol, forced.bounds, (expectation,), limits=self.cell.limits)
        search = Search(searched, protocol, self.resources, self.report, self._started)
        decided = search.decide({expectation: prop})
        result = self._result
        result.states, result.depth, result.engine = decided.states, decided.depth, decided.engine
        result.findings += judge(searched, [expectation], decided)
        trace = search.verdicts[prop.name][2].trace if prop.name in search.verdicts else None
        if trace is None:
            if decided.seen[prop.name].outcome is Outcome.VIOLATED:
                text = f"the trace that violates {prop.name} was not finished: nothing to replay"
                result.findings.append(Finding(Deviation.LIMIT, prop.name, text))
            return None
        steps, loop = trace.steps, trace.loop
        system, trace = without_failure(
            systems_with_history(protocol, forced.bounds.split(), prop),
            lambda knowing: (knowing, retaken(knowing, 0, steps, loop)),
        )
        return _Behavior(protocol, system, trace, prop)

    def _saved(self, forced: SavedTrace) -> _Behavior:
        """Read a trace, and take its steps.

        Raises
        ------
        ReplayError
            If its steps cannot be taken, or it names code that the gate's file does not name.
        """
        recorded = read_trace(forced.file)
        name = forced.protocol or recorded.protocol
        if is_custom(name) and not forced.protocol:
            raise ReplayError(
                f"{forced.file} names the protocol {name}, which is Python code; if you trust that "
                f'code, add to the case: protocol = "{name}"'
            )
        protocol = of_brokers(find_protocol(name))
        refuse_unknown_property(forced.file, protocol, recorded)
        system, replayed = replayed_as_recorded(forced.file, protocol, recorded)
        if replayed.stopped is not None:
            number, step = len(replayed.trace.steps) + 1, replayed.stopped[0]
            raise ReplayError(
                f"{forced.file}: step {number}, {step}, is not enabled under {system.name}; "
                f"'tidegate replay {forced.file}' says why"
            )
        known = {prop.name: prop for prop in properties_of(protocol)}
        same = is_same(name, recorded.protocol)
        return _Behavior(
            protocol, system, replayed.trace, known.get(recorded.property) if same else None
        )

    def _replay(self, played: _Behavior) -> None:
        """Replay a behavior on brokers."""
        behavior = forcible_behavior(
            self.cell.within, played.protocol, played.system, played.trace, played.property
        )
        self._say(f"starting Kafka {self.distribution.version}")
        seen: list[Replayed] = []

        async def replay() -> None:
            seen.append(await replay_on(self.distribution, behavior, self._say))

        in_time = self._run(replay())
        result, expected = self._result, self.cell.expectation
        if not in_time:
            result.findings.append(Finding(Deviation.LIMIT, "", f"not decided: {self._limit}"))
            return
        [replayed] = seen
        self._ran.steps = len(replayed.steps)
        differs = replayed.differs
        result.findings += judge_replay(expected, behavior, replayed)
        result.properties = [
            PropertyOutcome(
                expected.name,
                str(expected),
                "diverges" if differs else "reproduces",
                differs.number if differs else len(behavior.steps),
            )
        ]
        if result.findings:
            result.traces = [self._shown(played, replayed, "replayed trace")]

    def _walk(self, forced: Walks) -> None:
        """Take random walks on brokers."""
        settings = forced.bounds.split()
        walked = protocol_to_walk(forced.protocol or None, self.distribution, settings)
        protocol = of_brokers(walked)
        system, forcible = systems_to_walk(protocol, self.distribution, settings)
        walks = CoveringWalks(forcible, forced.seed, forced.steps)
        done = Conformance(self.distribution.version)
        self._say("looking for ways to rare actions")
        walks.guide(forced.count)
        self._say(f"starting Kafka {self.distribution.version}")
        run = Conforming(self.distribution, system, done, self._say)
        result, expected = self._result, self.cell.expectation
        undecided = ""
        try:
            if not self._run(run.take(walks, forced.count)):
                undecided = self._limit
        except KafkaError as error:
            if not done.departures:
                raise
            undecided = str(error)
        self._ran.walks, self._ran.steps = done.walks, done.steps
        result.findings = judge_walks(done, undecided)
        answer = "diverges" if done.departures else "" if undecided else expected.name
        result.properties = [PropertyOutcome(expected.name, str(expected), answer)]
        result.traces = [
            self._shown(
                _Behavior(protocol, system, departure.trace, None),
                departure.report,
                f"walk {departure.walk}",
            )
            for departure in done.departures
        ]

    def _run(self, work: Coroutine[Any, Any, None]) -> bool:
        """Run a coroutine that drives brokers; whether it ended within the cell's time limit."""
        left = self.cell.limits.seconds - (perf_counter() - self._started)
        return run_brokers(_in_time(work, max(left, 0.01)))

    @property
    def _limit(self) -> str:
        return f"stopped by the limit of {self.cell.limits.seconds:g} s"

    def _say(self, what: str) -> None:
        self.report(doing(what))

    def _shown(self, played: _Behavior, replayed: Replayed, label: str) -> Shown:
        """Return a behavior, and what brokers did, in the forms that reports need."""
        return Shown(
            self.cell.expectation.name,
            len(played.trace.steps),
            _text(played, replayed),
            markdown_of(played.protocol, played.system, played.trace, played.property),
            itf(played.system, played.property, played.trace),
            label=label,
        )


async def _in_time(work: Coroutine[Any, Any, None], seconds: float) -> bool:
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            await work
    except TimeoutError:
        if not timer.expired():
            raise
        return False
    return True


def _text(played: _Behavior, replayed: Replayed) -> str:
    """Return a behavior as ``tidegate replay --kafka`` prints it."""
    from ..render.on_kafka import print_on_kafka
    from ..render.printed import Console

    text = io.StringIO()
    print_on_kafka(Console(file=text, width=100), played.system, played.trace, replayed, False)
    return text.getvalue()
