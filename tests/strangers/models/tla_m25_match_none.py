"""Two slots moved by match on a tuple with None as a pattern: the empty case never matches.

match s.left: case None is refused; the same inside a tuple is not, and the branch is dead: Full holds unearned.
"""
from dataclasses import dataclass

from tidegate import NONE, Model, Record, number, optional


@dataclass(frozen=True)
class Bounds:
    values: int = number(2, 1, 3, "values")


class State(Record):
    left: int = optional(lambda k: k.values - 1, "left")
    right: int = optional(lambda k: k.values - 1, "right")


model = Model(Bounds, State, deadlock=False)


@model.action("hand", value=lambda k: range(k.values))
def put(s: State, k: Bounds, value: int) -> bool:
    if s.left != NONE:
        return False
    s.left = value
    return True


@model.action("hand")
def move(s: State, k: Bounds) -> bool:
    if s.left == NONE or s.right != NONE:
        return False
    s.right, s.left = s.left, NONE
    return True


@model.invariant("Some slot is full.")
def full(s: State, k: Bounds) -> bool:
    match s.left, s.right:
        case None, None:
            return False
        case _:
            return True
# expect: refused 42
