# kind: actions made by a factory with different closures
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

def make(step: int, name: str):
    def act(s: State, k: Bounds) -> bool:
        if s.x + step > 5:
            return False
        s.x += step
        s.y = step
        return True
    act.__name__ = name
    return model.action("p")(act)

make(2, "two")
make(3, "three")

@model.invariant("not one")
def inv(s: State, k: Bounds) -> bool:
    return not (s.x == 5 and s.y == 2)

# expect: violated Inv 2
