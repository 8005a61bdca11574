"""What is read from a sequence is a value, and everything else in a state is a place."""

import re
from random import Random

import pytest

import tidegate
from tests.library import values
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.errors import ModelError, TidegateError
from tidegate.core.layout import Layout
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

ACTIONS = 8
"""Actions of a random model."""


def found_by(search, system):
    """Return the states that a search finds, as texts."""
    search.run()
    return {str(system.layout.describe(state)) for level in search.states() for state in level}


@pytest.mark.parametrize("seed", range(4))
def test_a_model_reaches_what_lists_and_explicit_copies_reach(tmp_path, seed):
    random = Random(seed)
    actions = [values.action(number, values.body(random)) for number in range(ACTIONS)]
    file = tmp_path / "model.py"
    file.write_text(values.model(actions), "utf-8")
    expected = {str(state) for state in values.reachable(actions)}
    for debug in (False, True):
        system = system_for(find_protocol(str(file)), [], [])
        system.debug = debug
        assert found_by(Search(SearchRequest(system, [])), system) == expected
    system = system_for(find_protocol(str(file)), [], [])
    assert found_by(CompiledSearch(SearchRequest(system, [])), system) == expected


NAMES = (
    ("m, o = s.q[{i}], 3", "m"),
    ("for m in s.q:", "m"),
    ("for m in s.q[:2]:", "m"),
    ("pair = (s.q[{i}], 1)\n    m = pair[0]", "m"),
    ("m = next(one for one in s.q)", "m"),
    ("m = max(s.q, key=lambda one: one.a)", "m"),
    ("[m, *_] = s.q", "m"),
    ("if (m := s.q[{i}]).a < 9:", "m"),
    ("whole = {{1: s.q[{i}]}}", "whole[1]"),
)
"""How a name holds an element of ``q``."""

WRITES = (
    "a = 1", "a += 1", "inner.x = 1", "inner.x ^= 1", "row[{i}] = 1", "row[0] -= 1",
    "assign(s.box[{i}])", "inner.assign(s.box[0].inner)", "row.append(1)", "row[:] = [1, 1]",
)  # fmt: skip

INDIRECT = (
    ("def put(m):\n    m.a = 1  # here\n", "put(s.q[{i}])"),
    ("def put(s, m):\n    m.inner.x = 1  # here\n", "put(s, m=s.q[{i}])"),
    ("def put(row):\n    row[0] = 1\n", "put(s.q[{i}].row)  # here"),
    ("def put(inner):\n    inner.x = 1  # here\n", "put(s.q[{i}].inner)"),
    ("def put(s):\n    (lambda m=s.q[{i}]: m.assign(s.box[0]))()  # here\n", "put(s)"),
    ("def put(s):\n    m = s.q[{i}]\n    def inside():\n        m.a = 1  # here\n    inside()\n",
     "put(s)"),
    ("def put(s):\n    return [m for m in s.q]\n", "put(s)[0].a = 1  # here"),
    ("", "write = s.q[{i}].assign  # here\n    write(s.box[0])"),
    ("", "[*s.q][{i}].a = 1  # here"),
    ("", "[s.q[{i}]][0].row[1] = 1  # here"),
    ("", "list(s.q[:])[{i}].inner.x += 1  # here"),
    ("bump", "s.q[{i}].bump()"),
    ("bump", "for m in s.q:\n        m.bump()"),
)  # fmt: skip
"""Text before an action, and what the action does."""

BUMP = "        return self.a + self.inner.x + self.row[1] + more\n"
BUMPING = f"{BUMP}\n    def bump(self) -> None:\n        self.a += 1  # here\n"


def refused(tmp_path, before, body):
    """Check that every engine refuses a model, at the line that says so."""
    file, head = tmp_path / "model.py", values.HEAD
    head = head.replace(BUMP, BUMPING) if before == "bump" else head + before
    file.write_text(
        f"{head}@model.action('anybody')\ndef act(s, k):\n    if s.steps == 3:\n"
        f"        return False\n    {body}\n    s.steps += 1\n    return True\n",
        "utf-8",
    )
    text = file.read_text("utf-8")
    place = f"model.py:{text[: text.index('# here')].count(chr(10)) + 1})"
    for engine in ("interpreted", "auto"):
        for debug in (False, True):
            with pytest.raises(TidegateError, match=re.escape(place)):
                tidegate.check(str(file), {}, ["TypeOk"], engine=engine, debug=debug)
    with pytest.raises(TidegateError):
        tidegate.check(str(file), {}, ["TypeOk"], engine="compiled")


@pytest.mark.parametrize("seed", range(2))
def test_writing_through_a_name_for_an_element_is_refused_at_its_line(tmp_path, seed):
    random = Random(seed)
    for (name, held), write in zip(NAMES, random.sample(WRITES, len(NAMES)), strict=True):
        number = random.choice("01")
        name, write = name.format(i=number), write.format(i=number)
        space = "        " if name.endswith(":") else "    "
        refused(tmp_path, "", f"{name}\n{space}{held}.{write}  # here")


@pytest.mark.parametrize(
    ("before", "body", "number"),
    [(*each, "01"[index % 2]) for index, each in enumerate(INDIRECT)],
)
def test_writing_through_another_name_for_an_element_is_refused(tmp_path, before, body, number):
    refused(tmp_path, before.replace("{i}", number), body.replace("{i}", number))


