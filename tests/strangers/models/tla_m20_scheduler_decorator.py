"""A round-robin scheduler whose actions are made by a decorator of the user's and a loop.

Guards are given as lambdas to `guarded`; each task runs at most `slice` ticks in a row; bursts end.
"""
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from tidegate import Fairness, Kind, Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    tasks: int = number(3, 1, 4, "tasks", main=True)
    slice: int = number(2, 1, 3, "ticks in a row")


class State(Record):
    ready: Seq = sequence_of(integer(0, lambda k: k.tasks - 1, "task"), lambda k: k.tasks, "the ready queue")
    used: int = integer(0, lambda k: k.slice, "ticks of the first one")
    left: list[int] = array(lambda k: k.tasks, integer(0, 3, "ticks that are left"), by="task")


model = Model(Bounds, State, participants={"task": lambda k: k.tasks}, deadlock=False)


def guarded(*guards: Callable[..., bool]):
    def decorate(step: Callable[..., None]):
        @wraps(step)
        def action(s: State, k: Bounds, *args: int) -> bool:
            if not all(guard(s, k, *args) for guard in guards):
                return False
            step(s, k, *args)
            return True

        return action

    return decorate


@model.initial
def all_ready(s: State, k: Bounds):
    s.ready.extend(range(k.tasks))
    for task in range(k.tasks):
        s.left[task] = task % 3 + 1
    yield


@model.action("cpu")
@guarded(lambda s, k: len(s.ready) > 0, lambda s, k: s.used < k.slice and s.left[s.ready[0]] > 0)
def tick(s: State, k: Bounds) -> None:
    s.used += 1
    s.left[s.ready[0]] -= 1


@model.action("cpu")
@guarded(lambda s, k: len(s.ready) > 1, lambda s, k: s.used == k.slice and s.left[s.ready[0]] > 0)
def rotate(s: State, k: Bounds) -> None:
    """Preempt the first one."""
    first = s.ready.popleft()
    s.ready.append(first)
    s.used = 0


@model.action("cpu")
@guarded(lambda s, k: bool(s.ready) and s.left[s.ready[0]] == 0)
def finish(s: State, k: Bounds) -> None:
    s.ready.popleft()
    s.used = 0


@model.action("cpu")
@guarded(lambda s, k: len(s.ready) == 1 and s.used == k.slice and s.left[s.ready[0]] > 0)
def renew(s: State, k: Bounds) -> None:
    s.used = 0


@model.invariant("Whoever isn't ready is finished.")
def finished(s: State, k: Bounds) -> bool:
    return all((task in s.ready) or s.left[task] == 0 for task in range(k.tasks))


@model.liveness(Kind.EVENTUALLY, "All tasks end.")
def ends(s: State, k: Bounds) -> bool:
    return not any(s.left)
# expect: holds 11
