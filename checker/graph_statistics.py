"""Figures of a state graph: its depth, its components, and the degrees of each action."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .graph import StateGraph

if TYPE_CHECKING:
    import networkx as nx

MOST_VISITS = 50_000_000
"""The most visits of edges for the diameter, which visits every edge from every state."""


@dataclass(frozen=True)
class Degrees:
    """The degrees of an action in the state graph.

    Parameters
    ----------
    steps
        Number of its edges.
    enabled
        States in which it is enabled.
    most_out
        Most of its steps that leave one state.
    reached
        States that its steps lead to.
    most_in
        Most of its steps that lead to one state.
    """

    action: str
    steps: int
    enabled: int
    most_out: int
    reached: int
    most_in: int


@dataclass(frozen=True)
class Statistics:
    """Figures of a state graph.

    Parameters
    ----------
    depth
        Steps from the initial states to the farthest ones.
    diameter
        Most steps of a shortest path between two states of which one can reach the other; None
        if the graph is too large to compute it.
    components
        Sizes of the strongly connected components, the largest first.
    terminal
        States that no step leaves.
    by_depth
        States at each depth.
    degrees
        Of each action, in the order of the action table.
    """

    states: int
    steps: int
    depth: int
    diameter: int | None
    components: tuple[int, ...]
    terminal: int
    by_depth: tuple[int, ...]
    degrees: tuple[Degrees, ...]


def statistics(graph: StateGraph) -> Statistics:
    """Return the figures of a state graph."""
    import networkx as nx

    plain: nx.DiGraph[int] = nx.DiGraph()
    plain.add_nodes_from(range(len(graph.states)))
    plain.add_edges_from((source, target) for source, _, target in graph.edges())
    components = sorted(map(len, nx.strongly_connected_components(plain)), reverse=True)
    counted = Counter(graph.depths)
    return Statistics(
        states=len(graph.states),
        steps=len(graph.targets),
        depth=graph.depths[-1],
        diameter=_diameter(plain, len(graph.targets)),
        components=tuple(components),
        terminal=sum(not degree for _, degree in plain.out_degree()),
        by_depth=tuple(counted[depth] for depth in range(graph.depths[-1] + 1)),
        degrees=tuple(_degrees(graph)),
    )


def _diameter(graph: nx.DiGraph[int], steps: int) -> int | None:
    """Return the length of the longest shortest path; None if that would take too long."""
    import networkx as nx

    if len(graph) * steps > MOST_VISITS:
        return None
    lengths = nx.all_pairs_shortest_path_length(graph)
    longest: int = max(max(row.values()) for _, row in lengths)
    return longest


def _degrees(graph: StateGraph) -> list[Degrees]:
    """Return the degrees of every action."""
    import numpy as np

    source, target, instance = graph.columns()
    listed = []
    for name in dict.fromkeys(action.name for action in graph.system.actions):
        own = [i for i, each in enumerate(graph.system.instances) if each.action.name == name]
        taken = np.isin(instance, own)
        out, into = (np.unique(ends[taken], return_counts=True)[1] for ends in (source, target))
        most_out, most_in = int(out.max(initial=0)), int(into.max(initial=0))
        listed.append(Degrees(name, int(taken.sum()), len(out), most_out, len(into), most_in))
    return listed
