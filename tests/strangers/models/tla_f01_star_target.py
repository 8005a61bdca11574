"""first, *rest of a list of tuples."""
from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 2, 3, "nodes")


class State(Record):
    a: list[int] = array(lambda k: k.nodes, integer(0, 1, "x"))


model = Model(Bounds, State, deadlock=False)


@model.action("x", i=lambda k: range(k.nodes))
def up(s: State, k: Bounds, i: int) -> bool:
    if s.a[i]:
        return False
    s.a[i] = 1
    return True


@model.invariant("Pairs.")
def pairs(s: State, k: Bounds) -> bool:
    first, *rest = [(i, x) for i, x in enumerate(s.a)]
    return all(other != first for other in rest)
# expect: holds 4
