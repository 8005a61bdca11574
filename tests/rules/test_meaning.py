"""Code that says something else than it seems to is refused at its line, whatever surrounds it."""

from __future__ import annotations

import random
import textwrap
from pathlib import Path

import pytest

from tidegate import TidegateError, check

MODEL = '''"""A model that a test made."""
from dataclasses import dataclass
from enum import IntEnum
from tidegate import NONE, Model, Record, Seq, Set, array, boolean, enumeration, integer, nested, number, optional, sequence_of, set_of


class Color(IntEnum):
    RED = 0
    GREEN = 1


@dataclass(frozen=True)
class Bounds:
    top: int = number(3, 1, 9, "the largest value")


class Inner(Record):
    w: int = integer(0, lambda k: k.top, "w")


class Msg(Record):
    v: int = integer(0, lambda k: k.top, "v")
    last: int = optional(lambda k: k.top, "last")

    def grow(self) -> None:
        self.v = 1


class State(Record):
    x: int = integer(0, lambda k: k.top, "x")
    y: int = integer(0, lambda k: k.top, "y")
    last: int = optional(lambda k: k.top, "last")
    lasts: list[int] = array(2, optional(lambda k: k.top, "lasts"))
    flag: bool = boolean("flag")
    color: Color = enumeration(Color, "color")
    inner: Inner = nested(Inner)
    rows: list[Msg] = array(2, Msg)
    q: Seq[Msg] = sequence_of(Msg, 2, "q")
    n: Seq[int] = sequence_of(optional(lambda k: k.top, "n"), 2, "n")
    m: Set = set_of(lambda k: k.top, "m")


model = Model(Bounds, State, deadlock=False)

'''

REST = """

@model.action("a")
def up(s, k) -> bool:
    if s.x == k.top:
        return False
    s.x += 1
    return True


@model.invariant("Small.")
def small(s, k) -> bool:
    return s.x <= k.top
"""


def program(tmp_path: Path, code: str) -> tuple[str, int]:
    """Write a model with some code, and return its file and the line that ends with ``# here``."""
    source = f"{MODEL}{code}{REST}"
    file = tmp_path / "made.py"
    file.write_text(source)
    lines = [number for number, line in enumerate(source.split("\n"), 1) if line.endswith("# here")]
    return str(file), lines[0] if lines else 0


def refused_at(tmp_path: Path, code: str, match: str) -> None:
    """Check that a model with some code is refused at the line that ends with ``# here``."""
    file, line = program(tmp_path, code)
    with pytest.raises(TidegateError, match=match) as refused:
        check(file, properties=["Small"])
    assert refused.value.place == (file, line), refused.value


def wrapped(body: str, how: str) -> str:
    """Return a function of the model, or several, around some statements that may write."""
    inside = textwrap.indent(body, "    ")
    if how == "action":
        return f'@model.action("a")\ndef act(s, k) -> bool:\n{inside}\n    return False\n'
    if how == "helper":
        helper = f"def work(s, k) -> None:\n{inside}\n"
        return f'{helper}@model.action("a")\ndef act(s, k) -> bool:\n    work(s, k)\n    return False\n'
    if how == "branch":
        rare = textwrap.indent(inside, "    ")
        return (
            f'@model.action("a")\ndef act(s, k) -> bool:\n    for i in range(2):\n'
            f"        if s.x == 2 and i:\n{textwrap.indent(rare, '    ')}\n    return False\n"
        ).replace("            ", "            ")
    nested = textwrap.indent(inside, "    ")
    return (
        f'@model.action("a")\ndef act(s, k) -> bool:\n    def work():\n{nested}\n'
        "    if s.y == 1:\n        work()\n    return False\n"
    )


HOW = ("action", "helper", "branch", "nested")

WRONG_ANSWERS = {
    "nothing": ("bool", "s.x < 3  # here"),
    "nothing after a branch": ("bool", "if s.x > 1:\n    return True\ns.y == 1  # here"),
    "nothing in a branch": ("bool", "if s.x > 1:\n    return  # here\nreturn False"),
    "a text": ("bool", 'return "yes"  # here'),
    "a text from a table": ("bool", 'return {0: "no", 1: "yes"}[s.y]  # here'),
    "None for some": ("bool", "return {1: True}.get(s.x)  # here"),
    "a tuple": ("bool", "return s.x == 1, s.y == 1  # here"),
    "a list": ("bool", "return [s.x]  # here"),
    "a set": ("bool", "return {s.x} - {1}  # here"),
    "a container": ("bool", "return s.q  # here"),
    "a record": ("bool", "return s.rows[0]  # here"),
    "a function": ("bool", "return len  # here"),
    "a generator": ("bool", "return (s.x == n for n in range(2))  # here"),
    "None as a number": ("int", "if s.x:\n    return s.x\nreturn None  # here"),
    "a text as a number": ("int", 'return {0: "no"}.get(s.x, "yes")  # here'),
    "nothing after a loop": (
        "int",
        "for i in range(3):  # here\n    if i == s.x:\n        return i",
    ),
    "nothing after a match": ("int", "match s.x:  # here\n    case 0:\n        return 1"),
    "a member as text": ("Color", "return Color(s.y % 2).name  # here"),
    "a number for nothing": ("None", "return s.x  # here"),
    "a number as text": ("str", "return s.x  # here"),
}


