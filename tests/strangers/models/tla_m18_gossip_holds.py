"""Version vectors by gossip, unbounded in principle, cut by a constraint; several initial states.

Invariants are decided in the states outside the constraint, too.
"""
from dataclasses import dataclass
from itertools import permutations, product

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 2, 3, "nodes", main=True)
    clock: int = number(2, 1, 4, "highest clock inside the constraint")


class State(Record):
    clock: list[int] = array(lambda k: k.nodes, integer(0, lambda k: k.clock + 2, "clock of a node"), by="node")


def small(s: State, k: Bounds) -> bool:
    return max(s.clock) <= k.clock


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, constraint=small)


@model.initial
def any_small(s: State, k: Bounds):
    """All clocks are 0 or 1, not all of them 1."""
    for clocks in product((0, 1), repeat=k.nodes):
        if all(clocks):
            continue
        for node, clock in enumerate(clocks):
            s.clock[node] = clock
        yield


@model.action("node")
def tick(s: State, k: Bounds, node: int) -> bool:
    s.clock[node] += 1
    return True


@model.action("sender", sender="node", receiver="node")
def send(s: State, k: Bounds, sender: int, receiver: int) -> bool:
    """Lamport's rule."""
    if sender == receiver or s.clock[receiver] > s.clock[sender]:
        return False
    s.clock[receiver] = s.clock[sender] + 1
    return True


@model.invariant("No clock is 4 above another one.")
def close(s: State, k: Bounds) -> bool:
    return not any(a - b >= k.clock + 2 for a, b in permutations(s.clock, 2))
# expect: holds 9
