"""An OR-set/G-counter CRDT with version vectors: refinement mapping by helper objects, swaps, closures, recursion, try.

Replicas increment their own entry, merge by maximum, and swap two inboxes; the merged value refines a global counter.
"""
import functools
import operator
from collections import Counter
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    replicas: int = number(2, 1, 3, "replicas", main=True)
    most: int = number(2, 1, 3, "increments of each")
    box: int = number(1, 1, 2, "messages in an inbox")


class Vector(Record):
    entry: list[int] = array(lambda k: k.replicas, integer(0, lambda k: k.most, "count"))

    def total(self) -> int:
        return sum(self.entry)


class Message(Record):
    sender: int = integer(0, 2, "sender")
    value: int = integer(0, lambda k: k.most, "the sender's own entry")


class Replica(Record):
    vector: Vector = array(1, Vector)
    inbox: Seq[Message] = sequence_of(Message, lambda k: k.box, "inbox")


class State(Record):
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by="replica")
    swaps: int = integer(0, 1, "swaps done")


model = Model(Bounds, State, participants={"replica": lambda k: k.replicas}, deadlock=False)


@dataclass(frozen=True)
class Abstract:
    total: int
    lag: tuple[int, ...]

    def ok(self) -> bool:
        return all(0 <= x <= self.total for x in self.lag)


def abstract(s: State, k: Bounds) -> Abstract:
    best = [functools.reduce(max, (r.vector[0].entry[i] for r in s.replica), 0) for i in range(k.replicas)]
    total = functools.reduce(operator.add, best)
    return Abstract(total, tuple(total - r.vector[0].total() for r in s.replica))


def recursive_max(values: list[int]) -> int:
    if len(values) == 1:
        return values[0]
    head, *tail = values
    return max(head, recursive_max(tail))


@model.action("replica")
def increment(s: State, k: Bounds, replica: int) -> bool:
    own = s.replica[replica].vector[0].entry
    if own[replica] >= k.most:
        return False
    own[replica] += 1
    return True


@model.action("replica", to="replica")
def send(s: State, k: Bounds, replica: int, to: int) -> bool:
    if replica == to or len(box := s.replica[to].inbox) == k.box:
        return False
    box.append(Message(sender=replica, value=s.replica[replica].vector[0].entry[replica]))
    return True


@model.action("replica")
def receive(s: State, k: Bounds, replica: int) -> bool:
    try:
        message = s.replica[replica].inbox.popleft()
    except IndexError:
        return False
    mine = s.replica[replica].vector[0].entry
    mine[message.sender] = recursive_max([mine[message.sender], message.value])
    return True


@model.action("network")
def cross(s: State, k: Bounds) -> bool:
    """Two inboxes are exchanged, by mistake."""
    if k.replicas < 2 or s.swaps:
        return False
    a, b = s.replica[0], s.replica[1]
    first, second = list(a.inbox), list(b.inbox)
    if not first and not second:
        return False
    a.inbox[:], b.inbox[:] = second, first
    s.swaps = 1
    return True


@model.invariant("Nobody is ahead of the total.")
def refines(s: State, k: Bounds) -> bool:
    return abstract(s, k).ok()


@model.invariant("An entry of others is never above the owner's own.")
def own_leads(s: State, k: Bounds) -> bool:
    def own(i: int) -> int:
        return s.replica[i].vector[0].entry[i]

    counts = Counter({i: own(i) for i in range(k.replicas)})
    return all(r.vector[0].entry[i] <= counts[i] for r in s.replica for i in range(k.replicas))
# expect: refused 57
