"""Functions declared pure that are not in the language: machine code reads them from a table."""

from enum import IntEnum
from itertools import product
from random import Random

import pytest

import tidegate
from tests.language.machine import FAILED, Machine
from tidegate.core.fields import NONE, Record, boolean, enumeration, integer, optional
from tidegate.core.layout import Layout
from tidegate.language import tabulated
from tidegate.language.tabulated import Row, UntabulatedError, count_of, tabulate, values_of
from tidegate.language.types import BOOL, NOTHING, TEXT, Known, Number, OneOf, Optional, Tuple


class Color(IntEnum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Own(Record):
    x: int = integer(0, 9, "a number")
    less: int = integer(-3, 4, "another one")
    o: int = optional(4, "a number or NONE")
    c: Color = enumeration(Color, "a color")
    b: bool = boolean("a truth value")
    y: int = integer(-99, 99, "the answer")


@tidegate.pure
def number(x, less):
    return int(f"{x}{x}") * less % 97


@tidegate.pure
def fails(x):
    return int(1.0 / (x - 3) * 10)


@tidegate.pure
def of_several(x, c, *, less):
    if float(x) == less:
        return None
    return int(f"{x}"), c if x % 2 else Color.RED, str(less)


@tidegate.pure
def of_a_pair(pair):
    return Color(int(f"{sum(pair) % 3}") + 1)


@tidegate.pure
def digits(x):
    return frozenset(int(one) for one in str(x * 37))


@tidegate.pure
def of_what(value):
    return int(str(None if value is None else -value).replace("None", "7"))


@tidegate.pure
def truth(b, c, o):
    return {"a", "b"} == set("ab") and (b or c.name.startswith("G") or o < 0)


at = tidegate.pure((9, 8, 7, 6, 5, 4, 3, 2, 1, 0).__getitem__)


def use_number(s, k):
    s.y = number(s.x, s.less)


def use_fails(s, k):
    s.y = fails(s.x)


def use_several(s, k):
    found = of_several(s.x, s.c, less=s.less)
    if found is None:
        s.y = -1
        return
    n, color, text = found
    s.y = n + (50 if text == "-2" else 0)
    s.c = color


def use_pair(s, k):
    s.c = of_a_pair((s.x, s.less))


def use_digits(s, k):
    for digit in (1, 2, 3, 4, 5):
        if digit in digits(s.x):
            s.y += digit
    s.b = len(digits(s.x) | {0}) > 2


def use_maybe(s, k):
    value = s.x if s.b else None
    s.y = of_what(value)


def use_truth(s, k):
    s.b = truth(s.b, s.c, s.o)


def use_callable(s, k):
    s.y = at(s.x) + at(3)


def use_as_key(s, k):
    s.y = max([s.x, 4, 2], key=at)
    s.x = sum(map(at, [1, s.x])) % 10


def use_in_order(s, k):
    some = [s.x, 1]
    s.y = number(some.pop(), some.pop() - 4 if s.b else 0)


USES = {name: one for name, one in list(globals().items()) if name.startswith("use_")}
LAYOUT = Layout(Own, None)


def states():
    """Return some of the states, stored."""
    numbers = product(range(10), range(-3, 5), range(NONE, 5), Color, (False, True))
    some, own = [], LAYOUT.record
    for own.x, own.less, own.o, own.c, own.b in Random(5).sample(list(numbers), 400):
        some.append(LAYOUT.dump())
    LAYOUT.reset()
    return some


def in_python(use, state):
    """Return the state after a step in Python; FAILED if that raises an exception."""
    LAYOUT.load(state)
    try:
        use(LAYOUT.record, None)
    except ArithmeticError:
        return FAILED
    return LAYOUT.dump()


def test_machine_code_reads_what_python_computes():
    machine = Machine(LAYOUT, None, USES)
    assert not machine.refused
    seen = dict.fromkeys(USES, 0)
    for state, (name, use) in product(states(), USES.items()):
        python, made = in_python(use, state), machine.run(name, state)
        assert (FAILED if made is FAILED else made[1]) == python, name
        seen[name] += python is not FAILED
    assert seen == {
        name: pytest.approx(360 if name == "use_fails" else 400, abs=20) for name in USES
    }


def test_values_have_the_index_that_their_type_gives_them():
    kinds = {
        Number(-1, 1): [-1, 0, 1],
        BOOL: [False, True],
        Number(0, 3, Color): [Row.FAILS, *Color],
        NOTHING: [None],
        Optional(Number(2, 3)): [None, 2, 3],
        OneOf((at, len)): [at, len],
        Known(at): [at],
        Tuple((BOOL, Number(5, 6))): [(False, 5), (False, 6), (True, 5), (True, 6)],
        Tuple((Number(3, 4, Color),)): [(Color.BLUE,), Row.FAILS],
    }
    for kind, values in kinds.items():
        assert values_of(kind) == values
        assert count_of(kind) == len(values)


ASKED = []


def remembers(x):
    ASKED.append(x)
    return len(ASKED)


WITHOUT = {
    "its arguments have 2,000,000 combinations, and a table has at most 1,000,000": (
        lambda x, y: 0, [Number(0, 1999), Number(0, 999)]
    ),
    "it gets a text; pass it numbers, or tuples of numbers": (len, [TEXT]),
    "it answers 2 for (0), then 3": (lambda x: remembers(x), [Number(0, 0)]),
    "its answers are of several kinds": (lambda x: x or "no", [Number(0, 1)]),
    "it raises an exception for all arguments": (lambda x: x // 0, [Number(0, 9)]),
    "it returns a list": (lambda x: [x], [Number(0, 9)]),
    "it returns a set": (lambda x: {x}, [Number(0, 9)]),
    "it returns 0.0": (lambda x: x / 4, [Number(0, 0)]),
    "it returns a frozenset; let it return": (lambda x: frozenset([x]), [Number(0, 63)]),
}  # fmt: skip


@pytest.mark.parametrize("why", WITHOUT)
def test_without_a_table_the_reason_is_said(why):
    ASKED[:] = [0]
    with pytest.raises(UntabulatedError) as caught:
        tabulate(*WITHOUT[why], ())
    assert str(caught.value).startswith(why)


def test_a_table_is_made_within_a_time(monkeypatch):
    monkeypatch.setattr(tabulated, "SECONDS", 0.0)
    with pytest.raises(UntabulatedError, match="takes more than 0 s"):
        tabulate(number, [Number(0, 9), Number(0, 9)], ())
