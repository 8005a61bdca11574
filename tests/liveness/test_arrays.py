"""Arrays decide what the reference decides: the same stem to the same fair component.

The arrays are those of the state graph that Python finds, and others whose states have random
numbers, as those of machine code have.  Of some systems only some demands of fairness count.
"""

import os
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from tests.liveness.graphs import Graph, Kinds, drawn
from tests.liveness.reference import witness_of
from tidegate.checker.graph import state_graph
from tidegate.checker.liveness import arrays as deciding
from tidegate.checker.liveness.arrays import (
    StateArrays,
    Steps,
    arrays_of,
    demand_words,
    fingerprints,
    packed,
    visits_of,
)
from tidegate.checker.liveness.formulas import Demands, predicates_of
from tidegate.core.spec import Fairness, Kind

ALL = (1 << 64) - 1
"""More demands than any of these systems has."""

FEW = 150
MANY = int(os.environ.get("TIDEGATE_GRAPHS", "10000"))
SEED = int(os.environ.get("TIDEGATE_GRAPHS_SEED", "1000"))


def levels_of(system):
    """Return all reachable states by their distance from an initial state."""
    levels, known = [list(dict.fromkeys(system.initial_states()))], set()
    while levels[-1]:
        known |= set(levels[-1])
        following = (after for here in levels[-1] for _, after in system.successors(here))
        levels.append([state for state in dict.fromkeys(following) if state not in known])
    return levels[:-1]


def scattered(system, properties, levels, random):
    """Return a state graph as arrays; the states have random numbers, and some have no state."""
    states = [state for level in levels for state in level]
    number = dict(zip(states, random.sample(range(2 * len(states)), len(states)), strict=True))
    size, demands = 2 * len(states), Demands.of(system)
    words = np.zeros((size, len(system.layout.pack(states[0]))), np.uint64)
    marks, there, initial = (np.zeros(size, kind) for kind in (np.uint64, np.bool_, np.bool_))
    enabled = np.zeros((size, demand_words(demands)), np.uint64)
    steps = []
    for state, row in number.items():
        words[row] = system.layout.pack(state)
        there[row] = True
        for bit, (_, prop) in enumerate(predicates_of(properties)):
            system.layout.load(state)
            marks[row] |= np.uint64(system.satisfies(prop) << bit)
        for instance, after in system.successors(state):
            if after != state:
                enabled[row] |= packed(demands.of_instance[instance], enabled.shape[1])
                steps.append((row, number[after], instance))
    numbered = [np.array([number[state] for state in level], np.int64) for level in levels]
    initial[numbered[0]] = True

    def visits(prop):
        return visits_of(prop, properties, marks, there, initial)

    columns = np.array(steps, np.int64).reshape(-1, 3)
    listed = Steps(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.uint16))
    staying = np.logical_or.reduce([visits(prop).stays for prop in properties])
    return StateArrays(
        system,
        demands,
        lambda row: system.layout.unpack(tuple(words[row].tolist())),
        lambda rows: fingerprints(words[rows]),
        numbered,
        visits,
        listed.between(staying),
        enabled,
    )


@pytest.mark.parametrize(
    ("graphs", "seed"),
    [pytest.param(FEW, 0, id="few"), pytest.param(MANY, SEED, id="many", marks=pytest.mark.slow)],
)
def test_arrays_find_the_stem_and_the_component_of_the_reference(graphs, seed, monkeypatch):
    violated = 0
    for number in range(seed, seed + graphs):
        # Small words stand for models with more demands than a word has bits.
        monkeypatch.setattr(deciding, "WORD", (64, 3)[number % 2])
        random = Random(number)
        graph = drawn(random)
        system, properties = graph.system(), graph.properties()
        levels = levels_of(system)
        demands = Demands.of(system)
        bits = random.getrandbits(len(demands.listed)) if number % 4 > 1 else -1
        owed = replace(demands, weak=demands.weak & bits, strong=demands.strong & bits)
        made = scattered(system, properties, levels, random), arrays_of(state_graph(system))
        for prop, arrays in product(properties, (one.owing(bits & ALL) for one in made)):
            expected = witness_of(system, prop, levels, owed)
            answer = arrays.decided(prop).witness
            where = f"system {number}, {prop.name}, {bits}: {graph}"
            assert (answer is None) == (expected is None), where
            if expected is not None and answer is not None:
                violated += 1
                assert answer.stem == expected.stem, where
                for state in (state for level in levels for state in level):
                    assert (state in answer.component) == (state in expected.component), where
    assert violated > 2 * graphs


def test_a_fair_component_that_no_violation_reaches_is_none():
    """The premise leads to an unfair cycle; where behaviors stop it was never open."""
    wander = Kinds("Wander", (), Fairness.NONE, None, {(): (None, 2, 1, 4, None)})
    enter = Kinds("Enter", (), Fairness.WEAK, None, {(): (1, None, None, None, None)})
    leave = Kinds("Leave", (), Fairness.WEAK, None, {(): (None, 3, 3, None, None)})
    goals = {Kind.LEADS_TO: frozenset({3})}
    graph = Graph(5, frozenset({0}), (enter, wander, leave), goals, frozenset({0}))
    system, [prop] = graph.system(), graph.properties()
    levels = levels_of(system)
    assert witness_of(system, prop, levels, Demands.of(system)) is None
    # Fair is the state in which everything stops, and no violation comes there.
    for arrays in (scattered(system, [prop], levels, Random(0)), arrays_of(state_graph(system))):
        assert arrays.decided(prop).witness is None


def test_without_any_action_a_behavior_stays_where_it_begins():
    goals = {Kind.EVENTUALLY: frozenset({1}), Kind.ALWAYS_EVENTUALLY: frozenset({0})}
    graph = Graph(2, frozenset({0}), (), goals, frozenset())
    arrays = arrays_of(state_graph(graph.system()))
    violated, holds = graph.properties()
    assert len(arrays.decided(violated).witness.stem.states) == 1
    assert arrays.decided(holds).witness is None
