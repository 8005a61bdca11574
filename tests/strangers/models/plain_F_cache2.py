# kind: the same with the two actions in the other order
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

import functools

class State(Record):
    flag: bool = boolean("flag")
    x: int = integer(0, 1, "x")
    y: int = integer(0, 5, "y")

model = Model(Bounds, State, deadlock=False)

@functools.cache
def weight(value: int) -> int:
    return len(str(value))


@model.action("p")
def b(s: State, k: Bounds) -> bool:
    s.y = weight(s.flag)
    return True

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    s.y = weight(s.x)
    return True

@model.invariant("y")
def inv(s: State, k: Bounds) -> bool:
    return s.y != 5

# expect: refused 27
