"""Networks of messages that name participants: sets and bags of records, up to symmetry."""

from itertools import permutations

import pytest

import tidegate
from tidegate import TidegateError

HEAD = """
from dataclasses import dataclass

from tidegate import (
    Model, Record, RecordBag, RecordSet, Seq, array, bag_of, integer, number, replica_id,
    sequence_of, set_of,
)

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)

class Msg(Record):
    src: int = replica_id(lambda k: k.nodes - 1, "from", low=0)
    dst: int = replica_id(lambda k: k.nodes - 1, "to", low=0)
    kind: int = integer(0, 1, "a question, or an answer")

class State(Record):
    net: KIND
    got: list[int] = array(lambda k: k.nodes, integer(0, 2, "answers"), by_replica=True)

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

@model.action("node", to="node")
def ask(s: State, k: Bounds, node: int, to: int) -> bool:
    if node == to or len(s.net) == 2:
        return False
    ADD(Msg(src=node, dst=to, kind=0))
    return True

@model.action("node", m=lambda s, k: s.net)
def take(s: State, k: Bounds, node: int, m: Msg) -> bool:
    if m.dst != node or s.got[node] == 2:
        return False
    s.net.remove(m)
    if m.kind == 0:
        ADD(Msg(src=node, dst=m.src, kind=1))
    else:
        s.got[node] += 1
    return True

@model.invariant("Nobody asks themselves.")
def apart(s: State, k: Bounds) -> bool:
    return all(m.src != m.dst for m in s.net)

@model.invariant("Nobody has two answers.")
def few(s: State, k: Bounds) -> bool:
    return all(got < 2 for got in s.got)
"""
KINDS = {
    "bag": ('RecordBag[Msg] = bag_of(Msg, 2, "in flight")', "s.net.add"),
    "set": ('RecordSet[Msg] = set_of(Msg, 2, "in flight")', "s.net.add"),
    "sequence": ('Seq[Msg] = sequence_of(Msg, 2, "in flight")', "s.net.append"),
}


def source(kind):
    """Return the file of a model whose network is of a kind."""
    declared, add = KINDS[kind]
    return HEAD.replace("KIND", declared).replace("ADD", add)


def put(kind, net, message):
    """Return a network with one more message, as each kind keeps it."""
    if kind == "set" and message in net:
        return net
    more = (*net, message)
    return more if kind == "sequence" else tuple(sorted(more))


def states(kind, nodes=3):
    """Return all states: found by a walk of its own, over tuples of messages and of answers."""
    seen = {((), (0,) * nodes)}
    todo = list(seen)
    pairs = [(a, b) for a in range(nodes) for b in range(nodes) if a != b]
    while todo:
        net, got = todo.pop()
        after = [(put(kind, net, (a, b, 0)), got) for a, b in pairs] if len(net) < 2 else []
        for m in net:
            at = net.index(m)
            rest = (*net[:at], *net[at + 1 :])
            if got[m[1]] < 2 and m[2]:
                after.append((rest, tuple(g + (n == m[1]) for n, g in enumerate(got))))
            elif got[m[1]] < 2:
                after.append((put(kind, rest, (m[1], m[0], 1)), got))
        fresh = set(after) - seen
        seen |= fresh
        todo += fresh
    return seen


def orbit(kind, state):
    """Return the least of what the permutations of the nodes make of a state."""
    net, got = state
    every = []
    for p in permutations(range(len(got))):
        renamed = tuple((p[a], p[b], c) for a, b, c in net)
        order = tuple(got[p.index(n)] for n in range(len(got)))
        every.append((renamed if kind == "sequence" else tuple(sorted(renamed)), order))
    return min(every)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_network_has_as_many_orbits_as_brute_force_finds(tmp_path, kind, engine):
    file = tmp_path / "net.py"
    file.write_text(source(kind), "utf-8")
    every = states(kind)
    plain = tidegate.check(str(file), {}, ["Apart"], engine=engine)
    assert (plain.holds, plain.distinct_states) == (True, len(every))
    reduced = tidegate.check(str(file), {}, ["Apart"], engine=engine, symmetry=True)
    assert (reduced.holds, reduced.depth) == (True, plain.depth)
    assert reduced.distinct_states == len({orbit(kind, state) for state in every})


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_trace_names_the_members_that_were_taken(tmp_path, kind, engine):
    file = tmp_path / "net.py"
    file.write_text(source(kind), "utf-8")
    plain = tidegate.check(str(file), {}, ["Few"], engine=engine)
    reduced = tidegate.check(str(file), {}, ["Few"], engine=engine, symmetry=True)
    assert len(plain.trace) == len(reduced.trace) == 7
    taken = [sorted(step.action for step in each.trace[1:]) for each in (plain, reduced)]
    assert taken == [["Ask", "Ask", "Take", "Take", "Take", "Take"]] * 2


@pytest.mark.parametrize("line", ["if len(s.net) > 1 and s.net[0].src == node: return False"])
def test_a_member_is_not_taken_by_its_number(tmp_path, line):
    file = tmp_path / "net.py"
    file.write_text(source("bag").replace("    if m.dst", f"    {line}\n    if m.dst"), "utf-8")
    with pytest.raises(TidegateError, match=r"s\.net\[0\].* takes a member of net by its number"):
        tidegate.check(str(file), {}, ["Apart"], symmetry=True)


def test_a_loop_over_members_has_no_order(tmp_path):
    file = tmp_path / "net.py"
    line = "for m in s.net:\n        s.got[m.src] = 2 - s.got[m.dst]\n    s.net.remove(m)"
    file.write_text(source("bag").replace("s.net.remove(m)", line), "utf-8")
    with pytest.raises(TidegateError, match=r"depends on their order"):
        tidegate.check(str(file), {}, ["Apart"], symmetry=True)


def test_an_array_within_a_member_is_refused(tmp_path):
    file = tmp_path / "net.py"
    row = 'row: list[int] = array(2, replica_id(1, "two"))'
    text = source("bag").replace("    kind: int", f"    {row}\n    kind: int")
    file.write_text(text, "utf-8")
    with pytest.raises(TidegateError, match="names a replica in a sequence or an array within"):
        tidegate.check(str(file), {}, ["Apart"], symmetry=True)
