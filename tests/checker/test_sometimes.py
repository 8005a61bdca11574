"""A state that satisfies a sometimes property must be reachable: every engine says whether."""

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate import Kind, Property
from tidegate.checker.check import check
from tidegate.checker.request import SearchRequest
from tidegate.cli import main
from tidegate.core.result import Limits, Resources, StateStore
from tidegate.core.spec import TYPE_OK, ModelError, Outcome
from tidegate.library.properties import find_properties, system_for
from tidegate.model import PROTOCOLS

[HW] = [protocol for protocol in PROTOCOLS if protocol.name == "hw"]


def another_leads(s, k) -> bool:
    return s.partition.leader == 1


def nobody_leads(s, k) -> bool:
    return s.partition.leader == -1


def ninth_epoch(s, k) -> bool:
    return s.partition.epoch == 9


def sometimes(predicate, **more):
    name = predicate.__name__.title().replace("_", "")
    return Property(name, "It can happen.", "here", predicate, kind=Kind.SOMETIMES, **more)


MOVED, ORPHANED, NINTH = map(sometimes, (another_leads, nobody_leads, ninth_epoch))

ENGINES = {
    "interpreted": Resources(engine="interpreted"),
    "compiled": Resources(engine="compiled", workers=1),
    "fingerprints": Resources(engine="compiled", workers=1, store=StateStore.FINGERPRINT),
}


def searched(properties, engine="interpreted", settings=("records=1",), **options):
    system = system_for(HW, settings, properties)
    return check(system, properties, resources=ENGINES[engine], **options)


def outcomes(result):
    return [(v.outcome.value, v.trace and len(v.trace.steps)) for v in result.verdicts]


@pytest.mark.parametrize("engine", ENGINES)
def test_it_holds_with_the_shortest_behavior_that_reaches_it(engine):
    result = searched([MOVED], engine)
    assert result.outcome is Outcome.HOLDS
    assert [str(step) for step in result.verdicts[0].trace.steps] == [
        "Crash(broker=0)",
        "Elect(broker=1)",
    ]
    assert result.first is None
    assert result.shown.property is MOVED
    assert not result.complete


@pytest.mark.parametrize("engine", ENGINES)
def test_it_is_violated_once_all_states_are_seen_and_none_satisfies_it(engine):
    result = searched([NINTH, MOVED, TYPE_OK], engine)
    assert result.outcome is Outcome.VIOLATED
    assert outcomes(result) == [("violated", None), ("holds", 2), ("holds", None)]
    assert result.complete
    assert result.distinct_states == searched([], engine).distinct_states


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_ends_with_the_level_that_reaches_the_last_of_them(engine):
    both = searched([MOVED, ORPHANED], engine)
    assert outcomes(both) == [("holds", 2), ("holds", outcomes(searched([ORPHANED], engine))[0][1])]
    assert not both.complete
    assert both.distinct_states < searched([], engine).distinct_states


@pytest.mark.parametrize("engine", ENGINES)
def test_reaching_it_does_not_end_a_search_for_violations(engine):
    [acked] = find_properties(HW, ["NoAckedRecordLost"])
    result = searched([MOVED, acked], engine, settings=())
    assert outcomes(result) == [("holds", 2), ("violated", 12)]
    assert result.first.property is acked
    alone = searched([acked], engine, settings=())
    assert result.distinct_states == alone.distinct_states
    assert result.first.trace == alone.first.trace


def test_a_violation_ends_the_search_and_leaves_it_undecided():
    [acked] = find_properties(HW, ["NoAckedRecordLost"])
    result = searched([NINTH, acked], settings=())
    assert outcomes(result) == [("incomplete", None), ("violated", 12)]


def test_a_search_that_is_stopped_says_what_it_reached():
    result = searched([MOVED, NINTH], limits=Limits(max_states=200))
    assert result.outcome is Outcome.INCOMPLETE
    assert outcomes(result) == [("holds", 2), ("incomplete", None)]


@pytest.mark.parametrize(
    ("properties", "met", "on"),
    [
        ([MOVED, TYPE_OK], set(), True),
        ([MOVED, TYPE_OK], {MOVED.name}, True),
        ([MOVED, TYPE_OK], {TYPE_OK.name}, False),
        ([MOVED, NINTH], {MOVED.name}, True),
        ([MOVED, NINTH], {MOVED.name, NINTH.name}, False),
        ([], set(), True),
    ],
)
def test_a_search_goes_on_while_something_is_left_to_find(properties, met, on):
    system = system_for(HW, [], properties)
    assert SearchRequest(system, properties).goes_on(met) is on
    assert SearchRequest(system, properties, keep_going=True).goes_on(met)


def test_under_symmetry_it_is_reached_in_as_many_steps():
    result = searched([ORPHANED], settings=("records=1", "replicas=3"), symmetry=True)
    assert outcomes(result) == outcomes(searched([ORPHANED], settings=("records=1", "replicas=3")))


