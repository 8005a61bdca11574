# kind: a constraint that excludes an initial state
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

from collections.abc import Iterator

def small(s, k) -> bool:
    return s.x != 2 and s.y < 3

class State(Record):
    x: int = integer(0, 5, "x")
    y: int = integer(0, 5, "y")

model = Model(Bounds, State, deadlock=False, constraint=small)

@model.initial
def init(s: State, k: Bounds) -> Iterator[None]:
    for i in range(1, 4):
        s.x = i
        yield

@model.action("p")
def up(s: State, k: Bounds) -> bool:
    if s.y == 5:
        return False
    s.y += 1
    return True

@model.action("p")
def left(s: State, k: Bounds) -> bool:
    if s.x == 0:
        return False
    s.x -= 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return True

# expect: holds 9
