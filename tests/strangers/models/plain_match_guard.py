# kind: match with guards, class patterns and captures
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class C(IntEnum):
    R = 0
    G = 1
    B = 2

class State(Record):
    c: C = enumeration(C, "c")
    x: int = integer(0, 5, "x")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(3))
def step(s: State, k: Bounds, v: int) -> bool:
    match (s.c, v):
        case (C.R, 0):
            return False
        case (C.R, n) if n == s.x % 3:
            s.c = C.B
        case (C.G | C.B as old, int(n)) if n and s.x < 5:
            s.c = C(n - 1) if old is C.G else C.G
            s.x += 1
        case [_, 0]:
            s.x = s.x // 2
            s.c = C.R
        case _:
            return False
    return True

@model.action("p")
def tick(s: State, k: Bounds) -> bool:
    match s.x:
        case 0 | 1:
            s.x += 1
        case x if x % 2:
            return False
        case _:
            s.x -= 2
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return not (s.c is C.G and s.x == 4)

# expect: violated Inv 5
