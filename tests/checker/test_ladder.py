"""The first bounds of a ladder that violate a property, and states that cannot recover."""

from dataclasses import replace

import pytest

from tests.docs.first_violations import first_violations
from tidegate.checker.check import check
from tidegate.core.spec import Fairness, Kind, Outcome, Property
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.ladder import bounds_up_to
from tidegate.model import PROTOCOLS

[STUCK] = [prop for prop in PROPERTIES if prop.name == "Stuck"]


def test_rungs_go_up_by_their_sum_then_in_the_order_of_the_names():
    tried = [tuple(bounds.values()) for bounds in bounds_up_to({"a": 2, "b": 1, "c": 1})]
    assert tried[:5] == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1)]
    assert tried[-1] == (2, 1, 1)
    assert len(tried) == 12


def test_a_ladder_gives_the_first_bounds_that_violate_and_what_holds(walk, make_invariant):
    """A path as long as both bounds together: node 3 needs a sum of 3, node 9 is out of reach."""

    def path(bounds):
        length = bounds["a"] + bounds["b"] + 1
        return walk(10, {(node, node + 1) for node in range(length - 1)})

    near = make_invariant("Near", lambda s, k: s.at < 3)
    far = make_invariant("Far", lambda s, k: s.at < 9)
    found = first_violations(path, [near, far], {"a": 2, "b": 2})
    assert found["Near"].violated_at == ({"a": 1, "b": 2}, 3)
    assert found["Far"].holds_to == ({"a": 2, "b": 2}, 5)
    assert found["Far"].violated_at is None


def test_what_must_eventually_happen_is_tried_within_all_bounds(walk):
    """Within larger bounds fairness demands a step that smaller ones do not allow."""

    def path(bounds):
        return walk(10, {(node, node + 1) for node in range(bounds["a"] + 1)})

    def eventually(name, predicate):
        return Property(name, name, "toy", predicate, lambda s, k: "no", kind=Kind.EVENTUALLY)

    arrives = eventually("Arrives", lambda s, k: s.at == 3)
    stays = eventually("Stays", lambda s, k: s.at < 4)
    found = first_violations(path, [arrives, stays], {"a": 2})
    assert found["Arrives"].violated_at == ({"a": 0}, 1)
    assert found["Arrives"].holds_to is None
    assert found["Stays"].holds_to == ({"a": 2}, 4)


def test_a_search_that_was_stopped_is_not_taken_for_one_that_holds(walk, make_invariant):
    """On the page of verdicts it would stand as a bound up to which the property holds."""

    def interrupted(s, k):
        if s.at == 3:
            raise KeyboardInterrupt
        return True

    def path(bounds):
        return walk(10, {(node, node + 1) for node in range(bounds["a"] + 1)})

    with pytest.raises(KeyboardInterrupt):
        first_violations(path, [make_invariant("Far", interrupted)], {"a": 5})


@pytest.fixture
def reach_2():
    """A stuck property: states that have recovered are at node 2."""
    return Property(
        "Stuck", "Node 2 can be reached.", "toy", lambda s, k: s.at == 2, lambda s, k: "never",
        kind=Kind.STUCK,
    )  # fmt: skip


def test_stuck_finds_a_cycle_that_never_recovers(walk, reach_2):
    """1 and 2 recover; 3 and 4 go round in a circle: enabled for ever, and stuck."""
    system = walk(5, {(0, 1), (1, 2), (0, 3), (3, 4), (4, 3)})
    result = check(system, [reach_2])
    assert result.outcome is Outcome.VIOLATED
    assert [str(step) for step in result.first.trace.steps] == ["go(target=3)"]
    assert check(walk(3, {(0, 1), (1, 0), (1, 2)}), [reach_2]).outcome is Outcome.HOLDS


def test_only_weakly_fair_steps_heal(walk, reach_2):
    system = walk(3, {(0, 1), (1, 2)})
    unfair = replace(system.instances[0].action, fairness=Fairness.NONE)
    for instance in system.instances:
        object.__setattr__(instance, "action", unfair)
    result = check(system, [reach_2])
    assert result.outcome is Outcome.VIOLATED
    assert result.first.trace.steps == ()


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_no_protocol_is_stuck_at_small_bounds(search, protocol):
    result = search(protocol.name, "records=1", ["Stuck"])
    assert result.outcome is Outcome.HOLDS


def test_stuck_says_who_is_behind(begin):
    behavior = begin("hw").follow("Produce 0")
    assert "replica 1 is alive but has its log end at 0, not at 1" in behavior.system.explain(
        STUCK, behavior.state
    )
    behavior.take("Crash", 0)
    assert "No broker acts as leader" in behavior.system.explain(STUCK, behavior.state)
