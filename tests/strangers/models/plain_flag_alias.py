# kind: enumeration with an alias, auto() values, arrays nested in records
from dataclasses import dataclass
from enum import IntEnum
from tidegate import (Fairness, Kind, Model, NONE, Record, Seq, Set, array, bag_of, boolean, choice, enumeration,
    integer, nested, number, one_of, optional, replica_id, sequence_of, set_of, subset, switch)

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)

class C(IntEnum):
    OFF = 0
    ON = 1
    IDLE = 0
    def flip(self) -> "C":
        return C.ON if self is C.IDLE else C.OFF

class Row(Record):
    cell: list[C] = array(2, enumeration(C, "cell"))
    n: int = optional(1, "n")

class State(Record):
    row: list[Row] = array(2, Row)

model = Model(Bounds, State, deadlock=False)

@model.action("p", i=lambda k: range(2), j=lambda k: range(2))
def flip(s: State, k: Bounds, i: int, j: int) -> bool:
    row = s.row[i]
    row.cell[j] = row.cell[j].flip()
    row.n = row.n + 1 if row.n < 1 else NONE
    return True

@model.invariant("x")
def inv(s: State, k: Bounds) -> bool:
    return not (s.row[0].cell[0] is C.ON and s.row[0].n == NONE and s.row[1] == s.row[0])

# expect: violated Inv 6
