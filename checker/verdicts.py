"""The verdicts of a search that has ended, with their traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.layout import State
from ..core.spec import Kind, Outcome, Trace
from .counterexample import confirm, confirm_end, itself, least, shortest_traces
from .engines import Finished
from .interrupts import alarm, reason
from .liveness.lasso import confirm_lasso
from .request import SearchRequest
from .result import Verdict
from .stop import Stopped


@dataclass
class Judged:
    """What was decided of the properties that need all states, with the steps between them.

    Attributes
    ----------
    decided
        Names of the properties that hold or are violated.
    vacuous
        Names of those whose premise holds in no state.
    lassos
        For each violated liveness property its lasso.
    untraced
        For each one whose lasso was not finished, what stopped it.
    """

    decided: set[str] = field(default_factory=set)
    vacuous: set[str] = field(default_factory=set)
    lassos: dict[str, Trace] = field(default_factory=dict)
    untraced: dict[str, Stopped] = field(default_factory=dict)


def verdicts_of(
    request: SearchRequest, search: Finished, judged: Judged, complete: bool
) -> tuple[list[Verdict], Verdict | None]:
    """Return the verdict on every property, and the one that is reported first."""
    system, properties, lassos = request.system, request.properties, judged.lassos
    ends = {
        name: (level, least(system, states)) for name, (level, states) in search.violations.items()
    }
    if search.symmetry:
        for _, state in ends.values():
            search.symmetry.verify(state, properties)
    ended = _traced(request, search, ends)
    verdicts = []
    for prop in properties:
        if prop.name in lassos:
            confirm_lasso(system, prop, lassos[prop.name])
            lasso = lassos[prop.name]
            verdicts.append(Verdict(prop, Outcome.VIOLATED, lasso, steps=len(lasso.steps)))
        elif prop.name in judged.untraced:
            stopped = judged.untraced[prop.name]
            verdicts.append(Verdict(prop, Outcome.VIOLATED, untraced=stopped))
        elif prop.name in ends:
            verdicts.append(ended[prop.name])
        elif prop.kind is Kind.SOMETIMES and complete:
            verdicts.append(Verdict(prop, Outcome.VIOLATED))
        elif complete and (prop.name in judged.decided or not prop.kind.needs_graph):
            vacuous = prop.name in judged.vacuous
            verdicts.append(Verdict(prop, Outcome.HOLDS, vacuous=vacuous))
        else:
            verdicts.append(Verdict(prop, Outcome.INCOMPLETE))

    for name, lasso in lassos.items():
        ends[name] = len(lasso.steps), lasso.states[-1]

    def order(verdict: Verdict) -> tuple[int, int]:
        level, state = ends[verdict.property.name]
        return level, system.layout.fingerprint(state)

    violated = [
        verdict
        for verdict in verdicts
        if verdict.outcome is Outcome.VIOLATED and verdict.trace is not None
    ]
    return verdicts, min(violated, key=order, default=None)


def _traced(
    request: SearchRequest, search: Finished, ends: Mapping[str, tuple[int, State]]
) -> dict[str, Verdict]:
    """Return the verdict on each property whose state was found, with its trace.

    What ends the search for the traces does not cost the verdicts.
    """
    system, verdicts = request.system, {}
    for prop in request.properties:
        if prop.name in ends:
            level, state = ends[prop.name]
            confirm_end(system, prop, state)
            outcome = Outcome.HOLDS if prop.kind is Kind.SOMETIMES else Outcome.VIOLATED
            verdicts[prop.name] = Verdict(prop, outcome, steps=level)
    canonical = search.symmetry.canonical if search.symmetry else itself
    stopped: Stopped | None = None
    try:
        with alarm(request.limits.seconds, request.started, at_once=True):
            traces = shortest_traces(system, search.least_parents, ends.values(), canonical)
            for name, verdict in verdicts.items():
                trace = traces[ends[name][1]]
                confirm(system, verdict.property, trace)
                verdicts[name] = replace(verdict, trace=trace)
    except (KeyboardInterrupt, MemoryError) as error:
        stopped = reason(error)
    return {
        name: verdict if verdict.trace else replace(verdict, untraced=stopped)
        for name, verdict in verdicts.items()
    }


def overall(verdicts: Sequence[Verdict], complete: bool) -> Outcome:
    """Return the outcome of a search from its verdicts."""
    if any(verdict.outcome is Outcome.VIOLATED for verdict in verdicts):
        return Outcome.VIOLATED
    if any(verdict.outcome is Outcome.INCOMPLETE for verdict in verdicts):
        return Outcome.INCOMPLETE
    # If all requested properties hold already, the other states decide nothing.
    return Outcome.HOLDS if complete or verdicts else Outcome.INCOMPLETE
