"""Chang and Roberts: the nodes of a ring elect as leader the initiator with the lowest number.

An initiator sends its number around the ring.  A node that has given up forwards every number; a
candidate only a lower one than its own, and gives up.  Whoever gets back its own number has won.

Source: Chang and Roberts, An improved algorithm for decentralized extrema-finding in circular
configurations of processes, 1979;
specifications/chang_roberts/ChangRoberts.tla in tlaplus/Examples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from tidegate import Model, Record, Set, array, boolean, enumeration, number, set_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 2, 12, "nodes of the ring", main=True)


class Phase(IntEnum):
    CANDIDATE = 0
    LOST = 1
    WON = 2


class Node(Record):
    initiator: bool = boolean("whether it starts an election")
    started: bool = boolean("whether it has done its first step")
    phase: Phase = enumeration(Phase, "how it stands in the election")
    messages: Set = set_of(lambda k: k.nodes, "numbers that wait to be received by it")


class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def successor(k: Bounds, node: int) -> int:
    return 0 if node == k.nodes - 1 else node + 1


@model.initial
def any_initiators(s: State, k: Bounds) -> Iterator[None]:
    """Any nodes are initiators, and these are the candidates."""
    for initiators in product((False, True), repeat=k.nodes):
        for node, initiator in zip(s.node, initiators, strict=True):
            node.initiator = initiator
            node.phase = Phase.CANDIDATE if initiator else Phase.LOST
        yield


@model.action("node")
def start(s: State, k: Bounds, node: int) -> bool:
    """A node starts, and sends its number to the next one if it is an initiator."""
    me = s.node[node]
    if me.started:
        return False
    me.started = True
    if me.initiator:
        s.node[successor(k, node)].messages.add(node)
    return True


@model.action("node", number=lambda k: range(k.nodes))
def receive(s: State, k: Bounds, node: int, number: int) -> bool:
    """A node receives a number, and forwards it, drops it or finds that it has won."""
    me = s.node[node]
    if not me.started or number not in me.messages:
        return False
    me.messages.discard(number)
    if me.phase == Phase.LOST or number < node:
        me.phase = Phase.LOST
        s.node[successor(k, node)].messages.add(number)
    elif number == node:
        me.phase = Phase.WON
    return True


@model.invariant(
    "A node that has won is the initiator with the lowest number, and all others lost."
)
def correctness(s: State, k: Bounds) -> bool:
    for winner in range(k.nodes):
        if s.node[winner].phase == Phase.WON:
            if not s.node[winner].initiator:
                return False
            for other in range(k.nodes):
                if other != winner and s.node[other].phase != Phase.LOST:
                    return False
                if other < winner and s.node[other].initiator:
                    return False
    return True
