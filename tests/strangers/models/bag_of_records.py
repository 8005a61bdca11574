"""A network as a bag of records: a sorted sequence in which each message has a count."""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)
    most: int = number(24, 1, 60, "different messages", main=True)
    top: int = number(4, 1, 9, "values", main=True)


class Msg(Record):
    src: int = integer(0, lambda k: k.nodes - 1, "from")
    dst: int = integer(0, lambda k: k.nodes - 1, "to")
    a: int = integer(0, 9, "a")
    b: int = integer(0, 9, "b")
    c: int = integer(0, 9, "c")
    d: int = integer(0, 9, "d")
    count: int = integer(0, 3, "how often")

    def key(self) -> int:
        return self.src | self.dst << 3 | self.a << 6 | self.b << 10 | self.c << 14 | self.d << 18


class State(Record):
    value: list[int] = array(lambda k: k.nodes, integer(0, 9, "value"), by="node")
    net: Seq[Msg] = sequence_of(Msg, lambda k: k.most, "the network")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


def send(s: State, src: int, dst: int, a: int) -> None:
    key = src | dst << 3 | a << 6 | a << 10 | a << 14 | a << 18
    at = 0
    while at < len(s.net) and s.net[at].key() < key:
        at += 1
    if at < len(s.net) and s.net[at].key() == key:
        s.net[at].count += 1
        return
    s.net[at:at] = [Msg(src=src, dst=dst, a=a, b=a, c=a, d=a, count=1)]


@model.action("node", other="node")
def tell(s: State, k: Bounds, node: int, other: int) -> bool:
    """A node raises its value and tells another one."""
    if node == other or s.value[node] >= k.top:
        return False
    s.value[node] += 1
    send(s, node, other, s.value[node])
    return True


@model.action("network", m=lambda k: range(k.most))
def receive(s: State, k: Bounds, m: int) -> bool:
    """A message arrives, and is answered if it is news."""
    if m >= len(s.net) or s.net[m].count == 0:
        return False
    msg = s.net[m]
    me = msg.dst
    if msg.a > s.value[me]:
        s.value[me] = msg.a
        src = msg.src
        a = msg.a
        msg.count -= 1
        if a < k.top:
            send(s, me, src, a)
    else:
        msg.count -= 1
    return True


@model.invariant("Values are in range.")
def in_range(s: State, k: Bounds) -> bool:
    return all(v <= k.top for v in s.value)

# bounds: nodes=2 top=2 most=8
# expect: holds 45
