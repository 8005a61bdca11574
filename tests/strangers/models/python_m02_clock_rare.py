"""A lease expires when a jitter says so; the jitter lives two calls away, on a path that a full queue takes."""

from dataclasses import dataclass
import random

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(5, 1, 9, "most")


class State(Record):
    queued: int = integer(0, 9, "queued")


model = Model(Bounds, State, deadlock=False)


class Backoff:
    """How long to wait."""

    def __init__(self, attempts):
        self.attempts = attempts

    def delay(self):
        if self.attempts < 5:
            return self.attempts
        return self._jitter()

    def _jitter(self):
        return random.randint(0, 3)


@model.action("client")
def enqueue(s: State, k: Bounds) -> bool:
    if s.queued == k.most:
        return False
    s.queued += 1
    return True


@model.action("server")
def drain(s: State, k: Bounds) -> bool:
    if s.queued == 0 or Backoff(s.queued).delay() > 4:
        return False
    s.queued -= 1
    return True


@model.invariant("Not too many.")
def few(s: State, k: Bounds) -> bool:
    return s.queued <= k.most
# expect: refused 46
