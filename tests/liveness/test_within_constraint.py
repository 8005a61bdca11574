"""Liveness of the behaviors that never leave a constraint, where the model says so."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 8, "the largest number inside")

class State(Record):
    at: int = integer(0, 9, "where it is")
    up: bool = boolean("a light")

def inside(s: State, k: Bounds) -> bool:
    return s.at <= k.most

model = Model(Bounds, State, deadlock=False, constraint=inside, liveness_within_constraint=True)

@model.action("walker", fairness=Fairness.WALKS)
def walk(s: State, k: Bounds) -> bool:
    if s.at == 9:
        return False
    s.at += 1
    return True

@model.action("lamp", fairness=Fairness.TOGGLES)
def toggle(s: State, k: Bounds) -> bool:
    s.up = not s.up
    return True

@model.action("lamp", fairness=Fairness.NONE)
def back(s: State, k: Bounds) -> bool:
    if s.at == 0:
        return False
    s.at = 0
    return True

@model.liveness(Kind.EVENTUALLY, "It arrives outside.")
def outside(s: State, k: Bounds) -> bool:
    return s.at > 2

@model.liveness(Kind.ALWAYS_EVENTUALLY, "The light is on again and again.")
def lights(s: State, k: Bounds) -> bool:
    return s.up

def far(s: State, k: Bounds) -> bool:
    return s.at == 2

@model.liveness(Kind.LEADS_TO, "It comes back.", premise=far)
def returns(s: State, k: Bounds) -> bool:
    return s.at == 0

@model.liveness(Kind.EVENTUALLY_ALWAYS, "It stays far away.")
def stays(s: State, k: Bounds) -> bool:
    return s.at >= 1
"""


@pytest.fixture
def write(tmp_path):
    def written(walks="WEAK", toggles="WEAK", old="", new=""):
        text = MODEL.replace("WALKS", walks).replace("TOGGLES", toggles)
        file = tmp_path / "walk.py"
        file.write_text(text.replace(old, new) if old else text, "utf-8")
        return str(file)

    return written


EVERY = [("NONE", "NONE"), ("NONE", "WEAK"), ("WEAK", "NONE"), ("STRONG", "WEAK")]


def by_definition(walks, toggles):
    """Return what is violated, as one sees from the six states inside.

    A behavior can go to and fro between 0 and 1 for ever, whatever is fair.  It can stay at 2 only
    if walking is not fair: outside there is a step, so it is enabled.
    """
    violated = {"Outside", "Stays"}
    if toggles == "NONE":
        violated.add("Lights")
    if walks == "NONE":
        violated.add("Returns")
    return violated


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("walks", "toggles"), EVERY)
def test_a_step_that_leaves_the_constraint_is_enabled_and_never_taken(
    write, engine, walks, toggles
):
    names = ["Outside", "Lights", "Returns", "Stays"]
    found = tidegate.check(write(walks, toggles), {}, names, engine=engine, keep_going=True)
    assert set(found.violated) == by_definition(walks, toggles)
    for name in found.violated:
        assert all(step.state["at"] <= 2 for step in found.trace_of(name))


@pytest.mark.parametrize("most", [1, 4, 8])
@pytest.mark.parametrize(("walks", "toggles"), EVERY)
def test_machine_code_finds_the_lassos_of_python(write, walks, toggles, most):
    """It lists the steps that leave the constraint, too, and says nothing of Python."""
    names, found = ["Outside", "Lights", "Returns", "Stays"], []
    for engine in ("interpreted", "compiled"):
        how = {"engine": engine, "keep_going": True}
        checked = tidegate.check(write(walks, toggles), {"most": most}, names, **how)
        assert checked.interpreted_because == ()
        found.append({name: checked.trace_of(name) for name in sorted(checked.violated)})
    assert found[0] == found[1]


BEYOND = (
    "return s.up",
    "return s.up or len({s.at - 2, s.at}) < 2",
)


@pytest.mark.parametrize("choice", [("", ""), ("return s.at <= k.most", "return s.at <= 9")])
@pytest.mark.parametrize("toggles", ["NONE", "WEAK"])
def test_a_predicate_that_machine_code_cannot_evaluate_is_left_to_python(write, toggles, choice):
    """A set of a function's own has no member below NONE there."""
    file = write("WEAK", toggles, *BEYOND)
    text = Path(file).read_text("utf-8")
    Path(file).write_text(text.replace(*choice) if choice[0] else text, "utf-8")
    names = ["Lights", "Stays"]
    found = tidegate.check(file, {}, names, engine="compiled", keep_going=True)
    expected = tidegate.check(file, {}, names, engine="interpreted", keep_going=True)
    assert found.violated == expected.violated
    assert found.trace_of("Stays") == expected.trace_of("Stays")
    [why] = found.interpreted_because
    assert why.startswith("liveness was decided in Python, in ")
    done = CliRunner().invoke(main, ["check", file, "--engine", "compiled", "-p", "Lights"])
    assert "Liveness was decided in Python, in " in " ".join(done.output.split())


@pytest.mark.parametrize("walks", ["NONE", "WEAK"])
def test_where_nothing_leads_outside_it_is_decided_as_without_a_constraint(write, walks):
    names = ["Outside", "Lights", "Returns", "Stays"]
    choice = "constraint=inside, liveness_within_constraint=True"
    changes = ("return s.at <= k.most", "return s.at >= 0"), (f", {choice}", "")
    found = []
    for change in changes:
        checked = tidegate.check(write(walks, "NONE", *change), {}, names, keep_going=True)
        found.append({name: len(checked.trace_of(name)) for name in checked.violated})
    assert found[0] == found[1]
    assert "Lights" in found[0]


def test_the_verdict_repeats_the_choice_and_without_it_liveness_is_not_decided(write, tmp_path):
    saved = str(tmp_path / "walk.json")
    done = CliRunner().invoke(main, ["check", write(), "-p", "Lights", "--json", saved])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "every fair behavior that never leaves the constraint satisfies Lights" in said
    with open(saved, encoding="utf-8") as file:
        assert json.load(file)["within_constraint"] is True
    plain = write(old=", liveness_within_constraint=True", new="")
    done = CliRunner().invoke(main, ["check", plain, "-p", "Lights"])
    assert done.exit_code == 2
    assert "liveness_within_constraint=True" in done.output
    lonely = write(old="constraint=inside, ", new="")
    done = CliRunner().invoke(main, ["check", lonely])
    assert "liveness_within_constraint needs a constraint" in " ".join(done.output.split())


def test_a_gate_repeats_it_too(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write()
    (tmp_path / "tidegate.toml").write_text(
        '[[case]]\nprotocols = "walk.py"\nholds = "Lights"\n', "utf-8"
    )
    done = CliRunner().invoke(main, ["gate"])
    assert done.exit_code == 0, done.output
    assert "Lights: of behaviors that never leave the constraint" in done.output
