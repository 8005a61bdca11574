"""From a violating state back to an initial one: the canonical counterexample.

Many behaviors may lead to a violation in equally many steps.  The one that is reported depends on
nothing but the model: the violating state with the least fingerprint, and before each state the
least (parent's fingerprint, action, arguments) among the states of the level before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ..core.fault_location import nondeterministic, predicate_of
from ..core.layout import State
from ..core.spec import EngineError, Property, Trace, TransitionSystem

_REPEATED = 64
"""Evaluations of a predicate in the last state, to notice one that is not deterministic."""

Canonical = Callable[[State], State]

Watch = Callable[[], None]
"""Called for each step of a trace; it raises an exception if the time is up."""

LeastParents = Callable[[int, set[State]], dict[State, State]]
"""Returns, for a level and some of its states, each state's parent with the least fingerprint on
the level before."""


def unwatched() -> None:
    """Let a trace take as long as it does."""


def itself(state: State) -> State:
    """Return the representative of `state` without symmetry: the state itself."""
    return state


def least(system: TransitionSystem[Any, Any], states: Iterable[State]) -> State:
    """Return the state with the least fingerprint, which is the same for every engine."""
    return min(states, key=system.layout.fingerprint)


def shortest_traces(
    system: TransitionSystem[Any, Any],
    least_parents: LeastParents,
    targets: Iterable[tuple[int, State]],
    canonical: Canonical = itself,
    watch: Watch = unwatched,
) -> Iterator[tuple[State, Trace]]:
    """Yield each target with its canonical shortest trace, the shortest traces first.

    Parameters
    ----------
    least_parents
        Of the engine that has the states of every level.
    targets
        Pairs of a level, which is a number of steps from an initial state, and a state in it.
    canonical
        Under symmetry: returns the representative of a state.  The trace has the states themselves.
    watch
        Called for each step; it raises an exception to end this.

    Raises
    ------
    EngineError
        If there is none.

    Notes
    -----
    Searches store no parents; engines expand each level again, from the deepest up.  The time is
    linear in the length of the traces, apart from what the engine takes.
    """
    chains = _chains(least_parents, sorted(set(targets)), watch)
    while chains:
        # A chain as long as the trace is freed once it is followed.
        yield _followed(system, chains.pop(0), canonical, watch)


def _chains(
    least_parents: LeastParents, targets: Sequence[tuple[int, State]], watch: Watch
) -> list[list[State]]:
    """Return for each target, of which the deepest is last, its chain of least parents."""
    chains = [[state] for _, state in targets]
    reached = len(targets)
    for level in range(targets[-1][0] if targets else 0, 0, -1):
        while reached and targets[reached - 1][0] >= level:
            reached -= 1
        children = {chain[-1] for chain in chains[reached:]}
        before = least_parents(level, children)
        for chain in chains[reached:]:
            parent = before.get(chain[-1])
            if parent is None:
                raise EngineError(f"a state of level {level} follows from none of the level before")
            chain.append(parent)
        watch()
    return chains


def _followed(
    system: TransitionSystem[Any, Any], chain: list[State], canonical: Canonical, watch: Watch
) -> tuple[State, Trace]:
    """Return a state and the behavior that leads to it, given its chain of parents."""
    target = chain[0]
    chain.reverse()
    return target, behavior_through(system, chain, canonical, watch)


def confirm(
    system: TransitionSystem[Any, Any], prop: Property, trace: Trace, watch: Watch = unwatched
) -> None:
    """Replay a trace and judge its last state, so that no engine is trusted unchecked.

    Raises
    ------
    EngineError
        If it is not a behavior of the system, or its last state satisfies the property.
    ModelError
        If the predicate is not deterministic in the last state.
    """
    confirm_steps(system, trace, watch)
    confirm_end(system, prop, trace.states[-1])


def confirm_end(system: TransitionSystem[Any, Any], prop: Property, state: State) -> None:
    """Judge the last state of a trace.

    Raises
    ------
    EngineError
        If it satisfies the property.
    ModelError
        If the predicate is not deterministic there.
    """
    times = _REPEATED if prop.kind.is_of_state else 1
    answers = {system.violates(prop, state) for _ in range(times)}
    if len(answers) > 1:
        call = partial(prop.predicate, system.record, system.constants)
        raise nondeterministic(call.func, predicate_of(prop))
    if not answers.pop():
        raise EngineError(f"{prop.name} is not {prop.verb} at the end of the trace")


def confirm_steps(
    system: TransitionSystem[Any, Any], trace: Trace, watch: Watch = unwatched
) -> None:
    """Replay the steps of a trace.

    Raises
    ------
    EngineError
        If it does not begin in an initial state, or a step is not enabled or leads elsewhere.
    """
    state = trace.states[0]
    if state not in system.initial_states():
        raise EngineError("the trace does not begin in an initial state")
    numbers = {instance.step: number for number, instance in enumerate(system.instances)}
    for step, expected in zip(trace.steps, trace.states[1:], strict=True):
        number = numbers.get(step, -1)
        # What the search has watched need not be watched again.
        if number < 0 or system.attempting([number], watched=False)(state).get(number) != expected:
            raise EngineError(f"{step} does not lead where the trace says")
        state = expected
        watch()


def behavior_through(
    system: TransitionSystem[Any, Any],
    chain: Sequence[State],
    canonical: Canonical,
    watch: Watch = unwatched,
) -> Trace:
    """Return the behavior through a chain of states, by the least action and arguments each.

    Raises
    ------
    EngineError
        If there is none.
    """
    first = next((s for s in system.initial_states() if canonical(s) == chain[0]), None)
    if first is None:
        raise EngineError("the trace does not begin in an initial state")
    states, steps = [first], []
    for number in range(1, len(chain)):
        following = chain[number]
        for instance, successor in system.successors(states[-1], watched=False):
            if canonical(successor) == following:
                steps.append(system.instances[instance].step)
                states.append(successor)
                break
        else:
            raise EngineError(f"no step leads to state {number} of the trace")
        watch()
    return Trace(tuple(states), tuple(steps))
