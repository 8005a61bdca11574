"""Random actions with dictionaries, lists by peer, tuples, lambdas and helpers: as above."""

import random
from collections import Counter
from functools import reduce
from operator import or_

import pytest

from tests.checker.renaming import difference, function, shown
from tidegate.core.symmetry import SymmetryError
from tidegate.language.lowering.frame import LoweringError

NAMES = {"Counter": Counter, "reduce": reduce, "or_": or_}

BEGINNINGS = [
    "d = {{p: {n} for p in range(k.peers)}}",
    "d = {{p: {n} for p in s.team}}",
    "d = {{{q}: {n}, {q}: {n}}}",
    "d = Counter(s.peer[p].follows for p in range(k.peers))",
    "d = dict.fromkeys([1, 2], 0)",
    "v = [{n} for p in range(k.peers)]",
    "v = [s.peer[p].follows for p in range(k.peers)]",
    "v = [0] * k.peers",
    "v = [{n} for _ in range(2)]",
    "v = list(s.score)",
    "t = {{({q}, {n})}}",
    "t = {{(p, {n}) for p in range(k.peers) if {b}}}",
    "t = {{({n}, {n}) for p in s.peer}}",
    "x = next((p for p in range(k.peers) if {b}), NONE)",
    "x = {q} if {b} else NONE",
    "x = max(({n} for p in range(k.peers)), default=0)",
    "x = max(range(k.peers), key=lambda p: {n})",
    "x = sorted({n} for p in range(k.peers))[0]",
    "x = sum({n} for p in s.team)",
    "w = reduce(or_, [{{p}} for p in range(k.peers) if {b}], set())",
    "w = {{{q}, {q}}} | {{p for p in s.team if {b}}}",
    "w = set()\nfor p in range(k.peers):\n    if {b}:\n        w.add({q})",
    "out = []\nfor p in range(k.peers):\n    if {b}:\n        out.append(({q}, {n}))",
    "out = sorted((p, {n}) for p in range(k.peers))",
    "def h(p, n):\n    s.peer[p].term = n\n    return {b}",
    "def h(p, n):\n    if {b}:\n        return NONE\n    return p",
    "def h(p, n):\n    out.append((p, n))\n    return n > 1",
    "h = lambda p, n: {b}",
    "u = s.peer[{q}]",
    "e = Entry(who={q}, what={n})",
    "c = 0\nfor p in range(k.peers):\n    c += {n}",
    "c = True\nfor p in s.team:\n    c &= {b}",
]
"""Statements, with holes for numbers, participants and conditions."""

STATEMENTS = [
    "s.board.count = {n}", "s.peer[{q}].term = {n}", "s.board.leader = {q}",
    "s.peer[{q}].follows = {q}", "s.score[{q}] = {n}", "s.team.add({q})", "s.team -= {{{q}}}",
    "s.board.leader = x", "s.board.count = x", "s.board.count = d[{q}]",
    "s.score[{q}] = d.get({q}, 0)",
    "d[{q}] = {n}", "d[{q}] += 1", "v[{q}] = {n}", "v[0] = {n}", "s.score[{q}] = v[{q}]",
    "s.slot[0] = v[1]", "s.board.leader = v[{q}]", "v.append({n})", "t.add(({q}, {n}))",
    "w |= {{{q}}}", "w.discard({q})", "s.team = w", "s.queue.append({q})", "s.log.append(e)",
    "e.who = {q}",
    "e = Entry(who={q}, what=1)", "s.last.assign(e)", "u.term = {n}", "u.follows = {q}",
    "out.append(({q}, {n}))", "h({q}, {n})", "c = {n}", "x = {q}", "return {b}",
    "for p, n in out:\n    s.peer[p].term = n", "for p, n in d.items():\n    s.score[p] = n",
    "for p, n in zip(range(k.peers), v):\n    s.peer[p].term = n",
    "for p in w:\n    s.peer[p].up = True",
    "for p in sorted(w):\n    s.peer[p].up = {b}", "for p, n in sorted(t):\n    s.score[p] = 1",
    "for p in range(k.peers):\n    if {b}:\n        return {b}",
    "for p in range(k.peers):\n    if {b}:\n        h(p, {n})",
    "for p in range(k.peers):\n    if {b}:\n        x = p\n        break",
    "for p in range(k.peers):\n    v[p] = {n}",
    "for p in range(k.peers):\n    d[p] = {n}",
    "for p in s.peer:\n    if {b}:\n        out.append((r, {n}))\n        s.score[r] = len(out)",
    "for n in range(2):\n    if {b}:\n        s.slot[n] = {n}\n        continue\n    c = n",
    "for p in s.peer:\n    p.term = {n}", "for n, p in enumerate(s.peer):\n    p.follows = n",
]  # fmt: skip

