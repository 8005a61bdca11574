# attack: values versus places: copies from sequences, loops over them, records of one's own, nested assign; right: as plain Python with copies
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, array, sequence_of, nested, set_of, Seq, Set
@dataclass(frozen=True)
class Bounds:
    n: int = number(2, 1, 9, "n", main=True)
class E(Record):
    t: int = integer(0, 1, "t")
    v: int = integer(0, 2, "v")
class Node(Record):
    log: Seq[E] = sequence_of(E, lambda k: k.n, "q")
    last: E = nested(E)
class State(Record):
    node: list[Node] = array(2, Node)
model = Model(Bounds, State, participants={"node": lambda k: 2}, deadlock=False)
def best(s: State, e: E, t: int) -> int:
    n = 0
    for x in s.node[0].log:
        if x == e or x.t > t:
            n += x.v + 1
    return n
@model.action("node", t=lambda k: range(2))
def put(s: State, k: Bounds, node: int, t: int) -> bool:
    me = s.node[node]
    if len(me.log) == k.n or t == me.last.t and len(me.log) > 1:
        return False
    old = me.last.v
    me.log.append(E(t=t, v=old))
    me.last.t = t
    first = me.log[0]
    me.log[0].v = (first.t + me.log[0].v) % 3
    me.last.v = (best(s, first, t) + first.v) % 3
    return True
@model.action("node")
def copy(s: State, k: Bounds, node: int) -> bool:
    me, other = s.node[node], s.node[1 - node]
    if not other.log or other.log == me.log:
        return False
    x = other.log[0]
    y = other.log[len(other.log) - 1]
    other.log.popleft()
    if len(other.log):
        other.log[0].assign(y)
        other.log[0].t = (x.t + y.t) % 2
    me.log[:] = other.log[:]
    me.last.assign(x)
    if y == me.last:
        me.last.v = 0
    return True
@model.action("node", i=lambda k: range(k.n - 1))
def rot(s: State, k: Bounds, node: int, i: int) -> bool:
    me = s.node[node]
    if i + 1 >= len(me.log):
        return False
    a = me.log[i]
    me.log[i].assign(me.log[i + 1])
    me.log[i + 1].assign(a)
    n = 0
    for e in me.log[i:]:
        me.log[i].v = (me.log[i].v + e.v + n) % 3
        n += 1
    for x in me.log:
        if x.v == 2 and len(me.log) > 1:
            me.log.pop()
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (len(s.node[0].log) == 2 and s.node[0].log[1:] == s.node[1].log[:1] and s.node[0].last != s.node[1].last and s.node[0].last.v == 2)

# expect: violated Inv 4