OWN = """
def one(s, k):
    own = s.q.popleft()
    own.a, own.row[0] = 3, 2
    own.inner.x = own.a
    s.q.append(own)
    own.a = 0
    return s.q[1].plus(0) == 3 + 3 + s.q[1].row[1] and s.q[1].row[0] == 2

def two(s, k):
    flat = Flat(u=1, v=2)
    s.p.append(flat)
    flat.u = 3
    s.p.append(flat)
    return [(f.u, f.v) for f in s.p][-2:] == [(1, 2), (3, 2)]

def three(s, k):
    seen = []
    for w in s.n:
        seen.append(w)
        if len(s.n) < 3:
            s.n.append(w)
        if len(seen) == 2:
            s.n.clear()
    return len(seen) == 2 and list(s.n) == []

def four(s, k):
    (
        s.q[
            0
        ]
        .inner
        .x
    ) = 2
    s.q[
        0
    ].assign(
        s.q[1],
    )
    s.q[
        len(s.q) - 1
    ].row[
        0
    ] += 1
    return s.q[0].a == s.q[1].a and s.q[1].row[0] == s.q[0].row[0] + 1

def five(s, k):
    q, lanes, box = s.q, s.lane, s.box[1]
    q[0].a = 3
    lanes[0].clear()
    lanes[0].append(2)
    box.a = 1
    return s.q[0].a == 3 and s.lane[0][0] == 2 and s.box[1].a == 1

def six(s, k):
    try:
        if s.n:
            s.n.clear()
    finally:
        s.q[0].a = 2
    while s.q[0].a:
        s.q[0].a -= 1
        if s.q[0].a == 1:
            continue
    return s.q[0].a == 0 and not s.n

def seven(s, k):
    s.q[0].a += s.q.popleft().inner.x
    return True
"""


def test_what_is_no_copy_is_written():
    space = {"__name__": "values"}
    exec(values.HEAD + OWN, space)
    layout = Layout(space["State"], space["Bounds"]())
    states = []
    for _ in space["begin"](layout.record, None):
        states.append(layout.dump())
        layout.reset()
    for state in states:
        for name in ("one", "two", "three", "four", "five", "six"):
            layout.load(state)
            assert space[name](layout.record, None), name
        layout.load(state)
        with pytest.raises(ModelError, match="the sequence changes between"):
            space["seven"](layout.record, None)


LONG = """
from dataclasses import dataclass
from tidegate import Model, Record, Seq, array, integer, number, replica_id, sequence_of

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes")

class Flat(Record):
    u: int = integer(0, 3, "a number")
    src: int = replica_id(lambda k: k.nodes - 1, "a node")

class State(Record):
    up: list[int] = array(lambda k: k.nodes, integer(0, 2, "x"), by_replica=True, by="node")
    n: Seq = sequence_of(integer(0, 3, "a number"), 18, "numbers")
    p: Seq[Flat] = sequence_of(Flat, 17, "records")
    got: int = integer(0, 1023, "what was read")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
"""

GROWING = """
@model.action("node", v=lambda k: range(4))
def put(s, k, node, v):
    if len(s.n) > 2:
        return False
    s.n.append(v)
    s.p.append(Flat(u=v, src=node))
    return True

@model.action("somebody", cut=lambda k: (1,))
def grow(s, k, cut):
    if not s.n or len(s.p) > 4:
        return False
    rounds = 0
    for w in s.n:
        rounds += w + 1
        if len(s.n) < 17 + cut:
            s.n.append((w + 1) & 3)
    for m in s.p:
        rounds += m.u
        if len(s.p) < 17:
            s.p.append(m)
        s.p[0].u = 3 - s.p[0].u
    for e in s.p[cut:]:
        s.p[1].u = 0
        rounds += e.u
    for w in s.n[:]:
        s.n[len(s.n) - 1] = cut
        rounds += w
    for w in s.n:
        s.n.truncate(2 * cut + 1)
        rounds += w
    s.got = rounds & 1023
    return True
"""


def test_loops_over_long_sequences_are_those_over_lists(tmp_path):
    file = tmp_path / "long.py"
    file.write_text(LONG + GROWING, "utf-8")
    system = system_for(find_protocol(str(file)), [], [])
    python = found_by(Search(SearchRequest(system, [])), system)
    assert found_by(CompiledSearch(SearchRequest(system, [])), system) == python
    assert len(python) > 100
    n, p = [1, 2], [1, 2]
    rounds = 0
    for w in n:
        rounds += w + 1
        n += [(w + 1) & 3] * (len(n) < 18)
    for u in p:
        rounds += u
        p += [u] * (len(p) < 17)
        p[0] = 3 - p[0]
    rounds += sum(p[1:]) + sum(n[:])
    n[-1] = 1
    for w in n:
        del n[3:]
        rounds += w
    assert any(f"'n': {n}" in one and f"'got': {rounds & 1023}" in one for one in python)


NAMELESS = """
@model.action("node")
def raise_it(s, k, node):
    if s.up[node] == 2:
        return False
    s.up[node] += 1
    if s.p:
        s.p[0].u = 1
    return True

@model.action("node")
def see(s, k, node):
    if not any(m.src == node for m in s.p) or s.p[0].src == node:
        return False
    s.up[node] = 0
    return True
"""


def test_elements_are_read_alike_under_symmetry(tmp_path):
    file = tmp_path / "alike.py"
    file.write_text(LONG + NAMELESS, "utf-8")
    for engine in ("interpreted", "compiled"):
        checked = tidegate.check(str(file), {}, ["TypeOk"], engine=engine, symmetry=True)
        # Three nodes with three values each: multisets, not sequences.
        assert (checked.holds, checked.distinct_states) == (True, 10)
