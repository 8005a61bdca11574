"""Names mean in machine code what they mean in Python, or are refused: of lists, parts, globals."""

from functools import partial

import pytest

from .conftest import action_from, agreeing, refused_or_agreeing, unless_outside
from .test_everyday_containers import NAMES, PUT, STATES, TRANSLATE

GLOBALS = {**NAMES, "X": 3, "LIMIT": 2, "helper": lambda v: v + 100}

HELPERS = """
def limited(v):
    return min(v, LIMIT)


def global_x():
    return X


def with_list(s):
    return sum(v * X for v in s.queue)


def other(v):
    return helper(v)


def applied(f, values):
    return sum(f(v) for v in values for y in (1, 2))


def changed(values):
    values.append(7)
    values = [1]
    return len(values)


def reset(m):
    m.to = {1}


def emptied(s):
    s.queue = []
"""

act = partial(lambda body: action_from(body, PUT + HELPERS, GLOBALS))

BOUND_AGAIN = (
    "one = [1, 2] if s.flag else [3]\nother = one\none = [s.x]\nreturn sum(other) > 2",
    "one, other = [s.x, 1], [s.y]\none, other = other, one\nreturn len(one) == 1 < len(other)",
    "old = [s.x, s.y]\ncur = old\nold, cur = cur, []\nreturn len(old) + len(cur) == 2",
    "seen = set(s.a)\nbefore = seen\nseen = seen | {3}\nreturn before == seen",
    "seen = set(s.a)\nwhile True:\n    before = seen\n    seen = seen | {v for v in s.b if v > 1}\n"
    "    if before == seen:\n        break\nreturn len(seen) > 2",
    "one = list(s.queue)\nkept = (one, s.x)\none = [9]\nreturn len(kept[0]) > 1",
    "one = list(s.queue)\nf = lambda v, w=one: v + len(w)\none = [9]\nreturn f(s.x) > 4",
    "one = list(s.queue)\nfor v in one:\n    one = one[1:]\n    s.x = len(one)\nreturn True",
    "one = list(s.queue)\nfor i, v in enumerate(one):\n    one = [v]\n    s.x = i\nreturn True",
    "d = {v: 1 for v in s.queue}\nold = d\nd = {s.x: 2}\nreturn len(old) > len(d)",
    "t = tuple(s.queue)\nold = t\nt = (*t, 1)\nreturn len(old) < len(t)",
)


