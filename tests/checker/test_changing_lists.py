"""Lists that change, imports by other names, stars in calls: machine code does as Python."""

import collections
import functools
from collections import Counter, defaultdict, deque
from functools import partial, reduce
from itertools import pairwise

import pytest

from .conftest import action_from, agreeing, failing_alike, refused_or_agreeing, unless_outside
from .test_everyday_containers import NAMES, STATES, TRANSLATE, Pair

HELPERS = """
def most(*numbers):
    return max(numbers, default=0)


def weighed(s, first, *others, scale=1):
    return (first * scale + sum(others)) % 8


def shortened(numbers):
    numbers.pop(0)
    return numbers


def add_to(sets):
    sets[0].add(3)


def put_in(values, v):
    values.append(v)


def same(values):
    return values


def made(values):
    new = [v for v in values if v]
    new.append(3)
    return new


def either(one, other):
    if one:
        return one
    return other


def kept(sets, v):
    new = {v}
    sets[0] = new
    return new


def up(s, v):
    s.x = (s.x + v) % 8
    return s.x > 2


def down(s, v):
    if s.x < v:
        return False
    s.x -= v
    return True


def late(s, v):
    return v > 1


STEPS = {0: up, 1: down, 3: up, 2: late}
raised = partial(weighed, scale=2)
"""

BODIES = (
    "d = [s.x, s.y, 1]\nd.sort()\ns.log = [v % 4 for v in d]\nreturn True",
    "d = list(s.log)\nd.sort(key=lambda v: -v)\ns.log[:] = d\nreturn True",
    "d = list(s.log)\nd.reverse()\nd.insert(1, 2)\ns.queue = d\nreturn True",
    "d = list(s.queue)\nwhile d and d[0] < 2:\n    d.pop(0)\ns.queue = d\nreturn True",
    "d = list(s.log)\nif s.y in d:\n    d.remove(s.y)\nreturn len(d) == 2",
    "d = [1, 2, s.x]\ndel d[0]\nreturn sum(shortened(d)) > 3 and len(d) == 1",
    "d = [m.n for m in s.net]\nd.insert(0, s.x)\nd.insert(9, s.y)\nreturn d[0] > d[-1]",
    "d = []\nfor v in s.queue:\n    d.insert(0, v)\nreturn d == s.queue[::-1]",
    "todo, seen = deque([s.y]), set()\nwhile todo:\n    v = todo.popleft()\n"
    "    if v in seen:\n        continue\n    seen.add(v)\n    todo.append(s.log[v % 3])\n"
    "s.a = seen\nreturn True",
    "d = deque()\nfor v in s.queue:\n    d.appendleft(v)\nreturn list(d) == s.queue[::-1]",
    "return STEPS[s.y](s, len(s.queue))",
    "v = [up, down][s.x % 2](s, 1)\nreturn v and STEPS[s.log[0]](s, 2)",
    "d = [s.y]\nreturn (up, down)[s.y % 2](s, d.pop()) or not d",
    "s.x = raised(s, s.y, s.log[0])\nreturn raised(s, 1) < s.y",
    "one, *more = [v for v in s.queue if v] or [0]\nreturn not more",
    "d = sorted(s.queue) if s.x > 1 else []\nreturn sum(d) > 3",
    "d = [v for v in s.queue if v]\nd = d + [1] if s.x else d\nreturn len(d) > 1",
    "d = deque(s.queue)\nfor v in d:\n    if v > 1:\n        d.remove(v)\n        break\n"
    "return len(d) > 1",
    "t = [1, 2, 3, s.x]\nx = t[: t.pop() % 3]\nreturn len(x) == 2",
    "t = [1, 2, 3, 4]\nreturn len(t[s.y - t.pop() :]) > 2",
    "d = {v: None for v in s.queue}\nreturn d.get(s.y) is None and len(d) > 1",
    "d = dict.fromkeys(s.queue)\nx = d.pop(s.y, None)\nreturn x is None",
    "d = [{s.x}, {1}]\nd[0].add(3)\nx = min(d[0], d[1], key=len)\nreturn 3 in x",
    "s.x = functools.reduce(max, [s.x, 2])\nfor i in range(3):\n"
    "    m = s.pairs[i % 2]\n    m.n = reduce(max, [m.n, 2])\nreturn True",
    "d = [(m.n, i) for i, m in enumerate(s.net)]\nd.sort(reverse=True)\n"
    "return bool(d) and d.pop(0)[1] > 0",
    "d = list(s.queue)\nif len(d) < 2:\n    return False\nd[-1] += d.pop()\nd[0] += d.pop(0)\n"
    "s.x = sum(d)\nreturn True",
    "s.log[1:] = [s.y, s.log[0]]\nreturn True",
    "s.log[:2] = s.log[1:]\ns.log[2] = s.y\nreturn True",
    "d = [s.y, 1]\nd.reverse()\ns.log[:2] = d\nreturn True",
    "d = made(s.log)\nd.append(s.y)\nreturn len(d) > 3",
    "to = set()\nfor v in s.queue:\n    to.add(v % 3)\ns.pair.to = to\nreturn True",
    "return most(*s.log, s.y) > most(s.x) - most()",
    "s.x = weighed(s, s.y, *s.log)\nreturn weighed(s, s.y, scale=2) < weighed(s, 1, 2, 3)",
    "def least(first, *rest):\n    for v in rest:\n        first = min(first, v)\n"
    "    return first\nreturn least(s.x, *s.log) < least(s.y)",
    "return any([a > b for a, b in pairs_of(s.log)])",
    "return collections.Counter(s.queue)[1] > 1",
    "def tally(numbers):\n    return Counted(numbers)\nreturn tally(s.queue)[0] > 0",
)

