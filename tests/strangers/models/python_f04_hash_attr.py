"""Candidates are a set of names that a helper object holds; the first one in the order of their hashes leads.

The verdict differs with PYTHONHASHSEED: the loop must be refused, as it is where the object is a global.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Ballot:
    def __init__(self):
        self.names = {"ann", "bob", "cyd"}

    def winner(self) -> str:
        for name in self.names:  # here
            return name
        return ""


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Ann wins.")
def ann(s: State, k: Bounds) -> bool:
    return Ballot().winner() == "ann"
# expect: refused 44
