"""A function that matches every member of an enumeration; mypy and pyright accept it as returning str always.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class Mode(IntEnum):
    IDLE = 0
    BUSY = 1


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


def shown(mode: Mode) -> str:
    match mode:
        case Mode.IDLE:
            return "idle"
        case Mode.BUSY:
            return "busy"


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("It is shown.")
def known(s: State, k: Bounds) -> bool:
    return shown(Mode(s.sent % 2)) in ("idle", "busy")
# expect: holds 5
