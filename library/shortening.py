"""Shorten a behavior that violates a property, by dropping steps that the violation does not need.

Each candidate is replayed from the initial state, and the property is judged at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.layout import State
from ..core.spec import Property, Step, Trace, TransitionSystem


def shortened(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> Trace:
    """Return a behavior that violates `prop` and from which no step can be dropped.

    Neither alone, nor with the steps that are not enabled without it.  A search may still find a
    shorter behavior with other steps.
    """
    best = _without_loops(trace)
    size = max(1, len(best.steps) // 2)
    while True:
        shorter = _drop(system, prop, best, size)
        if shorter is not None:
            best = _without_loops(shorter)
            size = min(size, max(1, len(best.steps)))
        elif size > 1:
            size //= 2
        else:
            return best


def _drop(
    system: TransitionSystem[Any, Any], prop: Property, trace: Trace, size: int
) -> Trace | None:
    """Return a shorter behavior without `size` consecutive steps, if one violates `prop`.

    The last steps are tried first: dropping them leaves most of the behavior unchanged.
    """
    for start in range(len(trace.steps) - size, -1, -1):
        for replace in (False, True):
            candidate = without(system, trace, start, size, replace)
            end = _violating(system, prop, candidate, start)
            if end is not None:
                return Trace(candidate.states[: end + 1], candidate.steps[:end])
    return None


def _violating(
    system: TransitionSystem[Any, Any], prop: Property, trace: Trace, start: int
) -> int | None:
    """Return the number of the first state, from `start` on, that violates a property.

    None if there is none, or if a state before it breaks an assumption.
    """
    for number in range(start, len(trace.states)):
        state = trace.states[number]
        if system.violates(prop, state):
            return number
        if any(system.violates(one, state) for one in system.assumptions):
            return None
    return None


def without(
    system: TransitionSystem[Any, Any],
    trace: Trace,
    start: int,
    size: int = 1,
    replace: bool = False,
) -> Trace:
    """Return a behavior without `size` steps and those that are not enabled without them.

    With `replace` such a step may be replaced by one that differs in an argument: without an
    election, epochs have other numbers.  A behavior ends where it leaves the constraint.
    """
    states: list[State] = list(trace.states[: start + 1])
    steps = list(trace.steps[:start])
    for step in trace.steps[start + size :]:
        system.layout.load(states[-1])
        if not system.inside():
            break
        for candidate in (step, *(_like(system, step) if replace else ())):
            following = system.take(states[-1], candidate)
            if following is not None:
                states.append(following)
                steps.append(candidate)
                break
    return Trace(tuple(states), tuple(steps))


def _like(system: TransitionSystem[Any, Any], step: Step) -> list[Step]:
    """Return the steps of the same action that differ in one argument."""
    return [
        instance.step
        for instance in system.instances
        if instance.action.name == step.action
        and sum(a != b for a, b in zip(instance.arguments, step.arguments, strict=True)) == 1
    ]


def _without_loops(trace: Trace) -> Trace:
    """Return a behavior that visits no state twice."""
    states: Sequence[State] = trace.states
    last = {state: index for index, state in enumerate(states)}
    here = last[states[0]]
    steps = []
    kept = [here]
    while here < len(trace.steps):
        steps.append(trace.steps[here])
        here = last[states[here + 1]]
        kept.append(here)
    return Trace(tuple(states[index] for index in kept), tuple(steps))


def dispensable(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> list[int]:
    """Return the numbers, from 1, of the steps each of which the violation does not need.

    Dropping a step also drops later steps that are then not enabled.
    """
    return [
        number
        for number in range(1, len(trace.steps) + 1)
        if _violating(system, prop, without(system, trace, number - 1), number - 1) is not None
    ]
