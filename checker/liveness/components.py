"""Fair cycles: the strongly connected components in which every fairness demand can be met.

This is the reference.  Nodes are anything hashable, so that tests can use any graph.

Source: Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy their
linear specification" (1985), 3; Emerson and Lei, "Modalities for model checking" (1987), for strong
fairness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[Any]

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
    import networkx as nx

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
