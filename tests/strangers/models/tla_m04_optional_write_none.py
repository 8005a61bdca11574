"""The same, but the user resets the optional to None: must be refused or mean NONE, at the line of the write."""
from dataclasses import dataclass

from tidegate import NONE, Model, Record, number, optional


@dataclass(frozen=True)
class Bounds:
    values: int = number(2, 1, 3, "values")


class State(Record):
    slot: int = optional(lambda k: k.values - 1, "the slot")


model = Model(Bounds, State)


@model.action("writer", value=lambda k: (NONE, *range(k.values)))
def put(s: State, k: Bounds, value: int) -> bool:
    if s.slot == value:
        return False
    s.slot = None if value == NONE else value
    return True


@model.invariant("The slot holds a value.")
def held(s: State, k: Bounds) -> bool:
    return -1 <= s.slot < k.values
# expect: refused 23
