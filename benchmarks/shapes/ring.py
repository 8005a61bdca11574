"""The LMAX Disruptor with one producer and several consumers.

Source: Disruptor_SPMC.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum, auto

from tidegate import (
    Kind,
    Model,
    Record,
    Seq,
    Set,
    array,
    enumeration,
    integer,
    nested,
    number,
    optional,
    sequence_of,
    set_of,
)


@dataclass(frozen=True)
class Bounds:
    readers: int = number(2, 1, 4, "readers", main=True)
    size: int = number(2, 1, 6, "slots of the ring", main=True)
    items: int = number(4, 1, 12, "items that are published", main=True)


class Pc(IntEnum):
    ADVANCE = auto()
    ACCESS = auto()


class Slot(Record):
    value: int = optional(lambda k: k.items - 1, "what is in it")
    readers: Set = set_of(lambda k: k.readers, "who reads it now")
    written: bool = enumeration(Pc, "whether somebody writes it now")


class Writer(Record):
    pc: Pc = enumeration(Pc, "what it does next")
    next: int = integer(0, lambda k: k.items, "next sequence number to claim")


class Reader(Record):
    pc: Pc = enumeration(Pc, "what it does next")
    read: int = optional(lambda k: k.items, "last sequence that it read")
    consumed: Seq = sequence_of(lambda k: k.items, lambda k: k.items, "what it consumed")


class State(Record):
    ring: list[Slot] = array(lambda k: k.size, Slot)
    writer: Writer = nested(Writer)
    published: int = optional(lambda k: k.items, "last sequence that is published")
    reader: list[Reader] = array(lambda k: k.readers, Reader, by="reader")


model = Model(Bounds, State, participants={"reader": lambda k: k.readers}, deadlock=False)


def slot_of(s: State, sequence: int) -> Slot:
    return s.ring[sequence % len(s.ring)]


@model.action("writer")
def begin_write(s: State, k: Bounds) -> bool:
    """The writer claims a slot that all readers have read."""
    w = s.writer
    if w.pc is not Pc.ADVANCE or w.next == k.items:
        return False
    slowest = min(r.read for r in s.reader)
    if w.next - k.size > slowest:
        return False
    slot = slot_of(s, w.next)
    slot.written = Pc.ACCESS
    slot.value = w.next
    w.pc = Pc.ACCESS
    return True


@model.action("writer")
def end_write(s: State, k: Bounds) -> bool:
    """The writer publishes."""
    w = s.writer
    if w.pc is not Pc.ACCESS:
        return False
    slot_of(s, w.next).written = Pc.ADVANCE
    s.published = w.next
    w.next += 1
    w.pc = Pc.ADVANCE
    return True


@model.action("reader")
def begin_read(s: State, k: Bounds, reader: int) -> bool:
    """A reader begins to read a published value."""
    r = s.reader[reader]
    if r.pc is not Pc.ADVANCE or r.read >= s.published:
        return False
    slot_of(s, r.read + 1).readers.add(reader)
    r.pc = Pc.ACCESS
    return True


@model.action("reader")
def end_read(s: State, k: Bounds, reader: int) -> bool:
    """A reader has consumed an item."""
    r = s.reader[reader]
    if r.pc is not Pc.ACCESS:
        return False
    r.read += 1
    slot = slot_of(s, r.read)
    slot.readers.remove(reader)
    r.consumed += [slot.value]
    r.pc = Pc.ADVANCE
    return True


@model.invariant("Nobody reads a slot that is written.")
def no_races(s: State, k: Bounds) -> bool:
    for slot in s.ring:
        if slot.written is Pc.ACCESS and slot.readers:
            return False
    return True


@model.invariant("Readers consume the published values, in order.")
def in_order(s: State, k: Bounds) -> bool:
    return all(r.consumed == list(range(len(r.consumed))) for r in s.reader)


@model.liveness(Kind.EVENTUALLY, "Each reader reads all items.", r="reader")
def all_read(s: State, k: Bounds, r: int) -> bool:
    return list(s.reader[r].consumed) == list(range(k.items))