@pytest.mark.parametrize("name", WRONG_ANSWERS)
@pytest.mark.parametrize("deep", [False, True])
def test_a_function_answers_what_it_declares(tmp_path: Path, name: str, deep: bool) -> None:
    declared, body = WRONG_ANSWERS[name]
    helper = f"def helper(s, k) -> {declared}:\n{textwrap.indent(body, '    ')}\n"
    call = "helper(s, k)"
    if deep:
        helper += "def around(s, k):\n    return [helper(s, k)][0] if s.x else 0\n"
        call = "around(s, k)"
    code = f'{helper}\n@model.invariant("Uses it.")\ndef uses(s, k) -> bool:\n    return bool({call})\n'
    file, line = program(tmp_path, code)
    with pytest.raises(TidegateError, match="declares that it returns") as refused:
        check(file, properties=["Uses"])
    assert refused.value.place == (file, line), refused.value


RIGHT_ANSWERS = {
    "a comparison": ("bool", "return s.x < 3"),
    "a number as truth": ("int", "return s.m.mask & 3"),
    "after an endless loop": (
        "int",
        "n = 0\nwhile True:\n    n += 1\n    if n > s.x:\n        return n",
    ),
    "after a raise": ("int", "if s.x < 9:\n    return 1\nraise ValueError"),
    "every case": (
        "int",
        "match s.x:\n    case 0:\n        return 1\n    case _:\n        return 2",
    ),
    "a member": ("Color", "return Color.RED if s.x else s.color"),
    "an optional": ("int | None", "return None if s.last == NONE else s.last"),
    "a generator": ("int", "return next((n for n in range(4) if n >= s.x), 0)"),
    "a default": ("int", "return {0: 1}.get(s.x, 0)"),
    "nothing": ("None", "return None"),
    "a text": ("str", 'return {0: "no"}.get(s.x, "yes")'),
    "the largest": ("int", "return max((s.x, s.y), key=lambda n: -n)"),
    "a sum": ("int", "return sum(n for n in s.n) + len(s.q)"),
}


@pytest.mark.parametrize("name", RIGHT_ANSWERS)
def test_a_right_answer_is_not_refused(tmp_path: Path, name: str) -> None:
    declared, body = RIGHT_ANSWERS[name]
    code = (
        f"def helper(s, k) -> {declared}:\n{textwrap.indent(body, '    ')}\n"
        '@model.invariant("Uses it.")\ndef uses(s, k) -> bool:\n    helper(s, k)\n    return True\n'
    )
    assert check(program(tmp_path, code)[0], properties=["Uses"]).holds


VALUES = {
    "a variable": "s.last",
    "an element": "s.lasts[1]",
    "of a record": "s.rows[s.x % 2].last",
    "of a sequence": "s.n[0]",
    "of a message": "s.q[0].last",
    "of a nested record": "s.inner.w",
    "a sum": "(s.last + 1)",
    "a length": "len(s.q)",
    "a choice": "(s.last if s.flag else s.x)",
    "the least": "min(s.x, s.last)",
}

COMPARISONS = (
    "{} is None", "{} is not None", "{} == None", "None != {}", "{} in (None, 1)", "{} is s.y",
    "not ({} is None)", "any({} is None for _ in range(2))",
)  # fmt: skip

BINDINGS = {
    "at once": "if {test}:  # here\n    s.y = 1",
    "by a name": "value = {value}\nif {named}:  # here\n    s.y = 1",
    "by another name": "value = {value}\nother = value\nif {other}:  # here\n    s.y = 1",
    "in an argument": "def known(value):\n    return {named}  # here\nif known({value}):\n    s.y = 1",
    "in a tuple": "value, _ = {value}, 1\nif {named}:  # here\n    s.y = 1",
    "in a lambda": "test = lambda value: {named}  # here\nif test({value}):\n    s.y = 1",
    "in a comprehension": "if [1 for value in ({value}, s.x) if {named}]:  # here\n    s.y = 1",
    "in a loop": "for value in ({value},):\n    if {named}:  # here\n        s.y = 1",
}


def identities() -> list[tuple[str, str]]:
    """Return some comparisons of each value, each in a way that a name holds it."""
    chances = random.Random(7)
    made = []
    for value in VALUES.values():
        for binding in chances.sample(list(BINDINGS), 5):
            test = chances.choice(COMPARISONS)
            filled = BINDINGS[binding].format(
                value=value,
                test=test.format(value),
                named=test.format("value"),
                other=test.format("other"),
            )
            made.append((filled, chances.choice(HOW)))
    return made


@pytest.mark.parametrize(("body", "how"), identities())
def test_a_number_is_never_none_and_has_no_identity(tmp_path: Path, body: str, how: str) -> None:
    refused_at(tmp_path, wrapped(body, how), "is a number|whether two numbers are one")


