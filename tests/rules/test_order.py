"""A rule that is accepted gives the same whatever the order is in which Python keeps a set."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

from tidegate import TidegateError
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

SETTING = """\
import functools, itertools
from collections import Counter, deque
NAMES = frozenset({"alpha", "beta", "gamma", "delta"})
PAIRS = frozenset({(1, "b"), (2, "a"), (3, "c"), (1, "z")})
"""

MODEL = f"""\
{SETTING}
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 2, "n")

class State(Record):
    x: int = integer(0, 3, "x")

model = Model(Bounds, State, deadlock=False)

def probe(s):
    BODY

@model.action()
def step(s, k) -> bool:
    if s.x == 3 or probe(s) == 12345:
        return False
    s.x += 1
    return True
"""

RUN = f"""\
import json, sys
{SETTING}
class s:
    x = 1
results = []
for body in json.load(sys.stdin):
    space = dict(globals())
    exec(body, space)
    try:
        result = space["probe"](s)
    except (LookupError, TypeError, ValueError, StopIteration) as error:
        result = type(error).__name__
    is_set = isinstance(result, (set, frozenset))
    results.append(repr(sorted(result, key=repr) if is_set else result))
print(json.dumps(results))
"""

SETS = (
    '{"alpha", "beta", "gamma"}', '{(1, "b"), (2, "a"), (3, "c")}', "{s.x * 9, 17, 40, 3}",
    "{frozenset({1, 9}), frozenset({2})}", "set(NAMES)", 'NAMES | {"zeta"}', "PAIRS",
    '{n for n in NAMES if n != "beta"}', "{b for a, b in PAIRS}", '(NAMES - {"alpha"})',
    "{p for p in PAIRS if p[0] > s.x}", "Counter(NAMES)", "Counter({s.x * 9, 17})",
)  # fmt: skip

WITHIN = (
    "list(SET)", "[v for v in SET]", "tuple(SET)", "sorted(SET)", "sorted(SET, key=lambda v: 0)",
    "[*SET]", "list(enumerate(SET))", "list(zip(SET, range(5)))", "list(map(lambda v: v, SET))",
    "list(filter(lambda v: v != 0, SET))", "[(a, b) for a in SET for b in range(2)]",
    "list({v: 1 for v in SET})", "list(Counter(SET))", "list(Counter(SET).items())",
    "list(itertools.chain(SET, SET))", "list(itertools.combinations(sorted(SET), 2))",
    "list(reversed(list(SET)))", "list(deque(SET))", "list(dict(Counter(SET)))",
)  # fmt: skip

BODIES = (
    "return len(SET)", "return SET == SET", "return max(SET, key=lambda v: 0)", "return min(SET)",
    "return next((v for v in SET), 0)", "return any(v == 1 for v in SET)",
    "return sum(1 for v in SET)", "return all(a == b for a, b in zip(SET, SET))",
    "return functools.reduce(lambda a, b: b, SET)", "return list(SET) == sorted(SET)",
    "return [v for v in SET][:1]", "return len([v for v in SET if v == 3])", "return len(set(SET))",
    "return sum(i for i, v in enumerate(SET))", "return max(SET, default=0)",
    "first, *others = SET\n    return first", "one, other, more = SET\n    return more",
    "t = 0\n    for v in SET:\n        t = t * 2 + (v == 17)\n    return t",
    "t = 0\n    for v in SET:\n        t += 1\n    return t",
    "t = []\n    t[:] = SET\n    return t", "t = []\n    t += SET\n    return t",
    "t = []\n    t.extend(SET)\n    return t", "t = set()\n    t.update(SET)\n    return t",
    "t = set()\n    for v in sorted(SET):\n        t.add(v)\n    return t",
)  # fmt: skip


def bodies(seed: int, number: int) -> list[str]:
    """Return functions that go over sets, or over what is made of them."""
    chances, made = random.Random(seed), []
    for _ in range(number):
        body = chances.choice(BODIES)
        while "SET" in body:
            inner = chances.choice(WITHIN) if chances.random() < 0.3 else chances.choice(SETS)
            body = body.replace("SET", inner, 1)
        made.append(f"def probe(s):\n    {body}\n")
    return made


@pytest.mark.parametrize(
    ("seed", "number"), [(1, 150), pytest.param(2, 2000, marks=pytest.mark.slow)]
)
def test_what_is_accepted_has_no_order_of_a_set(tmp_path, seed, number):
    accepted = []
    for at, body in enumerate(bodies(seed, number)):
        file = tmp_path / f"model{at}.py"
        file.write_text(MODEL.replace("def probe(s):\n    BODY\n", body), "utf-8")
        try:
            system_for(find_protocol(str(file)), [], [])
        except TidegateError:
            continue
        accepted.append(body)
    assert number / 10 < len(accepted) < number / 2
    outcomes = [results(accepted, seed) for seed in range(6)]
    assert [body for body, *each in zip(accepted, *outcomes, strict=True) if len({*each}) > 1] == []


def results(some: list[str], seed: int) -> list[str]:
    """Return what Python gives, with one seed of its hashes."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(some),
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(ran.stdout)
