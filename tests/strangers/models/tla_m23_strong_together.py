"""A lock served by strong fairness of two actions together, per process; and one that is not.

Enter and give_up count together: a process that tries either gets in or gives up, again and again.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import NONE, Fairness, Kind, Model, Record, array, enumeration, number, optional


@dataclass(frozen=True)
class Bounds:
    processes: int = number(2, 1, 3, "processes", main=True)


class At(IntEnum):
    HOME = 0
    TRYING = 1
    INSIDE = 2


class State(Record):
    at: list[At] = array(lambda k: k.processes, enumeration(At, "where a process is"), by="process")
    last: int = optional(lambda k: k.processes - 1, "who was inside last")


model = Model(Bounds, State, participants={"process": lambda k: k.processes})


@model.action("process", fairness=Fairness.NONE)
def attempt(s: State, k: Bounds, process: int) -> bool:
    if s.at[process] is not At.HOME:
        return False
    s.at[process] = At.TRYING
    return True


@model.action("process")
def enter(s: State, k: Bounds, process: int) -> bool:
    if s.at[process] is not At.TRYING or At.INSIDE in s.at:
        return False
    s.at[process] = At.INSIDE
    s.last = process
    return True


@model.action("process")
def give_up(s: State, k: Bounds, process: int) -> bool:
    """Give up while another one is inside that was not inside before."""
    if s.at[process] is not At.TRYING or At.INSIDE not in s.at or s.last < process:
        return False
    s.at[process] = At.HOME
    return True


@model.action("process")
def leave(s: State, k: Bounds, process: int) -> bool:
    if s.at[process] is not At.INSIDE:
        return False
    s.at[process] = At.HOME
    return True


model.fairness(Fairness.STRONG, enter, give_up, fair_per=("process",))


@model.invariant("One is inside.")
def exclusive(s: State, k: Bounds) -> bool:
    return list(s.at).count(At.INSIDE) <= 1


@model.liveness(Kind.ALWAYS_EVENTUALLY, "Process 0 does not try for ever.")
def zero(s: State, k: Bounds) -> bool:
    return s.at[0] is not At.TRYING


@model.liveness(Kind.ALWAYS_EVENTUALLY, "Process 1 does not try for ever.")
def one(s: State, k: Bounds) -> bool:
    return s.at[1] is not At.TRYING


@model.liveness(Kind.LEADS_TO, "If process 0 tries, it gets in.", premise=lambda s, k: s.at[0] is At.TRYING)
def zero_in(s: State, k: Bounds) -> bool:
    return s.at[0] is At.INSIDE
# properties: Exclusive Zero One
# expect: holds 16
