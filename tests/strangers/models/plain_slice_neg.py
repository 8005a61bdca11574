# kind: slices with step and negative bounds, del slice, star-unpacking
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    q: Seq[int] = sequence_of(integer(0, 2, "e"), 3, "q")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(3))
def put(s: State, k: Bounds, v: int) -> bool:
    if len(s.q) == 3:
        return False
    s.q.append(v)
    return True

@model.action("p")
def rev(s: State, k: Bounds) -> bool:
    if len(s.q) < 2:
        return False
    items = list(s.q)
    first, *rest = items
    s.q[:] = rest[::-1] + [first]
    return True

@model.action("p")
def cut(s: State, k: Bounds) -> bool:
    if len(s.q) < 2:
        return False
    del s.q[1:len(s.q) - 1]
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return list(s.q)[::2] != [2, 1]

# expect: refused 41
