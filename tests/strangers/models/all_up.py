"""Three machines come up one by one; a fold says whether all are."""
import operator
from dataclasses import dataclass
from functools import reduce
from tidegate import Model, Record, array, boolean

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    up: list[bool] = array(3, boolean("up"))

model = Model(Bounds, State, deadlock=False)

@model.action("a", i=range(3))
def go(s: State, k: Bounds, i: int) -> bool:
    """Go."""
    if s.up[i]:
        return False
    s.up[i] = True
    return True

@model.invariant("not all")
def not_all(s: State, k: Bounds) -> bool:
    return not reduce(operator.and_, s.up, True)

# expect: violated NotAll 3
