"""A check says which of the rules that a protocol changes were never asked, whatever the engine."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tests.checker import grid
from tidegate import Model, Property
from tidegate.checker.check import check
from tidegate.checker.compiled import verification
from tidegate.cli import main
from tidegate.core.errors import ModelError
from tidegate.core.result import Limits, Resources
from tidegate.library.names import find_protocol
from tidegate.library.properties import changed_rules, find_properties, system_for
from tidegate.model import KIP_320, PROTOCOLS
from tidegate.model.broker.rules import Rules

ENGINES = ("interpreted", "compiled")


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Let no search in machine code be made again in Python, which would show what it asks.

    Its code is new, so that states are made up to verify it, which ask what no search does.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(verification, "SMALL", 0)
    monkeypatch.setattr(verification, "BEGUN", 0.0)


def never_asked(protocol, settings=(), names=(), changed=None, **how):
    properties = find_properties(protocol, names)
    system = system_for(protocol, settings, properties)
    if changed is not None:
        system.changed_rules = changed
    limits, keep_going = how.pop("limits", Limits()), how.pop("keep_going", True)
    resources = Resources(**how)
    result = check(system, properties, keep_going=keep_going, limits=limits, resources=resources)
    return result.never_asked


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rule_is_never_asked_if_no_state_of_the_search_asks_it(engine, alone):
    assert never_asked(grid.OWN, engine=engine) == ("beyond", "off")
    assert never_asked(grid.OWN, ["wide=1"], engine=engine) == ("beyond",)
    assert never_asked(grid.OWN, ["most=20"], engine=engine) == ("once", "judged", "beyond", "off")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rule_that_only_a_property_asks_is_asked_if_the_property_is(engine, alone):
    assert never_asked(grid.OWN, names=["none"], engine=engine) == ("judged", "beyond", "off")


def test_fingerprints_tell_it_too(alone):
    assert never_asked(grid.OWN, engine="compiled", store="fingerprint") == ("beyond", "off")


def test_a_search_that_was_stopped_says_nothing():
    assert never_asked(grid.OWN, limits=Limits(max_states=100)) is None


def test_a_resumed_search_says_nothing(tmp_path):
    how = {"engine": "compiled", "store": "fingerprint", "checkpoint": tmp_path / "run"}
    assert never_asked(grid.OWN, limits=Limits(max_states=100), **how) is None
    assert never_asked(grid.OWN, resume=True, **how) is None


EVERY = tuple(one.name for one in fields(Rules) if callable(one.default))


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        ("hw", "records=1 elections=1 crashes=0 power_losses=1"),
        ("kip-595", "records=1 elections=2 crashes=1 moves"),
        ("kip-595-reset", "records=1 elections=1 crashes=1 moves isr_propagation=kraft"),
        ("kip-320", "records=1 elections=1 crashes=0 deletions=1 purgatory moves"),
    ],
)
def test_both_engines_say_the_same_of_every_rule_of_kafkas_protocols(protocol, settings, alone):
    said = [
        never_asked(find_protocol(protocol), settings.split(), ["NoBrokerExits"], EVERY, engine=one)
        for one in ENGINES
    ]
    assert said[0] == said[1]
    assert 0 < len(said[0]) < len(EVERY)


def test_what_a_protocol_changes_is_told_by_its_parent():
    assert changed_rules(find_protocol("kip-320~may_lag = at_any_time")) == ("may_lag",)
    assert len(changed_rules(grid.OWN)) == 7
    for protocol in (*PROTOCOLS, find_protocol("kafka-3.9-kraft")):
        assert changed_rules(protocol) == (), "the reference says where each rule is asked"


def test_the_bounds_decide_whether_a_rule_is_asked():
    changed = find_protocol("kip-320~may_lag = at_any_time")
    within = {"records": 1, "elections": 0, "crashes": 0}
    assert tidegate.check(changed, within).never_asked == ()
    assert tidegate.check(changed, {**within, "replicas": 1}).never_asked == ("may_lag",)
    assert tidegate.check(KIP_320, {**within, "replicas": 1}).never_asked == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_violation_that_ends_a_search_leaves_it_to_what_was_searched(engine, alone):
    early = replace(grid.OWN, rules=replace(grid.OWN.rules, judged=grid.never))
    said = never_asked(early, engine=engine, keep_going=False)
    assert said == ("inside", "beyond", "off")


def grid_with(*needs):
    """Return a property that needs some actions."""
    return Property("Here", "x", "", predicate=lambda s, k: s.x >= 0, needs=needs)


def test_a_check_says_which_actions_a_property_needs_and_lacks():
    checked = tidegate.check(grid.OWN, properties=[grid_with("East", "Fly", "Swim")])
    assert checked.holds
    assert checked.lacks == {"Here": ("Fly", "Swim")}
    said = " ".join(str(checked).split())
    assert "Here needs Swim, which grid/own does not have within these bounds." in said
    assert "Here needs Fly, which is never enabled within these bounds." in said
    assert tidegate.check(grid.OWN, properties=[grid_with("East")]).lacks == {}


def test_a_search_that_was_stopped_does_not_say_that_an_action_is_never_enabled():
    here = grid_with("Fly", "Swim")
    assert tidegate.check(grid.OWN, properties=[here], max_states=20).lacks == {"Here": ("Swim",)}


def test_a_property_about_leaders_needs_an_election():
    within = {"records": 1, "crashes": 1}
    for elections, lacks in ((0, {"LeaderElected": ("Elect",)}), (1, {})):
        bounds = {**within, "elections": elections}
        assert tidegate.check("kip-320", bounds, ["LeaderElected"]).lacks == lacks


@pytest.mark.parametrize("needs", ["East", ["East"], (grid.east,)])
def test_what_a_property_needs_is_a_tuple_of_names(needs):
    with pytest.raises(ModelError, match="is not a tuple of names of actions; write needs="):
        Property("Here", "x", "", predicate=lambda s, k: True, needs=needs)


def test_a_model_declares_what_its_properties_need():
    model = Model(grid.Bounds, grid.State, name="still", deadlock=False)
    model.action("walker")(grid.north)
    model.invariant("It is somewhere.", needs=("East",))(lambda_free)
    assert tidegate.check(model, {"most": 2}).lacks == {"LambdaFree": ("East",)}


def lambda_free(s, k):
    """Hold."""
    return s.x == 0


def test_a_gate_and_its_cache_say_both(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "grid.py").write_text(Path(grid.__file__).read_text())
    gate = tmp_path / "tidegate.toml"
    gate.write_text('[[case]]\ntitle = "x"\nprotocols = ["grid.py:OWN"]\nholds = "default"\n')
    command = ["gate", "--config", str(gate), "--cached"]
    for status in ("pass", "cached"):
        result = CliRunner().invoke(main, [*command, "--json", "-"])
        assert result.exit_code == 0, result.output
        [cell] = json.loads(result.stdout)["cells"]
        assert cell["status"] == status
        [said] = cell["in_vain"]
        assert said.startswith("beyond and off were never asked within these bounds")
    assert said in " ".join(CliRunner().invoke(main, command).output.split())


def test_json_has_both():
    arguments = ["check", "kip-320~may_lag = at_any_time", "-p", "LeaderElected", "--json", "-"]
    bounds = ["replicas=1", "records=1", "elections=0", "crashes=0"]
    for bound in bounds:
        arguments += ["-b", bound]
    report = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert report["never_asked"] == ["may_lag"]
    [prop] = report["properties"]
    assert prop["lacks"] == ["Elect"]
