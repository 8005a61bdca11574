"""Sets and sequences have the operators and methods of Python's, in Python and in machine code."""

import linecache
from itertools import product
from types import SimpleNamespace

import pytest

import tidegate
from tidegate import Bag, Record, RecordSet, Seq, Set, bag_of, integer, sequence_of, set_of
from tidegate.core.errors import ModelError
from tidegate.core.layout import Layout

LINES = """\
s.n = len(s.a | s.b) + len(s.a & s.b) + len(s.a - s.b) + len(s.a ^ s.b)
s.n = len(s.a | {0, 1}) + len({1} - s.a) + len({0} ^ s.a) + len({1} & s.b)
s.n = int(s.a <= s.b) + 2 * int(s.a < s.b) + 4 * int(s.a >= s.b) + 8 * int(s.a > s.b)
s.n = int(s.a == {0, 1}) + 2 * int({1} <= s.a) + 4 * int(s.a != s.b) + 8 * int(s.a > {0})
s.n = int(s.a.issubset(s.b)) + 2 * int(s.a.issuperset([1])) + 4 * int(s.a.isdisjoint(s.b))
s.n = len(s.a.union(s.b, [1])) + len(s.a.intersection(s.b)) + len(s.a.difference({0}).copy())
s.n = sum(v + 1 for v in s.a.symmetric_difference(s.b)) + max(s.a | {0}) + sum(s.a.copy())
s.n = 3 if 0 not in s.a and (s.a & s.b) != {1} else 4
u = s.a | s.b; s.n = len(u) + int(1 in u) + int(bool(u - s.b)) + int(u == s.b)
s.a |= s.b
s.a &= {1}; s.b ^= s.a; s.b -= {0}
s.a.update(s.b, {1})
s.a.intersection_update(s.b); s.b.difference_update({1}); s.b.symmetric_difference_update(s.a)
s.a.discard(0); s.b.clear()
s.a.remove(min(s.a))
s.n = s.q[-1] + 2 * s.q[-2:][0]; s.q[-1] = 0
s.n = s.q.pop(0)
s.n = s.q.pop(-1)
s.n = s.q.pop(len(s.q) - 1) + s.q.pop()
s.q.remove(1); s.n = len(s.q)
s.n = s.q.index(1) + 3 * s.q.count(1) + s.q[1:].count(0)
s.q.insert(0, 1)
s.q.insert(9, 1); s.q.insert(-1, 0)
s.n = int(s.q == [0, 1]) + 2 * int(s.q != [1]) + 4 * int([0] == s.q) + 8 * int(s.q == s.r)
s.n = int(s.q[1:] == [1]) + 2 * int(s.q[:-1] == s.r) + 4 * int(1 in s.q[1:])
s.n = len(s.q + s.r) + 3 * len(s.q[1:] + [1]) - len([1] + s.r)
s.r[:] = s.q + s.r
s.r += s.q
s.r.extend(s.q[:1]); s.r += [1]
s.n = 0; [s.r.append(v) for v in reversed(s.q)]
del s.q[-1]; s.q[:0] = [1]; s.n = len(s.q.copy()) + sum(s.q)
""".splitlines()

SETS = [set(), {0}, {1}, {0, 1}]
LISTS = [[], [0], [1], [0, 1], [1, 1], [0, 0, 1]]
MOST = 4

MODEL = f"""
from dataclasses import dataclass
from tidegate import *
SETS = {[tuple(sorted(one)) for one in SETS]}
LISTS = {[tuple(one) for one in LISTS]}
@dataclass(frozen=True)
class Bounds:
    nodes: int = number(1, 1, 8, "nodes")
class State(Record):
    a: Set = set_of(2, "numbers")
    b: Set = set_of(2, "numbers")
    q: Seq = sequence_of(integer(0, 1, "a number"), {MOST}, "numbers that wait")
    r: Seq = sequence_of(integer(0, 1, "a number"), {MOST}, "numbers that wait")
    n: int = integer(0, 15, "a result")
    line: int = integer(0, {len(LINES)}, "what was done")
model = Model(Bounds, State, deadlock=False)
@model.initial
def begin(s: State, k: Bounds):
    for a in SETS:
        for b in SETS:
            for q in LISTS:
                for r in LISTS[:4]:
                    s.a.update(a)
                    s.b.update(b)
                    s.q.extend(q)
                    s.r.extend(r)
                    yield
"""


def _guard(line):
    """Return when a line can be done: what Python refuses, and what does not fit, is left out."""
    needs = [
        f"len(s.q) > {need}"
        for need, text in ((0, "s.q[-1]"), (0, "pop("), (1, "s.q.pop()"))
        if text in line
    ]
    needs += ["1 in s.q"] * ("(1)" in line and "s.q." in line) + ["s.a"] * ("min(s.a)" in line)
    needs += ["len(s.q) > 0"] * ("del s.q" in line)
    if any(text in line for text in ("s.r +=", "s.r[:]", "extend", "append", "insert")):
        needs.append(f"len(s.q) + len(s.r) < {MOST}")
    needs += ["len(s.q) < 3"] * ("insert(9" in line)
    return " and ".join(needs) or "True"


def _run(line, s):
    """Run a line, whose source is known, as that of a file is."""
    name = f"<{line}>"
    linecache.cache[name] = len(line), None, [line], name
    exec(compile(line, name, "exec"), {"s": s})


