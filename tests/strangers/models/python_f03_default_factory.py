"""Requests take their number from a counter of the module, by a default_factory.

Which request gets which number depends on how often one was made before: it must be refused.
"""

from dataclasses import dataclass
from dataclasses import field
from itertools import count

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


numbers = count()


@dataclass
class Request:
    size: int
    number: int = field(default_factory=lambda: next(numbers))  # here


def routed(size: int) -> int:
    return Request(size).number % 2


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Requests go to server 0 or 1.")
def known(s: State, k: Bounds) -> bool:
    return routed(s.sent) < 2
# expect: refused 35
