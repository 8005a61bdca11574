# kind: places and values of records: assign, then mutate the source
from copy import copy
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
def cp(s: State, k: Bounds) -> bool:
    one = s.a[0]
    s.last.assign(one)
    s.a[0].assign(s.a[1])
    s.a[1].assign(s.last)
    one.v = 1 if one == s.a[1] else 2
    return True

@model.action("p")
def push(s: State, k: Bounds) -> bool:
    if len(s.q) == 2:
        return False
    mine = E(t=s.a[0].t, v=1)
    s.q.append(copy(mine))
    mine.v = 2
    s.a[1].v = mine.v
    return True

@model.action("p")
def popped(s: State, k: Bounds) -> bool:
    if len(s.q) == 0:
        return False
    m = s.q.pop()
    m.t = 2 - m.t
    s.last.assign(m)
    s.a[0].v = 0
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return not (s.last in s.q and s.a[0] == s.a[1])

# expect: violated Inv 3
