"""A list with two names in Python is one list: machine code shows its changes by both, or refuses.

The same goes for the order in which Python evaluates what changes a list.
"""

from collections import defaultdict, deque
from functools import partial, reduce
from pathlib import Path

import pytest

from tidegate import TidegateError, check

from .conftest import action_from, agreeing, refused_or_agreeing
from .test_everyday_containers import NAMES, STATES, TRANSLATE

HELPERS = """
def either(one, other):
    if one:
        return one
    return other


def put_in(values, v):
    values.append(v)


def three(a, b, c=2):
    return a * 3 + b * 2 + c


def bump(s, v):
    s.x = v
    return False


def merged(one, other):
    if not other:
        return one
    return one + other
"""

LOOP = Path(__file__).parents[1] / "strangers/models/python_m24_name_in_a_loop.py"

LISTS = "d, e = [s.x], [1]\n"
CHOSEN = "d, e = [s.x, 1], [2]\n"
FOUND = "d = [1, 2, 3]\n"

REFUSED = {
    # What a function with several returns gives.
    LISTS + "z = either(d, e)\nd.append(3)\ns.x = len(z)": 'd lies in z, which may be read',
    LISTS + "z = either(d, e)\nput_in(d, 3)\ns.x = len(z)": 'd lies in z, which may be read',
    LISTS + "z = (either(d, e), 1)\nd.append(3)\ns.x = len(z[0])": 'd lies in z, which may be',
    LISTS + "for v in either(d, e):\n    d.append(2)\ns.x = len(d)": 'either(d, e) changes in the',
    LISTS + "def f():\n    r = [0]\n    if s.y:\n        r = d\n    return r\n"
    "z = f()\nd.append(3)\ns.x = len(z)": 'd lies in z, which may be read later, and changes here',
    LISTS + "def f():\n    if s.y:\n        return d\n    return e\n"
    "z = f()\nd.append(3)\ns.x = len(z)": 'd lies in e, which may be read later, and changes here',
    "d, e = {s.x: 1}, {1: 2}\nz = either(d, e)\nd[11] = 1\ns.x = len(z)": 'd lies in z, which',
    "d, e = deque([s.x]), deque([1])\nz = either(d, e)\nd.append(1)\ns.x = len(z)": 'd lies in z,',
    "to = {1}\ndef f():\n    if s.x:\n        return to\n    return {2}\n"
    "s.a = f()\nto.add(3)": 'to changes after it was stored in the state',
    LISTS + "for i in range(s.y):\n    z = either(d, e)\n    d.append(3)\n"
    "    e = z\ns.x = len(e)": 'd lies in z, which may be read later, and changes here',
    "d = [s.x]\nfor i in range(s.y):\n    d.append(3)\n    z = merged(d, s.queue)\n"
    "    if i == 0:\n        e = z\n        s.x = len(e)": 'd lies in e, which may be read',
    "d, z, i = [s.x], [0], 0\nwhile i < s.y:\n    i += 1\n    d.append(i)\n    if i == 1:\n"
    "        z = d if s.x else [5, 6]\ns.x = len(z)": 'd and z are two names for one value,',
    # A name that an expression assigns.
    "d = [s.x, 1]\nif (e := d):\n    e.append(2)\ns.x = len(d)": 'e and d are two names for one',
    "d = [s.x, 1]\nif (e := d):\n    d.append(2)\ns.x = len(e)": 'd and e are two names for one',
    "d = {s.x, 1}\nif (e := d):\n    e.add(2)\ns.x = len(d)": 'e and d are two names for one',
    "d = [s.x]\nv = [(t := d), 3]\nt.append(1)\ns.x = len(d)": '[(t := d), 3] has a list and a',
    "d = [s.x]\nput_in((t := d), 3)\ns.x = len(d)": 'put_in((t := d), 3) changes what has other',
    "d = [s.x]\ne = d + (d := [1])\nd.append(2)\ns.x = e[0] + len(e)": "makes anew",
    # A list that is chosen.
    CHOSEN + "(d if s.y else e).append(2)\ns.x = len(d)": '(d if s.y else e).append(2) changes',
    CHOSEN + "(d if s.y else e)[0] += 1\ns.x = d[0] % 8": '(d if s.y else e)[0] changes what has',
    CHOSEN + "del (d if s.y else e)[0]\ns.x = len(d)": 'del (d if s.y else e)[0] removes it from',
    CHOSEN + "put_in(d if s.y else e, 5)\ns.x = len(d)": 'put_in(d if s.y else e, 5) changes',
    CHOSEN + "g = lambda: d if s.y else e\ng().append(3)\ns.x = len(d)": 'g().append(3) changes',
    # What a dictionary shows, or its method, with a name.
    "d = {s.y: s.x}\nf = d.get\nd = {1: 2}\ns.x = f(1) or 0": 'd.get, a method without a call,',
    "c = {v: 1 for v in s.queue}\nw = c.items()\nc = {}\ns.x = len(w)": 'a generator or an',
    # What an argument is depends on one before it.
    FOUND + "s.x = sum([d.pop(), d.pop()], len(d)) % 8": "Python evaluates after",
    FOUND + "s.x = max([d.pop(0)][:s.y], default=len(d))": "Python evaluates after",
    FOUND + "s.x = next((v for v in list(d)), d.pop(0))": 'next((v for v in list(d)), d.pop(0))',
    FOUND + "s.x = reduce(lambda a, b: a + b, [d.pop(), d.pop()], d.pop() * 2) % 8": "after",
    FOUND + "def f(v):\n    d.append(v)\n    return v\n"
    "s.x = sum([f(1)], len(d)) % 8": "Python evaluates after",
    "x = 1\ns.x = sum([x := 2], x)": "Python evaluates after",
    # A list is empty while it is sorted.
    "d = list(s.queue)\nd.sort(key=lambda v: v if d else -v)\ns.x = d[0] if d else 0": "the key",
    "d = list(s.queue)\ndef by(v):\n    return len(d) - v\nd.sort(key=by)\n"
    "s.x = d[0] if d else 0": "the key looks into the list",
}  # fmt: skip

