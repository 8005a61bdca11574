"""A search of a protocol whose actions or rules are not written for all states has no verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.assumptions import PREFIX
from ..core.errors import AssumptionError
from ..core.result import Result, Verdict
from ..core.spec import Outcome, Property, Trace, TransitionSystem


def settle(result: Result, system: TransitionSystem[Any, Any]) -> None:
    """Take the verdicts on what the code assumes out of a result.

    Raises
    ------
    AssumptionError
        If an assumption is broken, unless a property is violated before.
    """
    assumed = [one for one in result.verdicts if one.property in system.assumptions]
    broken = [one for one in assumed if one.outcome is Outcome.VIOLATED]
    result.verdicts = [one for one in result.verdicts if one not in assumed]
    if not broken:
        return
    first = min(broken, key=_steps)
    result.verdicts = [_before(one, _steps(first)) for one in result.verdicts]
    if not any(one.is_found() for one in result.verdicts):
        raise not_written_for(system, first.property, first.trace, _steps(first))


def not_written_for(
    system: TransitionSystem[Any, Any], prop: Property, trace: Trace | None, steps: int
) -> AssumptionError:
    """Return the error that says which assumption a protocol breaks, and by which steps."""
    rule = prop.name.removeprefix(PREFIX)
    error = AssumptionError(
        f"{rule} assumes that {prop.statement}, and {system.name} breaks that at step {steps}; "
        f"Kafka does more there than the model says ({prop.source}), so that nothing is decided. "
        f"Write {rule} anew for this protocol, with what Kafka does. The steps:"
    )
    error.details = tuple(map(str, trace.steps)) if trace else ()
    return error


def _steps(verdict: Verdict) -> int:
    return verdict.steps or 0


def _before(verdict: Verdict, steps: int) -> Verdict:
    """Return a verdict as it is if its trace ends before so many steps, and undecided otherwise."""
    if verdict.is_found() and _steps(verdict) < steps:
        return verdict
    return replace(verdict, outcome=Outcome.INCOMPLETE, trace=None, steps=None)
