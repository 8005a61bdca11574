# kind: one declaration object bound to two names
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x = y = integer(0, 3, "twice")

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.x == 3:
        return False
    s.x += 1
    return True

@model.invariant("y is not touched")
def inv(s: State, k: Bounds) -> bool:
    return s.y == 0

# expect: holds 4
