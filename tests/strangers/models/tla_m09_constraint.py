"""A counter machine without natural bounds, made finite by a CONSTRAINT that compares an enumeration by `is`.

TLC: states outside the constraint are checked for invariants but neither counted nor expanded. Never5 is violated one
step outside. Liveness is not decided with a constraint. `Stopped` is deadlock inside? No: every inside state has a step
(to outside at least), and a step to outside counts as a step for deadlock, as for TLC.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Kind, Model, Record, enumeration, integer, number


class Mode(IntEnum):
    COLD = 0
    WARM = 1
    HOT = 2


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "constraint on the counter")
    limit: int = number(20, 1, 20, "what the invariant allows")


class State(Record):
    counter: int = integer(0, 15, "counter")
    mode: Mode = enumeration(Mode, "mode")


def small(s: State, k: Bounds) -> bool:
    match s.mode:
        case Mode.HOT:
            return False
        case Mode.WARM:
            return s.counter < k.most
        case _:
            return s.counter <= k.most


model = Model(Bounds, State, constraint=small)


@model.action("machine")
def count(s: State, k: Bounds) -> bool:
    s.counter += 1
    return True


@model.action("machine", to=lambda k: Mode)
def heat(s: State, k: Bounds, to: Mode) -> bool:
    if to <= s.mode:
        return False
    s.mode = to
    return True


@model.invariant("The counter stays below the limit.")
def below(s: State, k: Bounds) -> bool:
    return s.counter < k.limit or s.mode is Mode.COLD


@model.liveness(Kind.EVENTUALLY, "It is warm.")
def warm(s: State, k: Bounds) -> bool:
    return s.mode is not Mode.COLD


@model.liveness(Kind.LEADS_TO, "Warm leads to hot.", premise=warm)
def hot(s: State, k: Bounds) -> bool:
    return s.mode is Mode.HOT
# inside: COLD 0..4 (5), WARM 0..3 (4): 9. undecided liveness: incomplete
# expect: incomplete
