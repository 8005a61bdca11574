"""Measure how many steps sleep sets would leave out, with every state still found (ADR 26).

Usage, from the root of the repository::

    .venv/bin/python benchmarks/sleep_sets.py PROTOCOL [-b NAME=VALUE]...

Steps that commute lead to the same state in either order, and one order is enough.  Two rules
choose it; in both, ``a`` led to a state, ``c`` comes before ``a`` in the action table, and the two
are independent:

- "in order" needs one worker that takes states and steps in a fixed order.  ``c`` is left out, and
  stays left out after further steps that are independent of it.
- "in any order" leaves ``c`` out if any predecessor leads to the state by such an ``a``.  A state
  that is then reached by ``a`` after ``c`` may be left out there too, but only for a step later in
  the table than ``a``, so this ends.

Independence is "exact" if it comes from the complete graph: no state shows a conflict, nor a step
that enables the other.  "Read and written" is what an analysis of the code could find: neither step
writes a variable that the other reads or writes.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from stubborn_sets import Graph, Watched

from tidegate.library.selection import assemble


class Recorded(Watched):
    """A part of the state that records reads, and passes writes on."""

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._part, name, value)

    def __setitem__(self, index, value):
        self._part[index] = value


def exact_conflicts(graph):
    """Return, by step, the steps with which it does not commute, or which it enables, somewhere."""
    pairs = graph.conflicts()
    for before in graph.steps:
        for a, after in before.items():
            for b in graph.steps[after].keys() - before.keys():
                pairs[a].add(b)
                pairs[b].add(a)
    return pairs


def variable_conflicts(graph):
    """Return, by step, the steps that write what it reads or writes, or read what it writes."""
    system = graph.system
    paths = {variable.path: number for number, variable in enumerate(system.layout.variables)}
    noted = [set() for _ in system.instances]
    for state in graph.states:
        for step, instance in enumerate(system.instances):
            system.layout.load(state)
            watched = Recorded(system.record, "", noted[step])
            instance.action.apply(watched, system.constants, *instance.arguments)
    reads = [{paths[path] for path in some if path in paths} for some in noted]
    writes = [set() for _ in system.instances]
    for variable, steps in graph.writing().items():
        for step in steps:
            writes[step].add(variable)
    pairs = defaultdict(set)
    for a, written in enumerate(writes):
        for b in range(len(writes)):
            if a != b and written & (reads[b] | writes[b]):
                pairs[a].add(b)
                pairs[b].add(a)
    return pairs


def in_order(graph, conflicts):
    """Return how many steps a search takes that leaves out what sleeps, in a fixed order."""
    seen, taken = set(graph.initial), 0
    level = [(number, frozenset()) for number in graph.initial]
    while level:
        following = []
        for number, asleep in level:
            earlier = set(asleep)
            for step in sorted(graph.steps[number].keys() - asleep):
                taken += 1
                after = graph.steps[number][step]
                if after not in seen:
                    seen.add(after)
                    following.append((after, frozenset(earlier - conflicts[step])))
                earlier.add(step)
        level = following
    return counted(graph, seen, taken)


def in_any_order(graph, conflicts):
    """Return how many steps a search takes whose states know every step that led to them."""
    seen, taken = set(graph.initial), 0
    level = {number: set() for number in graph.initial}
    while level:
        following = {}
        for number, asleep in level.items():
            for step in graph.steps[number].keys() - asleep:
                taken += 1
                after = graph.steps[number][step]
                if after not in seen or after in following:
                    seen.add(after)
                    earlier = set(range(step)) - conflicts[step]
                    following[after] = following.get(after, set()) | earlier
        level = following
    return counted(graph, seen, taken)


def counted(graph, seen, taken):
    """Return the steps taken, once it is certain that they led to every state."""
    assert len(seen) == len(graph.states), f"{len(graph.states) - len(seen)} states were missed"
    return taken


def main():
    """Print how many steps a state takes, by rule and by notion of independence."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("protocol")
    parser.add_argument("-b", "--bound", action="append", default=[])
    chosen = parser.parse_args()
    system, _ = assemble(chosen.protocol, chosen.bound, [])
    graph = Graph(system)
    states, every = len(graph.states), sum(map(len, graph.steps))
    sys.stdout.write(f"{system.name} {' '.join(chosen.bound)}\n")
    sys.stdout.write(f"{states:,} states, {every:,} steps, {every / states:.2f} a state\n")
    independence = {"exact": exact_conflicts, "read and written": variable_conflicts}
    for notion, conflicts_of in independence.items():
        conflicts = conflicts_of(graph)
        for name, search in (("in order", in_order), ("in any order", in_any_order)):
            taken = search(graph, conflicts)
            left = f"{taken:,} steps, {taken / states:.2f} a state"
            sys.stdout.write(f"{notion}, {name}: {left}, {100 * taken / every:.0f} %\n")


if __name__ == "__main__":
    main()
