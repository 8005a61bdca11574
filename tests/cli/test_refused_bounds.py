"""Bounds that the model does not allow, TLC's ASSUME, are a wrong usage in every command."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MAJORITY = '''"""A value that a majority writes."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    servers: int = number(DEFAULT, 0, 5, "servers")
    majority: int = number(2, 1, 5, "how many have to write")

    def __post_init__(self) -> None:
        ASSUMED


class State(Record):
    written: int = integer(0, 5, "servers that have written")


model = Model(Bounds, State, deadlock=False)


@model.action("server")
def write(s: State, k: Bounds) -> bool:
    if s.written == k.servers:
        return False
    s.written += 1
    return True


@model.invariant("Fewer than a majority have written.")
def few(s: State, k: Bounds) -> bool:
    return s.written < k.majority
'''

VALUE_ERROR = """if 2 * self.majority <= self.servers:
            raise ValueError(f"two majorities of {self.majority} need not meet")"""

ASSUMED = {
    "ValueError": (
        VALUE_ERROR,
        "are not allowed: two majorities of 2 need not meet (majority.py:15)",
    ),
    "a text": (
        "assert 2 * self.majority > self.servers, 'two majorities need not meet'",
        "are not allowed: two majorities need not meet (majority.py:14)",
    ),
    "no text": (
        "assert 2 * self.majority > self.servers  # so that two of them meet",
        "are not allowed: assert 2 * self.majority > self.servers fails (majority.py:14)",
    ),
    "in a call": (
        "self.meet()\n\n    def meet(self):\n"
        "        assert 2 * self.majority > self.servers, 'too few'",
        "are not allowed: too few (majority.py:17) called by __post_init__(), majority.py:14",
    ),
    "of Python": (
        "[3, 2, 1].index(self.servers)",
        "are not allowed: 4 is not in list (majority.py:14)",
    ),
}
"""Assumptions that servers=4 breaks, and what is said then."""

WRONG = ["-b", "servers=4"]
COMMANDS = {
    "check": ["check", "majority.py", *WRONG],
    "check --engine compiled": ["check", "majority.py", *WRONG, "--engine", "compiled"],
    "explain": ["explain", "majority.py", *WRONG],
    "diff": ["diff", "free.py", "majority.py", *WRONG],
    "simulate": ["simulate", "majority.py", *WRONG, "--jobs", "1"],
    "explore": ["explore", "majority.py", *WRONG],
    "graph": ["graph", "majority.py", *WRONG],
    "mutate": ["mutate", "majority.py", "--within", "servers=4"],
    "bounds": ["bounds", "majority.py", *WRONG, "--max", "majority=2"],
    "replay": ["replay", "trace.json", "--protocol", "majority.py"],
    "check --resume": ["check", "--resume", "run", "--trust"],
    "gate": ["gate"],
}

GATE = """
[[case]]
protocols = "majority.py"
bounds = "servers=4"
violates = "Few"
"""


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def written(assumed="pass", name="majority.py", default=3):
    """Write a model whose bounds assume something."""
    text = MAJORITY.replace("ASSUMED", assumed).replace("DEFAULT", str(default))
    return Path(name).write_text(text, "utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("assumed", "said"), ASSUMED.values(), ids=ASSUMED)
def test_a_broken_assumption_is_said_with_the_bounds_its_text_and_its_line(assumed, said):
    written(assumed)
    result = run("check", "majority.py", *WRONG)
    assert (result.exit_code, flat(result)) == (
        2,
        f"Error: the bounds servers=4, majority=2 {said}",
    )
    assert run("check", "majority.py").exit_code == 12


@pytest.fixture
def kept():
    """Keep a trace and a checkpoint of bounds that the model allows until it is changed."""
    written(name="free.py")
    written()
    assert run("check", "majority.py", *WRONG, "--json", "trace.json").exit_code == 12
    how = [*WRONG, "--engine", "compiled", "--checkpoint", "run", "--max-states", "2"]
    assert run("check", "majority.py", *how).exit_code == 3
    Path("tidegate.toml").write_text(GATE, "utf-8")


@pytest.mark.usefixtures("kept")
def test_every_command_refuses_bounds_that_the_model_does_not_allow():
    assumed, said = ASSUMED["no text"]
    written(assumed)
    for command, arguments in COMMANDS.items():
        result = run(*arguments)
        assert result.exit_code == 2, (command, flat(result))
        assert f"the bounds servers=4, majority=2 {said}" in flat(result), command


@pytest.mark.usefixtures("kept")
def test_another_error_there_is_one_of_the_file_in_every_command():
    written("1 // (4 - self.servers)")
    said = "fails with ZeroDivisionError: integer division or modulo by zero (majority.py:14)"
    for command, arguments in COMMANDS.items():
        result = run(*arguments)
        assert result.exit_code == 2, (command, flat(result))
        assert f"making the bounds servers=4, majority=2 {said}" in flat(result), command


@pytest.mark.parametrize("error", ["{}[self.servers]", "self.clients", "raise SystemExit(0)"])
def test_whatever_is_raised_there_has_its_line(error):
    written(f"if self.servers == 4:\n            {error}")
    result = run("check", "majority.py", *WRONG)
    assert result.exit_code == 2, flat(result)
    said = r"Error: making the bounds servers=4, majority=2 fails with \w+: .* \(majority.py:15\)"
    assert re.fullmatch(said, flat(result)), flat(result)


def test_an_error_there_is_not_skipped_as_if_the_model_refused_the_bounds():
    written("1 // (4 - self.servers)")
    result = run("bounds", "majority.py", "--max", "servers=4", "-p", "TypeOk")
    assert result.exit_code == 2, flat(result)
    assert "making the bounds servers=4, majority=2 fails with ZeroDivisionError" in flat(result)


def test_the_gate_says_the_line_of_its_file_too():
    written(ASSUMED["a text"][0])
    Path("tidegate.toml").write_text(GATE, "utf-8")
    text = "tidegate.toml:4: majority.py: the bounds servers=4, majority=2 are not allowed"
    assert text in flat(run("gate"))


def test_defaults_that_the_model_does_not_allow_need_others():
    written(ASSUMED["a text"][0], default=4)
    said = (
        "Error: the default bounds servers=4, majority=2 are not allowed: two majorities need not"
    )
    for command in (["check"], ["explain"], ["simulate", "--jobs", "1"], ["mutate"]):
        result = run(command[0], "majority.py", *command[1:])
        assert (result.exit_code, said in flat(result)) == (2, True), flat(result)
    assert run("check", "majority.py", "-b", "majority=3").exit_code == 12
    assert run("show", "majority.py").exit_code == 0
    assert run("list", "bounds", "majority.py").exit_code == 0


def test_the_search_for_minimal_bounds_skips_those_that_the_model_does_not_allow():
    """Smaller ones would violate the property: two servers with a majority of one, in one step."""
    written(VALUE_ERROR + "\n        assert self.servers >= 2")
    result = run(
        "bounds", "majority.py", "--max", "servers=4", "--max", "majority=3", "--json", "-"
    )
    [found] = json.loads(result.stdout)["properties"]
    assert result.exit_code == 0
    assert found["smallest"] == [{"bounds": {"servers": 2, "majority": 2}, "steps": 2}]


@pytest.mark.parametrize("default", [3, 4])
def test_what_is_varied_need_not_be_allowed_at_its_default(default):
    written(VALUE_ERROR, default=default)
    result = run("bounds", "majority.py", "-b", "servers=5", "--max", "majority=4")
    assert result.exit_code == 0, flat(result)
    assert "servers=5: Few, violated from majority=3: 3 steps" in flat(result)


def test_the_library_raises_what_its_page_says():
    written(ASSUMED["a text"][0])
    with pytest.raises(tidegate.BoundsError, match="two majorities need not meet") as refused:
        tidegate.check("majority.py", {"servers": 4})
    assert str(refused.value).endswith("(majority.py:14)")
    with pytest.raises(tidegate.BoundsError, match="servers=4, majority=2 are not allowed"):
        tidegate.simulate("majority.py", {"servers": 4})


def test_a_test_that_asks_for_them_fails_with_the_same_text():
    """With the plugin, which pytest loads where Tidegate is installed."""
    written(ASSUMED["a text"][0])
    Path("test_majority.py").write_text(
        "from majority import model\n\n\ndef test_four():\n    model.state(servers=4)\n", "utf-8"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_majority.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "BoundsError: the bounds servers=4, majority=2 are not allowed" in done.stdout


def test_variants_make_their_bounds_again_and_are_refused_alike():
    """The rules of a variant are a field of the bounds, so these are made twice."""
    text = MAJORITY.replace("DEFAULT", "3").replace(
        "ASSUMED", "assert self.rules.most >= self.servers, 'no rule for so many'"
    )
    text = text.replace(
        "@dataclass(frozen=True)\nclass Bounds:",
        "@dataclass(frozen=True)\nclass Rules:\n    most: int = 9\n\n\n"
        "@dataclass(frozen=True)\nclass Bounds:\n    rules: Rules = Rules()",
    )
    text += "\n\n@model.variant('Fewer.')\ndef fewer(rules):\n    return Rules(3)\n"
    Path("variants.py").write_text(text, "utf-8")
    assert run("check", "variants.py:fewer").exit_code == 12
    result = run("check", "variants.py:fewer", *WRONG)
    assert result.exit_code == 2, flat(result)
    assert "servers=4, majority=2 are not allowed: no rule for so many (variants.py:" in flat(
        result
    )
