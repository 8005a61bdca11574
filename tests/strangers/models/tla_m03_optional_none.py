"""A value that is not known yet: a user who writes `None` for an empty optional."""
from dataclasses import dataclass

from tidegate import NONE, Model, Record, array, number, optional


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 3, "nodes")


class State(Record):
    vote: list[int] = array(lambda k: k.nodes, optional(1, "its vote"), by="node")
    decided: int = optional(1, "what is decided")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", value=lambda k: range(2))
def vote(s: State, k: Bounds, node: int, value: int) -> bool:
    if s.vote[node] != NONE:
        return False
    s.vote[node] = value
    return True


def agreed(s: State) -> int | None:
    first = s.vote[0]
    if first == NONE or any(v != first for v in s.vote):
        return None
    return first


@model.action("all")
def decide(s: State, k: Bounds) -> bool:
    value = agreed(s)
    if value is None or s.decided != NONE:
        return False
    s.decided = value
    return True


@model.invariant("What is decided was voted by all.")
def valid(s: State, k: Bounds) -> bool:
    return s.decided == NONE or agreed(s) == s.decided


@model.invariant("decided is never 1.")
def never_one(s: State, k: Bounds) -> bool:
    return s.decided != 1
# expect: violated NeverOne 3
