"""Walks come to every action that the model enables, be it rare or not."""

from itertools import islice

from tests.conftest import make_system
from tidegate.conform.shortest_ways import shortest_ways
from tidegate.conform.walks import GUIDED, CoveringWalks

BOUNDS = "records=1 elections=2 crashes=0 moves"


def walks_of(system, count):
    """Return so many guided walks of at most 15 steps."""
    walks = CoveringWalks(system, 1, 15)
    walks.guide(count)
    return walks, list(islice(walks, count))


def test_a_way_is_a_shortest_behavior_after_which_the_action_is_enabled():
    system = make_system("hw", BOUNDS)
    ways = shortest_ways(system, ["HandleOutOfRange", "SendFetch", "Crash"])
    assert {name: len(way.steps) for name, way in ways.items()} == {
        "HandleOutOfRange": 10, "SendFetch": 0
    }  # fmt: skip
    way = ways["HandleOutOfRange"]
    for state, step, after in zip(way.states, way.steps, way.states[1:], strict=False):
        assert system.take(state, step) == after
    enabled = [
        system.instances[index].action.name for index, _ in system.successors(way.states[-1])
    ]
    assert "HandleOutOfRange" in enabled


def test_a_fault_is_at_most_the_last_step_of_a_way():
    system = make_system("hw", "records=1 elections=1 crashes=2")
    [(name, way)] = shortest_ways(system, ["Restart", "HandleOutOfRange"]).items()
    assert name == "Restart"
    assert [step.action for step in way.steps] == ["Crash"]


def test_a_guided_walk_takes_the_action_that_the_others_lack():
    system = make_system("hw", BOUNDS)
    rare = {"HandleOutOfRange", "HandleListOffsets", "HandleListOffsetsResponse"}
    walks, taken = walks_of(system, 3 * GUIDED)
    by_walk = [{step.action for step in trace.steps} for trace in taken]
    assert not any(rare & actions for actions in by_walk[: GUIDED - 1])
    assert rare & by_walk[GUIDED - 1]
    assert rare <= set(walks.actions)
    assert set(walks.taken) <= walks.possible
    assert walks.out_of_reach == []
    assert walks_of(system, 3 * GUIDED)[1] == taken, "the same seed gives the same walks"


def test_what_no_state_enables_is_out_of_reach():
    walks, taken = walks_of(make_system("kip-595", BOUNDS), GUIDED)
    assert "HandleOutOfRange" in walks.out_of_reach
    assert len(taken) == GUIDED


def test_fewer_walks_are_not_guided():
    system = make_system("hw", BOUNDS)
    walks, taken = walks_of(system, GUIDED - 1)
    assert taken == list(islice(CoveringWalks(system, 1, 15), GUIDED - 1))
    assert walks.out_of_reach == []
