"""The search itself, on systems whose answers are known."""

import itertools
import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.checker.check import check
from tidegate.checker.counterexample import confirm, shortest_traces
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Limits
from tidegate.core.spec import DEADLOCK, EngineError, ModelError, Outcome, ReplayError, Step


def test_die_hard_has_16_states_and_4_gallons_take_6_steps(jugs, make_invariant):
    """Known numbers: tlaplus/Examples, DieHard."""
    everything = check(jugs, [])
    assert (everything.outcome, everything.distinct_states) == (Outcome.HOLDS, 16)
    never_four = make_invariant("NotSolved", lambda s, k: s.big != 4)
    result = check(jugs, [never_four])
    assert result.outcome is Outcome.VIOLATED
    assert [step.action for step in result.first.trace.steps] == [
        "fill_big", "big_to_small", "empty_small", "big_to_small", "fill_big", "big_to_small",
    ]  # fmt: skip
    assert result.depth == 7


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_depth_states_and_distances_are_those_of_the_graph(walk, data):
    """Origin of the expected numbers: networkx on the same graph."""
    nodes = data.draw(st.integers(1, 9))
    node = st.integers(0, nodes - 1)
    edges = data.draw(st.sets(st.tuples(node, node)))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    distance = nx.single_source_shortest_path_length(graph, 0)

    system = walk(nodes, edges)
    result = check(system, [])
    assert result.distinct_states == len(distance)
    assert result.depth == 1 + max(distance.values())
    assert result.generated_states == sum(graph.out_degree(n) for n in distance)
    assert system.layout.bits == (nodes - 1).bit_length()


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_counterexample_is_shortest_and_independent_of_the_order_of_search(walk, data):
    nodes = data.draw(st.integers(2, 12))
    node = st.integers(0, nodes - 1)
    edges = data.draw(st.sets(st.tuples(node, node), min_size=nodes))
    system = walk(nodes, edges)
    levels = nx_levels(nodes, edges)
    deepest = [bytes([n]) for n in levels[-1]]
    if len(levels) == 1:
        return
    traces = set()
    for seed in range(5):
        shuffled = [[bytes([n]) for n in level] for level in levels]
        for level in shuffled:
            random.Random(seed).shuffle(level)
        search = Search(SearchRequest(system, []))
        search.levels = shuffled
        targets = [(len(levels) - 1, deepest[0])]
        [(_, trace)] = shortest_traces(system, search.least_parents, targets)
        assert len(trace.steps) == len(levels) - 1
        traces.add(trace)
    assert len(traces) == 1


def nx_levels(nodes, edges):
    """Return the nodes of a graph by their distance from node 0."""
    graph = nx.DiGraph(sorted(edges))
    graph.add_nodes_from(range(nodes))
    return list(nx.bfs_layers(graph, 0))


def test_the_least_parent_is_taken(walk, make_invariant):
    """Of two shortest ways, the one through the parent with the least fingerprint."""
    system = walk(4, {(0, 1), (0, 2), (1, 3), (2, 3)})
    result = check(system, [make_invariant("NotThere", lambda s, k: s.at != 3)])
    fingerprint = system.layout.fingerprint
    assert result.first.trace.states[1] == min(bytes([1]), bytes([2]), key=fingerprint)


def test_the_least_violating_state_of_a_finished_level_is_reported(walk, make_invariant):
    system = walk(6, {(0, n) for n in range(1, 6)})
    result = check(system, [make_invariant("AtStart", lambda s, k: s.at == 0)])
    assert result.distinct_states == 6, "the level was finished first"
    least = min((bytes([n]) for n in range(1, 6)), key=system.layout.fingerprint)
    assert result.first.trace.states[-1] == least


def test_continue_finds_the_first_violation_of_every_property(walk, make_invariant):
    system = walk(5, {(0, 1), (1, 2), (2, 3), (3, 4)})
    near = make_invariant("Near", lambda s, k: s.at < 2)
    far = make_invariant("Far", lambda s, k: s.at < 4)
    fine = make_invariant("Fine", lambda s, k: s.at < 5)
    stopped = check(system, [far, near, fine])
    assert [v.outcome.value for v in stopped.verdicts] == ["incomplete", "violated", "incomplete"]
    assert not stopped.complete
    result = check(system, [far, near, fine], keep_going=True)
    assert [v.outcome.value for v in result.verdicts] == ["violated", "violated", "holds"]
    assert [len(v.trace.steps) for v in result.verdicts[:2]] == [4, 2]
    assert result.first.property is near
    assert result.complete


@pytest.mark.parametrize(
    ("limits", "states"),
    [
        (Limits(max_states=3), {3}),
        (Limits(max_depth=2), {2}),
        # The clock is looked at after a state or two, as the machine is loaded.
        (Limits(seconds=1e-9), {1, 2}),
    ],
)
def test_a_limit_ends_as_incomplete_and_says_what_was_covered(walk, make_invariant, limits, states):
    system = walk(5, {(0, 1), (1, 2), (2, 3), (3, 4)})
    result = check(system, [make_invariant("Far", lambda s, k: s.at < 4)], limits=limits)
    assert result.outcome is Outcome.INCOMPLETE
    assert result.verdicts[0].outcome is Outcome.INCOMPLETE
    assert result.distinct_states in states
    assert result.stopped_by


