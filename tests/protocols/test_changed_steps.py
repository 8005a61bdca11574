"""Mutants that are searched by the states of their original die as in searches from scratch."""

import pytest

from tidegate.analysis import changed_steps, killing
from tidegate.analysis.changed_steps import changed_instances, explored, killer
from tidegate.analysis.killing import Killing
from tidegate.analysis.mutants import mutants
from tidegate.analysis.named import find_protocol
from tidegate.analysis.properties import find_properties, system_for
from tidegate.checker.check import check
from tidegate.core.spec import Property

KIP_320 = find_protocol("kip-320")


def graph_of(protocol, bounds, properties):
    """Return the state graph of a protocol, with what makes a system of it."""

    def system_of(one):
        return system_for(one, bounds.split(), properties)

    return explored(protocol, properties, system_of), system_of


def fates(killing_of, bounds):
    """Return what becomes of each mutant."""
    deaths = Killing(*killing_of, bounds)
    return [*deaths.run(None, 2), *deaths.survivors()]


def no_answer(*arguments):
    """Stand for what is known of an original, where nothing is."""


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("kip-320", ["records=1 crashes=1"]),
        ("hw", ["records=1 elections=0 crashes=0 power_losses=1"]),
        ("published/hw", ["records=1"]),
        ("published/async-isr", ["max_offset=1 max_version=1"]),
        pytest.param("kip-320", ["elections=2"], marks=pytest.mark.slow),
        pytest.param("kip-101", ["records=1 elections=2 moves"], marks=pytest.mark.slow),
    ],
)
def test_mutants_die_as_in_searches_from_scratch(name, bounds, monkeypatch):
    """Of these, published/hw violates a property by itself."""
    protocol = find_protocol(name)
    searched = protocol, find_properties(protocol, [])
    known = fates(searched, bounds)
    assert any(fate.killed_by for fate in known)
    monkeypatch.setattr(killing, "_graph", no_answer)
    assert known == fates(searched, bounds)


def test_unfair_mutants_die_as_in_searches_from_scratch(monkeypatch):
    searched = KIP_320, find_properties(KIP_320, ["Converges", "TruncationTerminates"])
    bounds = ["records=1 crashes=1"]
    known = fates(searched, bounds)
    assert {bool(fate.killed_by) for fate in known} == {True, False}
    monkeypatch.setattr(killing, "_original", no_answer)
    assert known == fates(searched, bounds)


def test_a_state_graph_has_the_states_and_steps_of_a_search():
    properties = find_properties(KIP_320, [])
    known, system_of = graph_of(KIP_320, "records=1 crashes=1", properties)
    graph, result = known.graph, check(system_of(KIP_320), properties)
    assert len(graph.states) == len(graph.numbers) == result.distinct_states
    assert len(graph.targets) == len(graph.instances) == result.generated_states
    assert graph.ends[-1] == len(graph.targets)
    assert (known.first, known.violated) == ({}, {})


def test_a_state_graph_knows_which_actions_call_a_rule():
    known, _ = graph_of(KIP_320, "records=1 crashes=1", [])
    assert "HandleFetch" in known.callers["may_serve_fetch"]
    assert "Crash" not in known.callers["may_serve_fetch"]
    assert "may_alter_partition" not in known.callers


def test_a_rule_that_a_property_calls_is_searched_from_scratch():
    """What the states violate is the original's only if the property means the same."""

    def served(s, k):
        return k.rules.may_serve_fetch(s, k, 0, 0)

    prop = Property("Served", "Broker 0 serves.", "a test", predicate=served)
    known, system_of = graph_of(KIP_320, "records=1 crashes=0 elections=0", [prop])
    [mutant] = [one for one in mutants(KIP_320) if one.name.startswith("may_serve_fetch = ")]
    system = system_of(mutant.protocol)
    assert changed_instances(known, KIP_320, mutant.protocol, system) is None


def test_too_many_states_beyond_the_original_are_left_to_a_search_from_scratch(monkeypatch):
    properties = find_properties(KIP_320, ["TypeOk"])
    known, system_of = graph_of(KIP_320, "records=1 crashes=1", properties)
    name = "SendFetch: s.message[follower].kind != IDLE"
    [mutant] = [one.protocol for one in mutants(KIP_320) if one.name == name]
    system = system_of(mutant)
    changed = changed_instances(known, KIP_320, mutant, system)
    assert killer(known, system, changed, properties) == ("", 0)
    monkeypatch.setattr(changed_steps, "BEYOND", 10)
    assert killer(known, system, changed, properties) is None


def test_a_large_protocol_has_no_state_graph(monkeypatch):
    monkeypatch.setattr(changed_steps, "MOST", 10)
    assert graph_of(KIP_320, "records=1", [])[0] is None
