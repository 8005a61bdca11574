"""A name for a part of the state that is replaced afterwards."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, nested, number


@dataclass(frozen=True)
class Bounds:
    n: int = number(2, 1, 4, "n")


class D(Record):
    a: int = integer(0, 3, "a")


class State(Record):
    buf: D = nested(D)
    out: int = integer(0, 3, "out")


model = Model(Bounds, State, deadlock=False)


@model.action("env", a=range(4))
def step(s: State, k: Bounds, a: int) -> bool:
    r = s.buf
    s.out = r.a
    s.buf = D(a=a)
    return True


@model.invariant("x")
def x(s: State, k: Bounds) -> bool:
    return s.out >= 0

# expect: holds 16
