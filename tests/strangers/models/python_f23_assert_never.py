"""typing.assert_never after an exhaustive match: the idiom of the typing documentation. 5 states."""

from dataclasses import dataclass
from enum import IntEnum
from typing import assert_never

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class Mode(IntEnum):
    IDLE = 0
    BUSY = 1


class State(Record):
    sent: int = integer(0, 9, "sent")


model = Model(Bounds, State, deadlock=False)


def cost(mode: Mode) -> int:
    match mode:
        case Mode.IDLE:
            return 1
        case Mode.BUSY:
            return 2
        case _:
            assert_never(mode)


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("It costs something.")
def positive(s: State, k: Bounds) -> bool:
    return cost(Mode(s.sent % 2)) > 0
# expect: holds 5
