"""What `diff` says of two models in files: functions, tables and methods that differ."""

import pytest
from click.testing import CliRunner

from tidegate.cli import main

MODEL = """\
from dataclasses import dataclass
from functools import partial
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 5, "n")

class Part(Record):
    v: int = integer(0, 9, "v")

    def bump(self, by):
        self.v = (self.v + by) % 4

    @property
    def big(self):
        return self.v > 2

class State(Record):
    x: int = integer(0, 9, "x")
    part: Part = nested(Part)

def following(x):
    return (x + 1) % 3

TABLE = {0: [1, 2], 1: [0], 2: {4}}
before = lambda x: max(x - 1, 0)
STEPS = {0: lambda x: 1, 1: before}
raised = partial(max, 2)
model = Model(Bounds, State, deadlock=False)

@model.action("env")
def step(s: State, k: Bounds) -> bool:
    if s.part.big:
        return False
    s.x = STEPS[s.x % 2](s.x) + TABLE[0][0]
    s.part.bump(1)
    return True

@model.action("env")
def other(s: State, k: Bounds) -> bool:
    s.x = raised(following(s.x))
    return True

@model.invariant("It is small.")
def fine(s: State, k: Bounds) -> bool:
    return s.x < 9
"""

CHANGES = {
    ("% 3", "% 2"): "following, which Other uses, differs:",
    ("% 4", "% 3"): "Part.bump, which Step uses, differs:",
    ("self.v > 2", "self.v > 1"): "Part.big, which Step uses, differs:",
    ("0: [1, 2]", "0: [2, 2]"): "TABLE was {0: [1, 2], 1: [0], 2: {4}} and is {0: [2, 2], 1:",
    ("{4}", "{5}"): "TABLE was",
    ("x: 1,", "x: 2,"): "STEPS was {0: lambda x: 1, 1: lambda x: max(x - 1, 0)} and is",
    ("x - 1", "x - 2"): "STEPS was",
    ("partial(max, 2)", "partial(max, 1)"): "raised was partial(",
}


def compared(tmp_path, old, new):
    """Return what `diff` says of two files with these texts."""
    for name, text in (("old.py", old), ("new.py", new)):
        (tmp_path / name).write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["diff", str(tmp_path / "old.py"), str(tmp_path / "new.py")])
    assert result.exit_code in (0, 12), result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("change", CHANGES)
def test_what_differs_is_told_whatever_the_files_are_called(tmp_path, change):
    said = compared(tmp_path, MODEL, MODEL.replace(*change))
    assert CHANGES[change] in said
    assert "line by line" not in said


def test_what_differs_in_a_comment_alone_is_the_same(tmp_path):
    said = compared(
        tmp_path, MODEL, MODEL.replace("def following", "# The next one.\ndef following")
    )
    assert "The rules and the actions are the same, line by line." in said
