"""Nodes gossip sets of facts; a node tells another one what that lacks."""
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations

from tidegate import Model, Record, Seq, Set, array, enumeration, integer, number, sequence_of, set_of


class Mood(IntEnum):
    IDLE = 0
    BUSY = 1
    DONE = 2

    @property
    def next(self):
        return Mood(min(self + 1, 2))

    def is_over(self):
        return self is Mood.DONE


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes", main=True)


class Fact(Record):
    owner: int = integer(0, 3, "owner")
    n: int = integer(0, 2, "n")


class State(Record):
    known: list[Set] = array(lambda k: k.nodes, set_of(4, "known"))
    mood: list[Mood] = array(lambda k: k.nodes, enumeration(Mood, "mood"))
    wire: Set = set_of(Fact, 3, "on the wire")
    log: Seq[Fact] = sequence_of(Fact, 2, "log")


model = Model(Bounds, State, deadlock=False)


def missing(s, a, b):
    return {v for v in s.known[a] if v not in s.known[b]}


@model.action("node", a=lambda k: range(k.nodes))
def learn(s: State, k: Bounds, a: int) -> bool:
    if s.mood[a].is_over() or a in s.known[a]:
        return False
    s.known[a].add(a)
    s.mood[a] = s.mood[a].next
    return True


@model.action("node", a=lambda k: range(k.nodes), b=lambda k: range(k.nodes))
def tell(s: State, k: Bounds, a: int, b: int) -> bool:
    lacks = missing(s, a, b)
    if a == b or not lacks or len(s.wire) == 3:
        return False
    first = min(lacks)
    s.wire.add(Fact(owner=first, n=len(lacks) - 1))
    return True


@model.action("network")
def deliver(s: State, k: Bounds) -> bool:
    per = defaultdict(list)
    for fact in sorted(s.wire, key=lambda f: (f.n, f.owner)):
        per[fact.owner].append(fact.n)
    if not per:
        return False
    counts = Counter(owner for owner, ns in per.items() for _ in ns)
    owner = max(sorted(counts), key=counts.get)
    for node in range(k.nodes):
        s.known[node] |= {owner}
    for fact in list(s.wire):
        if fact.owner == owner:
            s.wire.remove(fact)
    if len(s.log) == 2:
        s.log.popleft()
    s.log.append(Fact(owner=owner, n=counts[owner] - 1))
    return True


@model.invariant("Two nodes know one thing in common once both are done.")
def shared(s: State, k: Bounds) -> bool:
    over = [n for n, m in enumerate(s.mood) if m.is_over()]
    return all(s.known[a] & s.known[b] for a, b in combinations(over, 2))


@model.invariant("The log has no fact twice with the same count.")
def once(s: State, k: Bounds) -> bool:
    seen = {(f.owner, f.n) for f in s.log}
    return len(seen) >= len(s.log) - 1

# By a search of its own, of plain tuples.
# expect: holds 78
