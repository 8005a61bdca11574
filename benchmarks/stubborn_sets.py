"""Measure how many states partial-order reduction by stubborn sets would leave (ADR 26).

Usage, from the root of the repository::

    .venv/bin/python benchmarks/stubborn_sets.py PROTOCOL [-b NAME=VALUE]... [-p PROPERTY]...

It explores every state, and reads from the complete graph what an analysis of the actions could
only approximate: which steps conflict in some state, and which steps can enable a step that a guard
refuses.  With these exact relations it counts the states that a search with stubborn sets visits; a
sound analysis finds at least these conflicts.

It counts three variants: "none" preserves deadlocks but no invariant; "visible" takes all visible
steps if it takes an enabled visible one (Valmari); "needed" always takes the steps that change the
variables which the predicates read, and preserves invariants but no deadlock.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from tidegate.checker.graph import state_graph
from tidegate.core.guards import refusing
from tidegate.core.spec import Kind
from tidegate.core.symmetry import Symmetry
from tidegate.library.selection import assemble

MOST = 1_000_000
"""The most states of a graph: each takes some kilobytes here."""

_WITHIN, _ENABLED = 1000, 1001
"""In place of a guard's number: a step is refused after the guards, or is enabled."""


class Graph:
    """Every reachable state of a transition system, by number, and the successor by each step."""

    def __init__(self, system):
        graph = state_graph(system, [], MOST)
        self.system, self.states = system, graph.states
        self.initial = [number for number, depth in enumerate(graph.depths) if not depth]
        self.steps = [dict(graph.steps_from(number)) for number in range(len(self.states))]
        self.values = [self._values(state) for state in self.states]
        self.refusing = [self._refusing(*numbered) for numbered in enumerate(self.states)]

    def _values(self, state):
        self.system.layout.load(state)
        return self.system.layout.values()

    def _refusing(self, number, state):
        """Return the number of the first guard that refuses each step in a state."""
        row = []
        for step, instance in enumerate(self.system.instances):
            self.system.layout.load(state)
            handed = (self.system.record, self.system.constants, *instance.arguments)
            guard = refusing(instance.action.apply, *handed)
            refused = _WITHIN if guard is None else guard
            row.append(_ENABLED if step in self.steps[number] else refused)
        return row

    def conflicts(self):
        """Return, by step, the steps that do not commute with it in some state."""
        pairs = defaultdict(set)
        for steps in self.steps:
            for a, after_a in steps.items():
                for b, after_b in steps.items():
                    end = self.steps[after_a].get(b)
                    if a < b and (end is None or end != self.steps[after_b].get(a)):
                        pairs[a].add(b)
                        pairs[b].add(a)
        return pairs

    def enabling(self):
        """Return, by step and the guard that refuses it, the steps that can end the refusal."""
        pairs = defaultdict(set)
        for before, steps in zip(self.refusing, self.steps, strict=True):
            for a, after in steps.items():
                for b, guard in enumerate(before):
                    if guard < self.refusing[after][b]:
                        pairs[b, guard].add(a)
        return pairs

    def writing(self):
        """Return, by variable, the steps that change it in some state."""
        pairs = defaultdict(set)
        for number, steps in enumerate(self.steps):
            for a, after in steps.items():
                old_and_new = zip(self.values[number], self.values[after], strict=True)
                for variable, (old, new) in enumerate(old_and_new):
                    if old != new:
                        pairs[variable].add(a)
        return pairs


class Watched:
    """A part of the state that records which of its variables are read."""

    def __init__(self, part, path, noted):
        self._part, self._path, self._noted = part, path, noted

    def __getattr__(self, name):
        return self._read(getattr(self._part, name), f"{self._path}.{name}".lstrip("."))

    def __getitem__(self, index):
        return self._read(self._part[index], f"{self._path}[{index}]")

    def __len__(self):
        return len(self._part)

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def _read(self, value, path):
        if isinstance(value, int):
            self._noted.add(path)
            return value
        return value if callable(value) else type(self)(value, path, self._noted)


def variables_read(graph, properties):
    """Return the numbers of the variables that the predicates read in each state."""
    system, noted, everywhere = graph.system, set(), []
    paths = {variable.path: number for number, variable in enumerate(system.layout.variables)}
    record = Watched(system.record, "", noted)
    for state in graph.states:
        system.layout.load(state)
        noted.clear()
        for prop in properties:
            assert prop.predicate(record, system.constants), f"{prop.name} is violated"
        everywhere.append({paths[path] for path in noted if path in paths})
    return everywhere


class Reduction:
    """Stubborn sets of the states of a graph."""

    def __init__(self, graph, properties):
        self._graph = graph
        self._conflicts, self._enabling = graph.conflicts(), graph.enabling()
        writing, reads = graph.writing(), variables_read(graph, properties)
        self._needed = [{a for v in read for a in writing[v]} for read in reads]
        self._visible = set().union(*self._needed)

    def closure(self, number, steps, visible):
        """Return the enabled steps of the smallest stubborn set that has these steps."""
        enabled = self._graph.steps[number]
        members, todo = set(steps), list(steps)
        while todo:
            step = todo.pop()
            if step in enabled:
                others = self._conflicts[step] | (visible if step in visible else set())
            else:
                others = self._enabling[step, self._graph.refusing[number][step]]
            todo += others - members
            members |= others
        return [step for step in members if step in enabled]

    def taken(self, number, way):
        """Return the steps that a search takes from a state."""
        if way == "needed":
            return self.closure(number, self._needed[number], set())
        visible = self._visible if way == "visible" else set()
        every = (self.closure(number, [step], visible) for step in self._graph.steps[number])
        return min(every, key=len, default=[])

    def visited(self, way, stands_for):
        """Return how many states a search visits; ``stands_for`` gives each its orbit's number."""
        seen = {stands_for[number] for number in self._graph.initial}
        todo = list(seen)
        while todo:
            number = todo.pop()
            for step in self.taken(number, way):
                after = stands_for[self._graph.steps[number][step]]
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return len(seen)


def main():
    """Print how many states each variant visits, without and with symmetry."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("protocol")
    parser.add_argument("-b", "--bound", action="append", default=[])
    parser.add_argument("-p", "--property", action="append", default=[])
    chosen = parser.parse_args()
    system, properties = assemble(chosen.protocol, chosen.bound, chosen.property)
    graph = Graph(system)
    reduction = Reduction(graph, [prop for prop in properties if prop.kind is Kind.INVARIANT])
    alone = range(len(graph.states))
    symmetry = Symmetry(system)
    numbers = {state: number for number, state in enumerate(graph.states)}
    orbits = [numbers[symmetry.canonical(state)] for state in graph.states]
    sys.stdout.write(f"{system.name} {' '.join(chosen.bound)} {' '.join(chosen.property)}\n")
    sys.stdout.write(f"{len(alone):,} states, {len(set(orbits)):,} orbits\n")
    for way in ("none", "visible", "needed"):
        left, left_orbits = reduction.visited(way, alone), reduction.visited(way, orbits)
        sys.stdout.write(
            f"{way}: {left:,} states ({len(alone) / left:.2f} times fewer), "
            f"{left_orbits:,} orbits ({len(alone) / left_orbits:.2f} times fewer than states)\n"
        )


if __name__ == "__main__":
    main()
