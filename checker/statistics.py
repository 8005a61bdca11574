"""Figures of a state graph: its depth, its components, and the degrees of each action."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .graph import StateGraph, successors

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
    plain.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    components = sorted(map(len, nx.strongly_connected_components(plain)), reverse=True)
    counted = Counter(graph.depths)
    leaving = {edge.source for edge in graph.edges}
    return Statistics(
        states=len(graph.states),
        steps=len(graph.edges),
        depth=max(graph.depths),
        diameter=_diameter(graph),
        components=tuple(components),
        terminal=len(graph.states) - len(leaving),
        by_depth=tuple(counted[depth] for depth in range(max(graph.depths) + 1)),
        degrees=tuple(_degrees(graph)),
    )


def _diameter(graph: StateGraph) -> int | None:
    """Return the length of the longest shortest path; None if that would take too long."""
    if len(graph.states) * len(graph.edges) > MOST_VISITS:
        return None
    following = [sorted({edge.target for edge in edges}) for edges in successors(graph)]
    longest = 0
    for source in range(len(following)):
        seen, level, distance = {source}, {source}, 0
        while level:
            longest = max(longest, distance)
            level = {target for here in level for target in following[here]} - seen
            seen |= level
            distance += 1
    return longest


def _degrees(graph: StateGraph) -> list[Degrees]:
    """Return the degrees of every action."""
    names = dict.fromkeys(action.name for action in graph.system.actions)
    out: dict[str, Counter[int]] = {name: Counter() for name in names}
    into: dict[str, Counter[int]] = {name: Counter() for name in names}
    for edge in graph.edges:
        action = graph.step(edge).action
        out[action][edge.source] += 1
        into[action][edge.target] += 1
    return [
        Degrees(
            name,
            out[name].total(),
            len(out[name]),
            max(out[name].values(), default=0),
            len(into[name]),
            max(into[name].values(), default=0),
        )
        for name in names
    ]
