"""docs/runs/: what real brokers did with the traces of known bugs still fits the model."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.brokers.rows import ROWS
from tidegate.core.spec import Step
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for, with_every_history

DOCS = Path(__file__).parents[2] / "docs"
RUNS = {path.stem: json.loads(path.read_text("utf-8")) for path in (DOCS / "runs").glob("*.json")}
RECORDED = [row for row in ROWS if row.page in RUNS]


def test_only_rows_have_runs_and_some_do():
    assert RECORDED
    assert len(RECORDED) == len(RUNS)


def step_of(text):
    """Return the step that is written as ``Elect(broker=1)``."""
    action, arguments = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
    pairs = [pair.split("=") for pair in arguments.split(", ")]
    return Step(action, tuple(name for name, _ in pairs), tuple(int(value) for _, value in pairs))


def logs_of(state):
    """Return the records of each replica's log, as a run names them."""
    return {
        f"broker {number}: log": [f"m{e['record']}" for e in replica["log"] if e["record"] >= 0]
        for number, replica in enumerate(state["replica"])
    }


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row.page)
def test_the_brokers_of_the_release_did_every_step_of_the_row(row):
    run = RUNS[row.page]["runs"][0]
    assert RUNS[row.page]["command"] == shlex.join(["tidegate", *row.check])
    assert (run["kafka"], run["outcome"]) == (row.release, "followed")
    words = row.check
    protocol = find_protocol(words[1])
    bounds = [words[at + 1] for at, word in enumerate(words) if word == "-b"]
    [prop] = [prop for prop in PROPERTIES if prop.name == row.violated]
    keeps = with_every_history(protocol, bounds)
    system = system_for(protocol, bounds, [prop]) if prop.kind.is_liveness else keeps
    state, logs = next(iter(system.initial_states())), {}
    passed = []
    for seen in run["steps"]:
        passed.append(state)
        state = system.take(state, step_of(seen["action"]))
        assert state is not None, f"{seen['action']} is no longer enabled"
        assert seen["differences"] == []
        logs |= {what: has for what, has in seen["brokers"].items() if what.endswith(": log")}
        expected = logs_of(system.layout.describe(state))
        observed = {what: re.findall(r"m\d+", has) for what, has in logs.items()}
        assert observed == {what: expected[what] for what in logs}
    assert state in passed if prop.kind.is_liveness else system.violates(prop, state)
    if row.violated in ("NoAckedRecordLost", "NoCommittedRecordLost"):
        assert run["gone"] == [row.gone]


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row.page)
def test_the_brokers_of_the_newer_release_left_the_trace_where_the_row_says(row):
    newer = RUNS[row.page]["runs"][1:]
    left = [(run["kafka"], run["outcome"], run["steps"][-1]["step"]) for run in newer]
    assert left == ([(row.left_by, "differs", row.left_at)] if row.left_by else [])


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row.page)
def test_the_page_links_the_run(row):
    text = (DOCS / "real-brokers.md").read_text("utf-8")
    [line] = [one for one in text.splitlines() if f"](catalogue/{row.page}.md)" in one]
    assert f"](runs/{row.page}.json)" in line
