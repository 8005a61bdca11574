# kind: a module constant rebound after the action was defined
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

STEP = 1

@model.action("p")
def act(s: State, k: Bounds) -> bool:
    if s.x + STEP > 5:
        return False
    s.x += STEP
    return True

@model.invariant("even")
def inv(s: State, k: Bounds) -> bool:
    return s.x % 2 == 0

STEP = 2

# expect: holds 3
