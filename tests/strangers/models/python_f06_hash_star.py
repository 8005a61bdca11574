"""A set of names is spread over the parameters of a function: the first one is whatever the hashes say.

The verdict differs with PYTHONHASHSEED.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


def first(name, *others):
    return name


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Ann is first.")
def ann(s: State, k: Bounds) -> bool:
    return first(*{"ann", "bob", "cyd"}) == "ann"  # here
# expect: refused 38
