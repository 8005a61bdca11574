"""A queue that overflows its bound: the error should say which sequence is full, and of how many.
"""

from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    log: Seq = sequence_of(integer(0, 2, "term"), lambda k: k.most, "log")


model = Model(Bounds, State, deadlock=False)


@model.action("client")
def put(s: State, k: Bounds) -> bool:
    s.log.append(1)  # here
    return True


@model.invariant("Terms never fall.")
def monotonic(s: State, k: Bounds) -> bool:
    return all(s.log[i] <= s.log[i + 1] for i in range(len(s.log) - 1))
# expect: refused 23
