"""The usual idiom for fresh numbers: partial(next, count()). It must be refused as next(count) is.
"""

from dataclasses import dataclass
from functools import partial
from itertools import count

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


fresh = partial(next, count())


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Numbers are fresh.")
def numbered(s: State, k: Bounds) -> bool:
    return fresh() < 10**6  # here
# expect: refused 37
