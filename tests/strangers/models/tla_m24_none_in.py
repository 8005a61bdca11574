"""Ballot: decide once nobody's vote is missing, written `None in s.vote` as for a list of optionals.

An empty optional is NONE (-1), so that `None in s.vote` is never true: Decide is enabled at once, and the invariant
AllVoted, written the same way, holds for that alone: nobody has voted and it is decided. What `s.vote[0] is None` and
`x in (None, 0)` are refused for, is searched here as something else: an unearned HOLDS.
"""
from dataclasses import dataclass

from tidegate import NONE, Model, Record, array, boolean, number, optional


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 3, "nodes", main=True)


class State(Record):
    vote: list[int] = array(lambda k: k.nodes, optional(1, "vote"), by="node")
    decided: bool = boolean("decided")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", value=lambda k: range(2))
def vote(s: State, k: Bounds, node: int, value: int) -> bool:
    if s.vote[node] != NONE:
        return False
    s.vote[node] = value
    return True


@model.action("all")
def decide(s: State, k: Bounds) -> bool:
    if s.decided or None in s.vote:
        return False
    s.decided = True
    return True


@model.invariant("It is decided only if no vote is missing.")
def all_voted(s: State, k: Bounds) -> bool:
    return not s.decided or None not in s.vote
# expect: refused 35
