"""a set of plain Enum members: hash is of the name"""

from enum import Enum

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


class Role(Enum):
    LEADER = 1
    FOLLOWER = 2
    OBSERVER = 3


ROLES = {Role.LEADER, Role.FOLLOWER, Role.OBSERVER}


@model.action("worker")
def step(s: State, k: Bounds) -> bool:
    """Count one step."""
    if s.x >= k.top:
        return False
    for role in ROLES:
        s.y = role.value
    s.x += 1
    return True


@model.invariant("The count stays in its range.")
def bounded(s: State, k: Bounds) -> bool:
    return s.x <= k.top

# expect: refused 37
