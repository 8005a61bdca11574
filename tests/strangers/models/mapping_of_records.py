"""A dictionary over the records of a set that meet a condition."""

from collections import Counter
from dataclasses import dataclass

from tidegate import Model, Record, RecordSet, integer, number, set_of


@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 4, "n")


class Msg(Record):
    to: int = integer(0, lambda k: k.n, "to")
    value: int = integer(0, 2, "value")


class State(Record):
    net: RecordSet[Msg] = set_of(Msg, 12, "net")


model = Model(Bounds, State, deadlock=False)


@model.action("env", to=lambda k: range(k.n), value=range(3))
def send(s: State, k: Bounds, to: int, value: int) -> bool:
    s.net.add(Msg(to=to, value=value))
    return True


@model.invariant("x")
def x(s: State, k: Bounds) -> bool:
    cast = {m for m in s.net if m.to == 0}
    sent = {m.value: m.to for m in cast}
    return sent.get(0, 0) == 0

# expect: refused 35
