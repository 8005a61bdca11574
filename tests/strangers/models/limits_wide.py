# attack: a state of 600 words, two-word-crossing fields, writes by computed index
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, array
@dataclass(frozen=True)
class Bounds:
    n: int = number(400, 1, 5000, "n", main=True)
class Cell(Record):
    a: int = integer(-5, 0x7FFFFFFF, "a")
    b: int = integer(0, 6, "b")
class State(Record):
    c: list[Cell] = array(lambda k: k.n, Cell)
    i: int = integer(0, 4999, "i")
    left: int = integer(0, 60, "l")
model = Model(Bounds, State, deadlock=False)
@model.action("x", d=lambda k: (1, 7, 899))
def hop(s: State, k: Bounds, d: int) -> bool:
    if s.left >= 5:
        return False
    s.i = (s.i * 31 + d) % k.n
    c = s.c[s.i]
    c.a = (c.a * 5 + d + 6) % 0x7FFFFFFF - 5
    c.b = (c.b + c.a) % 7
    s.c[(s.i - 1) % k.n].b = c.b
    s.left += 1
    return True
@model.action("x")
def back(s: State, k: Bounds) -> bool:
    if s.left < 3 or s.c[s.i].a < 0 or s.left >= 5:
        return False
    s.c[s.i].a = -5
    s.left += 2 if s.left < 12 else 1
    return True
def ok(s: State, k: Bounds) -> bool:
    return s.left < 5 or s.i % 3 != 1
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (s.left == 4 and sum(c.b for c in s.c) == 11)

# expect: holds 472