TRANSLATED = (
    # Nothing changes after it got another name.
    "d = [s.x]\nd.append(3)\nz = merged(d, s.queue)\ns.x = len(z) % 8",
    "acc = [0]\nfor v in s.queue:\n    acc = merged(acc, [v])\ns.x = len(acc)",
    "d = [v for v in s.queue]\nz = d if s.y else [5]\ns.x = sum(z) % 8",
    # A list of each round's own.
    "best = [9]\nfor i in range(s.y):\n    row = []\n    for v in s.queue:\n        row.append(v)\n"
    "    best = merged(best, row)\ns.x = len(best) % 8",
    "best, i = [9], 0\nwhile i < s.y:\n    i += 1\n    row = []\n    for v in s.queue:\n"
    "        row.append(v + i)\n    best = row if i % 2 else best\ns.x = sum(best) % 8",
    # What a function makes has no other name.
    "def f():\n    out = []\n    for v in s.queue:\n        if v == 2:\n            return []\n"
    "        out.append(v)\n    return out\nz = f()\nz.append(1)\ns.x = len(z)",
    "if len(e := [v for v in s.queue]) > 1:\n    e.append(2)\ns.x = len(e)",
    # The subject of a match is what it was; its names are bound when all of a pattern fits.
    "match s.x:\n    case 1 if bump(s, 2): s.y = 0\n    case 2: s.y = 1\n    case _: s.y = 2",
    "d = [1, 0, 2]\nmatch d[0]:\n    case 1 if d.pop(0) > 5: s.y = 0\n    case 0: s.y = 1\n"
    "    case _: s.y = 2",
    "a = 5\nmatch (s.x, s.y):\n    case (a, 1): s.y = 0\n    case _: pass\ns.x = a",
    "a = 5\nmatch [s.x, s.y]:\n    case [a, 0]: s.y = 1\n    case [_, a]: s.y = 2\ns.x = a",
    # Two stars that are written alike.
    FOUND + "s.x = three(*[d.pop()], *[d.pop()]) % 8",
    "s.x = max(*[s.x], *[bump(s, 3), 2], *[s.x])",
    # Arguments of which the order does not matter.
    "d = list(s.queue)\ns.x = max(d, default=len(s.log)) % 8",
    "s.x = sum((v for v in s.queue), s.y) % 8",
    "s.x = max(list(s.queue), default=s.log[0]) % 8",
    "d = list(s.queue)\nd.sort(key=lambda v: v % 2)\ns.x = d[0] if d else 0",
    FOUND + "s.x = sum(a + b for a, b in enumerate([1, d.pop()], len(d))) % 8",
)


def act(body):
    """Return an action with this body."""
    names = {"defaultdict": defaultdict, "deque": deque, "partial": partial, "reduce": reduce}
    return action_from(f"{body}\nreturn True", HELPERS, {**NAMES, **names})


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_be_another_list_stays_in_python(body):
    why = refused_or_agreeing(TRANSLATE, act(body), STATES)
    assert REFUSED[body] in why or not why


@pytest.mark.parametrize("body", TRANSLATED)
def test_it_means_what_python_means(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


MODEL = """
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 3, 9, "the largest number")

class State(Record):
    x: int = integer(0, 9, "x")

model = Model(Bounds, State, deadlock=False)

@model.initial
def start(s: State, k: Bounds):
    for x in range(3):
        s.x = x
        yield

def changes(d):
    {change}
    return len(d) > 3

@model.action("clock")
def act(s: State, k: Bounds) -> bool:
    d = {made}
    if changes(d) or s.x == 2:
        return False
    {again}
    s.x = {result}
    return True

@model.invariant("It is small.")
def small(s: State, k: Bounds) -> bool:
    return s.x < 9
"""

GUARDS = {
    "adds to a list": ("d.append(1)", "[1]", "d.append(0)", "len(d)"),
    "writes an element": ("d[0] = 3", "[1, 0]", "d[1] = 2", "d[0]"),
    "adds to a set": ("d.add(5)", "{1}", "d.add(6)", "len(d)"),
    "takes from a set": ("d.discard(5)", "{1, 2, 5}", "d.add(7)", "len(d)"),
    "adds to a dictionary": ("d[5] = 1", "{s.x: 0}", "d[6] = 1", "len(d)"),
}
"""What a guard does to a list that its step has made, what comes later, and a result: 3."""


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("guard", GUARDS)
def test_a_step_sees_what_its_guard_has_changed(guard, engine, tmp_path):
    """From 0, 1 and 3 it leads to 3, from 2 nowhere."""
    file = tmp_path / "guards.py"
    change, made, again, result = GUARDS[guard]
    text = MODEL.format(change=change, made=made, again=again, result=result)
    file.write_text(text, "utf-8")
    done = check(str(file), engine=engine)
    assert (done.holds, done.distinct_states, done.depth) == (True, 4, 2)


def test_a_name_for_a_part_outlasts_its_round():
    """The next round puts another record there, and the name has the one before."""
    for engine in ("compiled", "interpreted"):
        with pytest.raises(TidegateError) as refused:
            check(str(LOOP), engine=engine)
        assert "first stands for grant, or a part of it, which is replaced" in str(refused.value)
