# kind: deadlock: only a self loop (stuttering) is enabled, and a state without a step
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 5, "x")

model = Model(Bounds, State)

@model.action("p", d=lambda k: (1, 2))
def up(s: State, k: Bounds, d: int) -> bool:
    if s.x + d > 4:
        return False
    s.x += d
    return True

@model.action("p")
def stay(s: State, k: Bounds) -> bool:
    return s.x == 4 or s.x == 0

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 5

# expect: holds 5