def _source():
    """Return a model with an action for each line."""
    actions = [
        f"@model.action('line')\ndef line_{number}(s: State, k: Bounds) -> bool:\n"
        f"    if s.line or not ({_guard(line)}):\n        return False\n"
        f"    s.line = {number + 1}\n    {line}\n    return True\n"
        for number, line in enumerate(LINES)
    ]
    return MODEL + "".join(actions)


def _plain():
    """Return what each line makes of Python's own sets and lists, and from what."""
    for a, b, q, r in product(SETS, SETS, LISTS, LISTS[:4]):
        for number, line in enumerate(LINES):
            state = SimpleNamespace(a={*a}, b={*b}, q=[*q], r=[*r], n=0, line=number + 1)
            if eval(_guard(line), {"s": state}):
                _run(line, state)
                yield (a, b, q, r), line, state


def test_they_do_what_those_of_python_do():
    class State(Record):
        a: Set = set_of(2, "numbers")
        b: Set = set_of(2, "numbers")
        q: Seq = sequence_of(integer(0, 1, "a number"), MOST, "numbers that wait")
        r: Seq = sequence_of(integer(0, 1, "a number"), MOST, "numbers that wait")
        n: int = integer(0, 15, "a result")
        line: int = integer(0, 100, "what was done")

    layout = Layout(State, None)
    s = layout.record
    tried = set()
    for (a, b, q, r), line, wanted in _plain():
        layout.reset()
        s.a |= a
        s.b.update(b)
        s.q += q
        s.r[:] = r
        _run(line, s)
        layout.dump()
        assert (s.a, s.b, s.q, s.r, s.n) == (wanted.a, wanted.b, wanted.q, wanted.r, wanted.n), line
        tried.add(line)
    assert tried == set(LINES)


def test_machine_code_does_what_python_does(tmp_path):
    model = tmp_path / "operations.py"
    model.write_text(_source())
    checked = tidegate.check(str(model), {}, ["TypeOk"], engine="compiled")
    assert checked.holds
    states = {
        (line, *map(str, (wanted.a, wanted.b, wanted.q, wanted.r, wanted.n)))
        for _, line, wanted in _plain()
    }
    initial = len(SETS) ** 2 * len(LISTS) * 4
    assert checked.distinct_states == initial + len(states)


MISUSED = {
    "s.a.remove(1)": "set.remove(1): not in the set",
    "s.a.add(s.n - 1)": "set.add(-1): a set has numbers from 0 on",
    "s.a |= [1]": "a set is needed, not [1]",
    "s.n = int(s.a == [1])": "a set is needed, not [1]",
    "s.q.remove(1)": "sequence.remove(1): not in the sequence",
    "s.n = s.q.index(1)": "sequence.index(1): not in the sequence",
    "s.q.pop()": "sequence.pop(): the sequence is empty",
    "s.q.pop(0)": "sequence.pop(0): it has 0 elements",
    "s.q.popleft()": "sequence.popleft(): the sequence is empty",
    "s.r.append(1)": "sequence.append(1): the sequence holds 2 at most",
    "s.r.extend([1, 1])": "the sequence holds 2 at most; 4 do not fit",
    "s.r.insert(0, 1)": "the sequence holds 2 at most; 3 do not fit",
    "s.n = int(s.r == (1, 1))": "a sequence is compared with (1, 1): write a list",
    "s.n = int(s.c == {0, 1})": "a bag is compared with {0, 1}: write a dict of counts",
    "s.n = int(s.m == {})": "a set of records is compared with {}: write a set",
    "s.n = len(s.r + (1,))": "a list or a sequence is needed, not (1,)",
}


class Kept(Record):
    n: int = integer(0, 2, "a number")


def test_a_set_of_records_and_a_bag_are_compared_with_what_they_look_like():
    class State(Record):
        c: Bag = bag_of(2, 2, "a bag")
        m: RecordSet = set_of(Kept, 2, "records")

    s = Layout(State, None).record
    assert s.c == {} == s.c
    assert s.m == set() != {Kept(n=0)} != s.m
    s.c.add(1)
    s.m.add(Kept(n=2))
    s.m.add(Kept(n=1))
    assert {1: 1, 2: 1} != s.c == {1: 1, 0: 0}
    assert {Kept(n=1)} != s.m == {Kept(n=1), Kept(n=2)}
    assert s.c != {}
    assert s.m == s.m != frozenset()


@pytest.mark.parametrize("line", MISUSED)
def test_misuse_says_what_is_wrong_and_where(line):
    class State(Record):
        a: Set = set_of(2, "numbers")
        q: Seq = sequence_of(integer(0, 1, "a number"), 2, "numbers that wait")
        r: Seq = sequence_of(integer(0, 1, "a number"), 2, "numbers that wait")
        c: Bag = bag_of(2, 2, "a bag")
        m: RecordSet = set_of(Kept, 2, "records")
        n: int = integer(0, 15, "a result")

    s = Layout(State, None).record
    s.r += [1, 1]
    with pytest.raises(ModelError) as raised:
        exec(compile(f"\n{line}", "line.py", "exec"), {"s": s})
    assert MISUSED[line] in str(raised.value)
    assert raised.value.place == ("line.py", 2)
