"""Errors of a model name the line to change, and the way that led to it."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from tidegate.cli import main

HEAD = """\
from dataclasses import dataclass
from functools import cached_property

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 100, "the most", main=True)


class Base(Record):
    low: int = integer(0, 10, "a number")

    def is_low(self) -> bool:
        return self.low < 3


"""

TAIL = """

model = Model(Bounds, State)


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    if s.low == k.most:
        return False
    s.low += 1
    return True
"""


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def said(tmp_path, monkeypatch):
    """Return what `check` says of a model with this state, line by line."""
    monkeypatch.chdir(tmp_path)

    def say(state, tail=TAIL, *options):
        (tmp_path / "own.py").write_text(HEAD + state + tail)
        done = run("check", "own.py", *options)
        return (done.stderr or done.output).splitlines()

    return say


STATES = {
    "a cached property": (
        "class State(Base):\n    @cached_property\n    def high(self) -> int:\n        return 1\n",
        ("own.py:21: State.high is a cached property", "write @property"),
    ),
    "a range of too many bits": (
        "class State(Base):\n    one: int = integer(0, 1, 'one')\n"
        "    huge: int = integer(0, 2**70, 'huge')\n",
        ("own.py:21: huge: 0..1180591620717411303424", "takes more than 64 bits"),
    ),
    "a range of nothing": (
        "class State(Base):\n    none: int = integer(3, lambda k: k.most - 3, 'none')\n",
        ("own.py:20: none: its range 3..1 is empty",),
    ),
}


@pytest.mark.parametrize("what", STATES)
def test_a_state_that_cannot_be_laid_out_is_refused_at_its_line(said, what):
    state, parts = STATES[what]
    [line] = said(state)
    assert all(part in line for part in parts), line


def test_super_in_a_record_is_refused_with_what_works(said):
    state = """\
class State(Base):
    high: int = integer(0, 10, "another")

    def is_low(self) -> bool:
        return {} and self.high < 3
"""
    check = """

@model.invariant("It is low.")
def low(s: State, k: Bounds) -> bool:
    return s.is_low()
"""
    [line] = said(state.format("super().is_low()"), TAIL + check)
    what = "super() is not in the language of models; name the class: Base.method(self)"
    assert line == f"Error: own.py:23: {what}"
    assert "Low is violated after 3 steps" in " ".join(
        said(state.format("Base.is_low(self)"), TAIL + check)
    )


def test_an_exception_names_all_functions_that_led_to_it(said):
    state = "class State(Base):\n    pass\n"
    tail = """

TABLE = (0, 1)


def deeper(number: int) -> int:
    return TABLE[number]


def deep(number: int) -> int:
    return deeper(number + 1)


model = Model(Bounds, State)


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    s.low = deep(s.low)
    return True
"""
    lines = said(state, tail)
    assert lines[0].startswith("Error: own.py:27: Step() failed with IndexError")
    assert lines[1:] == ["  called by deep(), own.py:31", "  called by step(), own.py:39"]


def test_a_variable_that_a_record_lacks_is_found_before_the_search(said):
    tail = """

def read(s: State) -> int:
    return s.lowest


model = Model(Bounds, State)


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    return max(0, *[read(s) for _ in (1, 2)]) > 0
"""
    assert said("class State(Base):\n    pass\n", tail) == [
        "Error: own.py:24: State has no 'lowest'; did you mean low?"
    ]


def test_what_fails_while_a_file_is_loaded_names_the_lines_that_led_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tables.py").write_text(
        "def made(size):\n    return [1 // n for n in range(size)]\n\n\n"
        "def table():\n    return made(3)\n"
    )
    (tmp_path / "own.py").write_text("from tables import table\n\nTABLE = table()\n")
    lines = run("check", "own.py").output.splitlines()
    assert "ZeroDivisionError" in lines[0]
    assert "tables.py:2" in lines[0]
    assert lines[-2:] == ["  called by table(), tables.py:6", "  from own.py:3"]


def test_a_deep_recursion_is_shown_by_its_ends(said):
    tail = """

def sink(number: int) -> int:
    return sink(number + 1) if number < 40 else 1 // (number - 40)


model = Model(Bounds, State)


@model.initial
def begin(s: State, k: Bounds):
    s.low = sink(0)
    yield


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    return False
"""
    lines = said("class State(Base):\n    pass\n", tail, "--engine", "interpreted")
    assert "ZeroDivisionError" in lines[0]
    assert len(lines) == 9
    assert lines[-2:] == ["  ... 34 more", "  called by begin(), own.py:32"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x = 1\ndef f(:\n    pass\n", ["  def f(:", "        ^"]),
        ("if True:\n        y = (1 +\n", ["  y = (1 +", "      ^"]),
    ],
)
def test_a_syntax_error_shows_the_line_and_where(tmp_path, monkeypatch, source, shown):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(source)
    lines = run("check", "own.py").output.splitlines()
    assert lines[0].startswith("Error: own.py cannot be imported: SyntaxError")
    assert lines[1:] == shown


def test_a_member_that_an_enumeration_lacks_is_named_with_those_that_it_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("import tidegate\n\nx = tidegate.Fairness.FIERCE\n")
    output = " ".join(run("check", "own.py").output.split())
    assert "Fairness has no FIERCE; it has NONE, WEAK, STRONG (own.py:3)" in output


NAMES = {
    "x:y.py": 0,
    "x:y.py:model": 0,
    "a:b/own.py:model": 0,
    "own:model": 0,
    "x:y.py:other": 2,
    "C:\\dir\\own.py": 2,
    "own:nothing": 2,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_colon_in_the_name_of_a_file_splits_nothing(tmp_path, name):
    """In a process of its own: a module is imported once."""
    (tmp_path / "a:b").mkdir()
    for place in ("x:y.py", "a:b/own.py", "own.py"):
        (tmp_path / place).write_text(HEAD + "class State(Base):\n    pass\n" + TAIL)
    command = [sys.executable, "-m", "tidegate", "check", name, "-q", "-p", "TypeOk"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == NAMES[name], done.stderr
    if "\\" in name:
        assert done.stderr.startswith("Error: C:\\dir\\own.py: cannot be read")


def test_a_property_is_named_after_the_last_colon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p:q.py").write_text(
        "from tidegate import Property\n"
        'MINE = Property("Mine", "Few.", "me", lambda s, k: s.written < 1)\n'
    )
    result = run("check", "hw", "-b", "records=1", "-p", "p:q.py:MINE", "-q")
    assert result.exit_code == 12, result.output
    assert "p:q.py:MINE is violated after" in " ".join(result.output.split())


def test_clearing_a_cache_that_is_a_link_says_what_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache" / "tidegate").mkdir(parents=True)
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "kept" / "file").write_text("12345")
    link = tmp_path / "cache" / "tidegate" / "compiled"
    link.symlink_to(tmp_path / "kept")
    first = run("cache", "--clear").output.splitlines()[0]
    stays = f"5 bytes in {tmp_path / 'kept'}"
    assert first == f"removed {link}, a link; what it led to stays: {stays}"
    assert (tmp_path / "kept" / "file").exists()
    assert not link.exists()
