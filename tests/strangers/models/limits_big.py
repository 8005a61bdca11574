# attack: numbers near 0x4000000000000000, 2**63-1; overflow of 64 bits in intermediate results
from dataclasses import dataclass
from tidegate import Model, Record, integer, number
@dataclass(frozen=True)
class Bounds:
    n: int = number(12, 1, 60, "n", main=True)
class State(Record):
    a: int = integer(-0x7FFFFFFFFFFFFFFF - 1, 0x7FFFFFFFFFFFFFFF, "a")
    b: int = integer(0, 0x7FFFFFFFFFFFFFFF, "b")
    step: int = integer(0, 60, "step")
model = Model(Bounds, State, deadlock=False)
@model.action("x", d=lambda k: (1, 3, 0x2000000000000000, -(0x4000000000000000), 0x7FFFFFFFFFFFFFFF))
def add(s: State, k: Bounds, d: int) -> bool:
    if s.step == k.n:
        return False
    v = s.a + d
    if v > 0x7FFFFFFFFFFFFFFF:
        v = v - 0x7FFFFFFFFFFFFFFF - 0x7FFFFFFFFFFFFFFF - 2
    if v < -0x7FFFFFFFFFFFFFFF - 1:
        v = v + 0x7FFFFFFFFFFFFFFF + 0x7FFFFFFFFFFFFFFF + 2
    s.a = v
    s.b = (s.b ^ (v & (0x7FFFFFFFFFFFFFFF))) % (0x4000000000000000 + 1)
    s.step += 1
    return True
@model.invariant("odd.")
def odd(s: State, k: Bounds) -> bool:
    return not (s.a > 0x4000000000000000 and s.b % 7 == 3 and s.step > 5)

# expect: violated Odd 6
