"""reads the environment in mapping"""

import os
from collections.abc import Mapping

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


class Table(Mapping):
    def __getitem__(self, key: int) -> int:
        return int("TIDE" in os.environ)

    def __iter__(self):
        return iter((0, 1))

    def __len__(self) -> int:
        return 2


TABLE = Table()


def ticket(n: int) -> int:
    return TABLE.get(n, 0)


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
    return s.x <= k.top

# expect: refused 26
