# kind: one declaration object in two records and arrays
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

CELL = integer(0, 2, "cell")
ROW = array(2, CELL)

class Part(Record):
    v: int = CELL

class State(Record):
    u: int = CELL
    r: list[int] = ROW
    t: list[int] = ROW
    p: Part = nested(Part)

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.r[1] == 2:
        return False
    s.r[1] += 1
    return True

@model.action("p")
def b(s: State, k: Bounds) -> bool:
    if s.p.v == 2:
        return False
    s.p.v += 1
    return True

@model.invariant("others are not touched")
def inv(s: State, k: Bounds) -> bool:
    return s.u == 0 and s.r[0] == 0 and s.t[0] == 0 and s.t[1] == 0

# expect: holds 9
