"""The state graph: every reachable state, every step between two of them, and views of it.

An edge is a state, an action with its arguments, and a successor.  It is a multigraph, since
several edges may join two states.  States are numbered in the order in which a breadth-first search
meets them, the initial ones from 0.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.layout import State
from ..core.scene import Scene
from ..core.spec import ModelError, Property, Step, TidegateError, Trace, TransitionSystem

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.MultiDiGraph[Any]


class GraphError(TidegateError):
    """A state graph that cannot be made, or that lacks what a view needs."""


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


def by_enabled_actions(graph: StateGraph) -> list[Hashable]:
    """Return the class of each state: the names of the actions that are enabled in it."""
    enabled: list[set[str]] = [set() for _ in graph.states]
    for edge in graph.edges:
        enabled[edge.source].add(graph.step(edge).action)
    return [", ".join(sorted(names)) or "nothing is enabled" for names in enabled]


def by_shape(graph: StateGraph) -> list[Hashable]:
    """Return the class of each state: the leaders with their epochs and high watermarks.

    Raises
    ------
    GraphError
        If the system has no view.
    """
    system = graph.system
    if system.view is None:
        raise GraphError(f"{system.name} has no leaders and logs to tell shapes of states by")
    with system.noting() as failed:
        scenes = system.scenes(graph.states)
    if failed:
        raise ModelError(failed[0])
    return [_shape(scene) for scene in scenes]


def _shape(scene: Scene) -> str:
    """Return the leaders in a picture, with their high watermarks."""
    leaders = [
        f"{who.name} leads e{who.leads}" + (f" HW {who.log.hw}" if who.log else "")
        for who in scene.participants
        if who.leads is not None
    ]
    return f"{scene.participants[0].role}: {', '.join(leaders) or 'nobody leads'}"


VIEWS: dict[str, Callable[[StateGraph], list[Hashable]]] = {
    "actions": by_enabled_actions,
    "shape": by_shape,
}
"""Ways to put states into classes."""


def quotient(graph: StateGraph, view: str) -> Graph:
    """Return the graph of the classes of states: an edge per action that joins two of them.

    A node's ``states`` counts its states, ``within`` the steps between these, and its ``depth`` is
    that of the nearest one; an edge's ``steps`` counts the steps that it stands for.
    """
    import networkx as nx

    classes = VIEWS[view](graph)
    numbers: dict[Hashable, int] = {}
    for name in classes:
        numbers.setdefault(name, len(numbers))
    sizes = Counter(classes)
    within = Counter(
        classes[e.source] for e in graph.edges if classes[e.source] == classes[e.target]
    )
    made: Graph = nx.MultiDiGraph(protocol=graph.system.name, view=view)
    for number, name in enumerate(classes):
        if numbers[name] not in made:
            made.add_node(
                numbers[name],
                label=str(name),
                states=sizes[name],
                within=within[name],
                depth=graph.depths[number],
            )
    counts = Counter(
        (numbers[classes[e.source]], numbers[classes[e.target]], graph.step(e).action)
        for e in graph.edges
        if classes[e.source] != classes[e.target]
    )
    for (source, target, action), steps in counts.items():
        made.add_edge(source, target, key=action, action=action, steps=steps)
    return made


@dataclass(frozen=True)
class Nearest:
    """The shortest paths from one set of states to another.

    Parameters
    ----------
    trace
        One of them, after a shortest behavior from an initial state to its first state.
    lead
        The number of steps before the path itself.
    number
        How many shortest paths there are.
    starts, ends
        The sizes of the two sets.
    """

    trace: Trace
    lead: int
    number: int
    starts: int
    ends: int


def shortest(
    graph: StateGraph, starts: Callable[[int], bool], ends: Callable[[int], bool]
) -> Nearest | None:
    """Return the shortest paths from a state with `starts` to one with `ends`, if any.

    The one that is shown takes the state with the least number each time, from its end backwards.
    """
    sources = [number for number in range(len(graph.states)) if starts(number)]
    targets = [number for number in range(len(graph.states)) if ends(number)]
    distance, ways, before = _distances(graph, sources)
    reached = [number for number in targets if number in distance]
    if not reached:
        return None
    nearest = min(distance[number] for number in reached)
    at_end = [number for number in reached if distance[number] == nearest]
    start, way = _back(at_end[0], distance, before)
    initial = [number for number, depth in enumerate(graph.depths) if not depth]
    first, lead = _back(start, *_distances(graph, initial)[::2])
    edges = (*lead, *way)
    states = (graph.states[first], *(graph.states[edge.target] for edge in edges))
    trace = Trace(states, tuple(graph.step(edge) for edge in edges))
    number = sum(ways[number] for number in at_end)
    return Nearest(trace, len(lead), number, len(sources), len(targets))


def _back(end: int, distance: dict[int, int], before: dict[int, Edge]) -> tuple[int, list[Edge]]:
    """Return the first state of a shortest path to a state, and its edges."""
    edges: list[Edge] = []
    while distance[end]:
        edges.append(before[end])
        end = before[end].source
    return end, edges[::-1]


def _distances(
    graph: StateGraph, sources: Iterable[int]
) -> tuple[dict[int, int], dict[int, int], dict[int, Edge]]:
    """Return for each state the distance from the sources, the number of paths, and a last edge."""
    outgoing = successors(graph)
    distance = dict.fromkeys(sources, 0)
    ways, before = dict.fromkeys(distance, 1), {}
    todo = deque(distance)
    while todo:
        here = todo.popleft()
        for edge in outgoing[here]:
            if edge.target not in distance:
                distance[edge.target] = distance[here] + 1
                ways[edge.target] = 0
                before[edge.target] = edge
                todo.append(edge.target)
            if distance[edge.target] == distance[here] + 1:
                ways[edge.target] += ways[here]
    return distance, ways, before


def successors(graph: StateGraph) -> list[list[Edge]]:
    """Return the edges that leave each state, by its number."""
    outgoing: list[list[Edge]] = [[] for _ in graph.states]
    for edge in graph.edges:
        outgoing[edge.source].append(edge)
    return outgoing
