"""Counters at the ends of 64 bits: wrap-around of a sequence number by hand."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number

TOP = 2**31 - 1


@dataclass(frozen=True)
class Bounds:
    steps: int = number(4, 1, 9, "requests")


class State(Record):
    sequence: int = integer(0, TOP, "the sequence number")
    sent: int = integer(0, 9, "requests so far")


model = Model(Bounds, State, deadlock=False)


@model.initial
def close(s: State, k: Bounds):
    s.sequence = TOP - 2
    yield


def following(sequence: int) -> int:
    return 0 if sequence == TOP else sequence + 1


@model.action("producer")
def send(s: State, k: Bounds) -> bool:
    """Send a request with the next sequence number."""
    if s.sent == k.steps:
        return False
    s.sequence = following(s.sequence)
    s.sent += 1
    return True


@model.invariant("Its square does not overflow.")
def square(s: State, k: Bounds) -> bool:
    return s.sequence * s.sequence * s.sequence * 4 >= 0


@model.invariant("The sequence number never falls.")
def rises(s: State, k: Bounds) -> bool:
    return s.sequence >= s.sent

# expect: violated Rises 3
