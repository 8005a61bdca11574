"""One cell: the searches that decide it, in the process in which this runs."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from ..analysis.loading import named
from ..analysis.named import find_protocol
from ..analysis.properties import find_properties, select, system_for
from ..analysis.recognising import known_bug
from ..analysis.saved import systems_with_history
from ..checker.check import check
from ..checker.replay import retaken, start_of, without_failure
from ..checker.result import Limits, Progress, Resources, Result, Verdict
from ..checker.stop import Stop, Stopped
from ..checker.violation import explained
from ..core.spec import Outcome, Property, Trace, TransitionSystem
from ..model import Protocol
from ..render.grounds import declared_pure
from .cells import EVERY, Cell, CellVerdicts, Expectation, expanded
from .judge import Deviation, Finding, judge
from .places import SourceLocation, places
from .results import CellOutcome, PropertyOutcome, Shown, status_of

Report = Callable[[Progress], None]


def outcome_of(cell: Cell, resources: Resources, report: Report) -> CellOutcome:
    """Search a cell and judge it.

    Raises
    ------
    TidegateError
        If its protocol, its bounds or a property cannot be used, or the model is ill-formed.
    """
    started = perf_counter()
    protocol = find_protocol(cell.protocol)
    expected = expanded(cell.expectations, protocol)
    search = Search(cell, protocol, resources, report, started)
    cell_verdicts = search.decide(expected)
    findings = [search.recognised(one) for one in judge(cell, list(expected), cell_verdicts)]
    properties = [
        replace(
            _property_outcome(expectation, prop, protocol.family, cell_verdicts),
            known_bug=search.known_bugs.get(prop.name, ""),
        )
        for expectation, prop in expected.items()
    ]
    outcome = CellOutcome(
        cell,
        status_of(findings),
        findings,
        properties,
        states=cell_verdicts.states,
        depth=cell_verdicts.depth,
        complete=cell_verdicts.complete,
        never_enabled=cell_verdicts.never_enabled,
        engine=cell_verdicts.engine,
        declared_pure=cell_verdicts.declared_pure,
        interpreted_because=cell_verdicts.interpreted_because,
        traces=search.shown(findings),
    )
    outcome.places = _places(outcome, protocol)
    outcome.seconds = perf_counter() - started
    return outcome


def _property_outcome(
    expectation: Expectation, prop: Property, family: str, cell_verdicts: CellVerdicts
) -> PropertyOutcome:
    """Return what was expected of a property with what was found."""
    property_outcome = PropertyOutcome(
        expectation.name, str(expectation), statement=prop.statement, family=family
    )
    seen = cell_verdicts.seen.get(expectation.name)
    if seen is None:
        return property_outcome
    return replace(
        property_outcome,
        outcome=seen.outcome.value,
        steps=seen.steps,
        explanation=seen.explanation,
        note="its premise never held" if seen.vacuous else seen.reason,
    )


def _places(outcome: CellOutcome, protocol: Protocol) -> tuple[SourceLocation, ...]:
    """Return the lines that the outcome is about; those of a counterexample where there is one."""
    return next((trace.places for trace in outcome.traces), places(protocol))


_Decided = tuple[Sequence[Property], TransitionSystem[Any, Any], Verdict]
"""What was searched for, in which system, and the verdict on one property."""


@dataclass
class Search:
    """The searches of one cell, which share its limits."""

    cell: Cell
    protocol: Protocol
    resources: Resources
    report: Report
    started: float

    def __post_init__(self) -> None:
        # What the case names is an error where it cannot be decided.
        names = [one.name for one in self.cell.expectations if one.name.lower() != EVERY[0]]
        self._named = select(self.protocol, names).named if names else frozenset[str]()
        self.cell_verdicts = CellVerdicts({})
        self.verdicts: dict[str, _Decided] = {}
        self.known_bugs: dict[str, str] = {}

    def decide(self, expected: dict[Expectation, Property]) -> CellVerdicts:
        """Decide every property of the cell.

        Where all must hold, the first violation ends the search.  Where all must be violated, each
        search ends at a first violation, and the next one is for what is still open.  Otherwise,
        and where counts are pinned, all states are searched.
        """
        violated = [prop for expectation, prop in expected.items() if expectation.violated]
        pinned = self.cell.states is not None or self.cell.depth is not None
        if violated and len(violated) == len(expected) and not pinned:
            left = violated
            while left:
                self._search(left, keep_going=False)
                decided = [prop for prop in left if self._outcome(prop) is not Outcome.INCOMPLETE]
                if not decided:
                    break
                left = [prop for prop in left if prop not in decided]
        else:
            self._search(list(expected.values()), keep_going=bool(violated))
        if any(self._outcome(prop) is Outcome.HOLDS for prop in violated):
            self._look_for_another(list(expected.values()))
        return self.cell_verdicts

    def _outcome(self, prop: Property) -> Outcome:
        return self.cell_verdicts.seen[prop.name].outcome

    def _look_for_another(self, expected: Sequence[Property]) -> None:
        """Find which other property is violated where an expected violation is missing."""
        others = [prop for prop in find_properties(self.protocol, ()) if prop not in expected]
        if others and not self.cell_verdicts.stopped_by:
            first = self._check(others, keep_going=False)[1].first
            if first is not None and first.trace is not None:
                self.cell_verdicts.instead = first.property.name, len(first.trace.steps)

    def _search(self, properties: Sequence[Property], keep_going: bool) -> None:
        """Search once, and add its verdicts."""
        system, result = self._check(properties, keep_going)
        explanations = {}
        for verdict in result.verdicts:
            if verdict.trace is not None:
                name = verdict.property.name
                explanations[name] = explained(system, verdict.property, verdict.trace)
                self.verdicts[name] = properties, system, verdict
                if known := known_bug(self.protocol, self._bounds, verdict):
                    self.known_bugs[name] = known.name
        self.cell_verdicts.add(result, explanations)
        self.cell_verdicts.declared_pure = declared_pure(result)
        self.cell_verdicts.stopped_by = _limit(result.stopped_by, self.cell)

    def _check(
        self, properties: Sequence[Property], keep_going: bool
    ) -> tuple[TransitionSystem[Any, Any], Result]:
        system = self._system(self.protocol, properties)
        left = self.cell.limits.seconds - (perf_counter() - self.started)
        resources = replace(
            self.resources,
            engine=self.cell.limits.engine,
            watch=self.cell.custom,
            load=named(self.cell.protocol, self._bounds, properties),
        )
        result = check(
            system,
            properties,
            named=self._named,
            limits=Limits(seconds=max(left, 0.01)),
            keep_going=keep_going,
            report=self.report,
            resources=resources,
        )
        return system, result

    def _system(
        self, protocol: Protocol, properties: Sequence[Property]
    ) -> TransitionSystem[Any, Any]:
        return system_for(protocol, self._bounds, properties)

    @property
    def _bounds(self) -> list[str]:
        return self.cell.bounds.split()

    def recognised(self, finding: Finding) -> Finding:
        """Return a finding that says which known bug it is, if it is one."""
        known = self.known_bugs.get(finding.about)
        if known is None or finding.kind not in (Deviation.VIOLATED, Deviation.LONGER):
            return finding
        return replace(finding, text=f"{finding.text}; this is the known bug {known}")

    def shown(self, findings: Sequence[Finding]) -> list[Shown]:
        """Return the counterexamples of what is not as expected."""
        wrong = [
            finding.about
            for finding in findings
            if finding.kind in (Deviation.VIOLATED, Deviation.LONGER)
        ]
        return [self._shown(*self.verdicts[name]) for name in wrong if name in self.verdicts]

    def _shown(
        self, properties: Sequence[Property], system: TransitionSystem[Any, Any], verdict: Verdict
    ) -> Shown:
        """Return a counterexample in the forms that reports need."""
        from ..checker.itf import itf

        assert verdict.trace is not None
        start, steps = start_of(system, verdict.trace), verdict.trace.steps
        loop = verdict.trace.loop
        systems = systems_with_history(self.protocol, self._bounds, verdict.property)
        return Shown(
            verdict.property.name,
            len(steps),
            _text(system, verdict),
            without_failure(
                systems,
                lambda knowing: markdown_of(
                    self.protocol, knowing, retaken(knowing, start, steps, loop), verdict.property
                ),
            ),
            itf(system, verdict.property, verdict.trace),
            places(self.protocol, lambda changed: self._system(changed, properties), verdict.trace),
        )


def _limit(stopped_by: Stopped | None, cell: Cell) -> str | None:
    """Return what stopped a search, as the gate's file names it."""
    if stopped_by is None:
        return None
    if stopped_by.by is Stop.TIME_LIMIT:
        return f"the limit of {cell.limits.seconds:g} s{stopped_by.note}"
    if stopped_by.by is Stop.MAX_MEMORY:
        return f"the limit of {stopped_by.limit}{stopped_by.note} of memory"
    return str(stopped_by)


def _text(system: TransitionSystem[Any, Any], verdict: Verdict) -> str:
    """Return a counterexample as ``tidegate check`` prints it."""
    from ..render.printed import Console
    from ..render.text import print_trace

    assert verdict.trace is not None
    text = io.StringIO()
    console = Console(file=text, width=100)
    print_trace(console, system, verdict.property, verdict.trace, False)
    return text.getvalue()


def markdown_of(
    protocol: Protocol, system: TransitionSystem[Any, Any], trace: Trace, prop: Property | None
) -> str:
    """Return a behavior as Markdown."""
    from ..render.markdown import markdown
    from ..render.narrative import narrate

    return markdown(narrate(system, trace, prop, (), protocol.summary))
