"""How a trace violates a property: a finite one in its last state, a lasso in its cycle."""

from __future__ import annotations

from typing import Any

from ..core.layout import State
from ..core.spec import EngineError, Property, Trace, TransitionSystem
from .liveness.lasso import confirm_lasso


def telling_state(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> State:
    """Return the state of a trace that shows how it violates a property.

    For a lasso it is the last state of the cycle that does not satisfy the predicate.
    """
    if prop.kind.is_liveness and trace.loop is not None:
        for state in reversed(trace.states[trace.loop :]):
            system.layout.load(state)
            if not system.satisfies(prop):
                return state
    return trace.states[-1]


def explained(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> str:
    """Say in words how a trace violates a property."""
    return system.explain(prop, telling_state(system, prop, trace))


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
