"""An argument that may be None, a text, an enumeration, a tuple: choices of all kinds."""
from dataclasses import dataclass
from enum import Enum, IntEnum, auto

from tidegate import NONE, Model, Record, enumeration, number, optional, one_of


@dataclass(frozen=True)
class Bounds:
    values: int = number(2, 1, 3, "values")


class Op(IntEnum):
    READ = 0
    WRITE = 1
    CAS = 2


class State(Record):
    slot: int = optional(lambda k: k.values - 1, "the slot")
    last: Op = enumeration(Op, "last operation")


model = Model(Bounds, State)


@model.action("writer", value=lambda k: (NONE, *range(k.values)), op=lambda k: Op)
def put(s: State, k: Bounds, op: Op, value: int) -> bool:
    if op is Op.READ and value != NONE:
        return False
    match op:
        case Op.READ:
            pass
        case Op.WRITE:
            s.slot = NONE if value == NONE else value
        case Op.CAS:
            if value == NONE or s.slot == NONE:
                return False
            s.slot = value
    s.last = op
    return True


@model.invariant("A compare and swap leaves a value.")
def held(s: State, k: Bounds) -> bool:
    return s.last is not Op.CAS or s.slot != NONE
# slots NONE,0,1; last READ/WRITE any slot (6), CAS with 0,1 (2): 8
# expect: holds 8
