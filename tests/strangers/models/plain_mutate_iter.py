# kind: sequence that grows and shrinks while it is iterated
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    q: Seq[int] = sequence_of(integer(0, 3, "e"), 5, "q")
    n: int = integer(0, 15, "n")

model = Model(Bounds, State, deadlock=False)

@model.action("p", v=lambda k: range(4))
def put(s: State, k: Bounds, v: int) -> bool:
    if len(s.q) >= 3:
        return False
    s.q.append(v)
    return True

@model.action("p")
def walk(s: State, k: Bounds) -> bool:
    if not s.q:
        return False
    total = 0
    for v in s.q:
        total += v
        if v == 1 and len(s.q) < 4:
            s.q.append(2)
        elif v == 3:
            s.q.popleft()
    s.n = total % 16
    return True

@model.action("p")
def cut(s: State, k: Bounds) -> bool:
    if len(s.q) < 2:
        return False
    for i, v in enumerate(s.q):
        if v > 1:
            del s.q[i]
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.n != 9

# expect: holds 609
