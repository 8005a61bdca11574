"""Two locks taken in an order given by a class of helpers; without order it deadlocks.

Lock tables are objects of a small class made in a module.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import NONE, Model, Record, array, integer, number, optional, switch


class Order:
    """The order in which a process takes the locks."""

    def __init__(self, locks: int, backwards: bool = False) -> None:
        self.sequence = list(range(locks))
        if backwards:
            self.sequence.reverse()

    def __getitem__(self, position: int) -> int:
        return self.sequence[position]

    def __len__(self) -> int:
        return len(self.sequence)

    def __iter__(self):
        yield from self.sequence


@dataclass(frozen=True)
class Bounds:
    processes: int = number(2, 1, 3, "processes")
    chaotic: bool = switch("odd processes take the locks backwards")


FORWARDS = Order(2)
BACKWARDS = Order(2, backwards=True)


class State(Record):
    owner: list[int] = array(2, optional(lambda k: k.processes - 1, "owner of a lock"))
    taken: list[int] = array(lambda k: k.processes, integer(0, 2, "how many it has taken"), by="process")


model = Model(Bounds, State, participants={"process": lambda k: k.processes})


def order(k: Bounds, process: int) -> Order:
    return BACKWARDS if k.chaotic and process % 2 else FORWARDS


@model.action("process")
def take(s: State, k: Bounds, process: int) -> bool:
    mine = order(k, process)
    if s.taken[process] == len(mine):
        return False
    lock = mine[s.taken[process]]
    if s.owner[lock] != NONE:
        return False
    s.owner[lock] = process
    s.taken[process] += 1
    return True


@model.action("process")
def release(s: State, k: Bounds, process: int) -> bool:
    mine = order(k, process)
    if s.taken[process] < len(mine):
        return False
    for lock in mine:
        s.owner[lock] = NONE
    s.taken[process] = 0
    return True


@model.invariant("Who has taken n locks owns n.")
def owns(s: State, k: Bounds) -> bool:
    return [sum(o == p for o in s.owner) for p in range(k.processes)] == [*s.taken]
# expect: refused 54
