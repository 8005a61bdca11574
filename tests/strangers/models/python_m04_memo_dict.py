"""A memo kept by hand in a closure's dict, keyed by the message alone although the answer depends on the state."""

from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes", main=True)


class State(Record):
    term: list[int] = array(lambda k: k.nodes, integer(0, 3, "term"))


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def memoize(f):
    memo = {}

    def wrapper(s, node):
        if node not in memo:
            memo[node] = f(s, node)
        return memo[node]

    return wrapper


@memoize
def ahead(s, node):
    return s.term[node] > min(s.term)


@model.action("node")
def bump(s: State, k: Bounds, node: int) -> bool:
    if s.term[node] == 3 or ahead(s, node):
        return False
    s.term[node] += 1
    return True


@model.invariant("Close together.")
def close(s: State, k: Bounds) -> bool:
    return max(s.term) - min(s.term) <= 1
# expect: refused 25
