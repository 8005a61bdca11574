"""Where a member or a truth value is read, and what else an engine knows of it."""

import re
from enum import IntEnum
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.core.layout import Layout

LIBRARY = (Path(__file__).parents[2] / "docs" / "library.md").read_text("utf-8")

HEAD = """
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, array, boolean, enumeration, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(1, 1, 2, "not used", main=True)


"""

COLOR = """class Color(IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 2


"""

TURN = '''
@model.action("someone", light=lambda k: range(2))
def turn(s: State, k: Bounds, light: int) -> bool:
    """Turn a light green."""
    if s.light[light] is Color.GREEN:
        return False
    s.light[light] = Color.GREEN
    return True
'''


class Color(IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 2


class Message(tidegate.Record):
    color: Color = tidegate.enumeration(Color, "a color")
    urgent: bool = tidegate.boolean("whether it is urgent")


class State(tidegate.Record):
    light: list = tidegate.array(3, tidegate.enumeration(Color, "a light"))
    on: bool = tidegate.boolean("whether it is on")
    last: Message = tidegate.nested(Message)
    inbox: tidegate.Seq = tidegate.sequence_of(Message, 2, "messages")
    count: int = tidegate.integer(0, 1000, "makes a stored state wider than bytes")


@pytest.fixture
def record():
    return Layout(State, None).record


@pytest.fixture
def check(tmp_path):
    """Write a model into a file, and search it with an engine."""

    def checked(text, engine="interpreted", **options):
        file = tmp_path / "lights.py"
        file.write_text(HEAD + text)
        return tidegate.check(str(file), engine=engine, **options)

    return checked


def test_a_number_that_is_written_reads_as_the_member_at_once(record):
    record.light[0], record.on, record.last.color = 1, 1, True
    assert record.light[0] is Color.GREEN
    assert record.on is True
    assert record.last.color is Color.GREEN
    record.light[1:] = [2, Color.GREEN]
    assert record.light[1] is Color.BLUE
    record.light[2] += 1
    assert record.light[2] is Color.BLUE
    assert all(type(light) is Color for light in record.light)


def test_a_record_made_by_name_reads_like_one_of_the_state(record):
    made = Message(color=1, urgent=0)
    assert (made.color, made.urgent) == (Color.GREEN, False)
    assert type(made.color) is Color
    made.urgent = 1
    assert made.urgent is True
    record.inbox.append(made)
    record.last.assign(made)
    assert record.inbox[0].color is Color.GREEN
    assert record.last.urgent is True
    taken = record.inbox.popleft()
    taken.color = 2
    assert taken.color is Color.BLUE


def test_a_state_that_is_loaded_reads_as_it_was_written():
    layout = Layout(State, None)
    record = layout.record
    record.light[:] = [2, 1, 0]
    record.on = True
    state = layout.dump()
    layout.reset()
    assert record.on is False
    layout.load(state)
    assert [light.name for light in record.light] == ["BLUE", "GREEN", "RED"]
    assert record.on is True
    assert layout.unpack(layout.pack(state)) == state


@pytest.mark.parametrize("wrong", [3, -1, 7, 1.0, None, "red"])
def test_what_no_member_has_stays_out_of_range(record, wrong):
    record.light[0] = record.last.color = wrong
    assert record.light[0] is wrong
    assert record.last.color is wrong


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_the_example_of_the_page_is_violated(check, engine):
    [block] = [b for b in re.findall(r"```python\n(.*?)```", LIBRARY, re.S) if "def apart" in b]
    before, _, after = block.partition("@model.invariant")
    model = "\n\nmodel = Model(Bounds, State)\n" + TURN
    found = check(f"{before}{model}\n\n@model.invariant{after}", engine)
    assert found.violated == ("Apart",)
    assert len(found.trace) == 3


ARGUMENTS = (
    COLOR
    + '''class State(Record):
    color: Color = enumeration(Color, "a color")
    on: bool = boolean("whether it is on")


model = Model(Bounds, State, deadlock=False)


@model.action("someone", color=lambda k: Color, on=lambda k: (False, True))
def choose(s: State, k: Bounds, color: Color, on: bool) -> bool:
    """Choose."""
    if color is Color.RED or on is s.on:
        return False
    s.color = color
    s.on = on
    return True


def color_of(s: State) -> Color:
    return s.color


@model.invariant("Never blue and on.")
def dark(s: State, k: Bounds) -> bool:
    return color_of(s) is not Color.BLUE or s.on is False
'''
)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_action_receives_members_and_a_trace_of_them_is_replayed(tmp_path, monkeypatch, engine):
    monkeypatch.chdir(tmp_path)
    Path("lights.py").write_text(HEAD + ARGUMENTS)
    run = lambda *arguments: CliRunner().invoke(main, arguments)  # noqa: E731
    result = run("check", "lights.py", "--engine", engine, "--json", "report.json")
    assert result.exit_code == 12, result.output
    result = run("replay", "report.json", "--protocol", "lights.py")
    assert "as recorded" in result.output, result.output
    assert result.exit_code == 0


UNDECLARED = (
    COLOR
    + '''class State(Record):
    count: int = integer(0, 2, "a number")
    light: Color = enumeration(Color, "a light")


model = Model(Bounds, State, deadlock=False)


@model.action("someone")
def write(s: State, k: Bounds) -> bool:
    """Write a truth value, or a member, where a number is declared."""
    if s.count:
        return False
    s.count = WRITTEN
    return True


@model.invariant("It is a plain number.")
def plain(s: State, k: Bounds) -> bool:
    return not isinstance(s.count, (bool, Color))
'''
)


@pytest.mark.parametrize("written", ["s.light == 0", "Color.GREEN", "True"])
@pytest.mark.parametrize("debug", [False, True])
def test_a_whole_number_is_judged_as_a_replay_reads_it(check, written, debug):
    assert check(UNDECLARED.replace("WRITTEN", written), debug=debug).holds


@pytest.mark.parametrize(
    ("operation", "meaning"),
    [("__lt__", "False"), ("__eq__", "True"), ("__bool__", "True"), ("__add__", "0")],
)
def test_an_enumeration_with_arithmetic_of_its_own_is_not_translated(check, operation, meaning):
    own = f"    def {operation}(self, *other):\n        return {meaning}\n\n    __hash__ = None\n"
    own = own if operation == "__eq__" else own.partition("\n\n")[0] + "\n"
    text = COLOR.rstrip() + f"\n\n{own.replace('__hash__ = None', '__hash__ = int.__hash__')}\n\n"
    text += ARGUMENTS.removeprefix(COLOR)
    with pytest.raises(tidegate.TidegateError, match="overrides arithmetic"):
        check(text, "compiled")


def test_a_translation_is_not_reused_for_another_enumeration(check):
    twice = COLOR + COLOR.replace("Color", "Shade") + ARGUMENTS.removeprefix(COLOR)
    assert check(twice, "compiled").violated == ("Dark",)
    other = twice.replace("is not Color.BLUE", "is not Shade.BLUE")
    # A member of another enumeration is never the same object: that is not meant.
    for engine in ("compiled", "interpreted"):
        with pytest.raises(
            tidegate.TidegateError, match="compares by object members of two enumerations"
        ):
            check(other, engine)
