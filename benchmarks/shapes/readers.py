"""Readers and writers, with a fair queue of who asked first.

Source: ReadersWriters.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum, auto

from tidegate import (
    Kind,
    Model,
    Record,
    Seq,
    Set,
    enumeration,
    integer,
    number,
    sequence_of,
    set_of,
)


class What(IntEnum):
    READ = auto()
    WRITE = auto()


class Request(Record):
    what: What = enumeration(What, "read or write")
    actor: int = integer(0, lambda k: k.actors - 1, "who asks")


@dataclass(frozen=True)
class Bounds:
    actors: int = number(3, 1, 8, "actors", main=True)


class State(Record):
    readers: Set = set_of(lambda k: k.actors, "who reads")
    writers: Set = set_of(lambda k: k.actors, "who writes")
    waiting: Seq[Request] = sequence_of(Request, lambda k: k.actors, "who waits, in order")


model = Model(Bounds, State, participants={"actor": lambda k: k.actors})


def waiting_to(s: State, what: What) -> set[int]:
    return {r.actor for r in s.waiting if r.what is what}


def busy(s: State, actor: int) -> bool:
    return actor in s.readers or actor in s.writers


@model.action("actor")
def try_read(s: State, k: Bounds, actor: int) -> bool:
    """An actor asks to read."""
    if actor in waiting_to(s, What.READ) | waiting_to(s, What.WRITE) or busy(s, actor):
        return False
    s.waiting.append(Request(what=What.READ, actor=actor))
    return True


@model.action("actor")
def try_write(s: State, k: Bounds, actor: int) -> bool:
    """An actor asks to write."""
    if actor in waiting_to(s, What.READ) | waiting_to(s, What.WRITE) or busy(s, actor):
        return False
    s.waiting.append(Request(what=What.WRITE, actor=actor))
    return True


@model.action("lock")
def admit(s: State, k: Bounds) -> bool:
    """The first one in line is let in."""
    if not s.waiting or s.writers:
        return False
    match s.waiting[0]:
        case Request(what=What.READ, actor=actor):
            s.readers.add(actor)
        case Request(what=What.WRITE, actor=actor):
            if s.readers:
                return False
            s.writers.add(actor)
    s.waiting.popleft()
    return True


@model.action("actor")
def stop(s: State, k: Bounds, actor: int) -> bool:
    """An actor is done."""
    for crowd in (s.readers, s.writers):
        if actor in crowd:
            crowd.remove(actor)
            return True
    return False


@model.invariant("Nobody reads while somebody writes, and only one writes.")
def safe(s: State, k: Bounds) -> bool:
    return not (s.readers and s.writers) and len(s.writers) <= 1


@model.liveness(Kind.INFINITELY_OFTEN, "Each actor reads again and again.", a="actor")
def reads(s: State, k: Bounds, a: int) -> bool:
    return a in s.readers


@model.liveness(
    Kind.LEADS_TO,
    "Who waits is let in.",
    premise=lambda s, k, a: any(r.actor == a for r in s.waiting),
    a="actor",
)
def let_in(s: State, k: Bounds, a: int) -> bool:
    return busy(s, a)
