# kind: a context manager that swallows exceptions and writes in __exit__
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

class Guard:
    def __init__(self, s: State):
        self.s = s
    def __enter__(self):
        return self
    def __exit__(self, kind, value, tb) -> bool:
        self.s.y = 1 if kind is None else 2
        return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    if s.x >= 4:
        return False
    with Guard(s):
        s.x += 1
        if s.x % 2:
            raise KeyError
        s.x += 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.y != 1

# expect: refused 30
