# kind: short circuit in calls that write: any of a generator that calls a writing helper
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    a: list[int] = array(3, integer(0, 2, "a"))
    x: int = integer(0, 5, "x")

model = Model(Bounds, State, deadlock=False)

def take(s: State, i: int) -> bool:
    if s.a[i] == 2:
        return False
    s.a[i] += 1
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    return any(take(s, i) for i in range(3))

@model.action("p", i=lambda k: range(3))
def clear(s: State, k: Bounds, i: int) -> bool:
    if s.a[i] == 0 or s.x == 2:
        return False
    s.x += 1
    s.a[i] = 0
    return take(s, i) or take(s, (i + 1) % 3)

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.a[2] < 2

# expect: violated Inv 6
