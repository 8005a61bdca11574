"""A latency drawn from statistics.NormalDist: a random number from a module on the list.
"""

from dataclasses import dataclass
from statistics import NormalDist

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


LATENCY = NormalDist(10, 2)


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Latency is finite.")
def finite(s: State, k: Bounds) -> bool:
    return LATENCY.samples(1)[0] < 10**6  # here
# expect: refused 36
