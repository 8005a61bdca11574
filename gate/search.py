"""One cell: the searches that decide it, in the process in which this runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

from ..checker.broken_assumptions import broken_by
from ..core.behavior import Behavior
from ..core.errors import TidegateError
from ..core.interrupts import Stop, Stopped
from ..core.result import Limits, Progress, Resources, Result, SearchOptions, Verdict
from ..core.spec import Kind, Outcome, Property, TransitionSystem
from ..core.tracefile import itf
from ..library.bug_matching import Match, seconds_left
from ..library.full_history import with_histories
from ..library.known_bugs import repaired
from ..library.loading import named
from ..library.names import find_protocol
from ..library.problem import Problem
from ..library.properties import Selection, find_properties, select, system_for
from ..model import Protocol
from ..render.grounds import declared_pure, in_vain, relied_on
from .cells import EVERY, Cell, Expectation, expanded
from .judge import judge
from .places import Change, SourceLocation, changes, to_blame
from .results import CellOutcome, Deviation, Finding, PropertyOutcome, Shown, Status, status_of

Report = Callable[[Progress], None]

WITH_TRACE = (Deviation.VIOLATED, Deviation.LONGER)
"""Deviations that a counterexample shows."""

BY_SEARCH = (
    Deviation.COUNT,
    Deviation.LONGER,
    Deviation.NOT_VIOLATED,
    Deviation.OTHER_PROPERTY,
)
"""Deviations of which only another search says whether a change is why."""

OPEN = (Deviation.VIOLATED, Deviation.LIMIT, Deviation.UNDECIDED, Deviation.ERROR)
"""Deviations with which a search may end before it has all states."""


def outcome_of(cell: Cell, resources: Resources, report: Report) -> CellOutcome:
    """Search a cell and judge it.

    Raises
    ------
    TidegateError
        If its protocol, its bounds or a property cannot be used, or the model is ill-formed.
    """
    protocol = find_protocol(cell.protocol)
    search = CellSearch(cell, protocol, resources, report)
    expected = expanded(cell.expectations, protocol)
    search.decide(expected)
    outcome = search.outcome
    findings = judge(outcome, list(expected), search.verdicts)
    outcome.findings = [search.placed(finding) for finding in findings]
    outcome.status = status_of(outcome.findings)
    outcome.properties = [
        search.property_outcome(expectation, prop) for expectation, prop in expected.items()
    ]
    outcome.traces = search.shown(outcome.findings)
    return outcome


@dataclass
class CellSearch:
    """The searches of one cell, which share its limits.

    Attributes
    ----------
    outcome
        The counts.
    verdicts
        The verdict on each property.
    """

    cell: Cell
    protocol: Protocol
    resources: Resources
    report: Report
    started: float = field(default_factory=perf_counter)

    def __post_init__(self) -> None:
        # What the case names is an error where it cannot be decided.
        names = [one.name for one in self.cell.expectations if one.name.lower() != EVERY[0]]
        self._named = select(self.protocol, names).named if names else frozenset[str]()
        self._bounds = self.cell.bounds.split()
        self.outcome = CellOutcome(self.cell, Status.PASSED)
        self.verdicts: dict[str, Verdict] = {}
        self._systems: dict[str, tuple[Sequence[Property], TransitionSystem[Any, Any]]] = {}
        self._explanations: dict[str, str] = {}
        self._within = False
        self._matches: dict[str, Match | None] = {}
        self._without: list[tuple[Change, list[Finding]]] | None = None

    def decide(self, expected: dict[Expectation, Property]) -> None:
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

    def _outcome(self, prop: Property) -> Outcome:
        return self.verdicts[prop.name].outcome

    def _look_for_another(self, expected: Sequence[Property]) -> None:
        """Find which other property is violated where an expected violation is missing."""
        others = [prop for prop in find_properties(self.protocol, ()) if prop not in expected]
        if others and not self.outcome.stopped_by:
            first = self._check(others, keep_going=False)[1].first
            if first is not None and first.trace is not None:
                self.outcome.instead = first.property.name, len(first.trace.steps)

    def _search(self, properties: Sequence[Property], keep_going: bool) -> None:
        """Search once, and add its verdicts and its counts."""
        system, result = self._check(properties, keep_going)
        for verdict in result.verdicts:
            name = verdict.property.name
            self.verdicts[name] = verdict
            if verdict.trace is not None:
                self._systems[name] = properties, system
                self._explanations[name] = Behavior(
                    system, verdict.trace, verdict.property
                ).explanation
        outcome = self.outcome
        outcome.states = max(outcome.states, result.distinct_states)
        outcome.depth = max(outcome.depth, result.depth)
        outcome.complete = result.complete
        outcome.never_enabled = tuple(result.never_taken) if result.complete else ()
        outcome.in_vain = tuple(in_vain(system.name, result))
        outcome.engine = result.engine
        reasons = dict.fromkeys((*outcome.interpreted_because, *result.interpreted_because))
        outcome.interpreted_because = tuple(reasons)
        outcome.declared_pure = declared_pure(result)
        outcome.symmetry = relied_on(result)
        if result.broken_assumption is not None:
            outcome.broken_assumption = broken_by(result.broken_assumption)
        self._within = result.within_constraint
        outcome.stopped_by = _limit(result.stopped_by, self.cell)

    def _check(
        self, properties: Sequence[Property], keep_going: bool
    ) -> tuple[TransitionSystem[Any, Any], Result]:
        problem = self._problem(properties)
        engine, symmetry = self.cell.limits.engine, self.cell.symmetry
        how = SearchOptions(engine=engine, keep_going=keep_going, symmetry=symmetry)
        left = self.cell.limits.seconds - (perf_counter() - self.started)
        limits = Limits(seconds=max(left, 0.01))
        return problem.system, problem.check(how, limits, self._resources, self.report)

    @property
    def _resources(self) -> Resources:
        return replace(self.resources, watch=self.cell.custom)

    def _match(self, name: str) -> Match | None:
        """Return the known bug that a violation is, or whose older rule it needs.

        It may take a search, so only reports ask for it.
        """
        if name not in self._matches and name in self._systems:
            properties, _ = self._systems[name]
            spent = perf_counter() - self.started
            left = partial(seconds_left, spent, self.cell.limits.seconds, self.started)
            self._matches[name] = None
            # What another protocol makes of it must not cost the verdict.
            with suppress(TidegateError):
                self._matches[name] = self._problem(properties).match(
                    self.verdicts[name], left, self._resources, self.report
                )
        return self._matches.get(name)

    def _problem(self, properties: Sequence[Property]) -> Problem:
        chosen = Selection(tuple(properties), self._named)
        # No other process finds a protocol by its name that has a change undone.
        here = find_protocol(self.cell.protocol) == self.protocol
        load = named(self.cell.protocol, self._bounds, properties) if here else None
        return Problem(self.protocol, tuple(self._bounds), chosen, load)

    def property_outcome(self, expectation: Expectation, prop: Property) -> PropertyOutcome:
        """Return the expectation of a property with its outcome."""
        name = prop.name
        match = self._match(name)
        outcome = PropertyOutcome(
            name,
            str(expectation),
            explanation=self._explanations.get(name, ""),
            known_bug=match.known.name if match and match.is_the_bug else "",
            older_rule=match.known.name if match and not match.is_the_bug else "",
            statement=prop.statement,
            source=prop.source,
        )
        verdict = self.verdicts.get(name)
        if verdict is None:
            return outcome
        note = "its premise never held" if verdict.vacuous else verdict.reason
        if self._within and prop.kind.is_liveness and verdict.outcome is Outcome.HOLDS:
            note = "; ".join(filter(None, (note, "of behaviors that never leave the constraint")))
        return replace(outcome, outcome=verdict.outcome.value, steps=verdict.steps, note=note)

    def placed(self, finding: Finding) -> Finding:
        """Return a finding with what it needs of the protocol, and the known bug that it is."""
        text = finding.text
        if finding.kind is Deviation.VIOLATED and finding.about in self._systems:
            lines, parent = self._to_blame(finding.about)
            if parent is not None:
                text += f"; {parent.name} itself violates it"
        elif finding.kind in BY_SEARCH:
            lines = [
                change.place
                for change, others in self._undone()
                if not any(one.about == finding.about or one.kind in OPEN for one in others)
            ]
        else:
            return finding
        if finding.kind in WITH_TRACE and (match := self._match(finding.about)):
            name, other = match.known.name, repaired(self.protocol, [match.known])
            text += (
                f"; {_is_or_needs(match)}: to leave it out, check with --repaired {name}, and gate "
                f'protocols = ["{other}"]'
            )
        return replace(finding, text=text, places=tuple(lines))

    def _to_blame(self, name: str) -> tuple[list[SourceLocation], Protocol | None]:
        """Return what a counterexample needs of the protocol, or the parent that has it as well."""
        verdict, (properties, system) = self.verdicts[name], self._systems[name]
        trace, prop = verdict.trace, verdict.property
        assert trace is not None
        failing = system.assertions(trace.states[-1]) if prop.kind is Kind.ASSERTION else {}
        own = [(assertion.place, str(step)) for step, assertion in failing.items()]
        needed, parent = to_blame(
            self.protocol,
            lambda changed: system_for(changed, self._bounds, properties),
            trace,
            prop,
        )
        return [*own, *(change.place for change in needed)], parent

    def _undone(self) -> list[tuple[Change, list[Finding]]]:
        """Return what is not as expected without each change, from a search of its own."""
        if self._without is None:
            self._without = []
            for change in changes(self.protocol) if self.protocol.parent else ():
                resources = replace(self.resources, watch=False)
                again = CellSearch(self.cell, change.undone, resources, self.report, self.started)
                # The parent's rule may not fit the other changes.
                with suppress(TidegateError):
                    expected = expanded(self.cell.expectations, change.undone)
                    again.decide(expected)
                    others = judge(again.outcome, list(expected), again.verdicts)
                    self._without.append((change, others))
        return self._without

    def shown(self, findings: Sequence[Finding]) -> list[Shown]:
        """Return the counterexamples of what is not as expected."""
        wrong = [finding.about for finding in findings if finding.kind in WITH_TRACE]
        return [self._shown(name) for name in wrong if name in self._systems]

    def _shown(self, name: str) -> Shown:
        """Return a counterexample in the forms that reports need."""
        prop, trace = self.verdicts[name].property, self.verdicts[name].trace
        _, system = self._systems[name]
        assert trace is not None
        behavior = Behavior(system, trace, prop)
        return Shown(
            name,
            len(trace.steps),
            _text(behavior),
            markdown_of(with_histories(behavior, self.protocol, self._bounds)),
            itf(behavior),
        )

    def with_histories(self, name: str) -> Behavior:
        """Return a counterexample, with every history where that is possible."""
        verdict, (_, system) = self.verdicts[name], self._systems[name]
        assert verdict.trace is not None
        behavior = Behavior(system, verdict.trace, verdict.property)
        return with_histories(behavior, self.protocol, self._bounds)


def _is_or_needs(match: Match) -> str:
    """Say which known bug a violation is, or which one's older rule it needs."""
    if match.is_the_bug:
        return f"this is the known bug {match.known.name}"
    as_well = f", if not that alone ({match.why})" if match.why else " as well"
    return f"it needs the older rule of {match.known.name}{as_well}"


def _limit(stopped_by: Stopped | None, cell: Cell) -> str | None:
    """Return what stopped a search, as the gate's file names it."""
    if stopped_by is None:
        return None
    if stopped_by.by is Stop.TIME_LIMIT:
        return f"the limit of {cell.limits.seconds:g} s{stopped_by.note}"
    if stopped_by.by is Stop.MAX_MEMORY:
        return f"the limit of {stopped_by.limit}{stopped_by.note} of memory"
    return str(stopped_by)


def _text(behavior: Behavior) -> str:
    """Return a counterexample as ``tidegate check`` prints it."""
    from ..render.console import printed
    from ..render.text import print_trace

    return printed(lambda console: print_trace(console, behavior, False))


def markdown_of(behavior: Behavior) -> str:
    """Return a behavior as Markdown."""
    from ..render.markdown import markdown
    from ..render.narrative import narrate

    return markdown(narrate(behavior))
