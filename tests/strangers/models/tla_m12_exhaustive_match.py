"""A phase machine: match over all members of an enumeration, each with a return. Nothing can fall through.

mypy and pyright accept it: the match is exhaustive.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, enumeration, integer, number


class Phase(IntEnum):
    PREPARE = 0
    VOTE = 1
    DONE = 2


@dataclass(frozen=True)
class Bounds:
    votes: int = number(2, 1, 5, "votes needed")


class State(Record):
    phase: Phase = enumeration(Phase, "phase")
    votes: int = integer(0, 5, "votes")


model = Model(Bounds, State, deadlock=False)


def needed(s: State, k: Bounds) -> int:
    match s.phase:
        case Phase.PREPARE:
            return 0
        case Phase.VOTE | Phase.DONE:
            return k.votes


@model.action("machine")
def step(s: State, k: Bounds) -> bool:
    match s.phase:
        case Phase.PREPARE:
            s.phase = Phase.VOTE
            return True
        case Phase.VOTE:
            if s.votes == k.votes:
                s.phase = Phase.DONE
            else:
                s.votes += 1
            return True
        case Phase.DONE:
            return False


@model.invariant("Not more votes than needed.")
def enough(s: State, k: Bounds) -> bool:
    return s.votes <= needed(s, k)
# PREPARE 0, VOTE 0..2, DONE 2
# expect: holds 5
