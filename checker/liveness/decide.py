"""Decide a liveness property, given all reachable states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ...core.errors import TidegateError
from ...core.layout import State
from ...core.spec import Kind, Property, Trace, TransitionSystem
from ..counterexample import (
    LeastParents,
    Watch,
    behavior_through,
    itself,
    shortest_traces,
    unwatched,
)
from .demands import Demands
from .formulas import premise_of
from .lasso import Cycle, Decided, Witness, nearest_stem
from .region import region_of


class LivenessError(TidegateError):
    """A liveness property that cannot be decided as requested."""


def refuse_undecidable(system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> None:
    """Refuse liveness properties that cannot be decided.

    Raises
    ------
    LivenessError
        If the system has a constraint, since behaviors that leave it would count as satisfying; if
        a premise is missing, or fairness is declared for an unknown argument.
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
        if system.constraint is not None:
            raise LivenessError(
                f"-p {prop.name}: {system.name} has a constraint, and behaviors that leave it are "
                "not followed, so that a liveness property could hold because no behavior is left; "
                "leave that property out, or bound the state by its declaration instead"
            )


def decided(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    levels: Sequence[Sequence[State]],
) -> Iterator[Decided]:
    """Decide liveness properties one after the other: the reference.

    Parameters
    ----------
    levels
        All reachable states by their distance from an initial state.
    """
    for prop in properties:
        witness = witness_of(system, prop, levels)
        yield Decided(prop, witness, witness is None and _is_vacuous(system, prop, levels))


def _is_vacuous(
    system: TransitionSystem[Any, Any], prop: Property, levels: Sequence[Sequence[State]]
) -> bool:
    """Whether a property has a premise that holds in no state."""
    if prop.kind is not Kind.LEADS_TO:
        return False
    premise = premise_of(prop)
    for level in levels:
        for state in level:
            system.layout.load(state)
            if system.satisfies(premise):
                return False
    return True


def witness_of(
    system: TransitionSystem[Any, Any], prop: Property, levels: Sequence[Sequence[State]]
) -> Witness | None:
    """Return where a liveness property is violated, or None if it holds."""
    demands = Demands.of(system)
    region = region_of(system, prop, levels, demands)
    components = region.fair_components(demands)
    ends = {state: nodes for nodes in components for state in nodes & region.recurring}
    stem = nearest_stem(system, levels, region, ends)
    return None if stem is None else Witness(stem, ends[stem.states[-1]])


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
