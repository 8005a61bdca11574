"""From a violating state back to an initial one: the canonical counterexample.

Many behaviors may lead to a violation in equally many steps.  The one that is reported depends on
nothing but the model: the violating state with the least fingerprint, and before each state the
least (parent's fingerprint, action, arguments) among the states of the level before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..layout import State
from ..spec import Property, TidegateError, Trace, TransitionSystem


class EngineError(TidegateError):
    """An engine reported what the semantics do not confirm; its answer cannot be believed."""


Levels = Sequence[Sequence[State]]


def least(system: TransitionSystem[Any, Any], states: Iterable[State]) -> State:
    """Return the state with the least fingerprint, which engines agree on."""
    return min(states, key=system.layout.fingerprint)


def shortest_traces(
    system: TransitionSystem[Any, Any], levels: Levels, targets: Iterable[tuple[int, State]]
) -> dict[State, Trace]:
    """Return the canonical shortest trace to every target.

    Parameters
    ----------
    levels
        All states up to the deepest target, by their distance from an initial state.
    targets
        Pairs of a level and a state in it.

    Notes
    -----
    Nothing was stored about parents; each level is expanded once more, from the deepest up.
    """
    wanted = set(targets)
    parents: dict[tuple[int, State], tuple[State, int]] = {}
    todo = set(wanted)
    for level in range(max((depth for depth, _ in todo), default=0), 0, -1):
        children = {state for depth, state in todo if depth == level}
        for child, parent in _least_parents(system, levels[level - 1], children).items():
            parents[level, child] = parent
            todo.add((level - 1, parent[0]))
    return {state: _trace(system, parents, level, state) for level, state in wanted}


def confirm(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> None:
    """Replay a trace and judge its end, so that no engine is believed on its word.

    Raises
    ------
    EngineError
        If a step is not enabled, leads elsewhere, or the last state satisfies the property.
    """
    state = trace.states[0]
    if state not in set(system.initial_states()):
        raise EngineError("the trace does not begin in an initial state")
    for step, expected in zip(trace.steps, trace.states[1:], strict=True):
        if system.take(state, step) != expected:
            raise EngineError(f"{step} does not lead where the trace says")
        state = expected
    if not system.violates(prop, state):
        raise EngineError(f"the trace does not end in a violation of {prop.name}")


def _least_parents(
    system: TransitionSystem[Any, Any], level: Iterable[State], children: set[State]
) -> dict[State, tuple[State, int]]:
    """Return for each child its least (fingerprint of the parent, instance) in the level before."""
    best: dict[State, tuple[int, int, State]] = {}
    if not children:
        return {}
    for state in level:
        for instance, successor in system.successors(state):
            if successor in children:
                candidate = (system.layout.fingerprint(state), instance, state)
                best[successor] = min(candidate, best.get(successor, candidate))
    return {child: (state, instance) for child, (_, instance, state) in best.items()}


def _trace(
    system: TransitionSystem[Any, Any],
    parents: dict[tuple[int, State], tuple[State, int]],
    level: int,
    state: State,
) -> Trace:
    """Chain the parents from a state back to its initial one."""
    states, steps = [state], []
    while level:
        state, instance = parents[level, state]
        states.append(state)
        steps.append(system.instances[instance].step)
        level -= 1
    return Trace(tuple(reversed(states)), tuple(reversed(steps)))
