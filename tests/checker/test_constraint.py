"""A state outside the constraint is judged, but neither counted nor expanded, as TLC does it.

Source: ModelChecker.java (initial states) and Worker.java (successors) of tlaplus/tlaplus.
"""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.checker.check import check
from tidegate.core.spec import DEADLOCK, Fairness, Kind, Outcome, Property

RING = {(0, 1), (1, 2), (2, 3), (3, 0)}


def below(limit):
    """Return the constraint that lets a walk go no further than to nodes below `limit`."""
    return lambda s, k: s.at < limit


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_states_depth_steps_and_verdicts_are_those_of_the_graph(walk, make_invariant, data):
    """Origin of the expected numbers: networkx on the part of the graph that is inside."""
    nodes = data.draw(st.integers(1, 9))
    node = st.integers(0, nodes - 1)
    edges = data.draw(st.sets(st.tuples(node, node)))
    limit = data.draw(st.integers(0, nodes))
    system = walk(nodes, edges)
    system.constraint = below(limit)

    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    inside = graph.subgraph(range(limit))
    distance = nx.single_source_shortest_path_length(inside, 0) if limit else {}
    met = {0: 0}
    for near, steps in distance.items():
        for far in graph.successors(near):
            met[far] = min(met.get(far, steps + 1), steps + 1)

    result = check(system, [])
    assert result.distinct_states == len(distance)
    assert result.depth == 1 + max(distance.values(), default=-1)
    assert result.generated_states == sum(graph.out_degree(n) for n in distance)
    for target in range(nodes):
        never = make_invariant("Never", lambda s, k, target=target: s.at != target)
        first = check(system, [never]).first
        assert (len(first.trace.steps) if first else None) == met.get(target)


def test_a_trace_may_end_outside(walk, make_invariant):
    system = walk(4, RING)
    system.constraint = below(2)
    result = check(system, [make_invariant("Never2", lambda s, k: s.at != 2)], keep_going=True)
    assert result.outcome is Outcome.VIOLATED
    assert [step.arguments for step in result.first.trace.steps] == [(1,), (2,)]
    assert (result.distinct_states, result.depth, result.generated_states) == (2, 2, 2)


def test_an_initial_state_outside_is_judged_and_nothing_else(walk, make_invariant):
    system = walk(4, RING)
    system.constraint = below(0)
    result = check(system, [make_invariant("Never0", lambda s, k: s.at != 0)])
    assert result.first.trace.steps == ()
    empty = check(system, [])
    assert (empty.distinct_states, empty.depth, empty.outcome) == (0, 0, Outcome.HOLDS)


def test_a_state_all_of_whose_steps_lead_outside_is_no_deadlock(walk):
    system = walk(3, {(0, 1), (1, 2)})
    system.constraint = below(2)
    assert check(system, [DEADLOCK]).outcome is Outcome.HOLDS
    system.constraint = below(3)
    assert check(system, [DEADLOCK]).outcome is Outcome.VIOLATED


@pytest.mark.parametrize(("limit", "outcome"), [(4, Outcome.HOLDS), (3, Outcome.VIOLATED)])
def test_nothing_heals_by_way_of_a_state_outside(walk, limit, outcome):
    """Node 1 heals at node 0; from node 2 the only way there leads over node 3."""
    system = walk(4, {*RING, (1, 0)})
    assert system.actions[0].fairness is Fairness.WEAK
    system.constraint = below(limit)
    healed = Property(
        "Healed", "At 0.", "toy", lambda s, k: s.at == 0, lambda s, k: "not at 0", Kind.STUCK
    )
    assert check(system, [healed]).outcome is outcome
