"""Safra's termination detection: a token that travels round a ring learns whether all is done.

Source: Dijkstra, Shmuel Safra's Version of Termination Detection, EWD998, 1987; EWD998.tla in
tlaplus/Examples.  Nodes count the messages that they sent and received, and the token adds up
these counters.  They grow without end, so a constraint limits them, as StateConstraint does there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from tidegate import Model, Record, array, boolean, enumeration, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 6, "nodes of the ring", main=True)
    counter: int = number(3, 1, 9, "highest counter of a node", main=True)
    pending: int = number(3, 1, 9, "messages on their way to a node", main=True)
    sum: int = number(9, 1, 30, "highest sum that the token carries", main=True)


class Color(IntEnum):
    WHITE = 0
    BLACK = 1


def lowest(k: Bounds) -> int:
    """Return how low a counter can be: the others have sent what its node received."""
    return -(k.nodes - 1) * (k.counter + 1)


class Node(Record):
    active: bool = boolean("whether it works, and may send")
    color: Color = enumeration(Color, "black after it received a message")
    counter: int = integer(lowest, lambda k: k.counter + 1, "messages sent minus received")
    pending: int = integer(0, lambda k: k.pending + 1, "messages on their way to it")


class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")
    token_at: int = integer(0, lambda k: k.nodes - 1, "the node that has the token")
    token_sum: int = integer(
        lambda k: k.nodes * lowest(k), lambda k: k.sum + k.counter, "counters that it added up"
    )
    token_color: Color = enumeration(Color, "black if it met a black node")


def within_limits(s: State, k: Bounds) -> bool:
    nodes = all(node.counter <= k.counter and node.pending <= k.pending for node in s.node)
    return nodes and s.token_sum <= k.sum


model = Model(
    Bounds,
    State,
    participants={"node": lambda k: k.nodes},
    deadlock=False,
    constraint=within_limits,
)


@model.initial
def anything_but_messages(s: State, k: Bounds) -> Iterator[None]:
    """Start with any nodes active, of any colors, and a black token anywhere."""
    each = product(product((False, True), Color), repeat=k.nodes)
    for nodes, at in product(each, range(k.nodes)):
        for node, (active, color) in zip(s.node, nodes, strict=True):
            node.active = active
            node.color = color
            node.counter = 0
        s.token_at = at
        s.token_sum = 0
        s.token_color = Color.BLACK
        yield


@model.action("node")
def initiate_probe(s: State, k: Bounds) -> bool:
    """Node 0 sends the token round again, as the last round was not conclusive."""
    first = s.node[0]
    white = s.token_color == Color.WHITE and first.color == Color.WHITE
    if s.token_at != 0 or (white and first.counter + s.token_sum <= 0):
        return False
    s.token_at = k.nodes - 1
    s.token_sum = 0
    s.token_color = Color.WHITE
    first.color = Color.WHITE
    return True


@model.action("node", node=lambda k: range(1, k.nodes))
def pass_token(s: State, k: Bounds, node: int) -> bool:
    """A node that is done passes the token on, with its counter and its color."""
    me = s.node[node]
    if s.token_at != node or me.active:
        return False
    s.token_at -= 1
    s.token_sum += me.counter
    if me.color == Color.BLACK:
        s.token_color = Color.BLACK
    me.color = Color.WHITE
    return True


@model.action("node", receiver="node")
def send_message(s: State, k: Bounds, node: int, receiver: int) -> bool:
    """An active node sends a message."""
    if receiver == node or not s.node[node].active:
        return False
    s.node[node].counter += 1
    s.node[receiver].pending += 1
    return True


@model.action("node")
def receive_message(s: State, k: Bounds, node: int) -> bool:
    """A node receives a message, and is active and black from now on."""
    me = s.node[node]
    if me.pending == 0:
        return False
    me.pending -= 1
    me.counter -= 1
    me.color = Color.BLACK
    me.active = True
    return True


@model.action("node")
def deactivate(s: State, k: Bounds, node: int) -> bool:
    """A node is done for now."""
    if not s.node[node].active:
        return False
    s.node[node].active = False
    return True


@model.invariant("Where node 0 detects termination, no node is active and no message on its way.")
def termination_detection(s: State, k: Bounds) -> bool:
    first = s.node[0]
    white = s.token_color == Color.WHITE and first.color == Color.WHITE
    if s.token_at != 0 or not white or first.active or s.token_sum + first.counter != 0:
        return True
    return not any(node.active or node.pending > 0 for node in s.node)


@model.invariant("The counters of all nodes add up to the messages on their way.")
def counters_match(s: State, k: Bounds) -> bool:
    return sum(node.pending for node in s.node) == sum(node.counter for node in s.node)


@model.invariant("The token has the sum of all nodes behind it, none active, or goes round again.")
def safra(s: State, k: Bounds) -> bool:
    at = s.token_at
    behind = sum(s.node[i].counter for i in range(at + 1, k.nodes))
    if behind == s.token_sum and not any(s.node[i].active for i in range(at + 1, k.nodes)):
        return True
    if sum(s.node[i].counter for i in range(at + 1)) + s.token_sum > 0:
        return True
    black = any(s.node[i].color == Color.BLACK for i in range(at + 1))
    return black or s.token_color == Color.BLACK
