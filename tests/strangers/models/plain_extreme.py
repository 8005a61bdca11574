# kind: ranges at the extreme: one value, empty arrays, sets of 0, 63 members
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    c: int = integer(5, 5, "c")
    m: int = integer(-3, -1, "m")
    e: list[int] = array(0, integer(0, 3, "e"))
    z: Set = set_of(63, "z")
    o: int = optional(0, "o")

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def up(s: State, k: Bounds) -> bool:
    if s.m == -1:
        return False
    s.m += 1
    s.z.add(62)
    return True

@model.action("p")
def opt(s: State, k: Bounds) -> bool:
    if s.o == 0:
        return False
    s.o = s.c - 5
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return len(s.e) == 0 and all(False for _ in s.e) and sum(s.e) == 0 and not (62 in s.z and s.o == NONE and s.m == -1)

# expect: violated Inv 2
