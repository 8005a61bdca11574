"""From a violating state back to an initial one: the canonical counterexample.

Many behaviors may lead to a violation in equally many steps.  The one that is reported depends on
nothing but the model: the violating state with the least fingerprint, and before each state the
least (parent's fingerprint, action, arguments) among the states of the level before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..layout import State
from ..spec import EngineError, Property, Trace, TransitionSystem

Levels = Sequence[Sequence[State]]

Canonical = Callable[[State], State]


def itself(state: State) -> State:
    """Return the state that stands for `state` without symmetry: the state itself."""
    return state


def least(system: TransitionSystem[Any, Any], states: Iterable[State]) -> State:
    """Return the state with the least fingerprint, which engines agree on."""
    return min(states, key=system.layout.fingerprint)


def shortest_traces(
    system: TransitionSystem[Any, Any],
    levels: Levels,
    targets: Iterable[tuple[int, State]],
    canonical: Canonical = itself,
) -> dict[State, Trace]:
    """Return the canonical shortest trace to every target.

    Parameters
    ----------
    levels
        All states up to the deepest target, by their distance from an initial state.
    targets
        Pairs of a level and a state in it.
    canonical
        Under symmetry: what stands for a state in the levels.  The trace is one of real states.

    Notes
    -----
    Nothing was stored about parents; each level is expanded once more, from the deepest up.
    """
    wanted = set(targets)
    parents: dict[tuple[int, State], State] = {}
    todo = set(wanted)
    for level in range(max((depth for depth, _ in todo), default=0), 0, -1):
        children = {state for depth, state in todo if depth == level}
        found = _least_parents(system, levels[level - 1], children, canonical)
        for child, parent in found.items():
            parents[level, child] = parent
            todo.add((level - 1, parent))
    return {
        state: _behavior(system, _ancestors(parents, level, state), canonical)
        for level, state in wanted
    }


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
    system: TransitionSystem[Any, Any],
    level: Iterable[State],
    children: set[State],
    canonical: Canonical,
) -> dict[State, State]:
    """Return for each child its parent with the least fingerprint in the level before."""
    best: dict[State, tuple[int, State]] = {}
    if not children:
        return {}
    for state in level:
        for _, successor in system.successors(state):
            child = canonical(successor)
            if child in children:
                candidate = (system.layout.fingerprint(state), state)
                best[child] = min(candidate, best.get(child, candidate))
    return {child: parent for child, (_, parent) in best.items()}


def _ancestors(parents: dict[tuple[int, State], State], level: int, state: State) -> list[State]:
    """Return a state with its chain of parents, the initial one first."""
    chain = [state]
    while level:
        chain.append(parents[level, chain[-1]])
        level -= 1
    return chain[::-1]


def _behavior(
    system: TransitionSystem[Any, Any], chain: Sequence[State], canonical: Canonical
) -> Trace:
    """Return the behavior through a chain of states; between two the least action and arguments."""
    states = [next(s for s in system.initial_states() if canonical(s) == chain[0])]
    steps = []
    for following in chain[1:]:
        for instance, successor in system.successors(states[-1]):
            if canonical(successor) == following:
                steps.append(system.instances[instance].step)
                states.append(successor)
                break
    return Trace(tuple(states), tuple(steps))
