# kind: a parameter without a value, and one that repeats values
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 5, "x")

model = Model(Bounds, State, deadlock=True)

@model.action("p", v=lambda k: range(k.n, 2))
def never(s: State, k: Bounds, v: int) -> bool:
    s.x = 5
    return True

@model.action("p", v=lambda k: [1, 1, 2, -2])
def step(s: State, k: Bounds, v: int) -> bool:
    if not 0 <= s.x + v <= 4:
        return False
    s.x += v
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x != 5

# expect: holds 5
