"""Each initial state begins afresh, and a counterexample is told from the one that it begins in."""

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.core.errors import TidegateError
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

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


AFRESH = """
from dataclasses import dataclass
from tidegate import Model, Record, Seq, Set, array, integer, nested, number, sequence_of, set_of

@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 5, "most")

class Part(Record):
    x: int = integer(-1, 3, "x")
    q: Seq = sequence_of(integer(0, 3, "x"), 3, "numbers")

class State(Record):
    x: int = integer(-1, 3, "x")
    m: Set = set_of(4, "set")
    part: list[Part] = array(2, Part)

model = Model(Bounds, State, deadlock=False)

@model.initial
def begin(s, k):
    part, seen = s.part[1], 0
    for v in range(3):
        s.x = v
        s.m.add(v)
        part.q.append(v)
        seen += 1
        part.x = seen
        yield
    yield

@model.action("nobody")
def stay(s, k):
    return False
"""


def test_each_initial_state_begins_afresh(tmp_path):
    """Names for parts of the state and other local variables are kept."""
    file = tmp_path / "afresh.py"
    file.write_text(AFRESH, "utf-8")
    system = system_for(find_protocol(str(file)), [], [])
    empty = {"x": -1, "q": []}
    expected = [{"x": v, "m": {v}, "part": [empty, {"x": v + 1, "q": [v]}]} for v in range(3)] + [
        {"x": -1, "m": set(), "part": [empty, empty]}
    ]
    # Whoever reads them may load other states between.
    for other in (None, system.layout.dump()):
        found = []
        for state in system.initial_states():
            found.append(state)
            if other is not None:
                system.layout.load(found[0])
        assert [system.layout.describe(state) for state in found] == expected
    for engine in ("interpreted", "compiled"):
        assert tidegate.check(str(file), {}, ["TypeOk"], engine=engine).distinct_states == 4


@pytest.mark.parametrize("value", ["7", "'a'"])
def test_a_wrong_value_in_a_later_initial_state_is_an_error_at_its_line(tmp_path, value):
    file = tmp_path / "afresh.py"
    wrong = AFRESH.replace(
        "    yield\n\n@model.action", f"    s.x = {value}\n    yield\n\n@model.action"
    )
    assert wrong != AFRESH
    file.write_text(wrong, "utf-8")
    line = wrong[: wrong.index(f"s.x = {value}")].count("\n") + 1
    with pytest.raises(TidegateError, match=rf"afresh\.py:{line}\)"):
        tidegate.check(str(file), {}, ["TypeOk"])
