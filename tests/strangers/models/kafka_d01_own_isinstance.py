"""A model of one's own: a register in a record; isinstance and a class pattern of records are true, as in Python."""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, nested, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    top: int = number(3, 1, 9, "top", main=True)


class Part(Record):
    value: int = integer(0, 9, "value")


class State(Record):
    part: Part = nested(Part)
    log: Seq[Part] = sequence_of(Part, 3, "log")


model = Model(Bounds, State, deadlock=False)


@model.action("x")
def step(s: State, k: Bounds) -> bool:
    """It counts, if its part is a part."""
    if not isinstance(s.part, Part) or s.part.value >= k.top:
        return False
    s.part.value += 1
    return True


@model.invariant("It is a state.")
def typed(s: State, k: Bounds) -> bool:
    match s.part:
        case Part(value=v):
            return isinstance(s, State) and v >= 0
    return False
# expect: holds 4
