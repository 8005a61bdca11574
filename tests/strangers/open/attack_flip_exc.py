"""reads the environment in exc"""

import os

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


class Full(Exception):
    def __init__(self, n: int) -> None:
        self.number = int("TIDE" in os.environ)


def ticket(n: int) -> int:
    try:
        raise Full(n)
    except Full as full:
        return full.number


@model.action("worker")
def step(s: State, k: Bounds) -> bool:
    """Count one step."""
    if s.x >= k.top:
        return False
    s.y = ticket(s.x)
    s.x += 1
    return True


@model.invariant("The count stays in its range.")
def bounded(s: State, k: Bounds) -> bool:
    return s.x <= k.top and s.y != 1

# expect: refused 25
