"""A counterexample is told from the initial state in which it begins, where there are several."""

import pytest
from click.testing import CliRunner

from tidegate.cli import main

LAMP = '''"""A lamp that is off or on at first."""

from collections.abc import Iterator
from dataclasses import dataclass

from tidegate import Model, Record, boolean, number


@dataclass(frozen=True)
class Bounds:
    lamps: int = number(1, 1, 1, "lamps")


class State(Record):
    on: bool = boolean("whether it is on")
    broken: bool = boolean("whether it is broken")


model = Model(Bounds, State, deadlock=False)


@model.initial
def off_or_on(s: State, k: Bounds) -> Iterator[None]:
    for on in (False, True):
        s.on = on
        yield


@model.action("lamp")
def burn_out(s: State, k: Bounds) -> bool:
    """The lamp burns out."""
    if not s.on:
        return False
    s.on = False
    s.broken = True
    return True


@model.invariant("The lamp is not broken.")
def works(s: State, k: Bounds) -> bool:
    return not s.broken
'''

GATE = "[[case]]\nprotocols = 'lamp.py'\nholds = 'Works'\n"


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(autouse=True)
def lamp(tmp_path, monkeypatch):
    """Put the file of a model into the present directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.py").write_text(LAMP)
    return tmp_path


def test_a_page_tells_it_from_there(lamp):
    result = run("check", "lamp.py", "--html", "page.html")
    assert "Error" not in result.output
    assert "The lamp burns out" in (lamp / "page.html").read_text()


def test_an_explanation_tells_it_from_there():
    result = run("explain", "lamp.py")
    assert "1. The lamp burns out." in result.output


def test_it_is_replayed_from_there():
    run("check", "lamp.py", "--json", "report.json")
    result = run("replay", "report.json", "--trust")
    assert "1 step taken; Works is violated at the end, as recorded." in result.output


def test_the_gate_tells_it_from_there(lamp):
    (lamp / "tidegate.toml").write_text(GATE)
    result = run("gate", "--summary", "summary.md")
    assert result.exit_code == 1, result.output
    assert "The lamp burns out" in (lamp / "summary.md").read_text()
