"""A text of a model that fails never costs the verdict: it is shown how it failed, and where."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MODEL = '''"""Two lamps, of which only one may be lit."""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    Event, Model, Participant, Record, Scene, View, array, enumeration, number,
)


class Odd(BaseException):
    """Neither an Exception nor one that Python knows."""


class Unprintable(ValueError):
    def __str__(self):
        raise ValueError("no text")


class Color(IntEnum):
    RED = 0
    GREEN = 1


def said(part, right):
    if part == "PART":
        SORT  # line 26
    return right


@dataclass(frozen=True)
class Bounds:
    lamps: int = number(2, 2, 3, "lamps", main=True)


class Lamp(Record):
    color: Color = enumeration(Color, "its color")

    @classmethod
    def shown(cls, lamp):
        return said("shown", lamp.color.name)


class State(Record):
    lamp: list[Lamp] = array(lambda k: k.lamps, Lamp, by="lamp")


def scene(s, k):
    lamps = (Participant(f"lamp {i}", s.lamp[i].color.name) for i in range(k.lamps))
    return said("scene", Scene(tuple(lamps)))


def event(action, arguments, before, after):
    return said("event", Event(f"lamp {arguments['lamp']}", "A lamp is lit."))


def legend(scenes):
    return said("legend", ("A lamp is red or green.",))


model = Model(
    Bounds, State, deadlock=False, participants={"lamp": lambda k: k.lamps}, VIEW
)


@model.action("lamp")
def light(s: State, k: Bounds, lamp: int) -> bool:
    """Light a lamp."""
    if s.lamp[lamp].color is Color.GREEN:
        return False
    s.lamp[lamp].color = Color.GREEN
    return True


def explain(s, k):
    return said("explain", "Both are lit.")


@model.invariant("At most one lamp is lit.", explain=explain)
def apart(s: State, k: Bounds) -> bool:
    return not (s.lamp[0].color is Color.GREEN and s.lamp[1].color is Color.GREEN)
'''

RAISED = {
    "raise ValueError('no')": "ValueError",
    "raise SystemExit(0)": "SystemExit",
    "raise GeneratorExit": "GeneratorExit",
    "raise Odd('odd')": "Odd",
    "raise Unprintable": "Unprintable",
    "raise KeyError(3)": "KeyError",
    "raise __import__('tidegate').TidegateError('no')": "TidegateError",
    "said(part, right)": "RecursionError",
    "right.nothing.more": "AttributeError",
}

RETURNED = ("None", "7", "object()", "b'text'", "[right, 3]", "{1: right}")

NAMES = {
    "explain": "explain() of property Apart",
    "shown": "shown()",
    "scene": "The view of lamps.py",
    "event": "The view of lamps.py",
    "legend": "The view of lamps.py",
}


@pytest.fixture
def lamps(tmp_path, monkeypatch):
    """Write a model one of whose texts fails, into the present directory."""
    monkeypatch.chdir(tmp_path)

    def write(part, sort):
        drawn = part in ("scene", "event", "legend")
        text = MODEL.replace("PART", part).replace("SORT", sort)
        text = text.replace("VIEW", "view=View(scene, event, legend)" if drawn else "")
        Path("lamps.py").write_text(text)

    return write


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(text):
    """Return text in one line, as it is without escapes and borders."""
    text = text.replace("<br/>", " ").replace("failed with\\n", "failed with ")
    return " ".join(re.sub(r"\\([^n])", r"\1", unescape(text)).replace("&#95;", "_").split())


def shows(text, part, how):
    """Check that a text says which part failed, how, and where."""
    # A report has what failed as the name of a variable, and how as its value.
    said = re.sub(r'shown\(\)"(, | :> )"', "shown() ", flat(text))
    assert f"{NAMES[part]} {how}" in said, text
    assert "lamps.py:" in flat(text)
    assert "Traceback" not in text


SORTS = [*RAISED, *(f"return {value}" for value in RETURNED)]

FAILING = [("explain", sort) for sort in SORTS] + [
    (part, sort)
    for part in NAMES
    if part != "explain"
    for sort in ("raise SystemExit(0)", "return object()", "return [right, 3]")
]
"""Each way to fail, and for each other text one of each kind."""


@pytest.mark.parametrize(("part", "sort"), FAILING)
def test_a_failing_text_costs_no_verdict(lamps, part, sort):
    lamps(part, sort)
    how = f"failed with {RAISED[sort]}" if sort in RAISED else "returned"
    result = run("check", "lamps.py", "--json", "report.json", "--html", "page.html")
    assert result.exit_code == 12, result.output
    assert "VIOLATED lamps.py, lamps=2: Apart is violated after 2 steps." in flat(result.output)
    assert "Light" in result.output
    report = json.loads(Path("report.json").read_text())
    assert report["outcome"] == "violated"
    assert report["trace"]["states"][2]["#meta"]["action"] == "Light"
    page = Path("page.html").read_text()
    if part == "shown" and sort == "return [right, 3]":
        return  # A report can hold these.
    if part == "legend" and sort == "return [right, 3]":
        how = "returned ('A lamp is red or green.',), where a text belongs"
    shows(page, part, how)
    if part == "explain":
        shows(result.output, part, how)
        shows(report["properties"][0]["explanation"], part, how)
    if part == "shown":
        shows(json.dumps(report["trace"]), part, how)
        assert '["color", "green"]' in json.dumps(report["trace"])


TRUSTED = ("--protocol", "lamps.py")

COMMANDS = {
    "check --full": (12, ["check", "lamps.py", "--full"]),
    "check --engine interpreted": (12, ["check", "lamps.py", "--engine", "interpreted", "--debug"]),
    "replay": (0, ["replay", "report.json", "--protocol", "lamps.py"]),
    "explain": (0, ["explain", "report.json", "--protocol", "lamps.py"]),
    "explain MODEL": (0, ["explain", "lamps.py"]),
    "simulate": (12, ["simulate", "lamps.py", "--walks", "9", "--jobs", "1"]),
    "graph --farthest": (0, ["graph", "lamps.py", "--farthest"]),
    "graph --graphml": (0, ["graph", "lamps.py", "--graphml", "-"]),
    "replay --markdown": (0, ["replay", "report.json", *TRUSTED, "--markdown", "-"]),
    "replay --mermaid": (0, ["replay", "report.json", *TRUSTED, "--mermaid", "-"]),
    "replay --itf": (0, ["replay", "report.json", *TRUSTED, "--itf", "-"]),
    "gate": (1, ["gate", "--config", "gate.toml", "--summary", "gate.md", "--json", "gate.json"]),
}

GATE = """
[[case]]
title = "that at most one lamp is lit, which is wrong"
protocols = ["lamps.py"]
bounds = ["lamps=2"]
holds = ["Apart"]
"""

SHOWN_BY = {
    "explain": [*COMMANDS, "checked"],
    "shown": ["check --full", "replay", "simulate", "graph --farthest", "replay --itf", "gate"],
    "scene": ["explain", "explain MODEL", "replay --markdown", "replay --mermaid"],
    "event": ["explain", "explain MODEL", "replay --markdown", "replay --mermaid"],
}
"""The commands that show a text; the others do without it."""

NEVER = {"graph --farthest", "graph --graphml", "replay --itf"}
"""The commands that show no explanation."""


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("part", SHOWN_BY)
def test_no_command_ends_with_a_failing_text(lamps, part, command):
    lamps(part, "raise ValueError('no')")
    assert run("check", "lamps.py", "--json", "report.json").exit_code == 12
    Path("gate.toml").write_text(GATE)
    status, arguments = COMMANDS[command]
    result = run(*arguments)
    assert result.exit_code == status, result.output
    written = "".join(path.read_text() for path in sorted(Path().glob("gate.*")))
    if command in SHOWN_BY[part] and not (part == "explain" and command in NEVER):
        shows(result.output + written, part, "failed with ValueError")
    else:
        assert "Traceback" not in result.output


@pytest.mark.parametrize("part", ["explain", "shown"])
def test_the_library_has_the_verdict_and_the_trace_with_the_failure(lamps, part):
    lamps(part, "raise ValueError('no')")
    checked = tidegate.check("lamps.py")
    assert checked.violated == ("Apart",)
    assert [step.action for step in checked.trace] == ["", "Light", "Light"]
    shows(str(checked), part, "failed with ValueError")


@pytest.mark.parametrize("part", ["explain", "shown", "event", "scene"])
def test_an_interrupt_that_a_text_raises_costs_no_verdict(lamps, part):
    lamps(part, "raise KeyboardInterrupt")
    result = run("check", "lamps.py", "--html", "page.html")
    assert result.exit_code == 12, result.output


PROPERTY = """
from tidegate import Property
from tidegate.model import acting_leader


def hidden(s, k):
    return (0, 0) if s.replica[0].hw > 0 else None


def places(s, k, broker, offset):
    WRONG


MINE = Property("Mine", "It stays 0.", "me", witness=hidden,
                explain=lambda s, k, broker, offset: f"at {broker}", places=places)
"""


@pytest.mark.parametrize("wrong", ["raise ValueError('no')", "return 3", "return (3,)"])
def test_failing_places_are_left_out(tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PROPERTY.replace("WRONG", wrong))
    result = run("check", "hw", "-b", "records=1", "-p", "mine.py:MINE", "--html", "page.html")
    assert result.exit_code == 12, result.output
    page = flat(Path("page.html").read_text())
    assert "places() of property mine.py:MINE" in page
    assert "mine.py:" in page


def test_a_text_that_breaks_the_state_does_not_break_what_is_shown_after_it(lamps):
    lamps("nothing", "pass")
    text = Path("lamps.py").read_text()
    Path("lamps.py").write_text(
        text.replace('    return said("explain"', "    s.lamp = ()\n    return said('x'")
    )
    result = run("check", "lamps.py", "--html", "page.html", "--json", "report.json")
    assert result.exit_code == 12, result.output
    assert "GREEN" in Path("report.json").read_text()
