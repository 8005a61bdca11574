# kind: a number beyond a set's size added and discarded in one step
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    m: Set = set_of(3, "m")
    x: int = integer(0, 7, "x")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(6))
def put(s: State, k: Bounds, v: int) -> bool:
    s.m.add(v)
    s.x = len(s.m)
    for w in (3, 4, 5):
        s.m.discard(w)
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 4

# expect: violated Inv 4
