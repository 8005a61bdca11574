"""A helper class that calls super().__init__, as any class does. Everything depends on the state: 5 states.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Policy:
    def __init__(self, limit: int):
        self.limit = limit

    def allows(self, n: int) -> bool:
        return n <= self.limit


class Named(Policy):
    def __init__(self, limit: int, name: str):
        super().__init__(limit)
        self.name = name


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("The policy allows what was sent.")
def allowed(s: State, k: Bounds) -> bool:
    return Named(k.most, "burst").allows(s.sent)
# expect: refused 46
