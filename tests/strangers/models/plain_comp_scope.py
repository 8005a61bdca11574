# kind: comprehension scoping, nested closures, default binding, nonlocal
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

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    if s.x == 5:
        return False
    i = 2
    fs = [lambda: i for i in range(3)]
    gs = [lambda i=i: i for i in range(3)]
    n = 0
    def add(m: int) -> None:
        nonlocal n
        n += m
    for f in fs:
        add(f())
    for g in gs:
        add(g())
    s.x += 1
    s.y = (n + i + s.x) % 6
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.y != 0

# expect: refused 26
