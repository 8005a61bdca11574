"""A scheduler with nested records and two run queues; values survive the changes of the sequences they came from."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, Seq, array, boolean, enumeration, integer, nested, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    cpus: int = number(2, 1, 2, "cpus", main=True)
    tasks: int = number(2, 1, 3, "tasks")


class Prio(IntEnum):
    LOW = 0
    HIGH = 1


class Task(Record):
    number: int = integer(0, 2, "number")
    prio: Prio = enumeration(Prio, "priority")

    def boosted(self) -> bool:
        return self.prio is Prio.HIGH


class Cpu(Record):
    busy: bool = boolean("busy")
    task: Task = nested(Task)
    runs: Seq[Task] = sequence_of(Task, lambda k: k.tasks, "run queue")

    def start(self, task: Task) -> None:
        self.busy = True
        self.task.assign(task)

    def stop(self) -> None:
        self.busy = False
        self.task.assign(Task(number=0, prio=Prio.LOW))

    def take(self) -> bool:
        if self.busy or not self.runs:
            return False
        self.start(self.runs.popleft())
        return True


class State(Record):
    cpu: list[Cpu] = array(lambda k: k.cpus, Cpu, by="cpu")


model = Model(Bounds, State, participants={"cpu": lambda k: k.cpus}, deadlock=False)


@model.initial
def spread(s: State, k: Bounds) -> Iterator[None]:
    for home in range(k.cpus):
        for prio in Prio:
            for number in range(k.tasks):
                s.cpu[home].runs.append(Task(number=number, prio=prio))
            yield


@model.action("cpu")
def run(s: State, k: Bounds, cpu: int) -> bool:
    return s.cpu[cpu].take()


@model.action("cpu")
def preempt(s: State, k: Bounds, cpu: int) -> bool:
    me = s.cpu[cpu]
    if not me.busy or not me.runs or me.task.boosted() or not me.runs[len(me.runs) - 1].boosted():
        return False
    urgent = me.runs.pop()
    me.runs.append(me.task)
    me.task.assign(urgent)
    return True


@model.action("cpu")
def expire(s: State, k: Bounds, cpu: int) -> bool:
    """The task goes to the end of the queue, and changes its priority."""
    me = s.cpu[cpu]
    if not me.busy:
        return False
    task = me.task
    flipped = Prio(1 - task.prio)
    me.runs.append(Task(number=task.number, prio=flipped))
    me.stop()
    return True


@model.action("cpu", victim="cpu")
def steal(s: State, k: Bounds, cpu: int, victim: int) -> bool:
    me, other = s.cpu[cpu], s.cpu[victim]
    if cpu == victim or me.busy or me.runs or len(other.runs) < 2:
        return False
    half = len(other.runs) // 2
    me.runs[:] = other.runs[half:]
    del other.runs[half:]
    return True


@model.action("cpu")
def promote(s: State, k: Bounds, cpu: int) -> bool:
    runs = s.cpu[cpu].runs
    if len(runs) < 2 or runs[0].boosted() or not runs[len(runs) - 1].boosted():
        return False
    runs[0], runs[len(runs) - 1] = runs[len(runs) - 1], runs[0]
    return True


@model.invariant("Each task is in one place.")
def one_place(s: State, k: Bounds) -> bool:
    return all(
        sum(1 for c in s.cpu if c.busy and c.task.number == n)
        + sum(1 for c in s.cpu for task in c.runs if task.number == n)
        == 1
        for n in range(k.tasks)
    )


@model.invariant("Not both processors run low tasks with number 1 first.")
def never(s: State, k: Bounds) -> bool:
    return not (k.cpus == 2 and s.cpu[0].busy and s.cpu[1].busy and s.cpu[0].task.number == 1 and not s.cpu[0].task.boosted() and s.cpu[1].task.boosted())
# expect: violated Never 5
