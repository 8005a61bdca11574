"""The state graph: every reachable state, and every step between two of them.

An edge is a state, an action with its arguments, and a successor.  It is a multigraph, since
several edges may join two states.  States are numbered in the order in which a breadth-first search
meets them, the initial ones from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.layout import State
from ..core.spec import Property, Step, TidegateError, Trace, TransitionSystem

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.MultiDiGraph[Any]


class GraphError(TidegateError):
    """A state graph that cannot be made."""


@dataclass(frozen=True)
class Edge:
    """A step between two states, given by their numbers; ``instance`` indexes the system's."""

    source: int
    instance: int
    target: int


@dataclass(frozen=True)
class StateGraph:
    """Every reachable state of a system, with every step.

    Parameters
    ----------
    states
        By number.
    depths
        Steps from the nearest initial state, by number.
    edges
        In the order in which a breadth-first search takes the steps.
    violated
        Names of the violated properties, by number.
    outside
        Numbers of the states outside the system's constraint: no step is taken from them, and the
        checker does not count them as distinct.
    """

    system: TransitionSystem[Any, Any]
    states: tuple[State, ...]
    depths: tuple[int, ...]
    edges: tuple[Edge, ...]
    violated: tuple[tuple[str, ...], ...]
    outside: frozenset[int] = frozenset()

    def step(self, edge: Edge) -> Step:
        """Return the action with its arguments that an edge stands for."""
        return self.system.instances[edge.instance].step

    def networkx(self) -> Graph:
        """Return it as a networkx graph whose attributes are only numbers and texts."""
        import networkx as nx

        graph: Graph = nx.MultiDiGraph(protocol=self.system.name, bounds=self.system.headline)
        with self.system.noting() as failed:
            rows = self.system.rows(self.states)
        if failed:
            graph.graph["failed"] = " ".join(failed)
        for number, (state, columns) in enumerate(zip(self.states, rows, strict=True)):
            text = " | ".join(f"{name}: {text}" for name, text in columns.items())
            graph.add_node(
                number,
                depth=self.depths[number],
                fingerprint=f"{self.system.layout.fingerprint(state):016x}",
                violates=", ".join(self.violated[number]),
                state=text.replace("\n", "; "),
                outside="yes" if number in self.outside else "no",
            )
        for edge in self.edges:
            step = self.step(edge)
            arguments = zip(step.parameters, step.arguments, strict=True)
            graph.add_edge(
                edge.source,
                edge.target,
                key=str(step),
                action=step.action,
                arguments=", ".join(f"{name}={value}" for name, value in arguments),
            )
        return graph


def state_graph(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], most: int
) -> StateGraph:
    """Return the state graph of a system.

    Raises
    ------
    GraphError
        If it has more than `most` states, or a property is violated by no single state.
    """
    for prop in properties:
        if prop.kind.is_liveness:
            raise GraphError(
                f"-p {prop.name}: behaviors violate it, so no state can be marked; use "
                "'tidegate check' for it"
            )
    numbers = {state: number for number, state in enumerate(system.initial_states())}
    depths = [0] * len(numbers)
    states, edges, outside = list(numbers), [], set()
    for number, state in enumerate(states):
        system.layout.load(state)
        if not system.inside():
            outside.add(number)
            continue
        for instance, successor in system.successors(state):
            if successor not in numbers:
                if len(numbers) == most:
                    raise GraphError(
                        f"{system.name}, {system.headline}: more than {most:,} states; choose "
                        "smaller bounds, or allow more with --max-states"
                    )
                numbers[successor] = len(numbers)
                states.append(successor)
                depths.append(depths[number] + 1)
            edges.append(Edge(number, instance, numbers[successor]))
    violated = tuple(
        tuple(prop.name for prop in properties if system.violates(prop, state)) for state in states
    )
    return StateGraph(
        system, tuple(states), tuple(depths), tuple(edges), violated, frozenset(outside)
    )


def farthest(graph: StateGraph) -> Trace:
    """Return a shortest behavior to a state that is farthest from the initial ones.

    Its states are the ones with the least number each time, from its end backwards.
    """
    before: dict[int, Edge] = {}
    for edge in graph.edges:
        if graph.depths[edge.target] == graph.depths[edge.source] + 1:
            before.setdefault(edge.target, edge)
    edges: list[Edge] = []
    here = graph.depths.index(max(graph.depths))
    while graph.depths[here]:
        edges.append(before[here])
        here = before[here].source
    edges.reverse()
    states = (graph.states[here], *(graph.states[edge.target] for edge in edges))
    return Trace(states, tuple(graph.step(edge) for edge in edges))


def successors(graph: StateGraph) -> list[list[Edge]]:
    """Return the edges that leave each state, by its number."""
    outgoing: list[list[Edge]] = [[] for _ in graph.states]
    for edge in graph.edges:
        outgoing[edge.source].append(edge)
    return outgoing
