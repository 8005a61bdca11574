# kind: a boolean that is written as a number
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    b: bool = boolean("b")
    x: int = integer(0, 3, "x")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(3))
def put(s: State, k: Bounds, v: int) -> bool:
    s.b = v & 1
    s.x = s.b + (s.b is True) + (-s.b + 1 == 0)
    return True

@model.action("p")
def inv_(s: State, k: Bounds) -> bool:
    s.b = ~s.b & 1
    s.x = (s.b << 1) | s.b
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 3

# expect: violated Inv 1
