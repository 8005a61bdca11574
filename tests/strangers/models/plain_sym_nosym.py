# kind: the same without --symmetry
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    st: list[int] = array(lambda k: k.n, integer(0, 2, "st"), by="node", by_replica=True)
    lead: int = replica_id(lambda k: k.n - 1, "leader")
    seen: Set = set_of(lambda k: k.n, "seen", of_replicas=True)

model = Model(Bounds, State, participants={"node": lambda k: k.n}, deadlock=False)

@model.action("node")
def up(s: State, k: Bounds, node: int) -> bool:
    if s.st[node] == 2 or node in s.seen:
        return False
    s.st[node] += 1
    if s.st[node] == 2:
        s.lead = node
        s.seen.add(node)
    return True

@model.action("node")
def take(s: State, k: Bounds, node: int) -> bool:
    if s.lead == NONE or s.lead == node or s.st[node] > 0:
        return False
    s.st[s.lead] = 0
    s.lead = node
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return len(s.seen) < 3 or s.st[s.lead] == 2

# expect: violated Inv 8
