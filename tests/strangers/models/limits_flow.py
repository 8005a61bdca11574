# attack: helpers with loops, early returns, nested break/continue, for-else-like flags, loop variables after loops, and/or of ints
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, array, optional, NONE
@dataclass(frozen=True)
class Bounds:
    n: int = number(2, 1, 9, "n", main=True)
    m: int = number(3, 1, 9, "m")
class Row(Record):
    cell: list[int] = array(lambda k: k.n, integer(-1, 3, "c"))
    who: int = optional(lambda k: k.n, "w")
class Pair(Record):
    x: list[int] = array(2, integer(0, 3, "g"))
class State(Record):
    row: list[Row] = array(2, Row)
    g: list[Pair] = array(2, Pair)
model = Model(Bounds, State, deadlock=False)
def find(s: State, k: Bounds, lo: int, hi: int = 3) -> int:
    total = 0
    for i in range(k.n):
        for j in range(2):
            if s.row[j].cell[i] > hi:
                return i * 2 + j
            if s.row[j].cell[i] == lo:
                continue
            total += s.row[j].cell[i]
            if total < -3:
                break
        if total > 9:
            break
    i = 0
    while True:
        i += 1
        if i * i > total * total + 2:
            return -i
        if i > 6:
            return total if total else -8
@model.action("x", r=lambda k: range(2), i=lambda k: range(k.n))
def bump(s: State, k: Bounds, r: int, i: int) -> bool:
    row = s.row[r]
    f = find(s, k, lo=i - 2)
    if row.cell[i] >= k.m - 1 or f == 3:
        return False
    row.cell[i] += 1 if f < 0 else 2 if f % 2 and row.cell[i] < 3 else 1
    row.who = i if row.cell[(i - 1) % len(row.cell)] > 0 else NONE
    s.g[r].x[i % 2] = (s.g[1 - r].x[(i + f) % 2] + (1 if f else 0)) % 4
    return True
@model.action("x", r=lambda k: range(2))
def swap(s: State, k: Bounds, r: int) -> bool:
    if s.row[r].who == NONE:
        return False
    w = s.row[r].who
    for w in range(w, -1, -2):
        if s.row[1 - r].cell[w] == 1:
            break
    s.row[r].cell[w], s.row[1 - r].cell[-1] = s.row[1 - r].cell[-1], s.row[r].cell[w]
    s.row[r].who = NONE
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (s.g[0].x[0] == 3 and s.g[1].x[1] == 2 and s.row[0].who == 2 and find(s, k, 1, hi=4) > 4)

# expect: holds 46765
