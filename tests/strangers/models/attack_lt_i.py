"""sorting calls __lt__, which writes"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


class Task:
    compared = 0

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __lt__(self, other: "Task") -> bool:
        Task.compared += 1
        return self.rank < other.rank


TASKS = [Task(2), Task(1)]


@model.action("worker")
def step(s: State, k: Bounds) -> bool:
    """Count one step."""
    if s.x >= k.top:
        return False
    first = sorted(TASKS)[0]
    s.y = min(first.rank + Task.compared, 9)
    s.x += 1
    return True


@model.invariant("The count stays in its range.")
def bounded(s: State, k: Bounds) -> bool:
    return s.x <= k.top

# expect: refused 28
