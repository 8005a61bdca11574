"""What a model says in a state, as one value that two evaluations have in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from ..core.blame import predicate_of
from ..core.layout import State
from ..core.spec import Kind, Property, TransitionSystem
from .liveness.formulas import with_premises

Answers = dict[int | str, object]
"""What a model says in a state: the successor by each enabled instance, and each predicate."""

CONSTRAINT = "the constraint"


_MOST_INITIAL = 10_000
"""Initial states that are compared."""


def answers(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], state: State
) -> Answers:
    """Return what the model says in a state; outside the constraint no action is asked."""
    system.layout.load(state)
    inside = system.inside()
    said: Answers = {CONSTRAINT: inside}
    for prop in with_premises(properties):
        if prop.kind not in (Kind.TYPE, Kind.DEADLOCK):
            said[predicate_of(prop)] = system.satisfies(prop)
    if inside:
        said.update(system.successors(state, watched=False))
    return said


def initial(system: TransitionSystem[Any, Any]) -> frozenset[State] | None:
    """Return the initial states; None if they are too many to compare."""
    states = list(islice(system.initial_states(), _MOST_INITIAL + 1))
    return frozenset(states) if len(states) <= _MOST_INITIAL else None


def identity(system: TransitionSystem[Any, Any]) -> object:
    """Return what two processes that load a model must agree on, so that states mean the same."""
    variables = [
        (variable.path, variable.low, variable.high) for variable in system.layout.variables
    ]
    return [str(instance.step) for instance in system.instances], variables


def differing(before: Answers, after: Answers) -> int | str | None:
    """Return a key of an answer that differs; None if none does."""
    if before == after:
        return None
    keys: tuple[int | str, ...] = (*before, *after)
    return next(key for key in keys if before.get(key) != after.get(key))
