"""Lists that change, imports and stars within a function: machine code means what Python means."""

from collections import Counter, defaultdict

import pytest

from tidegate.checker.compiled.values import UnsupportedError

from .conftest import action_from, agreeing
from .test_everyday_containers import NAMES, STATES, TRANSLATE

HELPERS = """
def most(*numbers):
    return max(numbers, default=0)


def weighed(s, first, *others, scale=1):
    return (first * scale + sum(others)) % 8


def shortened(numbers):
    numbers.pop(0)
    return numbers
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
    "d = [(m.n, i) for i, m in enumerate(s.net)]\nd.sort(reverse=True)\n"
    "return bool(d) and d.pop(0)[1] > 0",
    "d = list(s.queue)\nif len(d) < 2:\n    return False\nd[-1] += d.pop()\nd[0] += d.pop(0)\n"
    "s.x = sum(d)\nreturn True",
    "s.log[1:] = [s.y, s.log[0]]\nreturn True",
    "s.log[:2] = s.log[1:]\ns.log[2] = s.y\nreturn True",
    "d = [s.y, 1]\nd.reverse()\ns.log[:2] = d\nreturn True",
    "to = set()\nfor v in s.queue:\n    to.add(v % 3)\ns.pair.to = to\nreturn True",
    "return most(*s.log, s.y) > most(s.x) - most()",
    "s.x = weighed(s, s.y, *s.log)\nreturn weighed(s, s.y, scale=2) < weighed(s, 1, 2, 3)",
    "def least(first, *rest):\n    for v in rest:\n        first = min(first, v)\n"
    "    return first\nreturn least(s.x, *s.log) < least(s.y)",
    "from itertools import pairwise as p\nreturn any([a > b for a, b in p(s.log)])",
    "import collections as c\nreturn c.Counter(s.queue)[1] > 1",
    "def tally(numbers):\n    from collections import Counter as Counted\n"
    "    return Counted(numbers)\nreturn tally(s.queue)[0] > 0",
)


def act(body):
    """Return an action with this body."""
    return action_from(body, HELPERS, {**NAMES, "Counter": Counter, "defaultdict": defaultdict})


@pytest.mark.parametrize("body", BODIES)
def test_it_is_translated(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


FAILING = (
    "d = list(s.queue)\nd.remove(1)\nreturn len(d) < 2",
    "d = list(s.queue)\nreturn d.pop(s.y) == 1",
    "d = list(s.queue)\ndel d[s.y]\nreturn len(d) < 2",
)


@pytest.mark.parametrize("body", FAILING)
def test_what_is_not_there_fails(body):
    meanings = TRANSLATE(act(body))
    failed = [state for state in STATES if meanings.python(state) is None]
    assert failed
    assert all(meanings.compiled(state) is None for state in failed)
    assert agreeing(meanings, STATES) >= 5


@pytest.mark.parametrize(
    "body",
    [
        "to = {s.y}\ns.a = to\nto.add(0)\nreturn True",
        "to = set()\nfor v in s.queue:\n    s.a = to\n    to.add(v)\nreturn True",
        "def put(to):\n    s.a = to\nto = {s.y}\nput(to)\nto.add(0)\nreturn True",
        "def put():\n    s.a = to\nto = {s.y}\nput()\nto.add(0)\nreturn True",
        "s.log[s.y - 1:] = [1]\nreturn True",
        "import antigravity\nreturn True",
        "from collections import absent\nreturn True",
    ],
)
def test_what_could_mean_something_else_is_refused(body):
    with pytest.raises(UnsupportedError):
        TRANSLATE(act(body))
