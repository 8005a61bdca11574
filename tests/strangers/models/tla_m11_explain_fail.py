"""Counting semaphore whose explain, premise text and view fail: the verdict must be what it is."""
from dataclasses import dataclass

from tidegate import Event, Kind, Model, NONE, Record, Scene, View, array, boolean, integer, number, optional


@dataclass(frozen=True)
class Bounds:
    tasks: int = number(2, 1, 3, "tasks", main=True)
    permits: int = number(1, 1, 3, "permits")


class Task(Record):
    inside: bool = boolean("inside")

    @classmethod
    def shown(cls, record) -> str:
        return {True: "in"}[record.inside]


class State(Record):
    task: list[Task] = array(lambda k: k.tasks, Task, by="task")
    permits: int = integer(0, 3, "permits left")
    last: int = optional(lambda k: k.tasks - 1, "last inside")


def scene(s: State, k: Bounds) -> Scene:
    return s.task[7].inside


def event(action, arguments, before, after) -> Event:
    raise KeyError(action)


model = Model(Bounds, State, participants={"task": lambda k: k.tasks}, view=View(scene, event))


@model.initial
def start(s: State, k: Bounds):
    s.permits = k.permits
    yield


@model.action("task")
def enter(s: State, k: Bounds, task: int) -> bool:
    if s.task[task].inside or (s.permits == 0 and s.last == task):
        return False
    s.task[task].inside = True
    s.permits -= s.permits > 0
    s.last = task
    return True


@model.action("task")
def leave(s: State, k: Bounds, task: int) -> bool:
    if not s.task[task].inside:
        return False
    s.task[task].inside = False
    s.permits += 1
    return True


def why(s: State, k: Bounds) -> str:
    return f"{[t for t in s.task if t.inside][5]} is inside"


@model.invariant("At most `permits` are inside.", explain=why)
def limited(s: State, k: Bounds) -> bool:
    return sum(1 for t in s.task if t.inside) <= k.permits


@model.liveness(Kind.ALWAYS_EVENTUALLY, "Nobody is inside again and again.", explain=why)
def empty(s: State, k: Bounds) -> bool:
    return not any(t.inside for t in s.task)
# expect: violated Limited 2
