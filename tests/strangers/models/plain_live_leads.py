# kind: leads-to whose premise holds in the initial state; stuttering self loop not fair
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class State(Record):
    x: int = integer(0, 3, "x")

model = Model(Bounds, State, deadlock=False)

@model.action("p")
def stay(s: State, k: Bounds) -> bool:
    return s.x < 2

@model.action("p", fairness=Fairness.NONE)
def up(s: State, k: Bounds) -> bool:
    if s.x == 3:
        return False
    s.x += 1
    return True

@model.action("p")
def fin(s: State, k: Bounds) -> bool:
    if s.x != 1:
        return False
    s.x = 3
    return True

def start(s: State, k: Bounds) -> bool:
    return s.x == 0

def one(s: State, k: Bounds) -> bool:
    return s.x == 1

@model.liveness(Kind.LEADS_TO, "0 leads to 1", premise=start)
def leaves(s: State, k: Bounds) -> bool:
    return s.x == 1

@model.liveness(Kind.LEADS_TO, "1 leads to more", premise=one)
def ends(s: State, k: Bounds) -> bool:
    return s.x > 1

@model.liveness(Kind.EVENTUALLY_ALWAYS, "stable")
def stable(s: State, k: Bounds) -> bool:
    return s.x != 1

# expect: violated Leaves 0
