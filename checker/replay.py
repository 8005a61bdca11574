"""Replay of a saved trace: take its steps again, and report the first that is not enabled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..core.asserting import Assertion
from ..core.behavior import Behavior
from ..core.guards import Refusal
from ..core.layout import State
from ..core.spec import ModelError, Step, Trace, TransitionSystem
from ..core.tracefile import Recorded, encoded_state, ordered
from .reasons import why_not

T = TypeVar("T")


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    Attributes
    ----------
    behavior
        It as far as it could be replayed.
    stopped
        The step that is not enabled, with the guard that refuses it, or the assertion that it
        fails; None if all were.
    differs
        Number of the first state that is not as recorded, from 0.  None if all are, and for another
        protocol than the recorded one, whose states are bound to differ.
    open
        For a lasso whose cycle does not close: the number of the state that the last one should
        equal.  The trace is finite then.
    """

    behavior: Behavior
    stopped: tuple[Step, Refusal | Assertion | None] | None
    differs: int | None
    open: int | None = None


def without_failure(
    systems: Iterable[TransitionSystem[Any, Any]],
    attempt: Callable[[TransitionSystem[Any, Any]], T],
) -> T:
    """Return the result of `attempt` on the first system in which no step fails.

    A wrong protocol may fail if the state has more history than in the search that found the trace:
    the history may have no room for a record that it writes in excess.

    Raises
    ------
    ModelError
        If a step fails in each of them.
    """
    failure = ModelError("there is no system to take a step in")
    for system in systems:
        try:
            return attempt(system)
        except ModelError as error:
            failure = error
    raise failure


def retaken(
    system: TransitionSystem[Any, Any], start: int, steps: Sequence[Step], loop: int | None = None
) -> Trace:
    """Return the behavior of `system` that takes `steps` from its initial state number `start`."""
    states = [list(system.initial_states())[start]]
    for step in steps:
        following = system.take(states[-1], step)
        assert following is not None, f"{step} is not enabled"
        states.append(following)
    return Trace(tuple(states), tuple(steps), loop)


def replay(system: TransitionSystem[Any, Any], recorded: Recorded) -> Replayed:
    """Take the recorded steps in `system`, from the recorded initial state, while they are enabled.

    If it has no such initial state, they are taken from its first one.

    Raises
    ------
    ReplayError
        If a recorded step does not exist in `system` at all.
    ModelError
        If a step fails.
    """
    starts = list(system.initial_states())
    alike = (start for start in starts if _first_difference(system, [start], recorded) is None)
    states: list[State] = [next(alike, starts[0])]
    steps: list[Step] = []
    stopped = None
    for step in recorded.steps:
        following = system.take(states[-1], step)
        if following is None:
            stopped = (step, why_not(system, states[-1], step))
            break
        states.append(following)
        steps.append(system.instances[system.number_of(step)].step)
    differs = None
    if system.name == recorded.protocol:
        differs = _first_difference(system, states, recorded)
    loop = None if stopped else recorded.loop
    unclosed = loop if loop is not None and states[loop] != states[-1] else None
    loop = None if unclosed is not None else loop
    behavior = Behavior(system, Trace(tuple(states), tuple(steps), loop))
    return Replayed(behavior, stopped, differs, unclosed)


def _first_difference(
    system: TransitionSystem[Any, Any], states: list[State], recorded: Recorded
) -> int | None:
    """Return the number of the first state that is not as recorded.

    Histories are not compared: which ones a state has depends on the requested properties.
    """
    for number, state in enumerate(states):
        now = ordered(encoded_state(system.layout.describe(state), recorded.version))
        before = recorded.states[number]
        if {name for name in now if not name.startswith("aux_")} - set(before):
            return number
        if any(now.get(name) != before[name] for name in before if not name.startswith("aux_")):
            return number
    return None
