"""a key's hash counts"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


class Key:
    asked = 0

    def __init__(self, n: int) -> None:
        self.n = n

    def __hash__(self) -> int:
        Key.asked += 1
        return self.n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.n == other.n and Key.asked % 3 != 0


TABLE = {Key(0): 1, Key(1): 2}


@model.action("worker")
def step(s: State, k: Bounds) -> bool:
    """Count one step."""
    if s.x >= k.top:
        return False
    s.y = TABLE.get(Key(s.x), 0)
    s.x += 1
    return True


@model.invariant("The count stays in its range.")
def bounded(s: State, k: Bounds) -> bool:
    return s.x <= k.top

# expect: refused 28
