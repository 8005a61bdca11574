"""A workflow engine: tasks in a DAG run on workers, fail and are retried; a task starts after its inputs."""
from collections import defaultdict
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain

from tidegate import Fairness, Kind, Model, Record, array, enumeration, integer, number


@dataclass(frozen=True)
class Task:
    name: str
    needs: tuple[str, ...] = ()
    retries: int = field(default=1)


TASKS = (Task("fetch"), Task("parse", ("fetch",)), Task("lint", needs=("fetch",), retries=0), Task("report", ("parse", "lint")))
INDEX = {task.name: i for i, task in enumerate(TASKS)}
DEPENDENTS = defaultdict(list)
for _task in TASKS:
    for _need in _task.needs:
        DEPENDENTS[_need].append(INDEX[_task.name])


@dataclass(frozen=True)
class Bounds:
    workers: int = number(2, 1, 3, "tasks that run at once")


class Status(IntEnum):
    WAITING = 0
    RUNNING = 1
    DONE = 2
    FAILED = 3
    SKIPPED = 4


FINAL = frozenset({Status.DONE, Status.FAILED, Status.SKIPPED})


class State(Record):
    status: list[Status] = array(len(TASKS), enumeration(Status, "status of a task"), by="task")
    tries: list[int] = array(len(TASKS), integer(0, 2, "attempts"), by="task")


model = Model(Bounds, State, participants={"task": lambda k: len(TASKS)}, deadlock=False)


def running(s: State) -> int:
    return len([x for x in s.status if x is Status.RUNNING])


@model.action("engine", task="task")
def start(s: State, k: Bounds, task: int) -> bool:
    if s.status[task] is not Status.WAITING or running(s) >= k.workers:
        return False
    if not all(s.status[INDEX[need]] is Status.DONE for need in TASKS[task].needs):
        return False
    s.status[task] = Status.RUNNING
    s.tries[task] += 1
    return True


@model.action("task")
def complete(s: State, k: Bounds, task: int) -> bool:
    if s.status[task] is not Status.RUNNING:
        return False
    s.status[task] = Status.DONE
    return True


def dependents(name: str) -> set[int]:
    """All that needs it, directly or not."""
    direct = set(DEPENDENTS.get(name, ()))
    return direct.union(*(dependents(TASKS[i].name) for i in direct))


@model.action("task", fairness=Fairness.NONE)
def fail(s: State, k: Bounds, task: int) -> bool:
    """It fails; it is tried again, or all that depends on it is skipped."""
    if s.status[task] is not Status.RUNNING:
        return False
    if s.tries[task] <= TASKS[task].retries:
        s.status[task] = Status.WAITING
        return True
    s.status[task] = Status.FAILED
    for other in sorted(dependents(TASKS[task].name)):
        s.status[other] = Status.SKIPPED
    return True


@model.invariant("What is done or runs has all its inputs.")
def inputs(s: State, k: Bounds) -> bool:
    used = chain.from_iterable(
        (INDEX[n] for n in task.needs) for i, task in enumerate(TASKS) if s.status[i] in (Status.RUNNING, Status.DONE)
    )
    return all(s.status[i] is Status.DONE for i in used)


@model.liveness(Kind.EVENTUALLY, "The workflow ends.")
def ends(s: State, k: Bounds) -> bool:
    return all(status in FINAL for status in s.status)


@model.sometimes("Everything is skipped but the first.")
def all_skipped(s: State, k: Bounds) -> bool:
    return s.status[0] is Status.FAILED and {s.status[i] for i in range(1, len(TASKS))} == {Status.SKIPPED}
# expect: refused 74