def test_it_has_no_witness_of_a_violation():
    with pytest.raises(ModelError, match="is of the kind sometimes, which no state violates"):
        Property("A", "It.", "here", witness=lambda s, k: None, kind=Kind.SOMETIMES)


MODEL = """
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "where the counter ends")


class State(Record):
    at: int = integer(0, lambda k: k.most, "what is counted")


model = Model(Bounds, State, name="counter", deadlock=False)


@model.action("counter")
def increase(s: State, k: Bounds) -> bool:
    if s.at == k.most:
        return False
    s.at += 1
    return True


@model.sometimes("The counter reaches two.", explain=lambda s, k: f"It is at {s.at}.")
def two(s: State, k: Bounds) -> bool:
    return s.at == 2


@model.invariant("The counter is small.")
def small(s: State, k: Bounds) -> bool:
    return s.at < 9
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("counter.py").write_text(MODEL)
    return "counter.py"


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    return " ".join(result.output.split())


def test_a_model_declares_it_and_checks_it_by_default(model):
    result = run("check", model)
    assert result.exit_code == 0
    assert "reaches Two, 2 steps" in flat(result)
    assert "Two is reached. It is at 2." in flat(result)
    assert "Two is reached after 2 steps; every state satisfies Small." in flat(result)


def test_a_violation_is_printed_without_what_is_reached_before_it_and_the_shortest_first(model):
    text = Path(model).read_text().replace("s.at < 9", "s.at < 3")
    later = '@model.invariant("Not one.")\ndef never_one(s: State, k: Bounds) -> bool:\n'
    Path(model).write_text(f"{text}\n\n{later}    return s.at != 1\n")
    output = run("check", model, "--continue").output
    assert "reaches Two" not in output
    assert re.findall(r"violates (\w+), (\d)", output) == [("NeverOne", "1"), ("Small", "3")]
    assert "Two is reached after 2 steps" not in output.partition("VIOLATED")[0]


def test_where_no_state_satisfies_it_the_exit_status_is_that_of_safety(model):
    result = run("check", model, "-b", "most=1")
    assert result.exit_code == 12
    assert "VIOLATED counter.py, most=1: no state satisfies Two." in flat(result)


def test_the_report_has_its_trace_which_replays_and_renders(model):
    result = run("check", model, "--json", "report.json", "--html", "two.html")
    assert result.exit_code == 0
    report = json.loads(Path("report.json").read_text())
    [two, small] = report["properties"]
    assert (two["outcome"], two["steps"], two["explanation"]) == ("holds", 2, "It is at 2.")
    assert report["trace"] == two["trace"]
    assert small["trace"] is None
    assert "Two is reached after 2 steps" in Path("two.html").read_text()
    replayed = run("replay", "report.json", "--trust")
    assert replayed.exit_code == 0
    assert "Two is reached at the end, as recorded." in flat(replayed)
    assert "~Two is violated." in run("replay", "report.json", "--trust", "--tla", "-").output


@pytest.mark.parametrize("command", ["simulate", "bounds", "mutate", "graph", "explain"])
def test_what_shows_violations_leaves_it_out_and_refuses_it_by_name(model, command):
    refused = run(command, model, "-p", "Two")
    assert refused.exit_code == 2
    assert "-p Two: it says that a state can be reached, and no behavior violates" in refused.output
    assert "Two" not in run(command, model).output


def test_a_gate_expects_it(model):
    case = '[[case]]\nprotocols = "counter.py"\n'
    Path("tidegate.toml").write_text(f'{case}holds = ["Two", "Small"]\nstates = 4\n')
    assert run("gate").exit_code == 0
    Path("tidegate.toml").write_text(f'{case}bounds = "most=1"\nholds = "Two"\n')
    failed = run("gate", "--junit", "gate.xml", "--sarif", "gate.sarif", "--json", "gate.json")
    assert failed.exit_code == 1
    assert "no state satisfies Two; expected: holds" in flat(failed)
    assert "no state satisfies Two" in Path("gate.xml").read_text()
    assert "no state satisfies Two" in Path("gate.sarif").read_text()
    Path("tidegate.toml").write_text(f'{case}bounds = "most=1"\nviolates = "Two"\n')
    assert run("gate").exit_code == 0
    Path("tidegate.toml").write_text(f'{case}violates = "Two"\n')
    assert "Two holds (reached after 2 steps); expected: violated" in flat(run("gate"))


def test_from_python_the_trace_that_reaches_it_is_at_hand(model):
    checked = tidegate.check(model)
    assert checked.holds
    assert [step.action for step in checked.trace_of("Two")] == ["", "Increase", "Increase"]
    assert checked.trace == ()
    missed = tidegate.check(model, {"most": 1})
    assert missed.violated == ("Two",)
