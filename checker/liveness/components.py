"""Fair cycles: the strongly connected components in which every demand of fairness can be met.

This is the reference.  Nodes are anything hashable, so that it can be tried on any graph.

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
    """Demands of fairness in a graph, as the bits of a number each.

    Parameters
    ----------
    weak, strong
        Which demands are of which strength.
    enabled
        For each node those that are enabled there, by steps that may also leave the graph.
    """

    weak: int
    strong: int
    enabled: Mapping[N, int]


def fair_components(graph: Graph, fair: Fair[N], recurring: set[N]) -> Iterator[set[N]]:
    """Yield each largest set of nodes that a fair behavior can visit, all of them, for ever.

    A set of one node stands for a behavior that stops there as well.

    Parameters
    ----------
    graph
        Its edges carry ``met``: the demands that a step along it meets.  It has no loops: a step
        that changes nothing meets no demand.
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
