"""A retry policy that derives from one with jitter; super() leads to a random number, two classes up.

Not a function of the state: random.random() in Jitter.delay must be refused.
"""

from dataclasses import dataclass
import random

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Jitter:
    def delay(self, tries: int) -> float:
        return tries + random.random()  # here


class Capped(Jitter):
    def delay(self, tries: int) -> float:
        return min(3.5, super().delay(tries))


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("The delay stays below its cap.")
def capped(s: State, k: Bounds) -> bool:
    return Capped().delay(s.sent) < 99
# expect: refused 45
