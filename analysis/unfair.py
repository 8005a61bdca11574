"""Decides liveness properties without the fairness of some actions, on the original's states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checker.interpreted import Search
from ..checker.liveness.decide import refuse_undecidable
from ..checker.liveness.demands import Demands, demands_of
from ..checker.liveness.region import Region, region_of
from ..checker.request import SearchRequest
from ..checker.result import Limits
from ..core.spec import Property, TransitionSystem


@dataclass(frozen=True)
class Regions:
    """For each of some liveness properties the region in which its violations can stay."""

    demands: Demands
    regions: tuple[Region, ...]


def regions_of(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], most: int
) -> Regions | None:
    """Return the regions of liveness properties; None if there are more states than `most`."""
    refuse_undecidable(system, properties)
    search = Search(SearchRequest(system, [], limits=Limits(max_states=most)))
    search.run()
    if search.stopped_by is not None:
        return None
    demands = Demands.of(system)
    regions = tuple(region_of(system, prop, search.levels, demands) for prop in properties)
    return Regions(demands, regions)


def all_hold(known: Regions, mutant: TransitionSystem[Any, Any]) -> bool:
    """Whether no behavior under a mutant's fairness violates a property.

    The mutant has the steps of its original, and lacks the fairness of some actions.
    """
    demands, kept = known.demands, set(demands_of(mutant))
    bits = sum(1 << number for number, demand in enumerate(demands.listed) if demand in kept)
    left = replace(demands, weak=demands.weak & bits, strong=demands.strong & bits)
    return not any(region.fair_components(left) for region in known.regions)
