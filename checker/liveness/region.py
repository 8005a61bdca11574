"""The part of the state graph in which a violation of a liveness property can stay for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...core.layout import State
from ...core.spec import Property, TransitionSystem
from .components import Fair, fair_components
from .demands import Demands
from .formulas import visit

if TYPE_CHECKING:
    from .components import Graph


@dataclass(frozen=True)
class Region:
    """The states in which a violation can stay, with the steps between them.

    Attributes
    ----------
    graph
        These states; an edge's ``met`` has the demands that its step meets.
    enabled
        For each state the demands enabled there, also by steps that leave the region.
    begins
        States in which the violation can begin.
    recurring
        States of which a violation visits one infinitely often.
    """

    graph: Graph
    enabled: dict[State, int]
    begins: frozenset[State]
    recurring: set[State]

    def fair_components(self, demands: Demands) -> list[set[State]]:
        """Return each maximal set of states of which a fair violation can visit all for ever."""
        fair = Fair(demands.weak, demands.strong, self.enabled)
        return list(fair_components(self.graph, fair, self.recurring))


def region_of(
    system: TransitionSystem[Any, Any],
    prop: Property,
    levels: Sequence[Sequence[State]],
    demands: Demands,
) -> Region:
    """Return the region of a property, given all reachable states by their distance."""
    import networkx as nx

    begins, recurring, staying = set(), set(), []
    for depth, level in enumerate(levels):
        for state in level:
            what = visit(system, prop, state, initial=depth == 0)
            if what.stays:
                staying.append(state)
            if what.begins:
                begins.add(state)
            if what.recurs:
                recurring.add(state)
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(staying)
    within = set(staying)
    enabled = dict.fromkeys(staying, 0)
    for state in staying:
        for index, successor in system.successors(state):
            if successor == state:
                continue
            met = demands.of_instance[index]
            enabled[state] |= met
            if successor in within:
                met |= graph.edges[state, successor]["met"] if successor in graph[state] else 0
                graph.add_edge(state, successor, met=met)
    return Region(graph, enabled, frozenset(begins), recurring)
