"""A name for a part of the state that is replaced in the next round of a loop: it has the old one.

The grant of the first round keeps its owner, 0, though the state has another one after the loop.
"""
from dataclasses import dataclass

from tidegate import Model, Record, integer, nested, number


@dataclass(frozen=True)
class Bounds:
    rounds: int = number(2, 2, 4, "rounds", main=True)


class Grant(Record):
    owner: int = integer(0, 3, "who has it")


class State(Record):
    grant: Grant = nested(Grant)
    seen: int = integer(0, 4, "the first owner, and one more")


model = Model(Bounds, State, deadlock=False)


@model.action("clock")
def hand_over(s: State, k: Bounds) -> bool:
    if s.seen:
        return False
    for owner in range(k.rounds):
        s.grant = Grant(owner=owner)
        if owner == 0:
            first = s.grant
    s.seen = first.owner + 1
    return True


@model.invariant("The first owner was 0.")
def first_owner(s: State, k: Bounds) -> bool:
    return s.seen <= 1


# expect: refused 32