WITHIN = (
    "votes = defaultdict(set)\nfor m in s.net:\n    votes[m.n].add(m.n % 2)\n"
    "    votes[m.n] |= m.to\nreturn any(len(v) > 1 for v in votes.values())",
    "acks = {i: set() for i in range(3)}\nfor i, v in enumerate(s.log):\n    acks[v % 3].add(i)\n"
    "s.a = max(acks.values(), key=len)\nreturn True",
    "d = {}\nfor v in s.queue:\n    d.setdefault(v, set()).add(len(d))\n"
    "return sum(len(d[v]) for v in d) > 2",
    "d = [{i} for i in range(4)]\nfor i in range(3):\n    d[i] |= {s.log[i]}\n"
    "    if len(d[i]) > 1 and 0 in d[i]:\n        d[i].discard(0)\nreturn len(d[0] | d[1]) > 2",
    "d = [set(), set(s.queue)]\nd[0].update(s.other)\nd[1].intersection_update(d[0])\n"
    "t = d[1]\nreturn len(t) == 1",
    "n = 0\nfor v in s.queue:\n    d = [{v}, set()]\n    d[0].add(1)\n    t = d[0]\n"
    "    n += len(t)\ns.x = n % 8\nreturn True",
    "d = []\nfor v in s.queue:\n    d.append({v})\n    d[0].add(v)\nreturn len(d) > 1 < len(d[0])",
)
"""Functions with sets in lists and dictionaries, which change there."""

ELSEWHERE = (
    "d = [set()] * 2\nd[0].add(1)\nreturn 1 in d[1]",
    "d = dict.fromkeys(range(2), set())\nd[0].add(1)\nreturn 1 in d[1]",
    "d = [set(), set()]\nt = d[0]\nd[0].add(1)\nreturn 1 in t",
    "t = {s.y}\nd = [t]\nd[0].add(1)\nreturn 1 in t",
    "t = {s.y}\nd = {0: {1}}\nd[0] = t\nd[0] |= {2}\nreturn 2 in t",
    "d = [{s.y}, {1}]\nd[0] = d[1]\nd[0].add(2)\nreturn 2 in d[1]",
    "d = [{s.y}]\nd.append(d[0])\nd[0].add(2)\nreturn 2 in d[1]",
    "d = [{s.y}]\nfor t in d:\n    d[0].add(2)\n    if 2 in t:\n        return True\nreturn False",
    "d = [{s.y}]\ne = list(d)\nd[0].add(2)\nreturn 2 in e[0]",
    "d = [{s.y}]\ne = [t for t in d]\nd[0].add(2)\nreturn 2 in e[0]",
    "d = [{s.y}]\nf = lambda: d[0]\nd[0].add(2)\nreturn 2 in f()",
    "d = [{s.y}]\nt = max(d, key=len)\nd[0].add(2)\nreturn 2 in t",
    "d = [{s.y}]\nt = s.x > 1 and d[0]\nd[0].add(2)\nreturn t and 2 in t",
    "d = [{s.y}]\nt = set()\nfor v in s.queue:\n    d[0].add(v)\n    if v == 2 and 2 in t:\n"
    "        return True\n    t = d[0]\nreturn False",
    "d = {0: {s.y}}\nt = d.get(0, set())\nd[0].add(2)\nreturn 2 in t",
    "d = {0: {s.y}}\nd.get(1, set()).add(2)\nreturn 1 in d",
    "d = e = [{s.y}]\nd[0].add(2)\nreturn 2 in e[0]",
    "d = [{s.y}]\nadd_to(d)\nd[0].add(2)\nreturn len(d[0]) > 2",
)
"""Functions in which something else has such a set before its last change."""


