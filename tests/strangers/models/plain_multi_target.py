# kind: tuple assignment order with state targets as index
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    i: int = integer(0, 2, "i")
    a: list[int] = array(3, integer(0, 2, "a"))

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(3))
def mv(s: State, k: Bounds, v: int) -> bool:
    s.i, s.a[s.i] = v, s.i
    return True

@model.action("p")
def chain(s: State, k: Bounds) -> bool:
    s.i = s.a[s.i] = (s.i + 1) % 3
    return True

@model.invariant("not full")
def inv(s: State, k: Bounds) -> bool:
    return not (s.a[0] == 2 and s.a[1] == 0 and s.a[2] == 1)

# expect: violated Inv 3
