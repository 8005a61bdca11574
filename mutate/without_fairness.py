"""Decides liveness properties without the fairness of some actions, on the original's states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..checker.families import decided_one_by_one
from ..checker.graph import GraphError, state_graph
from ..checker.liveness.decide import refuse_undecidable
from ..checker.liveness.formulas import demands_of
from ..core.spec import Property, TransitionSystem

if TYPE_CHECKING:
    from ..checker.liveness.arrays import StateArrays


@dataclass(frozen=True)
class Original:
    """The state graph of an original, on which its liveness properties are decided again."""

    arrays: StateArrays
    properties: Sequence[Property]


def original_of(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], most: int
) -> Original | None:
    """Return the state graph of a system; None if it has more states than `most`."""
    from ..checker.liveness.arrays import arrays_of

    refuse_undecidable(system, properties)
    try:
        every = decided_one_by_one(system, properties)
        return Original(arrays_of(state_graph(system, most=most)), every)
    except GraphError:
        return None


def all_hold(known: Original, mutant: TransitionSystem[Any, Any]) -> bool:
    """Whether no behavior under a mutant's fairness violates a property.

    The mutant has the steps of its original, and lacks the fairness of some actions.
    """
    kept = set(demands_of(mutant))
    listed = enumerate(known.arrays.demands.listed)
    arrays = known.arrays.owing(sum(1 << number for number, demand in listed if demand in kept))
    return all(arrays.decided(prop).witness is None for prop in known.properties)
