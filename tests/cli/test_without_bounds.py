"""A model without bounds: its reports name none."""

import pytest
from click.testing import CliRunner

from tidegate.cli import main

WALK = """\
from dataclasses import dataclass
from tidegate import Model, Record, integer


@dataclass(frozen=True)
class Bounds:
    pass


class State(Record):
    bank: int = integer(0, 3, "where the traveller is")


model = Model(Bounds, State, deadlock=False)


@model.action("traveller")
def walk(s, k):
    "The traveller walks on."
    if s.bank == 3:
        return False
    s.bank += 1
    return True


@model.invariant("Nobody is beyond the river.")
def near(s, k):
    return s.bank < LIMIT
"""


@pytest.fixture
def walk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(limit):
        (tmp_path / "walk.py").write_text(WALK.replace("LIMIT", str(limit)), "utf-8")

    return write


@pytest.mark.parametrize(
    ("command", "limit", "said"),
    [
        (["check"], 4, "HOLDS walk.py: every state satisfies Near."),
        (["check"], 2, "VIOLATED walk.py: Near is violated after 2 steps."),
        (["check", "--max-states", "2"], 4, "INCOMPLETE walk.py: "),
        (["explain"], 4, "walk.py: nothing is violated, so there is nothing to explain"),
        (["explain"], 2, "What it needs\n"),
        (["graph"], 4, "walk.py"),
    ],
)
def test_reports_name_no_bounds(walk, command, limit, said):
    walk(limit)
    [name, *options] = command
    output = CliRunner().invoke(main, [name, "walk.py", *options]).output
    assert said in output
    assert "walk.py, :" not in output
    assert "ithin ." not in output
