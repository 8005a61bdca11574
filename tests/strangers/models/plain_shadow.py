# kind: builtins shadowed by functions of the module and by locals
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 5, "x")
    y: int = integer(0, 5, "y")

model = Model(Bounds, State, deadlock=False)

def sum(xs) -> int:
    total = 1
    for x in xs:
        total += x
    return total

def len(s: State) -> int:
    return s.x

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    max = 4
    if len(s) == max:
        return False
    s.x = sum((s.x, 0))
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    range = 4
    return len(s) < range

# expect: violated Inv 4
