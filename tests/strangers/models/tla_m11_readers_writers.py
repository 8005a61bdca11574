"""Readers and writers behind one gate: compiled subset only. A writer is alone; with fairness of all
actions of a process together every writer that waits may starve, since readers overtake."""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Fairness, Kind, Model, Record, array, enumeration, number


@dataclass(frozen=True)
class Bounds:
    readers: int = number(2, 1, 3, "readers", main=True)
    writers: int = number(1, 1, 2, "writers", main=True)


class Phase(IntEnum):
    IDLE = 0
    WAITS = 1
    INSIDE = 2


class State(Record):
    reader: list[Phase] = array(lambda k: k.readers, enumeration(Phase, "a reader"), by="reader")
    writer: list[Phase] = array(lambda k: k.writers, enumeration(Phase, "a writer"), by="writer")


model = Model(Bounds, State, participants={"reader": lambda k: k.readers, "writer": lambda k: k.writers})


def inside(s: State, k: Bounds) -> bool:
    return any(w is Phase.INSIDE for w in s.writer)


@model.action("reader")
def enter(s: State, k: Bounds, reader: int) -> bool:
    if s.reader[reader] is not Phase.IDLE or inside(s, k):
        return False
    s.reader[reader] = Phase.INSIDE
    return True


@model.action("reader")
def leave(s: State, k: Bounds, reader: int) -> bool:
    if s.reader[reader] is not Phase.INSIDE:
        return False
    s.reader[reader] = Phase.IDLE
    return True


@model.action("writer", fairness=Fairness.NONE)
def ask(s: State, k: Bounds, writer: int) -> bool:
    if s.writer[writer] is not Phase.IDLE:
        return False
    s.writer[writer] = Phase.WAITS
    return True


@model.action("writer", fairness=Fairness.STRONG)
def write(s: State, k: Bounds, writer: int) -> bool:
    if s.writer[writer] is not Phase.WAITS or inside(s, k) or any(r is Phase.INSIDE for r in s.reader):
        return False
    s.writer[writer] = Phase.INSIDE
    return True


@model.action("writer")
def finish(s: State, k: Bounds, writer: int) -> bool:
    if s.writer[writer] is not Phase.INSIDE:
        return False
    s.writer[writer] = Phase.IDLE
    return True


model.fairness(Fairness.WEAK, enter, leave, fair_per=("reader",))


@model.invariant("A writer is alone.")
def alone(s: State, k: Bounds) -> bool:
    count = sum(w is Phase.INSIDE for w in s.writer)
    return count == 0 or (count == 1 and all(r is not Phase.INSIDE for r in s.reader))


def waits(s: State, k: Bounds) -> bool:
    return s.writer[0] is Phase.WAITS


@model.liveness(Kind.LEADS_TO, "A writer that waits gets in.", premise=waits)
def writer_served(s: State, k: Bounds) -> bool:
    return s.writer[0] is Phase.INSIDE
# expect: violated WriterServed 6
