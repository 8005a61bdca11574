"""A program counter selects a row of a constant table, which a pattern takes apart."""
from dataclasses import dataclass
from tidegate import Model, Record, integer

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    pc: int = integer(0, 2, "pc")
    x: int = integer(0, 9, "x")

PROGRAM = ((0, 3), (1, 2), (2, 0))
model = Model(Bounds, State, deadlock=False)

@model.action("a")
def go(s: State, k: Bounds) -> bool:
    """Go."""
    match PROGRAM[s.pc]:
        case (0, n):
            s.x += n
        case (1, n):
            s.x -= n
        case _:
            return False
    s.pc += 1
    return True

@model.invariant("small")
def small(s: State, k: Bounds) -> bool:
    return s.x < 5

# expect: holds 3
