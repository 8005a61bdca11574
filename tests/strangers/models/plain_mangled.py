# kind: name mangling in methods, class attribute beside variables
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    LIMIT = 3
    __x: int = integer(0, 5, "private")
    y: int = integer(0, 5, "y")

    def up(self) -> None:
        self.__x += 1

    def get(self) -> int:
        return self.__x

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.get() == State.LIMIT:
        return False
    s.up()
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.get() < s.LIMIT

# expect: refused 12