def test_a_violation_found_before_a_limit_counts(walk, make_invariant):
    system = walk(5, {(0, n) for n in range(1, 5)})
    early = make_invariant("AtStart", lambda s, k: s.at == 0)
    result = check(system, [early], limits=Limits(max_states=2))
    assert result.outcome is Outcome.VIOLATED
    assert len(result.first.trace.steps) == 1


def test_an_interrupt_ends_like_a_limit(walk):
    def interrupt(progress):
        raise KeyboardInterrupt

    result = check(walk(3, {(0, 1), (1, 2)}), [], report=interrupt)
    assert (result.outcome, str(result.stopped_by)) == (Outcome.INCOMPLETE, "an interrupt")


def test_an_initial_state_can_violate(walk, make_invariant):
    result = check(walk(2, {(0, 1)}), [make_invariant("Never", lambda s, k: False)])
    assert (result.distinct_states, result.depth, result.first.trace.steps) == (1, 1, ())


def test_deadlock_is_a_state_with_no_enabled_action(walk):
    result = check(walk(4, {(0, 1), (1, 2), (2, 2), (0, 3)}), [DEADLOCK])
    assert result.first.property is DEADLOCK
    assert [str(step) for step in result.first.trace.steps] == ["go(target=3)"]
    assert check(walk(2, {(0, 1), (1, 0)}), [DEADLOCK]).outcome is Outcome.HOLDS


def test_never_enabled_actions_are_named(make_system, make_action):
    def stay(s, k):
        return True

    def never(s, k):
        return False

    result = check(make_system(make_action("stay", stay), make_action("never", never)), [])
    assert result.never_taken == ["never"]
    assert result.taken == {"stay": 1, "never": 0}


def test_an_impure_action_is_caught_in_debug_mode(make_system, make_action):
    def impure(s, k):
        s.cell[1] = 2
        return False

    system = make_system(make_action("impure", impure))
    system.debug = True
    with pytest.raises(
        ModelError, match=r"impure\(\).*not enabled.*cell\[1\].*before the first"
    ) as caught:
        check(system, [])
    assert caught.value.place == (__file__, impure.__code__.co_firstlineno + 1)


def test_a_value_out_of_range_is_caught_in_debug_mode(make_system, make_action):
    def too_high(s, k):
        s.cell[0] += 1
        return True

    system = make_system(make_action("too_high", too_high))
    system.debug = True
    with pytest.raises(
        ModelError, match=r"too_high\(\).*cell\[0\] is 3, declared 0\.\.2"
    ) as caught:
        check(system, [])
    assert caught.value.place == (__file__, too_high.__code__.co_firstlineno + 1)


def test_a_value_that_cannot_be_stored_is_caught_always(make_system, make_action):
    def below(s, k):
        s.cell[0] -= 1
        return True

    with pytest.raises(ModelError, match=r"below\(\).*cell\[0\] is -1, declared 0\.\.2") as caught:
        check(make_system(make_action("below", below)), [])
    assert caught.value.place == (__file__, below.__code__.co_firstlineno + 1)


def test_a_misspelt_variable_is_caught_always(make_system, make_action):
    def misspelt(s, k):
        s.cells = 1
        return True

    with pytest.raises(ModelError, match=r"misspelt\(\) failed with AttributeError") as caught:
        check(make_system(make_action("misspelt", misspelt)), [])
    assert caught.value.place == (__file__, misspelt.__code__.co_firstlineno + 1)


def test_every_counterexample_is_replayed(jugs, make_invariant):
    """A trace with a step left out is refused, and so is one that ends well."""
    never_four = make_invariant("NotSolved", lambda s, k: s.big != 4)
    trace = check(jugs, [never_four]).first.trace
    confirm(jugs, never_four, trace)
    with pytest.raises(EngineError, match="is not violated at the end of the trace"):
        confirm(jugs, make_invariant("True", lambda s, k: True), trace)
    broken = type(trace)(trace.states, trace.steps[::-1])
    with pytest.raises(EngineError, match="does not lead where"):
        confirm(jugs, never_four, broken)
    late = type(trace)(trace.states[1:], trace.steps[1:])
    with pytest.raises(EngineError, match="does not begin in an initial state"):
        confirm(jugs, never_four, late)


def test_a_predicate_that_answers_both_ways_in_the_last_state_is_refused(jugs, make_invariant):
    answers = itertools.cycle([False] * 6 + [True])
    fickle = make_invariant("Fickle", lambda s, k: next(answers))
    with pytest.raises(ModelError, match="returned another value when it was called"):
        check(jugs, [fickle])


def test_an_unknown_step_is_refused(jugs):
    with pytest.raises(ReplayError, match="drink"):
        jugs.take(bytes([0, 0]), Step("drink"))