@pytest.mark.parametrize("body", BOUND_AGAIN)
def test_a_second_name_keeps_the_list_that_it_stands_for(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


OF_THE_MODULE = (
    "LIMIT = s.x\nreturn limited(s.y) < LIMIT",
    "X = s.y\nreturn global_x() + X > 3",
    "return sum(global_x() for X in s.queue) > 3",
    "X = 1\nreturn with_list(s) > X",
    "helper = lambda v: v\nreturn other(s.x) > helper(s.x)",
    "y = s.x\nf = lambda v: v + s.y\nreturn applied(f, s.queue) > y",
    "return sum(max(s.queue, key=lambda w: w - v) for v in s.queue) > 2",
)


@pytest.mark.parametrize("body", OF_THE_MODULE)
def test_a_function_reads_the_names_of_its_own_module(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


REFUSED = (
    "fs = [lambda: i for i in range(3)]\nreturn fs[0]() > 1",
    "y = s.x\nf = lambda v: v + y\nreturn applied(f, s.queue) > 1",
    "own = [s.x]\nn = changed(own)\nreturn len(own) > n",
    "own = [s.x]\nown.append(1)\nfor v in own:\n    own = [v]\n    own.append(2)\nreturn True",
    "z = zip(s.queue, s.other)\nreturn sum(a for a, _ in z) + sum(b for _, b in z) > 1",
    "z = reversed(s.queue)\ns.queue.append(1)\nreturn next(z) == 1",
    "z = enumerate((1, 2))\nreturn sum(i for i, _ in z) + sum(i for i, _ in z) > 1",
    "f = lambda v, z=map(abs, s.queue): v + sum(z)\nreturn f(1) + f(1) > 1",
    "return len([zip(s.queue, s.other), 1]) == 2",
    "old = s.pair.to\nreset(s.pair)\nreturn len(old) > 1",
    "for v in s.queue:\n    emptied(s)\nreturn True",
    "old = s.queue\nemptied(s)\nreturn len(old) > 1",
    "old = (s.queue, 1)\nemptied(s)\nreturn len(old[0]) > 1",
    "s.net = [s.pair, s.pairs[0]]\ns.pair.n = 3\nreturn True",
    "s.net = [p for p in s.pairs if p.n]\ns.pairs[0].n = 3\nreturn True",
    "s.flag = s.queue or s.other\nreturn True",
    "none = []\ns.flag = none and none[0] == 1\nreturn True",
)


@pytest.mark.parametrize("body", REFUSED)
def test_what_a_name_could_tell_is_refused(body):
    refused_or_agreeing(TRANSLATE, act(body), STATES)


REPLACED = (
    "s.queue = [v for v in s.queue if v != s.y]\nreturn True",
    "s.queue = s.queue[1:]\nreturn True",
    "s.a = {v for v in s.a if v != s.x}\nreturn True",
    "s.queue = sorted(s.queue)\nreturn True",
    "for p in s.pairs:\n    p.to = p.to | {1}\nreturn True",
    "reset(s.pair)\nreturn s.x > 1",
    "for p in s.pairs:\n    reset(p)\nreturn True",
    "emptied(s)\ns.x = s.y\nreturn True",
    "s.banks = [set() for _ in range(3)]\nreturn True",
    "s.banks = [set(s.banks[2]), {s.y}, s.a | s.b]\nreturn True",
    "s.rows = [[], [s.x % 3]]\nreturn True",
    "s.a, s.b = s.b | {1}, s.a - {2}\nreturn True",
    "s.queue, s.x = s.queue[1:], len(s.queue)\nreturn True",
    "s.pairs = [Pair(n=s.y, to=s.pairs[1].to), Pair(n=s.pairs[0].n)]\nreturn True",
)


@pytest.mark.parametrize("body", REPLACED)
def test_a_part_is_replaced_by_what_is_made_of_it(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


GIVEN_LATER = (
    "best = None\nfor v in s.queue:\n    if best is None or v > best:\n        best = v\n"
    "s.x = 7 if best is None else best\nreturn True",
    "best = None\nfor i in range(3):\n    if best is None or s.log[i] > s.log[best]:\n"
    "        best = i\nreturn best is not None and s.log[best] > 1",
    "first, last = None, None\nfor m in s.net:\n    if first is None:\n        first = m.n\n"
    "    elif last is None or last < m.n:\n        last = m.n\nreturn first == last",
    "best = None\nfor v in s.queue:\n    if best is not None and best[1] > v:\n        continue\n"
    "    best = (len(s.other), v)\nreturn best is not None and best[0] < best[1]",
    "none = []\nif none and none[0] == 1:\n    return False\nx = none or [s.x]\nreturn x[0] > 2",
    "return max(s.pair, s.pairs[1], key=lambda p: p.n).n > 1",
    "s.x = min(s.x, s.y, 5, key=lambda v: abs(v - 3))\nreturn True",
)


@pytest.mark.parametrize("body", GIVEN_LATER)
def test_a_loop_gives_a_name_what_it_reads_before(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


MATCHED = (
    "match [v for v in s.queue if v]:\n    case []:\n        return True\n    case [only]:\n"
    "        return only == s.y\n    case [1, _]:\n        return s.flag\n    case _:\n"
    "        return False",
    "match list(s.queue):\n    case [first, _, last]:\n        s.x = first + last\n"
    "    case [one]:\n        s.x = one\nreturn True",
    "match sorted(s.queue), s.y:\n    case [_, 2], y:\n        return y > 0\n"
    "    case [1, _], (0 | 1):\n        return True\n    case _:\n        return False",
    "match s.x, s.flag:\n    case 1, _:\n        return True\n    case x, True:\n"
    "        return x > 2\n    case _:\n        return False",
    "match [p for p in s.pairs if p.n]:\n    case [p]:\n        p.n = 0\n    case [p, q]:\n"
    "        s.x = p.n + q.n\nreturn True",
    "match (s.x, s.y):\n    case [a, b, c]:\n        return False\n    case [a, b]:\n"
    "        s.x = b\nreturn True",
)


@pytest.mark.parametrize("body", MATCHED)
def test_a_pattern_takes_a_list_apart(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5
