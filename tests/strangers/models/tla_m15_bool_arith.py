"""Lamport's alternating bit, with booleans used as in Python: not, ^, ==, is, sum, as indices, in sequences and tuples.

A sender and a receiver with one bit each; two lossy channels.
"""
from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, Seq, array, boolean, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    channel: int = number(2, 1, 3, "messages in a channel")
    items: int = number(2, 1, 3, "items are 0..items-1")


class Packet(Record):
    bit: bool = boolean("its bit")
    item: int = integer(0, 3, "its item")


class State(Record):
    data: Seq[Packet] = sequence_of(Packet, lambda k: k.channel, "to the receiver")
    acks: Seq[bool] = sequence_of(boolean("a bit"), lambda k: k.channel, "to the sender")
    sbit: bool = boolean("bit of the sender")
    rbit: bool = boolean("bit expected by the receiver")
    item: int = integer(0, 3, "what is being sent")
    got: int = integer(0, 3, "how many were received, modulo items")
    toggles: list[int] = array(2, integer(0, 1, "whether the bit was so"))


model = Model(Bounds, State)


@model.action("sender")
def send(s: State, k: Bounds) -> bool:
    if len(s.data) == k.channel:
        return False
    s.data.append(Packet(bit=s.sbit, item=s.item))
    return True


@model.action("receiver", fairness=Fairness.STRONG)
def receive(s: State, k: Bounds) -> bool:
    if not s.data or len(s.acks) == k.channel:
        return False
    packet = s.data.popleft()
    if packet.bit is s.rbit:
        s.got = (s.got + 1) % k.items
        s.rbit ^= True
    s.acks.append(packet.bit)
    return True


@model.action("sender", fairness=Fairness.STRONG)
def acknowledged(s: State, k: Bounds) -> bool:
    if len(s.acks) == 0:
        return False
    if s.acks.popleft() is s.sbit:
        s.toggles[s.sbit] = True
        s.sbit = not s.sbit
        s.item = (s.item + 1) % k.items
    return True


@model.action("network", fairness=Fairness.NONE, data=lambda k: (True, False))
def lose(s: State, k: Bounds, data: bool) -> bool:
    if not (s.data if data else s.acks):
        return False
    if data is True:
        s.data.popleft()
    else:
        s.acks.popleft()
    return True


@model.invariant("Receiver is at most one item ahead.")
def in_step(s: State, k: Bounds) -> bool:
    return s.got == (s.item + (s.sbit != s.rbit)) % k.items


@model.invariant("Bits of acks are old or new.")
def at_most_one_change(s: State, k: Bounds) -> bool:
    bits = [s.rbit] + [not a for a in s.acks][::-1]
    return sum(a is not b for a, b in zip(bits, bits[1:])) <= 1 and isinstance(s.toggles[0], int)


@model.liveness(Kind.ALWAYS_EVENTUALLY, "Item 0 is sent again and again.")
def again(s: State, k: Bounds) -> bool:
    return s.item == 0
# expect: holds 99
