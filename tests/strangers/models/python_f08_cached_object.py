"""A topology per number of nodes is built once, by functools.cache, and then written to.

It remembers what earlier states did. Of each state by itself the invariant is true: a violation is none.
"""

from dataclasses import dataclass
from functools import cache

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Visits:
    def __init__(self, most: int):
        self.most = most
        self.seen: list[int] = []

    def visit(self, node: int) -> int:
        if node not in self.seen:
            self.seen.append(node)  # here
        return len(self.seen)


@cache
def visits(most: int) -> Visits:
    return Visits(most)


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("One visit sees at most two nodes.")
def few(s: State, k: Bounds) -> bool:
    return visits(k.most).visit(s.sent) <= 2
# expect: refused 51
