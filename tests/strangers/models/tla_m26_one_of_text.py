"""A traffic light by one_of, compared with its names as in TLA+: `s.light = "red"` of a number and a text is never true.

A TLA+ user expects either the names or a refusal; the guard is dead, and NeverStuck holds for that alone.
"""
from dataclasses import dataclass

from tidegate import Model, Record, number, one_of

LIGHTS = ("red", "green", "broken")


@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 3, "unused")


class State(Record):
    light: int = one_of(LIGHTS, "the color")


model = Model(Bounds, State, deadlock=False)


@model.action("light", to=lambda k: range(3))
def change(s: State, k: Bounds, to: int) -> bool:
    if s.light == "broken" or s.light == to:
        return False
    s.light = to
    return True


@model.invariant("It is never broken.")
def never_broken(s: State, k: Bounds) -> bool:
    return s.light != "broken"
# expect: refused 26
