"""The four forms of a liveness property: which states a behavior that violates it may visit.

The demands of fairness: the steps that a behavior must not ignore for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...core.layout import State
from ...core.spec import Fairness, Instance, Kind, Property, Step, TransitionSystem


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


@dataclass(frozen=True)
class Demand:
    """WF or SF of actions, or of some choices of their arguments.

    Parameters
    ----------
    formula
        Their disjunction as TLA+ writes it.
    step
        The action with the arguments that the demand fixes; the others are free.  For several
        actions together its name says which.
    strong
        Whether it must be taken if it is enabled infinitely often (SF), not only if it stays
        enabled (WF).
    instances
        The steps that meet it, as indices into the system's instances.
    """

    formula: str
    step: Step
    strong: bool
    instances: frozenset[int]

    def __str__(self) -> str:
        return f"{'SF' if self.strong else 'WF'}({self.formula})"


def demands_of(system: TransitionSystem[Any, Any]) -> tuple[Demand, ...]:
    """Return the demands of fairness in a system: of each action, then of several together.

    Source: Lamport, "Specifying Systems", 8.4 and 8.6: WF and SF of the disjunction of instances.
    """
    grouped: dict[tuple[str, Step, bool], set[int]] = {}
    for index, instance in enumerate(system.instances):
        action = instance.action
        if action.fairness is not Fairness.NONE:
            names = action.parameters if action.fair_per is None else action.fair_per
            step = _fixed(instance, action.name, names)
            owed = _written(action.name, step), step, action.fairness is Fairness.STRONG
            grouped.setdefault(owed, set()).add(index)
    for joint in system.fairness:
        formula = "Next" if joint.actions is None else " \\/ ".join(joint.actions)
        for index, instance in enumerate(system.instances):
            if joint.includes(instance.action):
                step = _fixed(instance, f"one of {joint.named}", joint.fair_per)
                owed = _written(formula, step), step, joint.fairness is Fairness.STRONG
                grouped.setdefault(owed, set()).add(index)
    return tuple(Demand(*owed, frozenset(indices)) for owed, indices in grouped.items())


def _fixed(instance: Instance, name: str, fair_per: Iterable[str]) -> Step:
    """Return, under a name, those arguments of an instance that fairness distinguishes."""
    chosen = dict(zip(instance.action.parameters, instance.arguments, strict=True))
    names = tuple(fair_per)
    return Step(name, names, tuple(chosen[each] for each in names))


def _written(formula: str, step: Step) -> str:
    """Return a formula with the arguments that are fixed.

    >>> _written("A", Step("", ("n",), (1,))), _written("A or B", Step("", ("n",), (1,)))
    ('A(n=1)', '(A or B)(n=1)')
    """
    if not step.arguments:
        return formula
    of = f"({formula})" if " " in formula else formula
    return str(Step(of, step.parameters, step.arguments))


@dataclass(frozen=True)
class Demands:
    """All demands of a system; sets of demands are the bits of a number.

    Attributes
    ----------
    listed
        The demands; bit n stands for the n-th of them.
    of_instance
        For each instance of an action, the demands that taking it meets.
    weak, strong
        The demands of weak and of strong fairness.
    """

    listed: tuple[Demand, ...]
    of_instance: tuple[int, ...]
    weak: int
    strong: int

    @classmethod
    def of(cls, system: TransitionSystem[Any, Any]) -> Demands:
        """Return the demands of a system."""
        listed = demands_of(system)
        of_instance = [0] * len(system.instances)
        for number, demand in enumerate(listed):
            for index in demand.instances:
                of_instance[index] |= 1 << number
        strong = sum(1 << number for number, demand in enumerate(listed) if demand.strong)
        return cls(listed, tuple(of_instance), (1 << len(listed)) - 1 & ~strong, strong)

    def met_by(self, instances: Iterable[int]) -> int:
        """Return the demands that taking these instances meets."""
        met = 0
        for index in instances:
            met |= self.of_instance[index]
        return met
