"""The four forms of a liveness property: which states a behavior that violates it may visit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...core.layout import State
from ...core.spec import Kind, Property, TransitionSystem


class Visit(NamedTuple):
    """The role that a state can have in a behavior that violates a property.

    Such a behavior reaches a state that *begins* the violation.  From there on it visits only
    states that *stay* in the violation, and infinitely often one that *recurs*.
    """

    begins: bool
    stays: bool
    recurs: bool


def visit(system: TransitionSystem[Any, Any], prop: Property, state: State, initial: bool) -> Visit:
    """Return the role that a state can have in a behavior that violates a liveness property.

    Parameters
    ----------
    initial
        Whether it is an initial state.
    """
    system.layout.load(state)
    violates = not system.satisfies(prop)
    if prop.kind is Kind.EVENTUALLY:
        return Visit(violates and initial, violates, violates)
    if prop.kind is Kind.ALWAYS_EVENTUALLY:
        return Visit(violates, violates, violates)
    if prop.kind is Kind.EVENTUALLY_ALWAYS:
        return Visit(begins=True, stays=True, recurs=violates)
    assert prop.kind is Kind.LEADS_TO, prop.kind
    return Visit(violates and system.satisfies(premise_of(prop)), violates, violates)


def premise_of(prop: Property) -> Property:
    """Return the premise of a property as a property of its own."""
    assert prop.premise is not None
    return replace(prop, name=f"the premise of {prop.name}", predicate=prop.premise, witness=None)


def with_premises(properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return properties, and after them the premises of the kind ``LEADS_TO``."""
    premises = (premise_of(prop) for prop in properties if prop.kind is Kind.LEADS_TO)
    return (*properties, *premises)


def predicates_of(properties: Sequence[Property]) -> list[tuple[int, Property]]:
    """Return the predicates of liveness properties, premises included, as properties.

    With each comes its index in :func:`with_premises`.
    """
    listed = enumerate(with_premises(properties))
    return [(number, prop) for number, prop in listed if prop.kind.is_liveness]
