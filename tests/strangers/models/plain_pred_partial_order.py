# kind: invariant written with walrus and chained comparison with a call
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

def mid(s: State) -> int:
    return (s.x + s.y) // 2

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if (n := s.x + 1) > 5 or not 0 <= s.y < n <= 5:
        return False
    s.x = n
    return True

@model.action("p")
def b(s: State, k: Bounds) -> bool:
    if not s.y < 5 >= s.x != 3:
        return False
    s.y += 1
    return True

@model.invariant("mid")
def inv(s: State, k: Bounds) -> bool:
    return 0 <= (m := mid(s)) < 4 or m == s.x == s.y

# expect: violated Inv 8
