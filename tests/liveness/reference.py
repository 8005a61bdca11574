"""The reference for liveness: regions as graphs of networkx, to be read in one sitting.

Nodes are anything hashable.  The checker decides on arrays; tests compare the answers.

Source: Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy their
linear specification" (1985), 3; Emerson and Lei, "Modalities for model checking" (1987), for strong
fairness.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any, Generic, TypeVar

import networkx as nx

from tidegate.checker.counterexample import least
from tidegate.checker.liveness.formulas import Demands, visit
from tidegate.checker.liveness.lasso import Stem, Witness
from tidegate.core.layout import State
from tidegate.core.spec import Property, TransitionSystem

Graph = nx.DiGraph

N = TypeVar("N")


@dataclass(frozen=True)
class Fair(Generic[N]):
    """The fairness demands in a graph; sets of demands are bits of a number.

    Parameters
    ----------
    weak, strong
        The demands of weak and of strong fairness.
    enabled
        For each node the demands enabled there, also by steps that leave the graph.
    """

    weak: int
    strong: int
    enabled: Mapping[N, int]


def fair_components(graph: Graph, fair: Fair[N], recurring: set[N]) -> Iterator[set[N]]:
    """Yield each maximal set of nodes of which a fair behavior can visit all infinitely often.

    A set of one node stands for a behavior that stutters there.

    Parameters
    ----------
    graph
        Each edge has ``met``: the demands that its step meets.  There are no loops: a step that
        changes nothing meets no demand.
    recurring
        One of these must be among the nodes.
    """
    todo: list[Any] = [graph]
    while todo:
        part = todo.pop()
        for nodes in nx.strongly_connected_components(part):
            if nodes.isdisjoint(recurring):
                continue
            inner = part.subgraph(nodes)
            met = reduce(or_, (met for _, _, met in inner.edges(data="met")), 0)
            if fair.weak & ~met & reduce(and_, _enabled(fair, nodes)):
                continue
            ignored = fair.strong & ~met & reduce(or_, _enabled(fair, nodes))
            if not ignored:
                yield nodes
            elif rest := [node for node in nodes if not fair.enabled[node] & ignored]:
                todo.append(part.subgraph(rest).copy())


def _enabled(fair: Fair[N], nodes: Iterable[N]) -> Iterator[int]:
    return (fair.enabled[node] for node in nodes)


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


def nearest_stem(
    system: TransitionSystem[Any, Any],
    levels: Sequence[Sequence[State]],
    region: Region,
    ends: Container[State],
) -> Stem | None:
    """Return the shortest stem to one of `ends`, if there is any.

    Parameters
    ----------
    levels
        All reachable states by their distance from an initial state.
    ends
        The states of fair cycles that a violation visits infinitely often.
    """
    begins = region.begins
    # A state in which the violation can begin is reached first on the shortest path to it.
    continuing = set(region.graph) - begins
    reached: list[set[State]] = []
    known: set[State] = set()
    while len(reached) < len(levels) or reached[-1]:
        depth = len(reached)
        frontier = set()
        if depth < len(levels):
            frontier = {state for state in levels[depth] if state in begins}
        if reached and continuing:
            successors = (
                successor for state in reached[-1] for _, successor in system.successors(state)
            )
            frontier |= {state for state in successors if state in continuing} - known
        known |= frontier
        reached.append(frontier)
        if at_end := [state for state in frontier if state in ends]:
            return _back(system, begins, reached, least(system, at_end))
    return None


def _back(
    system: TransitionSystem[Any, Any],
    begins: Container[State],
    reached: Sequence[set[State]],
    end: State,
) -> Stem:
    """Return the stem to a state of the last of `reached`, by the least parents."""
    chain, depth = [end], len(reached) - 1
    while chain[-1] not in begins:
        depth -= 1
        parents = (
            state
            for state in reached[depth]
            if any(successor == chain[-1] for _, successor in system.successors(state))
        )
        chain.append(least(system, parents))
    return Stem(depth, tuple(reversed(chain)))


def witness_of(
    system: TransitionSystem[Any, Any],
    prop: Property,
    levels: Sequence[Sequence[State]],
    demands: Demands,
) -> Witness | None:
    """Return where a liveness property is violated, or None if it holds."""
    region = region_of(system, prop, levels, demands)
    components = region.fair_components(demands)
    ends = {state: nodes for nodes in components for state in nodes & region.recurring}
    stem = nearest_stem(system, levels, region, ends)
    return None if stem is None else Witness(stem, ends[stem.states[-1]])
