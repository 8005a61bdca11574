"""The next leader is the first of a set of names: the order of hashes decides, in a helper's default branch."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number

NAMES = ["ann", "bob", "cyd", "dan"]


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes", main=True)


class State(Record):
    leader: int = integer(0, 3, "leader")


model = Model(Bounds, State, deadlock=False)


def successor(leader: int, nodes: int) -> int:
    others = {name for name in NAMES[:nodes] if name != NAMES[leader]}
    if not others:
        return leader
    return NAMES.index(list(others)[0])


@model.action("cluster")
def elect(s: State, k: Bounds) -> bool:
    s.leader = successor(s.leader, k.nodes)
    return True


@model.invariant("Never the last.")
def never_last(s: State, k: Bounds) -> bool:
    return s.leader < 4
# expect: refused 26
