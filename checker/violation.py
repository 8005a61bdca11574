"""How a trace violates a property: a finite one in its last state, a lasso in its cycle."""

from __future__ import annotations

from typing import Any

from ..core.behavior import Behavior
from ..core.spec import EngineError, Property, Trace, TransitionSystem
from .liveness.lasso import confirm_lasso
from .result import Verdict


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
