# kind: functools.cached_property on the state
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

import functools

class State(Record):
    x: int = integer(0, 4, "x")

    @functools.cached_property
    def double(self) -> int:
        return self.x * 2

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.double == 6:
        return False
    s.x += 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.double == s.x * 2

# expect: refused 17
