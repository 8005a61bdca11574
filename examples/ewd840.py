"""EWD 840: a node of a ring finds out, by a token that circulates, that all nodes are inactive.

Source: Dijkstra, Feijen and van Gasteren, Derivation of a termination detection algorithm for
distributed computations (EWD 840), 1983; specifications/ewd840/EWD840.tla in tlaplus/Examples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from tidegate import Fairness, Kind, Model, Record, array, boolean, enumeration, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 2, 10, "nodes of the ring", main=True)


class Color(IntEnum):
    WHITE = 0
    BLACK = 1


class State(Record):
    active: list[bool] = array(lambda k: k.nodes, boolean("whether a node is active"), by="node")
    color: list[Color] = array(lambda k: k.nodes, enumeration(Color, "color of a node"), by="node")
    token_at: int = integer(0, lambda k: k.nodes - 1, "node that has the token")
    token_color: Color = enumeration(Color, "color of the token")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.initial
def black_token(s: State, k: Bounds) -> Iterator[None]:
    """The token is black; everything else is arbitrary."""
    for active in product((False, True), repeat=k.nodes):
        for color in product(Color, repeat=k.nodes):
            for holder in range(k.nodes):
                for node in range(k.nodes):
                    s.active[node] = active[node]
                    s.color[node] = color[node]
                s.token_at = holder
                s.token_color = Color.BLACK
                yield


@model.action("node 0")
def initiate_probe(s: State, k: Bounds) -> bool:
    """Node 0 starts another round with a white token, as the last one was inconclusive."""
    if s.token_at != 0 or (s.token_color == Color.WHITE and s.color[0] == Color.WHITE):
        return False
    s.token_at = k.nodes - 1
    s.token_color = Color.WHITE
    s.color[0] = Color.WHITE
    return True


@model.action("node")
def pass_token(s: State, k: Bounds, node: int) -> bool:
    """A node passes the token on, blackened if the node is black, and becomes white."""
    if node == 0 or s.token_at != node:
        return False
    if s.active[node] and s.color[node] == Color.WHITE and s.token_color == Color.WHITE:
        return False
    s.token_at = node - 1
    if s.color[node] == Color.BLACK:
        s.token_color = Color.BLACK
    s.color[node] = Color.WHITE
    return True


@model.action("node", fairness=Fairness.NONE, receiver="node")
def send_message(s: State, k: Bounds, node: int, receiver: int) -> bool:
    """An active node activates another one, and becomes black if that one has a higher number."""
    if node == receiver or not s.active[node]:
        return False
    s.active[receiver] = True
    if receiver > node:
        s.color[node] = Color.BLACK
    return True


@model.action("node", fairness=Fairness.NONE)
def deactivate(s: State, k: Bounds, node: int) -> bool:
    """A node becomes inactive."""
    if not s.active[node]:
        return False
    s.active[node] = False
    return True


def detected(s: State, k: Bounds) -> bool:
    """Whether node 0 knows that no node is active."""
    white = s.token_color == Color.WHITE and s.color[0] == Color.WHITE
    return s.token_at == 0 and white and not s.active[0]


def terminated(s: State, k: Bounds) -> bool:
    """Whether no node is active."""
    return not any(active for active in s.active)


@model.invariant("Node 0 detects termination only when no node is active.")
def termination_detection(s: State, k: Bounds) -> bool:
    return not detected(s, k) or terminated(s, k)


@model.invariant("The nodes behind the token are inactive, or a node ahead or the token is black.")
def inv(s: State, k: Bounds) -> bool:
    behind = all(not s.active[node] for node in range(s.token_at + 1, k.nodes))
    ahead = any(s.color[node] == Color.BLACK for node in range(s.token_at + 1))
    return behind or ahead or s.token_color == Color.BLACK


@model.liveness(
    Kind.LEADS_TO,
    "Once no node is active, node 0 eventually detects it.",
    premise=terminated,
    source="Liveness in EWD840.tla",
)
def termination_is_detected(s: State, k: Bounds) -> bool:
    return detected(s, k)


@model.liveness(
    Kind.EVENTUALLY, "Eventually no node is active; violated, since nodes may work for ever."
)
def all_nodes_terminate(s: State, k: Bounds) -> bool:
    return terminated(s, k)
