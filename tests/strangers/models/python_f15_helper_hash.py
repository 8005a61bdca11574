"""A value class of numbers with __eq__ and __hash__ in a set.

hash of a number is the same everywhere, and no order of the set is used.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Slot:
    def __init__(self, number: int):
        self.number = number

    def __eq__(self, other) -> bool:
        return self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Equal slots count once.")
def once(s: State, k: Bounds) -> bool:
    return len({Slot(s.sent), Slot(s.sent)}) == 1
# expect: refused 45
