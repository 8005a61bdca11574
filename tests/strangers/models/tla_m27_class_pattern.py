"""A mailbox server: messages are matched by class patterns, as for any record class of Python.

Request(kind=Kind.STOP) is what was appended, and s.box is declared Seq[Request]; the pattern must match (or be refused).
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, Seq, boolean, enumeration, integer, number, sequence_of


class Kind(IntEnum):
    WORK = 0
    STOP = 1


@dataclass(frozen=True)
class Bounds:
    box: int = number(2, 1, 3, "messages in the box")


class Request(Record):
    kind: Kind = enumeration(Kind, "kind")
    size: int = integer(0, 2, "size")


class State(Record):
    box: Seq[Request] = sequence_of(Request, lambda k: k.box, "mailbox")
    stopped: bool = boolean("stopped")


model = Model(Bounds, State, deadlock=False)


@model.action("client", kind=lambda k: Kind)
def send(s: State, k: Bounds, kind: Kind) -> bool:
    if len(s.box) == k.box:
        return False
    s.box.append(Request(kind=kind, size=1))
    return True


@model.action("server")
def handle(s: State, k: Bounds) -> bool:
    if not s.box or s.stopped:
        return False
    match s.box[0]:
        case Request(kind=Kind.STOP):
            s.stopped = True
        case _:
            pass
    s.box.popleft()
    return True


@model.invariant("It never stops.")
def running(s: State, k: Bounds) -> bool:
    return not s.stopped
# expect: violated Running 2
