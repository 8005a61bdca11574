# kind: division, modulo, shifts of negative numbers
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(-7, 7, "x")
    y: int = integer(-8, 8, "y")

model = Model(Bounds, State, deadlock=False)

@model.action("p", d=lambda k: (2, 3, 5))
def div(s: State, k: Bounds, d: int) -> bool:
    s.y = s.x // d
    s.x = s.x % d - (s.x >> 1)
    return True

@model.action("p")
def neg(s: State, k: Bounds) -> bool:
    s.y = (s.x ^ s.y) & 7
    s.x = -(-s.x // 2)
    return True

@model.action("p")
def inc(s: State, k: Bounds) -> bool:
    if s.x > 6:
        return False
    s.x = s.x + 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.y > -4 or s.x % 3 != 2

# expect: violated Inv 0
