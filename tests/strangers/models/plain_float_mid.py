# kind: floats, Decimal, Fraction and round as intermediates
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

from decimal import Decimal
from fractions import Fraction

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    if s.x == 5:
        return False
    s.x += 1
    s.y = round(s.x / 2) if s.x % 3 else int(Decimal(s.x) / 3 + Fraction(1, 2).numerator)
    return True

@model.action("p")
def other(s: State, k: Bounds) -> bool:
    s.x = int(-7 / 2) + 3 + (0.1 + 0.2 == 0.3) + round(2.5) + s.y // 5
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.y != 2 or s.x != 4

# expect: refused 25
