"""A network as a sorted sequence of messages with counts: each request is answered and removed."""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 2, 4, "nodes", main=True)
    most: int = number(12, 1, 30, "different messages", main=True)
    top: int = number(2, 1, 6, "highest term", main=True)


class Msg(Record):
    kind: int = integer(0, 1, "0 request, 1 answer")
    src: int = integer(0, lambda k: k.nodes - 1, "from")
    dst: int = integer(0, lambda k: k.nodes - 1, "to")
    term: int = integer(0, 6, "term")
    count: int = integer(0, 2, "how often")


class Node(Record):
    term: int = integer(0, 6, "its term")
    answers: int = integer(0, 6, "answers that it got")


class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")
    net: Seq[Msg] = sequence_of(Msg, lambda k: k.most, "the network")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def key(m: Msg) -> int:
    return m.kind | m.src << 1 | m.dst << 4 | m.term << 7


def find(s: State, m: Msg) -> int:
    for i in range(len(s.net)):
        if key(s.net[i]) == key(m) and s.net[i].count > 0:
            return i
    return -1


def send(s: State, m: Msg) -> None:
    at = 0
    while at < len(s.net) and key(s.net[at]) < key(m):
        at += 1
    if at < len(s.net) and key(s.net[at]) == key(m):
        s.net[at].count += 1
    else:
        s.net.insert(at, m)


def answer_to(s: State, m: Msg, term: int) -> Msg:
    return Msg(kind=1, src=m.dst, dst=m.src, term=term, count=1)


@model.action("node", other="node")
def ask(s: State, k: Bounds, node: int, other: int) -> bool:
    """A node begins a term and asks another one."""
    me = s.node[node]
    if node == other or me.term >= k.top:
        return False
    me.term += 1
    send(s, Msg(kind=0, src=node, dst=other, term=me.term, count=1))
    return True


@model.action("network", m=lambda k: range(k.most))
def reply(s: State, k: Bounds, m: int) -> bool:
    """A node answers a request, unless such an answer is on its way."""
    if m >= len(s.net) or s.net[m].count == 0 or s.net[m].kind != 0:
        return False
    msg = s.net[m]
    me = s.node[msg.dst]
    answer = answer_to(s, msg, max(me.term, msg.term))
    if find(s, answer) >= 0:
        return False
    msg.count -= 1
    me.term = max(me.term, msg.term)
    send(s, answer)
    return True


@model.action("network", m=lambda k: range(k.most))
def receive(s: State, k: Bounds, m: int) -> bool:
    """A node gets an answer."""
    if m >= len(s.net) or s.net[m].count == 0 or s.net[m].kind != 1:
        return False
    msg = s.net[m]
    me = s.node[msg.dst]
    if me.answers == 6:
        return False
    msg.count -= 1
    me.answers += 1
    return True


@model.invariant("No node gets more answers than it asked.")
def answered(s: State, k: Bounds) -> bool:
    return all(n.answers <= n.term * 2 for n in s.node)

# expect: holds 365
