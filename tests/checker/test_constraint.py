"""A state outside the constraint is judged, but neither counted nor expanded, as TLC does it.

Source: ModelChecker.java (initial states) and Worker.java (successors) of tlaplus/tlaplus.
"""

import json
from random import Random

import networkx as nx
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.checker import simulate
from tidegate.checker.check import check
from tidegate.cli import main
from tidegate.core.fields import Record, integer
from tidegate.core.layout import Layout
from tidegate.core.spec import (
    DEADLOCK,
    Action,
    Fairness,
    Kind,
    Outcome,
    Property,
    Trace,
    TransitionSystem,
)
from tidegate.core.vocabulary import Instance
from tidegate.library.shortening import shortened, without

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


def at_node_0_again(s, k):
    return s.at == 0


RECOVERED = Property(
    "Recovered", "At 0.", "toy", at_node_0_again, lambda s, k: "not at 0", kind=Kind.STUCK
)


def test_a_state_outside_need_not_recover(walk):
    system = walk(2, {(0, 1)})
    system.constraint = below(1)
    assert check(system, [RECOVERED]).outcome is Outcome.HOLDS


def test_a_step_that_need_not_be_taken_is_no_recovery(walk, monkeypatch):
    system = walk(2, {(0, 1), (1, 0)})
    assert check(system, [RECOVERED]).outcome is Outcome.HOLDS
    monkeypatch.setattr(type(system), "is_fair", lambda self, action: False)
    assert check(system, [RECOVERED]).outcome is Outcome.VIOLATED


def graphs(number):
    """Yield random graphs: nodes, edges, the limit of the constraint, and the initial nodes."""
    dice = Random(number)
    for _ in range(number):
        nodes = dice.randint(1, 7)
        pairs = [(near, far) for near in range(nodes) for far in range(nodes)]
        edges = dice.sample(pairs, min(len(pairs), dice.randint(nodes, 2 * nodes)))
        initial = dice.sample(range(nodes), dice.randint(1, min(3, nodes)))
        yield nodes, set(edges), dice.randint(0, nodes), initial


def within(walk, nodes, edges, limit, initial):
    """Return a system that walks through a graph, beginning in any of some nodes."""

    def begin(s, k):
        for s.at in initial:
            yield

    system = walk(nodes, edges)
    system.constraint, system.initialise = below(limit), begin
    return system


@pytest.mark.parametrize("choice", simulate.CHOICES)
def test_walks_visit_the_states_that_a_search_counts(walk, choice):
    for graph in graphs(30):
        system, visited = within(walk, *graph), set()
        for number in range(80):
            taken = simulate.walk(system, [], 1, number, 25, choice)
            visited.update(taken.states)
            assert len(taken.states) == (len(taken.instances) + 1 if taken.states else 0)
        assert len(visited) == check(system, []).distinct_states, graph


def test_a_walk_ends_where_no_step_stays_inside_and_nowhere_else(walk):
    for nodes, edges, limit, initial in graphs(30):
        system = within(walk, nodes, edges, limit, initial)
        for number in range(10):
            taken = simulate.walk(system, [], 3, number, 12)
            assert bool(taken.states) is any(node < limit for node in initial)
            last = taken.states[-1:]
            following = [after for state in last for _, after in system.successors(state)
                         if system.inside()]  # fmt: skip
            assert not following or len(taken.instances) == 12


def test_walks_find_what_a_search_finds_inside_and_one_step_outside(walk, make_invariant):
    """A property that only a state outside violates, initial or not, ends no walk."""
    outside = 0
    for graph in graphs(40):
        system = within(walk, *graph)
        nodes, _, limit, _ = graph
        nevers = [make_invariant(f"Never{n}", lambda s, k, n=n: s.at != n) for n in range(nodes)]
        searched = check(system, [*nevers, DEADLOCK], keep_going=True).verdicts
        expected = {verdict.property.name for verdict in searched if verdict.trace}
        beyond = [never for number, never in enumerate(nevers) if number >= limit]
        for properties in (beyond, *([never] for never in nevers[:limit]), [DEADLOCK]):
            seen = {}
            for number in range(80):
                seen |= simulate.walk(system, properties, 2, number, 25).violated
            assert set(seen) == expected & {prop.name for prop in properties}, graph
            for name, trace in seen.items():
                assert_it_ends_first_outside(system, name, trace)
        outside += len(expected & {prop.name for prop in beyond})
    assert outside > 20, "some of the violations are outside"


