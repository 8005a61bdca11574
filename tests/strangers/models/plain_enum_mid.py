# kind: an enumeration variable out of range in the middle of a step
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class C(IntEnum):
    R = 0
    G = 1
    B = 2

class State(Record):
    c: C = enumeration(C, "c")
    x: int = integer(0, 3, "x")

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def put(s: State, k: Bounds) -> bool:
    s.c = s.c + 1
    if s.c == 3:
        s.c = C.R
        s.x = (s.x + 1) % 4
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 3

# expect: violated Inv 9
