# kind: when= and limits depending on several bounds, and a property of the bounds
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

@dataclass(frozen=True)
class Limits:
    n: int = number(2, 1, 6, "n", main=True)
    m: int = number(0, 0, 3, "m", follows="n")
    fast: bool = switch("fast")

    @property
    def top(self) -> int:
        return self.n * 2 + self.m

class State(Record):
    x: int = integer(lambda k: k.m, lambda k: k.top, "x")

model = Model(Limits, State, deadlock=False)

@model.action("p", when=lambda k: not k.fast)
def one(s: State, k: Limits) -> bool:
    if s.x == k.top:
        return False
    s.x += 1
    return True

@model.action("p", when=lambda k: k.fast, d=lambda k: range(2, k.top))
def jump(s: State, k: Limits, d: int) -> bool:
    if s.x + d > k.top:
        return False
    s.x += d
    return True

@model.invariant("x")
def inv(s: State, k: Limits) -> bool:
    return s.x < k.top

# expect: violated Inv 4