NUMBERS = [
    "1", "s.board.count", "s.peer[{q}].term", "s.score[{q}]", "len(s.team)", "len(s.queue)", "c",
    "d[{q}]", "v[{q}]", "v[0]", "x", "e.what", "u.term", "len(w)", "len(out)", "s.slot[0]", "2",
    "sum(s.score)", "max(v)", "min({n}, 2)", "({n} if {b} else {n})", "sum(d.values())", "n",
    "len(d)", "len(t)", "out[0][1]", "v.count({n})",
]  # fmt: skip
PEOPLE = ["r", "s.board.first", "p", "x", "e.who", "s.board.leader", "u.follows", "out[0][0]", "1"]
CONDITIONS = [
    "s.peer[{q}].up", "{q} == {q}", "{n} > {n}", "{q} in s.team", "{q} in w", "{q} in d",
    "({q}, {n}) in t", "x == NONE", "x == {q}", "any({n} > 1 for p in range(k.peers))",
    "all(s.peer[p].up for p in w)", "{b} and {b}", "not {b}", "h({q}, {n})", "s.last == e", "c",
    "len(out) > 1", "w == s.team", "v == [1, 1, 1]", "{q} in [p for p, n in out]", "{q} < {q}",
    "h({q}, {n}) == NONE", "d == {{}}", "s.log[0] == e", "{n} in v", "u.up", "w <= s.team",
]  # fmt: skip


def filled(dice, text, depth=2):
    """Return a text whose holes have random expressions of names that it has."""
    lacking = [name for name in ("p", "n") if f"{name} in " not in text and f"{name}:" not in text]
    while "{n}" in text or "{q}" in text or "{b}" in text:
        depth -= 1
        for hole, choices in (("{n}", NUMBERS), ("{q}", PEOPLE), ("{b}", CONDITIONS)):
            some = [one for one in choices if one not in lacking]
            flat = [one for one in some if "{" not in one]
            while hole in text:
                text = text.replace(hole, dice.choice(some if depth > 0 else flat), 1)
    return text.replace("{{", "{").replace("}}", "}")


def beginnings(dice):
    """Yield a statement for each name that others use."""
    for name in ("c", "x", "out", "w", "d", "v", "t", "u", "e", "h"):
        mine = [one for one in BEGINNINGS if one.startswith((f"{name} =", f"def {name}("))]
        yield SIMPLE[name] if dice.random() < 0.6 else filled(dice, dice.choice(mine), depth=1)


SIMPLE = {
    "c": "c = 0", "x": "x = r", "out": "out = [(r, 1)]", "w": "w = {r}",
    "d": "d = {p: 0 for p in range(k.peers)}", "v": "v = [0 for p in range(k.peers)]",
    "t": "t = {(r, 1)}", "u": "u = s.peer[r]", "e": "e = Entry(who=r, what=1)",
    "h": "def h(p, n):\n    return s.peer[p].term > n",
}  # fmt: skip


def action(seed):
    """Return the source of a random action of a peer r."""
    dice = random.Random(seed)
    lines = ["if s.peer[r].term == 2:", "    return False"]
    for text in beginnings(dice):
        lines += text.split("\n")
    for _ in range(dice.randint(1, 3)):
        text = filled(dice, dice.choice(STATEMENTS))
        if dice.random() < 0.2 and "return" not in text:
            inner = "\n".join(f"    {line}" for line in text.split("\n"))
            text = f"if {filled(dice, '{b}')}:\n{inner}"
        lines += text.split("\n")
    lines.append(f"return {filled(dice, '{b}')}")
    used = "\n".join(f"    {line}" for line in lines)
    return f"def f(s, k, r):\n{used}\n"


def is_shown(source):
    """Whether an action is shown to treat peers alike; None if it is not in the language."""
    try:
        shown(source, **NAMES)
    except SymmetryError as error:
        if "cannot be followed" in str(error):
            raise
        return False
    except LoweringError:
        return None
    return True


@pytest.mark.parametrize("part", range(4))
def test_what_is_shown_to_treat_replicas_alike_does(part):
    accepted = 0
    for seed in range(part * 100, part * 100 + 100):
        source = action(seed)
        if is_shown(source):
            accepted += 1
            made = function(source, **NAMES)
            assert difference(made, seed=seed, number=60) is None, source
    assert accepted > 10
