# attack: 40,000 instances of an action (200 x 200), few states; and an action with 100,000 choices
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, array
@dataclass(frozen=True)
class Bounds:
    n: int = number(25, 1, 500, "n", main=True)
class State(Record):
    x: int = integer(0, 500, "x")
    z: int = integer(0, 99999, "z")
model = Model(Bounds, State, deadlock=False)
@model.action("x", a=lambda k: range(k.n), b=lambda k: range(k.n))
def go(s: State, k: Bounds, a: int, b: int) -> bool:
    if s.x != a or b % 7 != a % 7 or a == b:
        return False
    s.x = b
    return True
@model.action("x", a=lambda k: range(100000))
def jump(s: State, k: Bounds, a: int) -> bool:
    if s.x != 14 or a % 19999:
        return False
    s.z = a
    s.x = a % 7
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (s.x == 14 and s.z == 19999 * 5)

# expect: violated Inv 3
