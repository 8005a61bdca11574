"""The state graph: every reachable state, and every step between two of them, in arrays.

A step is a state, an instance of an action, and a successor.  It is a multigraph, since several
steps may join two states.  States are numbered in the order in which a breadth-first search meets
them, the initial ones from 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from ..core.errors import printable
from ..core.layout import State
from ..core.spec import Property, Step, TidegateError, Trace, TransitionSystem

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray

    Graph = nx.MultiDiGraph[Any]
    Column = NDArray[np.signedinteger[Any]]


class GraphError(TidegateError):
    """A state graph that cannot be made."""


@dataclass
class StateGraph:
    """Every reachable state of a system, with every step, in the order of the search.

    Parameters
    ----------
    numbers
        The number of each state.
    states
        By number.
    depths
        Steps from the nearest initial state, by number; they never decrease.
    ends
        The steps from state n are those from ``ends[n]`` to ``ends[n + 1]``.
    instances, targets
        For each step the index of its instance, and the number of the state that it leads to.
    outside
        Numbers of the states outside the system's constraint: no step is taken from them, and the
        checker does not count them as distinct.
    violated
        Names of the violated properties, by number.
    """

    system: TransitionSystem[Any, Any]
    numbers: dict[State, int] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    depths: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("q", (0,)))
    instances: array[int] = field(default_factory=lambda: array("i"))
    targets: array[int] = field(default_factory=lambda: array("i"))
    outside: set[int] = field(default_factory=set)
    violated: list[tuple[str, ...]] = field(default_factory=list)

    def steps_from(self, number: int) -> Iterator[tuple[int, int]]:
        """Return (instance, target) of each step from a state."""
        some = slice(self.ends[number], self.ends[number + 1])
        return zip(self.instances[some], self.targets[some], strict=True)

    def edges(self) -> Iterator[tuple[int, Step, int]]:
        """Yield (source, action with its arguments, target) of each step."""
        instances = self.system.instances
        for source in range(len(self.states)):
            for instance, target in self.steps_from(source):
                yield source, instances[instance].step, target

    def columns(self) -> tuple[Column, Column, Column]:
        """Return the source, the target and the instance of each step, as arrays of NumPy."""
        import numpy as np

        numbers = np.arange(len(self.states), dtype=np.int32)
        source = np.repeat(numbers, np.diff(np.asarray(self.ends)))
        return source, np.asarray(self.targets), np.asarray(self.instances)

    def satisfying(self, prop: Property) -> Iterator[bool]:
        """Yield for each state inside the constraint whether it satisfies a predicate.

        For a state outside it yields False.
        """
        for number, state in enumerate(self.states):
            self.system.layout.load(state)
            yield number not in self.outside and self.system.satisfies(prop)

    def networkx(self) -> Graph:
        """Return it as a networkx graph whose attributes are only numbers and texts."""
        import networkx as nx

        graph: Graph = nx.MultiDiGraph(protocol=self.system.name, bounds=self.system.headline)
        with self.system.noting() as failed:
            scenes = self.system.scenes(self.states)
        if failed:
            graph.graph["failed"] = " ".join(failed)
        for number, (state, scene) in enumerate(zip(self.states, scenes, strict=True)):
            text = " | ".join(f"{name}: {text}" for name, text in scene.columns.items())
            graph.add_node(
                number,
                depth=self.depths[number],
                fingerprint=f"{self.system.layout.fingerprint(state):016x}",
                violates=", ".join(self.violated[number]),
                state=printable(text.replace("\n", "; ")),
                outside="yes" if number in self.outside else "no",
            )
        for source, step, target in self.edges():
            graph.add_edge(
                source,
                target,
                key=printable(str(step)),
                action=step.action,
                arguments=printable(
                    ", ".join(f"{name}={value}" for name, value in step.chosen.items())
                ),
            )
        return graph


def state_graph(
    system: TransitionSystem[Any, Any], properties: Sequence[Property] = (), most: float = inf
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
    graph = StateGraph(system)
    states, number_of = graph.states, graph.numbers.setdefault

    def meet(state: State, depth: int) -> int:
        number = number_of(state, len(states))
        if number == len(states):
            if number == most:
                raise GraphError(
                    f"{system.heading}: more than {most:,} states; choose "
                    "smaller bounds, or allow more with --max-states"
                )
            states.append(state)
            graph.depths.append(depth)
        return number

    for state in system.initial_states():
        meet(state, 0)
    for number, state in enumerate(states):
        if system.admits(state):
            for instance, successor in system.successors(state):
                graph.targets.append(meet(successor, graph.depths[number] + 1))
                graph.instances.append(instance)
        else:
            graph.outside.add(number)
        graph.ends.append(len(graph.targets))
    graph.violated = [
        tuple(prop.name for prop in properties if system.violates(prop, state)) for state in states
    ]
    return graph


def farthest(graph: StateGraph) -> Trace:
    """Return a shortest behavior to a state that is farthest from the initial ones.

    Its states are the ones with the least number each time, from its end backwards.
    """
    before: dict[int, tuple[int, Step]] = {}
    for source, step, target in graph.edges():
        if graph.depths[target] == graph.depths[source] + 1:
            before.setdefault(target, (source, step))
    here = graph.depths.index(graph.depths[-1])
    states, steps = [graph.states[here]], []
    while graph.depths[here]:
        here, step = before[here]
        states.append(graph.states[here])
        steps.append(step)
    return Trace(tuple(states[::-1]), tuple(steps[::-1]))
