"""The members of a cluster, by functools.cache, which a step rotates in place: an honest mistake.

The list that the cache gives out is one object, so each step rotates it for all later steps: refuse the line.
"""

from dataclasses import dataclass
from functools import cache

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)


class State(Record):
    leader: int = integer(0, 9, "leader")
    terms: int = integer(0, 9, "terms")


model = Model(Bounds, State, deadlock=False)


@cache
def members(n: int) -> list[int]:
    return list(range(n))


@model.action("cluster")
def elect(s: State, k: Bounds) -> bool:
    if s.terms == 4:
        return False
    order = members(k.nodes)
    if order[0] != s.leader:
        order.sort(key=lambda node: (node < s.leader, node))
    s.leader = order[1]
    s.terms += 1
    return True


@model.invariant("A member leads.")
def member(s: State, k: Bounds) -> bool:
    return s.leader in members(k.nodes)
# expect: refused 34
