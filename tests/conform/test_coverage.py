"""Which rules and guards behaviors exercise, and what the rules answer."""

from itertools import islice

from tidegate.conform.coverage import GuardCoverage, RuleCoverage
from tidegate.conform.walks import CoveringWalks
from tidegate.core.spec import Step, Trace
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history

KIP_320 = find_protocol("kip-320")


def behavior(system, *steps):
    """Return the behavior of these steps."""
    states = [next(iter(system.initial_states()))]
    for step in steps:
        states.append(system.take(states[-1], step))
    return Trace(tuple(states), steps)


def test_a_step_exercises_the_rules_that_decide_it_with_their_answers():
    system = with_every_history(KIP_320, ())
    covered = RuleCoverage(KIP_320, system.bounds)
    pair = ("leader", "follower"), (0, 1)
    fetch, handle = Step("SendFetch", *pair), Step("HandleFetch", *pair)
    trace = behavior(system, fetch, handle)
    covered.take(trace, 1)
    assert covered.asked == {}, "sending a fetch is the same under every rule"
    covered.take(trace, 2)
    assert covered.asked["may_serve_fetch", "yes"] == 1
    assert ("may_serve_fetch", "no") not in covered.asked
    assert "may_serve_fetch" not in covered.never
    assert "may_restart" in covered.never


def test_what_is_noted_changes_no_step():
    system = with_every_history(KIP_320, ("moves", "elections=2"))
    covered = RuleCoverage(KIP_320, system.bounds)
    for trace in islice(CoveringWalks(system, 5, 25), 20):
        covered.take(trace, len(trace.steps))
    assert {"yes", "no"} <= {answer for name, answer in covered.asked if name == "may_serve_fetch"}
    assert "exits_if_longer" in covered.rules


def of_guard(covered, action, requires):
    """Return what is known of a guard."""
    [guard] = [one for one in covered.guards[action] if one.requires == requires]
    return guard.passed, guard.refused


def test_a_guard_is_exercised_where_it_alone_refuses_a_step():
    system = with_every_history(KIP_320, ("elections=0",))
    covered = GuardCoverage(system)
    idle = "s.message[follower].kind == IDLE"
    fetch = Step("SendFetch", ("leader", "follower"), (0, 1))
    trace = behavior(system, fetch)
    covered.take(trace, 0)
    assert of_guard(covered, "SendFetch", idle) == (0, 0)
    covered.take(trace, 1)
    assert of_guard(covered, "SendFetch", idle) == (1, 1)
    covered.take(trace, 1)
    assert of_guard(covered, "SendFetch", idle) == (2, 1), "a state counts once"


def test_a_guard_beside_which_another_one_refuses_is_not_exercised():
    """Broker 1 leads the last epoch that there may be, and lives: two guards refuse it."""
    system = with_every_history(KIP_320, ("elections=1", "moves", "crashes=0"))
    covered = GuardCoverage(system)
    covered.take(behavior(system, Step("Elect", ("broker",), (1,))), 1)
    assert of_guard(covered, "Elect", "s.partition.epoch != k.elections") == (1, 1)
    assert of_guard(covered, "Elect", "s.replica[broker].alive") == (1, 0)
    assert of_guard(covered, "BecomeLeader", "s.leader_and_isr[epoch].leader == leader")[1] == 1
