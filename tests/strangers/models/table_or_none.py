"""A table of steps, which has none for some states."""
from dataclasses import dataclass
from tidegate import Model, Record, integer

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    x: int = integer(0, 5, "x")

model = Model(Bounds, State, deadlock=False)

def up(s):
    s.x += 1
    return True

def twice(s):
    s.x += 2
    return True

TABLE = {0: up, 1: twice}

@model.action("a")
def go(s: State, k: Bounds) -> bool:
    """Go."""
    f = TABLE.get(s.x)
    return f is not None and f(s)

@model.invariant("small")
def small(s: State, k: Bounds) -> bool:
    return s.x < 3
