# kind: inheritance: an overridden variable, super(), a mixin
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class Base(Record):
    x: int = integer(0, 2, "x")
    y: int = integer(0, 2, "y")

    def up(self) -> int:
        self.x += 1
        return self.x

class Mixin:
    def score(self) -> int:
        return self.x * 10 + self.y

class State(Mixin, Base):
    x: int = integer(1, 4, "x wider")
    z: int = integer(0, 1, "z")

    def up(self) -> int:
        n = super().up()
        self.z = n % 2
        return n

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.x == 4:
        return False
    s.y = s.up() % 3
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.score() < 41 and s.z == s.x % 2 or s.x == 1

# expect: refused 24
