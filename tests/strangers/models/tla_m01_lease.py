"""A lease of a lock service: an optional holder, phases of an enumeration, match in guards, arguments that are members.

The holder is free or a client; a request carries a mode (an enumeration with a property of its own). Readers count.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    NONE, Fairness, Kind, Model, Record, Seq, array, boolean, enumeration, integer, number, optional, sequence_of,
)


class Mode(IntEnum):
    READ = 0
    WRITE = 1

    @property
    def exclusive(self) -> bool:
        return self is Mode.WRITE


class Phase(IntEnum):
    IDLE = 0
    WAITING = 1
    OWNER = 2


@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 4, "clients", main=True)
    most: int = number(3, 1, 6, "requests altogether")


class Request(Record):
    client: int = integer(0, lambda k: k.clients - 1, "who asks")
    mode: Mode = enumeration(Mode, "what it asks for")
    urgent: bool = boolean("whether it may overtake")


class State(Record):
    phase: list[Phase] = array(lambda k: k.clients, enumeration(Phase, "phase"), by="client")
    queue: Seq[Request] = sequence_of(Request, lambda k: k.clients, "requests in order")
    holder: int = optional(lambda k: k.clients - 1, "who writes")
    readers: int = integer(0, lambda k: k.clients, "how many read")
    sent: int = integer(0, lambda k: k.most, "requests sent")


model = Model(Bounds, State, participants={"client": lambda k: k.clients}, deadlock=False)


@model.action("client", mode=lambda k: tuple(Mode), urgent=lambda k: (False, True), fairness=Fairness.NONE)
def ask(s: State, k: Bounds, client: int, mode: Mode, urgent: bool) -> bool:
    """A client asks."""
    if s.phase[client] is not Phase.IDLE or s.sent == k.most:
        return False
    if urgent and mode is Mode.READ:
        return False
    s.phase[client] = Phase.WAITING
    s.sent += 1
    if urgent is True:
        s.queue[:] = (Request(client=client, mode=mode, urgent=urgent), *s.queue)
    else:
        s.queue.append(Request(client=client, mode=mode, urgent=urgent))
    return True


@model.action("service")
def grant(s: State, k: Bounds) -> bool:
    """The service grants the head."""
    if not s.queue or s.holder != NONE:
        return False
    head = s.queue[0]
    match head.mode:
        case Mode.WRITE:
            if s.readers > 0:
                return False
            s.holder = head.client
        case Mode.READ:
            s.readers += 1
    s.phase[head.client] = Phase.OWNER
    s.queue.popleft()
    return True


@model.action("client")
def release(s: State, k: Bounds, client: int) -> bool:
    """An owner releases."""
    if s.phase[client] is not Phase.OWNER:
        return False
    s.phase[client] = Phase.IDLE
    if s.holder == client:
        s.holder = NONE
    else:
        s.readers -= 1
    return True


@model.invariant("A writer is alone.")
def alone(s: State, k: Bounds) -> bool:
    return s.holder == NONE or sum(1 for p in s.phase if p is Phase.OWNER) == 1 and s.readers == 0


@model.invariant("Everything reads as its type.")
def typed(s: State, k: Bounds) -> bool:
    return all(isinstance(r.mode, Mode) and isinstance(r.urgent, bool) and r.urgent <= r.mode.exclusive for r in s.queue)


@model.liveness(Kind.ALWAYS_EVENTUALLY, "The queue empties again and again.")
def empties(s: State, k: Bounds) -> bool:
    return not s.queue


def waits(s: State, k: Bounds) -> bool:
    match s.phase[0]:
        case Phase.WAITING:
            return True
        case _:
            return False


@model.liveness(Kind.LEADS_TO, "Client 0, once it waits, owns.", premise=waits)
def served(s: State, k: Bounds) -> bool:
    return s.phase[0] is Phase.OWNER


@model.sometimes("Two read at once.")
def two_read(s: State, k: Bounds) -> bool:
    return s.readers == 2
# expect: holds 88
