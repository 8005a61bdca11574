"""A violation stays one where the same level fails, and where no initial state is inside."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main

MODEL = """
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    n: int = number(5, 1, 100, "n")


class State(Record):
    x: int = integer(0, 9, "x")
    y: int = integer(0, 50, "y")


def inside(s: State, k: Bounds) -> bool:
    return {inside}


model = Model(Bounds, State, constraint=inside, deadlock=False)


@model.initial
def start(s: State, k: Bounds):
    s.x, s.y = 0, 0
    yield
    s.x, s.y = 5, 0
    yield


@model.action("up")
def up(s: State, k: Bounds) -> bool:
    if s.y == 50:
        return False
    s.y += 1
    return True


@model.action("fail")
def fail(s: State, k: Bounds) -> bool:
    if s.y != 3 or s.x != {fails}:
        return False
    {error}
    return True


@model.invariant("low")
def low(s: State, k: Bounds) -> bool:
    return s.y < 4


@model.invariant("none starts here")
def elsewhere(s: State, k: Bounds) -> bool:
    return s.x != {forbidden}
"""


def checked(tmp_path, *options, **parts):
    """Return the exit status of a check, its output, and its report."""
    usual = {"inside": "True", "fails": 5, "error": "s.x = 0", "forbidden": 9}
    text = MODEL
    for name, part in {**usual, **parts}.items():
        text = text.replace("{" + name + "}", str(part))
    file, report = tmp_path / "own.py", tmp_path / "report.json"
    file.write_text(text)
    result = CliRunner().invoke(main, ["check", str(file), *options, "--json", str(report)])
    written = json.loads(report.read_text()) if report.exists() else {}
    return result.exit_code, " ".join(result.output.split()), written


ENGINES = ["auto", "interpreted", "compiled"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("more", [(), ("--continue",)])
@pytest.mark.parametrize("fails", [0, 5])
@pytest.mark.parametrize(
    "error", ["s.x = 10 // (s.y - 3)", "s.x += 99", "s.x = 1 // (s.x - s.x)", "s.y = 70"]
)
def test_an_error_of_the_model_in_the_same_level_loses_no_violation(
    tmp_path, engine, more, fails, error
):
    """Finding the trace takes the steps of that level again, and meets the error a second time."""
    status, output, report = checked(tmp_path, "--engine", engine, *more, fails=fails, error=error)
    assert status == 12, output
    [low, _] = report["properties"]
    assert (low["outcome"], low["steps"]) == ("violated", 4)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("more", [(), ("--continue",)])
def test_a_state_outside_the_constraint_is_judged_where_none_is_inside(tmp_path, engine, more):
    status, output, report = checked(
        tmp_path, "--engine", engine, *more, inside="s.y > 0", forbidden=5
    )
    assert status == 12, output
    assert [prop["outcome"] for prop in report["properties"]][1] == "violated"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_that_excludes_every_initial_state_is_refused(tmp_path, engine):
    status, output, report = checked(tmp_path, "--engine", engine, inside="s.y > 0")
    assert status == 70
    assert "no initial state of" in output
    assert "nothing is searched" in output
    assert not report


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_that_was_reached_does_not_outweigh_an_error_of_the_model(tmp_path, engine):
    """Nothing is violated, so that the error decides how the search ends."""
    file = tmp_path / "reached.py"
    text = MODEL.replace('@model.invariant("low")', '@model.sometimes("high")')
    for name, part in {
        "inside": "True", "fails": "5", "error": "s.x += 99", "forbidden": "9"
    }.items():  # fmt: skip
        text = text.replace("{" + name + "}", part)
    file.write_text(text)
    result = CliRunner().invoke(main, ["check", str(file), "--engine", engine])
    assert result.exit_code == 70, result.output
    assert "reached.py:44" in result.output
