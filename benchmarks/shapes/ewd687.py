"""Termination detection in a tree of engagements, by Dijkstra and Scholten.

Source: EWD687a.tla in tlaplus/Examples.
"""

from dataclasses import dataclass

from tidegate import NONE, Kind, Model, Record, array, boolean, integer, number, optional

LEADER = 0


@dataclass(frozen=True)
class Bounds:
    procs: int = number(3, 2, 5, "processes", main=True)
    most: int = number(2, 1, 4, "unacknowledged messages of an edge", main=True)


class Edge(Record):
    """What one process has sent to another one."""

    messages: int = integer(0, lambda k: k.most, "messages in flight")
    acks: int = integer(0, lambda k: k.most, "acknowledgements in flight")
    unacked_received: int = integer(0, lambda k: k.most, "received, not acknowledged")
    unacked_sent: int = integer(0, lambda k: k.most, "sent, not acknowledged")


class Process(Record):
    active: bool = boolean("whether it works")
    parent: int = optional(lambda k: k.procs - 1, "its parent in the tree")
    edge: list[Edge] = array(lambda k: k.procs, Edge)


class State(Record):
    proc: list[Process] = array(lambda k: k.procs, Process, by="process")


model = Model(Bounds, State, participants={"process": lambda k: k.procs}, deadlock=False)


@model.initial
def init(s: State, k: Bounds):
    s.proc[LEADER].active = True
    yield


def neutral(s: State, p: int) -> bool:
    me = s.proc[p]
    return (
        not me.active
        and all(q.edge[p].unacked_received == 0 for q in s.proc)
        and sum(e.unacked_sent for e in me.edge) == 0
    )


@model.action("process", to="process", distinct=True)
def send(s: State, k: Bounds, process: int, to: int) -> bool:
    """An active process sends a message."""
    edge = s.proc[process].edge[to]
    if not s.proc[process].active or to == LEADER or edge.unacked_sent == k.most:
        return False
    edge.unacked_sent += 1
    edge.messages += 1
    return True


@model.action("process", sender="process", distinct=True)
def receive(s: State, k: Bounds, process: int, sender: int) -> bool:
    """A process receives a message, and becomes active."""
    edge = s.proc[sender].edge[process]
    if edge.messages == 0:
        return False
    if neutral(s, process):
        s.proc[process].parent = sender
    edge.messages -= 1
    edge.unacked_received += 1
    s.proc[process].active = True
    return True


@model.action("process", sender="process", distinct=True)
def send_ack(s: State, k: Bounds, process: int, sender: int) -> bool:
    """A process acknowledges, its parent last of all."""
    me = s.proc[process]
    edge = s.proc[sender].edge[process]
    if edge.unacked_received == 0:
        return False
    if me.parent == sender and edge.unacked_received == 1:
        others = sum(
            s.proc[q].edge[process].unacked_received for q in range(k.procs) if q != sender
        )
        if me.active or others or any(e.unacked_sent for e in me.edge):
            return False
    edge.unacked_received -= 1
    edge.acks += 1
    if neutral(s, process):
        me.parent = NONE
    return True


@model.action("process", to="process", distinct=True)
def receive_ack(s: State, k: Bounds, process: int, to: int) -> bool:
    """A process receives an acknowledgement."""
    edge = s.proc[process].edge[to]
    if not edge.acks:
        return False
    edge.acks -= 1
    edge.unacked_sent -= 1
    return True


@model.action("process")
def idle(s: State, k: Bounds, process: int) -> bool:
    """A process becomes idle."""
    if not s.proc[process].active:
        return False
    s.proc[process].active = False
    return True


def path_to_leader(s: State, p: int) -> list[int]:
    """The ancestors of a process, itself first."""
    path = [p]
    while path[-1] != LEADER and s.proc[path[-1]].parent != NONE and len(path) <= len(s.proc):
        path.append(s.proc[path[-1]].parent)
    return path


@model.invariant("Counters agree.")
def counters(s: State, k: Bounds) -> bool:
    return all(
        e.unacked_sent == e.messages + e.unacked_received + e.acks for p in s.proc for e in p.edge
    )


@model.invariant("Whoever is not neutral has a way up to the leader.")
def tree(s: State, k: Bounds) -> bool:
    return all(neutral(s, p) or path_to_leader(s, p)[-1] == LEADER for p in range(k.procs))


@model.invariant("Where the leader is neutral, everybody is.")
def dt1(s: State, k: Bounds) -> bool:
    if neutral(s, LEADER):
        return all(neutral(s, p) for p in range(1, k.procs))
    return True


@model.liveness(
    Kind.LEADS_TO,
    "Termination is detected.",
    premise=lambda s, k: (
        all(neutral(s, p) for p in range(k.procs) if p != LEADER) and not s.proc[LEADER].active
    ),
)
def detected(s: State, k: Bounds) -> bool:
    return neutral(s, LEADER)