def act(body):
    """Return an action with this body."""
    return action_from(
        body,
        HELPERS,
        {
            **NAMES,
            "Counter": Counter,
            "Counted": Counter,
            "collections": collections,
            "defaultdict": defaultdict,
            "deque": deque,
            "functools": functools,
            "pairs_of": pairwise,
            "partial": partial,
            "Pair": Pair,
            "reduce": reduce,
        },
    )


@pytest.mark.parametrize("body", [*BODIES, *WITHIN])
def test_it_is_translated(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


FAILING = (
    "d = deque(s.queue)\nfor v in d:\n    d.append(v)\nreturn True",
    "d = deque(s.queue)\nt = [d.popleft() for v in d]\nreturn len(t) > 1",
    "d = deque(s.queue)\ndef f():\n    d.popleft()\nfor v in d:\n    f()\nreturn True",
    "d = deque(s.queue)\nfor v in d:\n    d.popleft()\n    d.append(v)\nreturn True",
    "d = list(s.queue)\nd.remove(1)\nreturn len(d) < 2",
    "d = list(s.queue)\nreturn d.pop(s.y) == 1",
    "d = list(s.queue)\ndel d[s.y]\nreturn len(d) < 2",
)


@pytest.mark.parametrize("body", FAILING)
def test_what_is_not_there_fails(body):
    assert failing_alike(unless_outside(body, TRANSLATE, act(body)), STATES)


@pytest.mark.parametrize(
    "body",
    [
        *ELSEWHERE,
        "d = [s.x, 1]\nput_in(d, 2)\nd = d + [1]\nreturn len(d) == 4",
        "d = [s.x]\ne = d\nput_in(e, 1)\ne = e + [2]\nreturn len(d) == 2",
        "d = [s.x]\n(lambda v: v.append(1))(d)\nd = d + [2]\nreturn len(d) == 3",
        "d = [s.x]\ne = same(d)\ne.append(3)\nreturn len(d) == 2",
        "d, e = [s.x], [1]\nput_in(either(d, e), 3)\nreturn len(d) == 2",
        "d, e = {1, s.x}, {3}\nt = reduce(lambda a, b: a, [d, e])\nd.add(5)\nreturn len(t) > 2",
        "d = {}\nt = d.setdefault(s.x, {5})\nt.add(1)\nreturn 1 in d[s.x]",
        "d = [{s.x}, {1}]\nt = max(d, key=len)\nt.add(7)\nreturn 7 in d[0]",
        "d = [{s.x}, {1}]\nt = next((t for t in d if s.x in t), set())\nt |= {9}\nreturn 9 in d[0]",
        "d = {1: {s.x}}\nt = d.get(1)\nt |= {9}\nreturn 9 in d[1]",
        "d = [{s.x}, {1}]\nx, *y = d\nx.add(3)\nreturn 3 in d[0]",
        "d = [s.x]\nmatch d:\n    case t:\n        t.append(9)\nreturn 9 in d",
        "d, e = [s.x], [1]\nt = max(d, e)\nt.append(4)\nreturn len(d) == 2",
        "d = [{1}, {2}]\nt = kept(d, s.y)\nt.add(3)\nreturn 3 in d[0]",
        "d = [{s.x}, {1}]\nx = min(d[0], d[1], key=len)\nd[0].add(3)\nreturn 3 in x",
        "d, i = [{0}, {1}], 0\nd[i].add(i := 1)\nreturn 1 in d[0]",
        "p = Pair(n=0)\nfor v in s.queue:\n    p.n = v\n    if v == 1:\n        s.pair = p\n"
        "    if v == 2:\n        p = Pair(n=0)\nreturn True",
        "p = Pair(n=0)\nfor v in s.queue:\n    p.n = v\n    if v == 1:\n        s.pair = p\n"
        "        continue\n    p = Pair(n=0)\nreturn True",
        "p = Pair(n=0)\ns.pair = p\np.n: int = 3\nreturn True",
        "d = [v for v in s.queue if v]\ne = d if s.x else [1]\nd.append(2)\nreturn len(e) > 1",
        "d = [v for v in s.queue if v]\ne = d or [1]\nd.append(2)\nreturn len(e) > 2",
        "d = deque(s.queue)\nreturn len(d[1:]) > 1",
        "d = deque(s.queue)\ns.queue = d\nreturn True",
        "to = {s.y}\ns.a = to\nto.add(0)\nreturn True",
        "to = set()\nfor v in s.queue:\n    s.a = to\n    to.add(v)\nreturn True",
        "def put(to):\n    s.a = to\nto = {s.y}\nput(to)\nto.add(0)\nreturn True",
        "def put():\n    s.a = to\nto = {s.y}\nput()\nto.add(0)\nreturn True",
        "s.log[s.y - 1:] = [1]\nreturn True",
    ],
)
def test_what_could_mean_something_else_is_refused(body):
    refused_or_agreeing(TRANSLATE, act(body), STATES)
