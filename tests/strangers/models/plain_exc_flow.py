# kind: exceptions as control flow, KeyError and else
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

TABLE = {0: 3, 3: 1, 1: 4}

@model.action("p")
def act(s: State, k: Bounds) -> bool:
    try:
        nxt = TABLE[s.x]
    except KeyError as e:
        nxt = e.args[0] + 1
        if nxt > 5:
            return False
    else:
        nxt = nxt
    s.x = nxt
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.x != 5

# expect: refused 21
