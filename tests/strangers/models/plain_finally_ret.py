# kind: try/finally with returns
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

def f(s: State) -> int:
    for i in range(3):
        try:
            if i == s.x % 3:
                return i
        finally:
            if i == 1:
                continue
    return 5

@model.action("p")
def act(s: State, k: Bounds) -> bool:
    if s.x == 5:
        return False
    s.x += 1
    s.y = f(s)
    return True

@model.invariant("y")
def inv(s: State, k: Bounds) -> bool:
    return s.y != 1

# expect: refused 19
