# kind: strong fairness is enough
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 3, "x")
    y: int = integer(0, 1, "y")

model = Model(Bounds, State, deadlock=False)

@model.action("p", fairness=Fairness.STRONG)
def go(s: State, k: Bounds) -> bool:
    if s.y != 1 or s.x == 3:
        return False
    s.x += 1
    s.y = 0
    return True

@model.action("q")
def flip(s: State, k: Bounds) -> bool:
    s.y = 1 - s.y
    return True

@model.liveness(Kind.EVENTUALLY, "done")
def done(s: State, k: Bounds) -> bool:
    return s.x == 3

# expect: holds 8
