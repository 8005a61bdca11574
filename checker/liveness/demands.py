"""The demands of fairness: the steps that a behavior must not ignore for ever."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...core.spec import Fairness, Instance, Step, TransitionSystem


@dataclass(frozen=True)
class Demand:
    """WF or SF of an action, or of some choices of its arguments.

    Parameters
    ----------
    step
        The action with the arguments that the demand fixes; the others are free.
    strong
        Whether it must be taken if it is enabled infinitely often (SF), not only if it stays
        enabled (WF).
    instances
        The steps that meet it, as indices into the system's instances.
    """

    step: Step
    strong: bool
    instances: frozenset[int]

    def __str__(self) -> str:
        formula = "SF" if self.strong else "WF"
        step = str(self.step) if self.step.arguments else self.step.action
        return f"{formula}({step})"


def demands_of(system: TransitionSystem[Any, Any]) -> tuple[Demand, ...]:
    """Return the demands of fairness in a system, in the order of its actions.

    Source: Lamport, "Specifying Systems", 8.4 and 8.6: WF and SF of the disjunction of instances.
    """
    grouped: dict[tuple[Step, bool], set[int]] = {}
    for index, instance in enumerate(system.instances):
        if instance.action.fairness is not Fairness.NONE:
            strong = instance.action.fairness is Fairness.STRONG
            grouped.setdefault((_owed(instance), strong), set()).add(index)
    return tuple(Demand(*owed, frozenset(indices)) for owed, indices in grouped.items())


def _owed(instance: Instance) -> Step:
    """Return the action of an instance with those of its arguments that fairness distinguishes."""
    action = instance.action
    names = action.parameters if action.fair_per is None else action.fair_per
    chosen = dict(zip(action.parameters, instance.arguments, strict=True))
    return Step(action.name, tuple(names), tuple(chosen[name] for name in names))


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
