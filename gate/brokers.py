"""One cell that real brokers decide, in the process in which this runs."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from ..brokers.report import KafkaError, MissingKafkaError
from ..brokers.report import Report as Replayed
from ..conform.conformance import Conforming
from ..conform.forced import OutOfTimeError
from ..conform.saved import forcible_behavior, replay_on
from ..conform.systems import forcible_distribution, of_brokers, protocol_to_walk, systems_to_walk
from ..conform.walks import CoveringWalks
from ..core.behavior import Behavior
from ..core.interrupts import listening
from ..core.result import Resources, doing
from ..core.spec import Outcome, ReplayError
from ..core.tracefile import itf, read_trace
from ..library.full_history import refuse_unknown_property, replayed_as_recorded
from ..library.names import find_protocol, is_custom, is_same
from ..library.properties import find_properties
from ..model import Protocol
from .cells import Brokers, Cell, Expectation
from .judge import judge, judge_replay, judge_walks
from .results import CellOutcome, Deviation, Finding, PropertyOutcome, Ran, Shown, Status, status_of
from .search import CellSearch, Report, markdown_of


def outcome_on_brokers(
    cell: Cell, brokers: Brokers, resources: Resources, report: Report
) -> CellOutcome:
    """Force on real brokers what a cell says, and judge what they do.

    A signal ends the brokers, and then this process.

    Raises
    ------
    TidegateError
        If Kafka, the protocol, its bounds or the trace cannot be used.
    """
    with listening():
        try:
            run = _Run(cell, brokers, resources, report)
        except MissingKafkaError as error:
            if brokers.optional:
                finding = Finding(Deviation.SKIPPED, "", f"skipped: {error}")
                return CellOutcome(cell, Status.SKIPPED, [finding])
            hint = "with optional = true, this case would be skipped"
            raise MissingKafkaError(f"{error}; {hint}") from None
        return run.outcome()


class _Run:
    """The run that decides one cell."""

    def __init__(self, cell: Cell, brokers: Brokers, resources: Resources, report: Report) -> None:
        self._distribution = forcible_distribution(brokers.kafka, "kafka =")
        self._cell, self._brokers = cell, brokers
        self._resources, self._report = resources, report
        self._until = perf_counter() + cell.limits.seconds
        self._ran = Ran(self._distribution.version)
        self._result = CellOutcome(cell, Status.PASSED, ran=self._ran)
        [self._expected] = cell.expectations

    def outcome(self) -> CellOutcome:
        """Force what the cell says, and judge it."""
        if self._brokers.walks:
            self._walk()
        else:
            behavior = self._saved() if self._brokers.trace else self._shortest()
            if behavior is not None:
                self._replay(*behavior)
        self._result.status = status_of(self._result.findings)
        return self._result

    def _shortest(self) -> tuple[Protocol, Behavior] | None:
        """Search for the shortest violation; None, with findings, if there is none."""
        protocol = of_brokers(find_protocol(self._cell.protocol))
        prop, *_ = find_properties(protocol, [self._brokers.property])
        expectation = Expectation(prop.name, violated=True)
        cell = replace(self._cell, expectations=(expectation,), brokers=None)
        search = CellSearch(cell, protocol, self._resources, self._report)
        search.decide({expectation: prop})
        result, counted = self._result, search.outcome
        result.states, result.depth, result.engine = counted.states, counted.depth, counted.engine
        result.findings += judge(counted, [expectation], search.verdicts)
        verdict = search.verdicts[prop.name]
        if verdict.trace is None:
            if verdict.outcome is Outcome.VIOLATED:
                text = f"the trace that violates {prop.name} was not finished: nothing to replay"
                result.findings.append(Finding(Deviation.LIMIT, prop.name, text))
            return None
        return protocol, search.with_histories(prop.name)

    def _saved(self) -> tuple[Protocol, Behavior]:
        """Read a trace, and take its steps.

        Raises
        ------
        ReplayError
            If its steps cannot be taken, or it names code that the gate's file does not name.
        """
        file = self._brokers.trace
        recorded = read_trace(file)
        name = self._cell.protocol or recorded.protocol
        if is_custom(name) and not self._cell.protocol:
            raise ReplayError(
                f"{file} names the protocol {name}, which is Python code; if you trust that "
                f'code, add to the case: protocol = "{name}"'
            )
        protocol = of_brokers(find_protocol(name))
        refuse_unknown_property(file, protocol, recorded)
        replayed = replayed_as_recorded(file, protocol, recorded)
        behavior = replayed.behavior
        if replayed.stopped is not None:
            number, step = len(behavior.steps) + 1, replayed.stopped[0]
            raise ReplayError(
                f"{file}: step {number}, {step}, is not enabled under {behavior.system.name}; "
                f"'tidegate replay {file}' says why"
            )
        if not is_same(name, recorded.protocol):
            behavior = replace(behavior, prop=None)
        return protocol, behavior

    def _replay(self, protocol: Protocol, played: Behavior) -> None:
        """Replay a behavior on brokers."""
        behavior = forcible_behavior(self._cell.within, protocol, played)
        result, expected = self._result, self._expected
        try:
            replayed = replay_on(self._distribution, behavior, self._say, self._until)
        except OutOfTimeError:
            result.findings.append(Finding(Deviation.LIMIT, "", f"not decided: {self._limit}"))
            return
        self._ran.steps = len(replayed.steps)
        differs = replayed.differs
        result.findings += judge_replay(expected, behavior, replayed)
        outcome = "diverges" if differs else "reproduces"
        steps = differs.number if differs else len(behavior.steps)
        result.properties = [PropertyOutcome(expected.name, str(expected), outcome, steps)]
        if result.findings:
            result.traces = [self._shown(played, replayed, "replayed trace")]

    def _walk(self) -> None:
        """Take random walks on brokers."""
        forced, settings = self._brokers, self._cell.bounds.split()
        walked = protocol_to_walk(self._cell.protocol or None, self._distribution, settings)
        protocol = of_brokers(walked)
        system, forcible = systems_to_walk(protocol, self._distribution, settings)
        walks = CoveringWalks(forcible, forced.seed, forced.steps)
        run = Conforming(self._distribution, system, walks, self._say)
        done, result, expected = run.done, self._result, self._expected
        undecided = ""
        try:
            run.take(forced.walks, self._until)
        except OutOfTimeError:
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
                Behavior(system, departure.trace, about=protocol.summary),
                departure.report,
                f"walk {departure.walk}",
            )
            for departure in done.departures
        ]

    @property
    def _limit(self) -> str:
        return f"stopped by the limit of {self._cell.limits.seconds:g} s"

    def _say(self, what: str) -> None:
        self._report(doing(what))

    def _shown(self, played: Behavior, replayed: Replayed, label: str) -> Shown:
        """Return a behavior, and what brokers did, in the forms that reports need."""
        return Shown(
            self._expected.name,
            len(played.steps),
            _text(played, replayed),
            markdown_of(played),
            itf(played),
            label=label,
        )


def _text(played: Behavior, replayed: Replayed) -> str:
    """Return a behavior as ``tidegate replay --kafka`` prints it."""
    from ..render.conformance import print_on_kafka
    from ..render.console import printed

    return printed(lambda console: print_on_kafka(console, played, replayed, False))
