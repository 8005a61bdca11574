"""Decide liveness properties, and make the lasso of one that is violated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ...core.errors import TidegateError
from ...core.spec import Kind, Property, Trace, TransitionSystem
from ..counterexample import (
    LeastParents,
    Watch,
    behavior_through,
    itself,
    shortest_traces,
    unwatched,
)
from .formulas import Demands
from .lasso import Cycle, Decided, Witness


class LivenessError(TidegateError):
    """A liveness property that cannot be decided as requested."""


def refuse_undecidable(system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> None:
    """Refuse liveness properties that cannot be decided.

    Raises
    ------
    LivenessError
        If the system has a constraint, since behaviors that leave it would count as satisfying,
        unless it declares that these are left out; if a premise is missing, or fairness is declared
        for an unknown argument.
    """
    liveness = [prop for prop in properties if prop.kind.is_liveness]
    for action in system.actions if liveness else ():
        together = (joint.fair_per for joint in system.fairness if joint.includes(action))
        named = chain(action.fair_per or (), *together)
        unknown = [name for name in named if name not in action.parameters]
        if unknown:
            there = ", ".join(action.parameters) or "none"
            raise LivenessError(
                f"action {action.name}: fair_per names {unknown[0]}, but its parameters are {there}"
            )
    for prop in liveness:
        if (prop.premise is None) is (prop.kind is Kind.LEADS_TO):
            rule = "needs" if prop.premise is None else "cannot have"
            raise LivenessError(f"property {prop.name} of kind {prop.kind.value} {rule} a premise")
        if system.constraint is not None and not system.within_constraint:
            raise LivenessError(
                f"-p {prop.name}: {system.name} has a constraint, and behaviors that leave it are "
                "not followed, so that a liveness property could hold because no behavior is left; "
                "leave that property out, bound the state by its declaration instead, or decide it "
                "for the behaviors that never leave the constraint, by "
                "Model(..., liveness_within_constraint=True)"
            )


def decided(
    system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> Iterator[Decided]:
    """Decide liveness properties one after the other, on the state graph that Python finds."""
    from ..graph import state_graph
    from .arrays import arrays_of

    arrays = arrays_of(state_graph(system))
    yield from map(arrays.decided, properties)


def lasso_of(
    system: TransitionSystem[Any, Any],
    witness: Witness,
    least_parents: LeastParents,
    watch: Watch = unwatched,
) -> Trace:
    """Return the canonical lasso that a witness stands for."""
    stem = witness.stem
    begins, entry = stem.states[0], stem.states[-1]
    [(_, lead)] = shortest_traces(system, least_parents, [(stem.depth, begins)], watch=watch)
    before = behavior_through(system, (*lead.states, *stem.states[1:]), itself, watch)
    cycle = Cycle(system, entry, witness.component, Demands.of(system), watch).steps()
    return Trace(
        (*before.states, *(state for _, state in cycle)),
        (*before.steps, *(system.instances[index].step for index, _ in cycle)),
        loop=len(before.steps),
    )