TRUTHS = (
    "if {}:  # here\n    s.y = 1", "if not {}:  # here\n    s.y = 1", "if {} and s.x:  # here\n    s.y = 1",
    "s.y = 1 if {} else 0  # here", "while {}:  # here\n    break", "if bool({}):  # here\n    s.y = 1",
    "value = {}\nif value:  # here\n    s.y = 1", "if [1 for n in range(2) if {}]:  # here\n    s.y = 1",
    "if any({} for _ in range(2)):  # here\n    s.y = 1",
)  # fmt: skip

OPTIONALS = ("s.last", "s.lasts[1]", "s.rows[0].last", "s.n[0]", "s.q[0].last")


@pytest.mark.parametrize(("number", "form"), list(enumerate(TRUTHS)))
def test_the_truth_of_an_optional_is_refused(tmp_path: Path, number: int, form: str) -> None:
    for value in OPTIONALS[number % 2 :: 2]:
        body = form.format(value)
        refused_at(tmp_path, wrapped(body, HOW[number % 4]), "may be NONE, which counts as true")


@pytest.mark.parametrize("use", ["if may(s):", "if not may(s):", "if s.x and may(s) and s.y:"])
def test_a_helper_that_answers_nothing_is_refused_where_it_is_asked(
    tmp_path: Path, use: str
) -> None:
    code = wrapped(f"{use}  # here\n    s.y = 1", "action")
    refused_at(tmp_path, f"def may(s):\n    s.x < 3\n\n{code}", "returns None, which counts as")


@pytest.mark.parametrize("how", HOW)
def test_a_match_against_none_is_refused(tmp_path: Path, how: str) -> None:
    body = "match s.last:\n    case None:  # here\n        s.y = 1\n    case _:\n        pass"
    file, line = program(tmp_path, wrapped(body, how))
    with pytest.raises(TidegateError, match="is a number") as refused:
        check(file, properties=["Small"])
    assert refused.value.place is not None
    assert abs(refused.value.place[1] - line) <= 1


SOUND_IDENTITIES = (
    "s.flag is True", "s.color is Color.GREEN", "first(s, k) is None", "s.last == NONE",
    "s.last in (NONE, 1)", "pick(s, k, None) is not None", "best(s, k) is None", "s.x is not s.q",
)  # fmt: skip


@pytest.mark.parametrize("test", SOUND_IDENTITIES[:-1])
def test_an_identity_that_means_something_is_not_refused(tmp_path: Path, test: str) -> None:
    code = (
        "def first(s, k):\n    for n in s.n:\n        if n == 1:\n            return n\n    return None\n"
        "def pick(s, k, chosen):\n    return s.x if chosen is None else chosen\n"
        "def best(s, k):\n    found = None\n    for n in range(3):\n"
        "        if found is None or n > found:\n            found = n\n    return found\n"
        f'@model.invariant("Uses it.")\ndef uses(s, k) -> bool:\n    return {test} or True\n'
    )
    assert check(program(tmp_path, code)[0], properties=["Uses"]).holds


ELEMENTS = {
    "by another name": "m = s.q[0]\nother = m\nother.v += 1  # here",
    "in a loop": "for m in s.q:\n    m.v = 1  # here",
    "in a tuple": "m, i = s.q[0], 1\nm.v = i  # here",
    "in an argument": "def mark(m):\n    m.v = 1  # here\nmark(s.q[0])",
    "in a slice": "for m in s.q[0:1]:\n    m.last = 1  # here",
    "in a choice": "m = s.q[0] if s.flag else s.q[1]\nm.v = 1  # here",
    "in a list": "[m] = [s.q[0]]\nm.v = 1  # here",
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", ELEMENTS)
def test_a_name_that_holds_an_element_is_not_written_through(
    tmp_path: Path, name: str, how: str
) -> None:
    refused_at(tmp_path, wrapped(ELEMENTS[name], how), "was read from a sequence")


SOUND_WRITES = (
    "if s.q:\n    return False\ns.q.append(Msg(v=0, last=NONE))\ns.q[0].v = 1", "q = s.q\nif q:\n    q[0].v = 1",
    "r = s.rows[0]\nr.v = 1", "for r in s.rows:\n    r.v = 1", "m = Msg(v=0, last=NONE)\nm.v = 1",
    "if s.q:\n    m = s.q.popleft()\n    m.v = 1\n    s.q.append(m)", "i = s.inner\ni.w = 1",
    "s.rows[0].grow()", "if s.q:\n    m = s.q[0]\n    m.v += 1", "if s.q:\n    q = s.q\n    m = q[0]\n    m.v = 1",
    "if s.q:\n    m = s.q[0]\n    m.v = s.y = 1", "if s.q:\n    m = s.q[-1]\n    m.v, s.y = 1, 1",
)  # fmt: skip


@pytest.mark.parametrize("body", SOUND_WRITES)
def test_a_place_may_be_written_through_its_name(tmp_path: Path, body: str) -> None:
    code = f'@model.action("a")\ndef act(s, k) -> bool:\n{textwrap.indent(body, "    ")}\n    return True\n'
    assert check(program(tmp_path, code)[0], properties=["Small"]).complete
