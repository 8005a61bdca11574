"""Leases with a clock: comparisons that are decided by one tick."""

from dataclasses import dataclass

from tidegate import NONE, Model, Record, array, boolean, integer, number, optional


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 2, 5, "nodes", main=True)
    time: int = number(14, 2, 200, "ticks", main=True)
    span: int = number(4, 1, 50, "ticks of a lease")


class Node(Record):
    until: int = optional(lambda k: k.time + k.span, "when its lease ends")
    seen: int = integer(0, lambda k: k.time, "what it takes for the time")


class State(Record):
    now: int = integer(0, lambda k: k.time, "the time")
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")
    holder: int = optional(lambda k: k.nodes - 1, "who holds the lease")
    late: bool = boolean("whether a lease was used after its end")


def close(s: State, k: Bounds) -> bool:
    """No clock is more than half the time behind."""
    return all(s.now - s.node[n].seen <= k.time // 2 for n in range(k.nodes))


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, constraint=close)


@model.action("clock")
def tick(s: State, k: Bounds) -> bool:
    """Let time pass."""
    if s.now >= k.time:
        return False
    s.now += 1
    return True


@model.action("node")
def grant(s: State, k: Bounds, node: int) -> bool:
    """Grant a lease if none is valid."""
    if s.holder != NONE and s.now <= s.node[s.holder].until:
        return False
    s.holder = node
    s.node[node].until = s.now + k.span
    return True


@model.action("node")
def look(s: State, k: Bounds, node: int) -> bool:
    """Look at the clock."""
    if s.node[node].seen == s.now:
        return False
    s.node[node].seen = s.now
    return True


@model.action("node")
def use(s: State, k: Bounds, node: int) -> bool:
    """Use a lease that is valid by one's own clock."""
    if s.node[node].until == NONE or s.node[node].seen > s.node[node].until:
        return False
    if s.late or s.now <= s.node[node].until + k.span - 1:
        return False
    s.late = True
    return True


@model.invariant("Nobody uses a lease long after its end, the last tick aside.")
def in_time(s: State, k: Bounds) -> bool:
    return not s.late or s.now >= k.span


@model.invariant("Only the holder's lease lasts.")
def one_holder(s: State, k: Bounds) -> bool:
    return (
        all(
            n == s.holder or s.node[n].until == NONE or s.node[n].until < s.now + k.span
            for n in range(k.nodes)
        )
        or s.holder != NONE
    )
