# attack: arithmetic of negative numbers: // % >> << & | ^ ~ - with negatives, chained comparisons, bool arithmetic
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, boolean
@dataclass(frozen=True)
class Bounds:
    n: int = number(40, 1, 1000, "n", main=True)
class State(Record):
    a: int = integer(lambda k: -k.n, lambda k: k.n, "a")
    b: int = integer(-17, 23, "b")
    c: bool = boolean("c")
model = Model(Bounds, State, deadlock=False)
@model.action("x", d=lambda k: range(-3, 4))
def div(s: State, k: Bounds, d: int) -> bool:
    v = (s.a * d - s.b) // 7 + (s.a - d) % 5 - (-s.b) % 3
    w = (s.b ^ s.a) & 31 | (d & ~s.a)
    if not -k.n <= v <= k.n or w < -17 or w > 23:
        return False
    s.a, s.b = v, w
    s.c = not s.c
    return True
@model.action("x", d=lambda k: range(0, 5))
def shift(s: State, k: Bounds, d: int) -> bool:
    v = (s.a >> d) - (s.b << 1) + (s.a < s.b < d) + (s.c + True)
    if v > k.n or v < -k.n:
        return False
    s.a = v
    s.b = min(max(-s.b, -17, s.a - d), 23)
    return True
@model.invariant("never.")
def small(s: State, k: Bounds) -> bool:
    return not (s.a == 7 and s.b == -11 and s.c)

# expect: holds 2081
