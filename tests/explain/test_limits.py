"""Protocols whose behaviors take some actions at most so many times."""

import pytest

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.result import Resources
from tidegate.diff.systems import ranges
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties
from tidegate.model import PROTOCOLS
from tidegate.model.limited import limited

BOUNDS = {
    "hw": "records=1 crashes=1",
    "kip-320": "records=1 crashes=1",
    "tidegate.examples.published:kip_279": "records=1",
    "tidegate.examples.async_isr:async_isr": "",
}


def reachable(protocol, settings):
    """Return the system, and every reachable state with the least steps of each action to it."""
    system = protocol.system(parse(protocol.model.bounds, settings.split()))
    todo = list(system.initial_states())
    seen = set(todo)
    for state in todo:
        system.layout.load(state)
        if system.inside():
            for _, successor in system.successors(state):
                if successor not in seen:
                    seen.add(successor)
                    todo.append(successor)
    return system, seen


def without_counters(system, states, kept):
    """Return states by the variables that are not counters."""
    found = set()
    for state in states:
        system.layout.load(state)
        pairs = zip(system.layout.variables, system.layout.values(), strict=True)
        found.add(tuple(value for variable, value in pairs if variable.path in kept))
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_faults_and_elections_are_actions_of_some_protocol_of_the_family(protocol):
    names = {action.name for other in PROTOCOLS for action in other.actions}
    assert set(protocol.model.faults_and_elections) <= names


def test_every_step_that_is_drawn_as_a_fault_or_an_election_is_one_of_the_family():
    """A picture and the search for what a trace needs speak of the same steps."""
    drawn = {"Crash", "LosePower", "LoseMessage", "Restart", "Elect", "Fence"}
    assert drawn <= set(find_protocol("hw").model.faults_and_elections)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_limit_that_is_never_reached_takes_nothing_away(name):
    protocol = find_protocol(name)
    settings = BOUNDS[name]
    system, states = reachable(protocol, settings)
    most = dict.fromkeys(protocol.model.faults_and_elections, 4)
    counting, counted_states = reachable(limited(protocol, most), settings)
    kept = set(ranges(system))
    assert without_counters(counting, counted_states, kept) == without_counters(
        system, states, kept
    )


def test_the_limit_of_a_bounded_fault_is_that_bound():
    """The family counts crashes itself; a limit on the action must come to the same."""
    protocol = find_protocol("hw")
    system, states = reachable(protocol, "records=1 crashes=1 elections=2")
    kept = set(ranges(system)) - {"crashed"}
    fewer, found = reachable(limited(protocol, {"Crash": 1}), "records=1 crashes=2 elections=2")
    assert without_counters(fewer, found, kept) == without_counters(system, states, kept)


@pytest.mark.parametrize("most", [{"Restart": 0}, {"Restart": 1}, {"Elect": 1, "Crash": 2}])
def test_engines_agree_on_limited_protocols(most):
    protocol = limited(find_protocol("hw"), most)
    properties = find_properties(protocol, ["NoCommittedRecordLost"])
    system = protocol.system(parse(protocol.model.bounds, []), frozenset({"committed"}))
    one, other = (
        check(system, properties, resources=Resources(engine=engine))
        for engine in ("interpreted", "compiled")
    )
    assert (one.outcome, one.distinct_states) == (other.outcome, other.distinct_states)
    assert ([one.first.trace] if one.first else []) == ([other.first.trace] if other.first else [])
