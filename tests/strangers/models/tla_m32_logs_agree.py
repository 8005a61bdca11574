"""Replicas agree when the set of their logs has one element: Cardinality({log[i]}) = 1.

Two equal logs are one member (or refused as unhashable).  At first all logs are empty, so Agreed holds in the initial state.
One of two appends: they differ, 1 step.
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 2, 3, "nodes", main=True)


class Node(Record):
    log: Seq[int] = sequence_of(integer(0, 2, "entry"), 2, "its log")


class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def append(s: State, k: Bounds, node: int) -> bool:
    if len(s.node[node].log) == 2:
        return False
    s.node[node].log.append(1)
    return True


@model.invariant("All logs are the same.")
def agreed(s: State, k: Bounds) -> bool:
    return len({n.log for n in s.node}) == 1
# expect: refused 37
