"""Tri-colour marking: the mutator moves one pointer while the collector marks; no reachable node is freed.

The write barrier shades the target; without it a reachable node is freed.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import NONE, Model, Record, array, boolean, enumeration, number, optional, switch


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 2, 4, "nodes", main=True)
    no_barrier: bool = switch("no write barrier")


class Color(IntEnum):
    WHITE = 0
    GREY = 1
    BLACK = 2


class Node(Record):
    color: Color = enumeration(Color, "color")
    freed: bool = boolean("whether it was freed")
    next: int = optional(lambda k: k.nodes - 1, "its pointer")


class State(Record):
    root: int = optional(lambda k: k.nodes - 1, "the root")
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")
    sweeping: bool = boolean("whether the collector sweeps")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def reachable(s: State, at: int, seen: frozenset[int] = frozenset()) -> frozenset[int]:
    """All nodes from here, by recursion."""
    if at == NONE or at in seen:
        return seen
    return reachable(s, s.node[at].next, seen | {at})


def live(s: State) -> frozenset[int]:
    return reachable(s, s.root)


@model.initial
def chain(s: State, k: Bounds):
    """A chain from the root; the root is grey."""
    s.root = 0
    for i in range(k.nodes - 1):
        s.node[i].next = i + 1
    s.node[0].color = Color.GREY
    yield


@model.action("mutator", origin="node", target="node")
def point(s: State, k: Bounds, origin: int, target: int) -> bool:
    """Let a live node point to a live node."""
    if not {origin, target} <= live(s) or s.node[origin].next == target:
        return False
    s.node[origin].next = target
    if not k.no_barrier and s.node[target].color is Color.WHITE:
        s.node[target].color = Color.GREY
    return True


@model.action("mutator", origin="node")
def cut(s: State, k: Bounds, origin: int) -> bool:
    if origin not in live(s) or s.node[origin].next == NONE:
        return False
    s.node[origin].next = NONE
    return True


@model.action("collector", grey="node")
def mark(s: State, k: Bounds, grey: int) -> bool:
    if s.sweeping or s.node[grey].color is not Color.GREY:
        return False
    s.node[grey].color = Color.BLACK
    if (child := s.node[grey].next) != NONE and s.node[child].color == Color.WHITE:
        s.node[child].color = Color.GREY
    return True


@model.action("collector")
def finish(s: State, k: Bounds) -> bool:
    if s.sweeping or any(n.color is Color.GREY for n in s.node):
        return False
    s.sweeping = True
    return True


@model.action("collector", victim="node")
def free(s: State, k: Bounds, victim: int) -> bool:
    n = s.node[victim]
    if not s.sweeping or n.freed or n.color is not Color.WHITE:
        return False
    n.freed = True
    n.next = NONE
    return True


@model.invariant("No live node is freed.")
def safe(s: State, k: Bounds) -> bool:
    return all(not s.node[i].freed for i in live(s))
# bounds: no_barrier=true
# expect: refused 42
