# kind: copy.copy / deepcopy of a nested record and of a sequence
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

import copy

@model.action("p", i=lambda k: range(2))
def inc(s: State, k: Bounds, i: int) -> bool:
    if s.a[i].t == 2:
        return False
    old = copy.copy(s.a[i])
    s.a[i].t += 1
    s.last.assign(old)
    return True

@model.action("p")
def dp(s: State, k: Bounds) -> bool:
    old = copy.deepcopy(s.a[0])
    old.t = 2
    s.a[0].v = (s.a[0].v + 1) % 3
    s.a[1].assign(old)
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.last.t == 0

# expect: violated Inv 2
