"""Handlers in a table; a state that has none is not handled."""

from dataclasses import dataclass

from tidegate import Model, Record, integer


@dataclass(frozen=True)
class Bounds:
    pass


class State(Record):
    phase: int = integer(0, 9, "the phase of a request")
    retries: int = integer(0, 2, "how often it was sent again")


model = Model(Bounds, State, deadlock=False)


def send(s):
    s.phase = 1
    return True


def answer(s):
    s.phase = 4
    return True


def again(s):
    if s.retries == 2:
        return False
    s.retries += 1
    s.phase = 0
    return True


HANDLERS = {0: send, 1: answer, 2: send}
LATE = {1: again}


@model.action("broker")
def handle(s: State, k: Bounds) -> bool:
    handler = HANDLERS.get(s.phase)
    if handler is None:
        return False
    return handler(s)


@model.action("broker")
def time_out(s: State, k: Bounds) -> bool:
    handler = LATE.get(s.phase)
    return handler is not None and handler(s)


@model.invariant("It is sent, answered or neither.")
def known(s: State, k: Bounds) -> bool:
    return s.phase in (0, 1, 4)


# Phases 0, 1 and 4, each with 0, 1 or 2 retries.
# expect: holds 9
