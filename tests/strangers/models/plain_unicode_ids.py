# kind: identifiers that NFKC normalises to the same name
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    ﬁ: int = integer(0, 3, "fi ligature")
    größe: int = integer(0, 3, "size")

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def a(s: State, k: Bounds) -> bool:
    if s.fi == 3:
        return False
    s.ﬁ += 1
    return True

@model.action("p")
def b(s: State, k: Bounds) -> bool:
    if s.größe == 3 or s.größe == getattr(s, "fi"):
        return False
    s.größe += 1
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return s.größe <= s.fi + 1

# expect: refused 26
