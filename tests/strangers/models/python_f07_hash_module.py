"""Priorities are numbered in the order of a set of names, when the module is imported.

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


NAMES = {"ann", "bob", "cyd"}
PRIORITY = {name: i for i, name in enumerate(NAMES)}  # here


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Ann has priority 0.")
def ann(s: State, k: Bounds) -> bool:
    return PRIORITY["ann"] == 0
# expect: refused 24
