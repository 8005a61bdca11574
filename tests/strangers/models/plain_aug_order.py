# kind: augmented assignment whose right side writes the target
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 5, "x")
    y: int = integer(0, 5, "y")

model = Model(Bounds, State, deadlock=False)

def bump(s: State) -> int:
    s.x = s.x + 1
    return 1

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.x > 2:
        return False
    s.x += bump(s)
    return True

@model.action("p")
def b(s: State, k: Bounds) -> bool:
    if s.x > 3 or s.y > 3:
        return False
    s.y = s.x + bump(s) + s.x - s.x
    return True

@model.invariant("y small")
def inv(s: State, k: Bounds) -> bool:
    return s.y <= 3

# expect: violated Inv 4
