"""An array equals a list of equal elements, whatever its elements are, in every engine."""

import pytest

from tidegate import TidegateError, check

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    pass

class P(Record):
    x: int = integer(0, 1, "x")
    q: Seq[int] = sequence_of(2, 1, "q")

class State(Record):
    m: list[list[int]] = array(2, array(2, integer(0, 1, "matrix")))
    row: list[int] = array(2, integer(0, 1, "row"))
    sets = array(2, set_of(2, "sets"))
    queues = array(2, sequence_of(2, 2, "queues"))
    ps: list[P] = array(2, P)

UNIT = [[1, 0], [0, 1]]
model = Model(Bounds, State, deadlock=False)

@model.action("env", i=lambda k: range(2))
def go(s: State, k: Bounds, i: int) -> bool:
    s.m[i][i] = 1
    s.row[i] = 1
    s.sets[i].add(i)
    if len(s.queues[i]) < 2:
        s.queues[i].append(1)
    s.ps[i].x = 1
    return True

@model.invariant("It does not hold.")
def differs(s: State, k: Bounds) -> bool:
    return """

REACHED = {
    "s.m == [[1, 0], [0, 1]]": 2,
    "s.m == UNIT": 2,
    "[[1, 0], [0, 0]] == s.m": 1,
    "s.m == [[*s.row], [0, 0]]": 0,
    "s.m == [[0, 0], [0, 0]]": 0,
    "[0, 1] in s.m": 1,
    "s.m.index([0, 1]) == 1 if [0, 1] in s.m else False": 1,
    "s.m.count([0, 0]) == 1": 1,
    "s.sets == [{0}, set()]": 1,
    "s.queues == [[1], [1]]": 2,
    "s.queues == [[], [1, 1]]": 2,
    "s.ps == [P(x=0), P(x=1)]": 1,
    "s.row == [1, 0]": 1,
    "list(s.m) == UNIT": 2,
}
"""What is true of a state that many steps away, and of none before."""

NEVER = ["s.m == []", "s.m == [[1, 0]]", "s.m == [[1, 0], [1, 0]]", "s.ps == [P(x=1)]"]


def checked(tmp_path, expression, engine):
    file = tmp_path / "arrays.py"
    file.write_text(f"{MODEL}not ({expression})\n", "utf-8")
    return check(str(file), properties=["Differs"], engine=engine)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("expression", REACHED)
def test_an_array_equals_the_list_that_it_looks_like(tmp_path, expression, engine):
    result = checked(tmp_path, expression, engine)
    assert len(result.trace_of("Differs")) - 1 == REACHED[expression]


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("expression", NEVER)
def test_an_array_equals_no_list_of_others(tmp_path, expression, engine):
    assert checked(tmp_path, expression, engine).holds


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("other", ["((0, 0), (0, 0))", "(0, 0)", "None", "0", "'[0, 0]'"])
@pytest.mark.parametrize("name", ["m", "row", "ps"])
def test_what_no_array_equals_is_refused(tmp_path, name, other, engine):
    with pytest.raises(TidegateError) as refused:
        checked(tmp_path, f"s.{name} == {other}", engine)
    if engine == "interpreted":
        said = " compares a part of the state with ", "write a list", "never a collection"
        assert any(text in str(refused.value) for text in said)


@pytest.mark.parametrize("expression", ["s.m[:1] == [[1, 0]]", "[*s.row] + [1] == [1, 0, 1]"])
def test_a_slice_and_a_sum_are_lists(tmp_path, expression):
    assert not checked(tmp_path, expression, "interpreted").holds


@pytest.mark.parametrize(
    "expression", ["'0' in s.row", "[0] in s.row", "(0,) not in s.queues[0]", "{0} in s.queues[1]"]
)
def test_what_can_never_be_a_member_is_refused(tmp_path, expression):
    with pytest.raises(TidegateError, match="a member is a number, never a"):
        checked(tmp_path, expression, "interpreted")


@pytest.mark.parametrize("expression", ["0 in s.row", "[0, 0] in s.m", "2 in [s.row[0], 2]"])
def test_what_can_be_a_member_is_accepted(tmp_path, expression):
    assert len(checked(tmp_path, expression, "interpreted").trace_of("Differs")) == 1
