# kind: actions defined in a loop bind the loop variable late
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

for step in (1, 2):
    def act(s: State, k: Bounds) -> bool:
        if s.x + step > 5:
            return False
        s.x += step
        return True
    act.__name__ = f"by{step}"
    model.action("p")(act)

@model.invariant("even")
def inv(s: State, k: Bounds) -> bool:
    return s.x % 2 == 0

# expect: holds 3
