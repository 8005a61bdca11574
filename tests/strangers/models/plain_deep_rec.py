# kind: recursion and mutual recursion in an action and an invariant
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

def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)

def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)

def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    if s.x == 5:
        return False
    s.x += 1
    s.y = fib(s.x)
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return even(300 + s.x) or odd(s.y)

# expect: refused 18
