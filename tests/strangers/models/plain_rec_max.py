# kind: write through the result of max over an array of records
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class E(Record):
    t: int = integer(0, 2, "t")
    v: int = integer(0, 2, "v")

class State(Record):
    a: list[E] = array(2, E)
    last: E = nested(E)
    q: Seq[E] = sequence_of(E, 2, "q")

model = Model(Bounds, State, deadlock=False)

@model.action("p", i=lambda k: range(2))
def inc(s: State, k: Bounds, i: int) -> bool:
    if s.a[i].t == 2:
        return False
    s.a[i].t += 1
    return True

@model.action("p")
def top(s: State, k: Bounds) -> bool:
    best = max(s.a, key=lambda r: r.t)
    best.v = (best.v + 1) % 3
    return True

@model.action("p")
def srt(s: State, k: Bounds) -> bool:
    low, high = sorted(s.a, key=lambda r: (r.t, -r.v))
    low.assign(high)
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return not (s.a[0].v == 2 and s.a[1].v == 1)

# expect: violated Inv 4
