# kind: bag over its maximum by one and back, guarded
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

from tidegate import Bag

class State(Record):
    b: Bag = bag_of(2, 2, "b")
    c: int = integer(0, 3, "c")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(2))
def put(s: State, k: Bounds, v: int) -> bool:
    if s.b[v] == 2:
        return False
    s.b.add(v)
    s.b.add(v)
    s.c = s.b[v]
    s.b.remove(v)
    return True

@model.action("p", v=lambda k: range(2))
def take(s: State, k: Bounds, v: int) -> bool:
    if v not in s.b or len(s.b) < 2:
        return False
    s.b.remove(v)
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return not (s.c == 3 and s.b[0] == 0)

# expect: violated Inv 2
