"""An index that is NONE, or computed and negative, is an error at its line."""

import linecache

import pytest

import tidegate
from tidegate import Record, Seq, array, integer, sequence_of
from tidegate.core.errors import ModelError
from tidegate.core.layout import Layout

BEGIN = """
from dataclasses import dataclass
from tidegate import *
@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 8, "nodes")
class Part(Record):
    x: int = integer(0, 3, "a number")
    row: list[bool] = array(2, boolean("a truth value"))
class State(Record):
    log: list[int] = array(3, integer(0, 3, "a number"))
    part: list[Part] = array(2, Part)
    queue: Seq = sequence_of(integer(0, 3, "a number"), 3, "numbers that wait")
    parts: Seq[Part] = sequence_of(Part, 2, "parts that wait")
    leader: int = optional(2, "who leads")
    x: int = integer(0, 3, "a number")
model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
@model.action("node")
def fill(s: State, k: Bounds) -> bool:
    if len(s.queue) > 1:
        return False
    s.queue.append(len(s.queue) + 1)
    s.log[len(s.queue)] = 2
    return True
@model.action("node")
def act(s: State, k: Bounds) -> bool:
    if len(s.queue) < 2 or s.x:
        return False
"""
LINE = BEGIN.count("\n") + 1

WRONG = {
    "an array that is written": ("s.log[s.leader] += 1", "s.leader is -1, of 3 elements"),
    "an array of records": ("s.x = s.part[s.leader].x", "s.leader is -1, of 2 elements"),
    "an array of truth values": ("s.part[0].row[s.x - 1] = True", "s.x - 1 is -1, of 2"),
    "a sequence that is read": ("s.x = s.queue[NONE]", "NONE is -1, of 2 elements"),
    "a sequence that is written": ("s.queue[s.x - 2] = 1", "s.x - 2 is -2, of 2 elements"),
    "an element that is deleted": ("del s.queue[s.leader]", "s.leader is -1, of 2 elements"),
    "the bound of a slice": ("s.x = len(s.queue[:s.leader])", "s.leader is -1, as a bound"),
}
ENGINES = {
    "interpreted": {"engine": "interpreted"},
    "debug": {"engine": "interpreted", "debug": True},
    "compiled": {"engine": "compiled"},
}


def _checked(tmp_path, body, **options):
    model = tmp_path / "model.py"
    model.write_text(f"{BEGIN}    {body}\n    return True\n")
    linecache.checkcache()
    return tidegate.check(str(model), {}, ["TypeOk"], **options)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", WRONG)
def test_a_negative_index_that_was_computed_is_an_error_at_its_line(case, engine, tmp_path):
    body, said = WRONG[case]
    with pytest.raises(ModelError, match="Python would count from the end") as raised:
        _checked(tmp_path, body, **ENGINES[engine])
    assert f"the index {said}" in str(raised.value)
    assert raised.value.place == (str(tmp_path / "model.py"), LINE)


WRITTEN = """\
s.x = s.log[-1] + s.part[-2].x + s.queue[-1]
    s.log[-1] += 1
    s.part[-1].row[-2] = True
    s.queue[-1] += 1
    s.queue.append(s.queue[-2])
    if s.queue[-2:] == s.queue[1:] and len(s.queue[:-1]) == 2 and len(s.queue[-9:]) == 3:
        del s.queue[-2]
    s.x = 3 if s.queue[0] == 1 and s.queue[1] == 1 and s.log[2] == 3 else 0"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_negative_index_that_is_written_counts_from_the_end(engine, tmp_path):
    checked = _checked(tmp_path, WRITTEN, **ENGINES[engine])
    assert checked.holds
    assert checked.distinct_states == 4


def test_a_written_index_is_known_where_the_source_is_not():
    s = Layout(type("State", (Record,), {"row": array(2, integer(0, 3, "a number"))}), None).record
    exec("s.row[-1] = 2; x = s.row[-1]", {"s": s})
    assert s.row == [0, 2]
    for text in ("s.row[x]", "s.row[1 if not x else -1]"):
        with pytest.raises(ModelError, match="an index is -1"):
            exec(text, {"s": s, "x": -1})


def test_before_the_first_element_there_is_none(tmp_path):
    for body in ("s.x = s.queue[-3]", "s.log[-4] = 1"):
        with pytest.raises(ModelError, match=r"no element has the index -\d; there"):
            _checked(tmp_path, body, engine="compiled")


def test_a_value_that_was_read_has_arrays_that_look_at_their_index():
    class Entry(Record):
        row: list[int] = array(2, integer(0, 3, "a number"))

    class State(Record):
        log: Seq[Entry] = sequence_of(Entry, 2, "entries")

    log = Layout(State, None).record.log
    log.length = 1
    log.items[0].row[:] = [1, 2]
    where = 0 - 1
    for row in (log[0].row, log.pop().row):
        assert row[-1] == 2
        with pytest.raises(ModelError, match="the index where is -1"):
            row[where]
