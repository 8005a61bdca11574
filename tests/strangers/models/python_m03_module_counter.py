"""A generator object at module level hands out request numbers: a state outside the state."""

from dataclasses import dataclass
from itertools import count

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "most")


class State(Record):
    sent: int = integer(0, 9, "sent")
    last: int = integer(0, 63, "last")


model = Model(Bounds, State, deadlock=False)

ids = count(1)


def next_id() -> int:
    return next(ids)


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    if s.sent == k.most:
        return False
    s.sent += 1
    s.last = next_id() % 64
    return True


@model.invariant("Ids are small.")
def small(s: State, k: Bounds) -> bool:
    return s.last <= k.most
# expect: refused 25
