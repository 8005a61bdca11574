# kind: write, raise, catch, return False
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

@model.action("p")
def act(s: State, k: Bounds) -> bool:
    try:
        s.x += 1
        if s.x > 3:
            raise ValueError
    except ValueError:
        return False
    return True

@model.action("p")
def other(s: State, k: Bounds) -> bool:
    if s.y == 2:
        return False
    s.y += 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 4

# expect: refused 19
