"""Traces of many steps: their search is linear, and what ends it does not cost the verdict."""

import json
import os
import signal

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.checker import engines, verdicts
from tidegate.checker.check import check
from tidegate.cli import main
from tidegate.core.fields import Record, integer
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import Kind, Outcome, Property
from tidegate.render.text import MOST

COUNTER = '''
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(1000, 1, 10_000_000, "where it ends", main=True)


class State(Record):
    x: int = integer(0, lambda k: k.most, "a counter")


model = Model(Bounds, State)


@model.action("counter")
def count(s: State, k: Bounds) -> bool:
    """Count."""
    if s.x >= k.most:
        return False
    s.x += 1
    return True


@model.invariant("It never gets to the last but one.")
def small(s: State, k: Bounds) -> bool:
    return s.x != k.most - 1
'''

LONG = 20_000


class Counter(Record):
    """A number that only grows."""

    x: int = integer(0, LONG, "how often it was counted")


def begin(s, k):
    yield


@pytest.fixture
def counter(make_toy, make_action):
    """Return a system of one behavior, and the list of its attempts to count."""
    attempts, during = [], {}

    def count(s, k):
        attempts.append(s.x)
        if len(attempts) in during:
            during[len(attempts)]()
        if s.x == LONG:
            return False
        s.x += 1
        return True

    return make_toy(Counter, None, [make_action("count", count)], begin), attempts, during


def ends(s, k):
    return s.x != LONG - 1


def begins(s, k):
    return s.x != 3


AT_END = Property("AtEnd", "It does not end.", "the test", ends)


def test_a_state_is_expanded_as_often_for_a_long_trace_as_for_a_short_one(counter):
    system, attempts, _ = counter
    result = check(system, [AT_END], resources=Resources(engine="interpreted"))
    assert len(result.first.trace.steps) == LONG - 1
    # Once to find the states, once for the parents, once for the steps, and once to replay them.
    assert len(attempts) < 4 * LONG + 10


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "counter.py"
    path.write_text(COUNTER)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize("engine", ["auto", "interpreted", "compiled"])
def test_the_text_of_a_long_trace_has_its_two_ends(model, engine):
    result = run("check", model, "-b", "most=3000", "--engine", engine)
    assert result.exit_code == 12
    lines = result.output.splitlines()
    assert "... 2,000 more states; a report (--json FILE) has them all." in lines
    firsts = [line.split()[0] for line in lines if line.split()]
    numbers = {int(first) for first in firsts if first.isdigit()}
    assert set(range(MOST // 2)) | set(range(3000 - MOST // 2, 3000)) <= numbers
    assert not set(range(MOST // 2, 2000)) & numbers
    assert "Small is violated after 2,999 steps." in " ".join(lines)


def test_a_narrow_model_stays_in_python(model, monkeypatch):
    # However slow this machine is at the moment.
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.1)
    document = json.loads(run("check", model, "-b", "most=30000", "--json", "-").output)
    assert (document["engine"], document["interpreted_because"]) == ("interpreted", [])
    assert [p["steps"] for p in document["properties"] if p["name"] == "Small"] == [29_999]
    assert len(document["trace"]["states"]) == 30_000


def test_an_interrupted_trace_costs_no_verdict(counter):
    system, _, during = counter
    # All states are found by then.
    during[LONG + 500] = lambda: os.kill(os.getpid(), signal.SIGINT)
    result = check(system, [AT_END], resources=Resources(engine="interpreted"))
    [verdict] = result.verdicts
    assert (result.outcome, verdict.outcome) == (Outcome.VIOLATED, Outcome.VIOLATED)
    assert (verdict.steps, verdict.trace, str(verdict.untraced)) == (
        LONG - 1,
        None,
        "an interrupt",
    )
    assert result.first is None


def test_a_trace_counts_within_the_time_limit(counter, monkeypatch):
    system, _, _ = counter

    def endless(*given):
        while True:
            pass

    monkeypatch.setattr(verdicts, "shortest_traces", endless)
    soon = Property("Soon", "It does not begin.", "the test", begins)
    result = check(system, [soon], limits=Limits(seconds=1))
    [verdict] = result.verdicts
    assert (verdict.outcome, verdict.steps) == (Outcome.VIOLATED, 3)
    assert str(verdict.untraced) == "--time-limit 1"


@pytest.mark.parametrize(
    ("error", "why"),
    [(KeyboardInterrupt, "an interrupt"), (MemoryError, "--max-memory")],
)
def test_a_command_reports_a_violation_without_its_trace(model, monkeypatch, tmp_path, error, why):
    def fails(*given):
        raise error

    monkeypatch.setattr(verdicts, "shortest_traces", fails)
    report = tmp_path / "report.json"
    result = run("check", model, "-b", "most=50", "--json", report)
    assert result.exit_code == 12
    said = " ".join(result.output.split())
    assert f"Small is violated after 49 steps; its trace was not finished, stopped by {why}" in said
    [small] = [p for p in json.loads(report.read_text())["properties"] if p["name"] == "Small"]
    assert (small["outcome"], small["steps"], small["trace"]) == ("violated", 49, None)
    assert small["untraced"].startswith(why)


def test_the_library_reports_a_violation_without_its_trace(model, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(verdicts, "shortest_traces", interrupted)
    checked = tidegate.check(model, {"most": 50})
    assert ("Small" in checked.violated, checked.holds, checked.trace) == (True, False, ())
    assert "its trace was not finished, stopped by an interrupt" in " ".join(str(checked).split())


@pytest.mark.parametrize(
    ("error", "why"),
    [(KeyboardInterrupt, "an interrupt"), (MemoryError, "--max-memory")],
)
def test_a_lasso_that_is_not_finished_costs_no_verdict(
    make_toy, make_action, monkeypatch, error, why
):
    def interrupted(*given):
        raise error

    def count(s, k):
        if s.x == LONG:
            return False
        s.x = min(s.x + 5000, LONG)
        return True

    monkeypatch.setattr(verdicts, "lasso_of", interrupted)
    always = Property(
        "Returns", "It returns.", "the test", lambda s, k: s.x == 1, kind=Kind.EVENTUALLY
    )
    system = make_toy(Counter, None, [make_action("count", count)], begin)
    result = check(system, [always])
    [verdict] = result.verdicts
    assert (verdict.outcome, verdict.trace) == (Outcome.VIOLATED, None)
    assert str(verdict.untraced).startswith(why)
