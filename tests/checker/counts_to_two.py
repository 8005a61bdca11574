"""Nodes count; what an action does beyond two steps is not written."""

from dataclasses import dataclass

from tidegate import Kind, Model, Record, array, integer, number
from tidegate.model import assumes


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 5, "nodes")
    most: int = number(5, 1, 9, "most")


class State(Record):
    at: list[int] = array(
        lambda k: k.nodes, integer(0, lambda k: k.most, "steps"), by="node", by_replica=True
    )


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def is_near(s: State, k: Bounds) -> bool:
    """Whether no node is beyond two steps."""
    return max(s.at) <= 2


@model.action("node")
@assumes("no node is beyond two steps", "the real thing wraps", is_near)
def step(s: State, k: Bounds, node: int) -> bool:
    """Take a step."""
    if s.at[node] == k.most:
        return False
    s.at[node] += 1
    return True


@model.action("node")
def reset(s: State, k: Bounds, node: int) -> bool:
    """Begin again, from one step."""
    if s.at[node] != 1:
        return False
    s.at[node] = 0
    return True


@model.invariant("No two nodes are as far.")
def before(s: State, k: Bounds) -> bool:
    return sum(s.at) < 2


@model.invariant("Nobody gets to three.")
def beside(s: State, k: Bounds) -> bool:
    return max(s.at) != 3


@model.invariant("All together are not at three, unless one is.")
def elsewhere(s: State, k: Bounds) -> bool:
    return sum(s.at) != 3 or max(s.at) == 3


@model.invariant("All together are not at four, unless one is beyond two.")
def late(s: State, k: Bounds) -> bool:
    return sum(s.at) != 4 or max(s.at) > 2


@model.invariant("Nobody gets to four.")
def after(s: State, k: Bounds) -> bool:
    return max(s.at) != 4


@model.sometimes("Somebody gets to three.")
def three(s: State, k: Bounds) -> bool:
    return max(s.at) == 3


@model.sometimes("Somebody gets to four.")
def four(s: State, k: Bounds) -> bool:
    return max(s.at) == 4


@model.liveness(Kind.EVENTUALLY, "Somebody gets anywhere.")
def anywhere(s: State, k: Bounds) -> bool:
    return max(s.at) > 0
