"""Init with choices: a token ring started anywhere, some initial states outside the constraint, some twice.

TLC: initial states outside the constraint are checked for invariants, not counted.
"""
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from tidegate import Model, Record, Set, array, boolean, integer, number, set_of, switch


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 2, 4, "nodes", main=True)
    strict: bool = switch("invariant about initial states outside")


class State(Record):
    token: int = integer(0, 3, "where it is")
    black: list[bool] = array(lambda k: k.nodes, boolean("color"), by="node")
    seen: Set = set_of(lambda k: k.nodes, "visited")


def few_black(s: State, k: Bounds) -> bool:
    return sum(s.black) <= 1


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False, constraint=few_black)


@model.initial
def anywhere(s: State, k: Bounds) -> Iterator[None]:
    for token, colors in product(range(k.nodes), product([False, True], repeat=k.nodes)):
        s.token = token
        s.black[:] = colors
        if any(colors):
            s.seen.add(token)
        yield
    for order in permutations(range(k.nodes)):
        s.token = order[0]
        yield


@model.action("token")
def move(s: State, k: Bounds) -> bool:
    s.token = (s.token - 1) % k.nodes
    s.seen.add(s.token)
    return True


@model.action("node")
def whiten(s: State, k: Bounds, node: int) -> bool:
    if not s.black[node] or s.token != node:
        return False
    s.black[node] = False
    return True


@model.invariant("Not all are black.")
def some_white(s: State, k: Bounds) -> bool:
    return not all(s.black) or not k.strict
# expect: holds 39