def assert_it_ends_first_outside(system, name, trace):
    """Assert that a trace can be taken, violates a property of the name, and stays inside."""
    assert trace.states[0] in set(system.initial_states())
    for before, step, after in zip(trace.states, trace.steps, trace.states[1:], strict=False):
        assert system.take(before, step) == after
        system.layout.load(before)
        assert system.inside()
    assert len(trace.states) == len(trace.steps) + 1
    if name.startswith("Never"):
        system.layout.load(trace.states[-1])
        assert name == f"Never{system.record.at}"


def test_a_walk_is_no_longer_than_asked_though_it_ends_outside(walk, make_invariant):
    system = walk(4, RING)
    system.constraint = below(2)
    never = make_invariant("Never2", lambda s, k: s.at != 2)
    assert not simulate.walk(system, [never], 0, 0, 1).violated
    assert len(simulate.walk(system, [never], 0, 0, 2).violated["Never2"].steps) == 2


COUNT = """
from dataclasses import dataclass
from tidegate import Model, Record, integer

@dataclass(frozen=True)
class Bounds:
    pass

class Count(Record):
    x: int = integer(-100, 100, "a number")

def natural(s, k):
    return s.x >= 0

model = Model(Bounds, Count, constraint=natural, deadlock=False)

@model.initial
def zero(s, k):
    s.x = START
    yield

@model.action("somebody")
def more(s, k):
    if s.x == 100:
        return False
    s.x += 1
    return True

@model.action("somebody")
def negate(s, k):
    s.x = -s.x
    return True

@model.invariant("x never becomes 30.")
def Small(s, k):
    return s.x != 30

@model.invariant("x never becomes -5.")
def Low(s, k):
    return s.x != -5
"""


def test_a_simulation_continues_inside_and_shows_what_is_one_step_outside(tmp_path):
    model = tmp_path / "count.py"
    model.write_text(COUNT.replace("START", "0"))
    arguments = [
        "simulate",
        str(model),
        "--walks",
        "20",
        "--jobs",
        "1",
        "--continue",
        "--json",
        "-",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 12, done.output
    report = json.loads(done.stdout)
    steps = {entry["name"]: entry.get("steps") for entry in report["properties"]}
    assert steps == {"Small": 30, "Low": 6}
    every = CliRunner().invoke(main, [*arguments, "-p", "Low"])
    assert json.loads(every.stdout)["distinct_states"] == 101


def test_a_simulation_without_a_state_inside_judges_the_initial_one(tmp_path):
    model = tmp_path / "count.py"
    model.write_text(COUNT.replace("START", "-5"))
    arguments = ["simulate", str(model), "--jobs", "1", "--continue", "--walks", "9"]
    done = CliRunner().invoke(main, [*arguments, "--json", "-"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["distinct_states"], report["depth"]) == (12, 0, 0)
    assert report["found_in_walk"] == {"Low": 0}
    assert CliRunner().invoke(main, [*arguments, "-p", "Small"]).exit_code == 3


class Sum(Record):
    x: int = integer(-50, 50, "a sum")


def test_a_shortened_behavior_stays_inside(make_invariant):
    """Without its first step it would violate the property after a step outside."""

    def add(s, k, number):
        s.x += number
        return True

    def zero(s, k):
        s.x = 0
        yield

    dice = Random(5)
    for _ in range(60):
        far, near, on = dice.sample([*range(-12, -1), *range(2, 13)], 3)
        if far + on == 0:
            continue  # the behavior would end outside
        steps = [(number,) for number in (far, near, on, -far)]
        numbers = Action("add", add, "toy", lambda k, steps=steps: steps, "toy")
        system = TransitionSystem(
            "sum", {}, "", None, Layout(Sum, None), [numbers], zero, lambda s, k: {},
            constraint=lambda s, k, near=near: s.x != near,
        )  # fmt: skip
        never = make_invariant("Never", lambda s, k, end=near + on: s.x != end)
        [first] = system.initial_states()
        taken = [Instance(numbers, number).step for number in steps]
        trace = without(system, Trace((first,), (None, *taken)), 0)
        assert len(trace.steps) == 4
        assert system.violates(never, trace.states[-1])
        short = shortened(system, never, trace)
        assert system.violates(never, short.states[-1])
        for state in short.states[:-1]:
            system.layout.load(state)
            assert system.record.x != near


def test_a_state_outside_is_no_deadlock_wherever_it_is_judged(walk):
    system = walk(3, {(0, 1), (1, 2)})
    last = simulate.walk(system, [DEADLOCK], 0, 0, 9).violated["Deadlock"].states[-1]
    assert system.violates(DEADLOCK, last)
    system.constraint = below(2)
    assert not system.violates(DEADLOCK, last)
    assert not simulate.walk(system, [DEADLOCK], 0, 0, 9).violated
