"""Dictionaries and lists of a function's own: machine code means what Python means."""

from collections import Counter, defaultdict, deque
from random import Random

import pytest

from tidegate.language.lowering.frame import LoweringError

from .conftest import action_from, agreeing, failing_alike, refused_or_agreeing, unless_outside
from .own_containers import Dictionaries, Lists, Queues, Sets
from .test_everyday_containers import NAMES, PUT, STATES, TRANSLATE

WITH_COUNTERS = {**NAMES, "Counter": Counter, "defaultdict": defaultdict, "deque": deque}


def act(body, helpers=""):
    """Return an action with this body."""
    return action_from(body, PUT + helpers, WITH_COUNTERS)


BODIES = (
    "votes = {}\nfor v in s.queue:\n    votes[v] = votes.get(v, 0) + 1\n"
    "return max(votes.values(), default=0) == 2",
    "votes = defaultdict(int)\nfor v in s.queue:\n    votes[v] += 1\n"
    "s.x = max(votes, key=lambda v: (votes[v], v)) if votes else 7\nreturn True",
    "votes = Counter(m.n for m in s.net)\nreturn votes[1] * 2 > len(s.net)",
    "if not s.queue:\n    return False\n[(v, n)] = Counter(s.queue).most_common(1)\n"
    "s.x = v + n\nreturn True",
    "by = {m.n: len(m.to) for m in s.net if m.n < 3}\n"
    "return 1 in by and by[1] > 0 and sum(v for _, v in by.items()) > 1",
    "books = {i: 2 for i in range(3)}\nfor v in s.queue:\n    books[v] -= 1\n"
    "    books[(v + 1) % 3] += 1\nreturn min(books.values()) + 3 * max(books.values()) > 8",
    "last = {}\nfor i, v in enumerate(s.queue):\n    if v in last and i - last[v] == 1:\n"
    "        return False\n    last[v] = i\nreturn sum(last.values()) > 2",
    "seen = {}\nfor v in s.queue:\n    seen.setdefault(v, len(seen))\n"
    "return sum(seen[v] for v in s.queue) > 2",
    "pairs = {}\nfor i in range(2):\n    for v in s.queue:\n        pairs[i, v] = i\n"
    "return (1, s.y) in pairs and len(pairs) > 2",
    "d = {s.y: s.x}\nadd(d, 1)\nadd(d, s.y)\nreturn d[s.y] > 3 and len(d) == 2",
    "d = {v: 1 for v in s.queue}\nfor v in d:\n    d[v] += v\nreturn sum(d.values()) > 3",
    "d = defaultdict(lambda: s.y)\nd[s.x] += 1\nreturn d[1] < d[s.x]",
    "d = counted(s.queue)\nreturn d.get(s.y) is None or d[s.y] > 1",
    "c = {s.log[i]: i for i in range(3)}\nreturn c.get(1, 5) > 1",
    "c = {0: s.x}\nc[0] += 1\nreturn c[0] > 3 and c.get(1) is None",
    "d = {**counted(s.queue), 1: s.x}\nreturn d[1] > 2 and len(d) > 1",
    "d = {1: s.x} | {2: s.y, 1: 3}\nreturn d[1] + d[2] > 4 and list(d) == [1, 2]",
    "d = {1: s.x, **{s.y: 2}}\nreturn d[1] > 2",
    "d = counted(s.queue)\ne = {**d, 7: d.pop(1, 0)}\nreturn 1 in e and 1 not in d",
    "d = dict.fromkeys(s.queue)\nreturn len(d) > 1 and 1 in d",
    "d = {i: s.log[i] for i in range(3)}\nx = d.pop(s.y, None)\n"
    "return x is None or x + sum(d.values()) > 4",
    "d = {0: s.x}\nd.update({1: s.y})\nd.update(counted(s.queue))\ndel d[0]\n"
    "return sum(d.values()) > 2",
    "m = next((m for m in s.net if m.n > 1), None)\ns.x = len(m.to) if m else 7\nreturn True",
)
HELPERS = """
def add(d, v):
    d[v] = d.get(v, 0) + 1


def counted(values):
    d = {}
    for v in values:
        d[v] = d.get(v, 0) + 1
    return d
"""


@pytest.mark.parametrize("body", BODIES)
def test_a_dictionary_grows(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body, HELPERS)), STATES) >= 5


FAILING = (
    "d = {}\nfor v in s.queue:\n    d[v] = 1\nreturn d[s.y] == 1",
    "d = {v: 1 for v in s.queue}\nfor v in d:\n    d[v + 1] = 1\nreturn True",
    "d = {v: 1 for v in s.queue}\nfor v in d:\n    del d[v]\nreturn True",
    "d = {v: 1 for v in s.queue}\nfor v in d:\n    if len(d) < 3:\n        d.pop(v)\n"
    "        d[v + 4] = 1\nreturn True",
    "d = {v: 1 for v in s.queue}\nfor v, n in d.items():\n    d[9 - v] = n\nreturn True",
)


@pytest.mark.parametrize("body", FAILING)
def test_a_missing_key_and_a_growth_in_a_loop_fail(body):
    assert failing_alike(unless_outside(body, TRANSLATE, act(body)), STATES)


@pytest.mark.parametrize(
    "body",
    [
        "d = {s.x: 1}\ne = d\ne[2] = 1\nreturn len(d) == 1",
        "d, e = {}, {}\nd, e = e, d\nd[1] = 1\nreturn len(e) == 1",
        "d = {1: [], 2: []}\nd[s.y].append(1)\nreturn True",
        "d, x = {}, [1]\nd[s.y] = x\nx.append(2)\nreturn len(d[s.y]) == 2",
        "d = {s.x: 1}\nreturn d == {1: 1}",
        "d = {s.x: 1}\nd.popitem()\nreturn True",
        "d = Counter(s.queue)\nreturn (d + Counter(s.other))[1] > 1",
    ],
)
def test_what_such_a_dictionary_cannot_do_is_refused(body):
    refused_or_agreeing(TRANSLATE, act(body), STATES)


HELPED = "def most(*numbers):\n    return max(numbers)\n"


def mean_the_same(writer, seeds):
    """Check that what is translated means what Python means, and that enough functions are."""
    translated = 0
    for seed in seeds:
        body = writer(Random(seed)).body()
        try:
            meanings = TRANSLATE(act(body, HELPED))
        except LoweringError:
            continue
        translated += 1
        for state in STATES[::3]:
            # Of a number beyond 62 a set gives up, and so does a product beyond 64 bits.
            found = meanings.compiled(state)
            assert found is None or found == meanings.python(state), body
    assert translated >= writer.share * len(seeds)


@pytest.mark.parametrize("writer", [Dictionaries, Lists, Queues, Sets])
def test_random_containers_mean_what_python_means(writer):
    mean_the_same(writer, range(20))


@pytest.mark.slow
@pytest.mark.parametrize("writer", [Dictionaries, Lists, Queues, Sets])
def test_many_random_containers_mean_what_python_means(writer):
    mean_the_same(writer, range(20, 2000))
