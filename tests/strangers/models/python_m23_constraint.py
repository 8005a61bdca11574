"""A ticket lock whose numbers grow; a constraint keeps the search small, invariants are decided outside, too."""

from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    threads: int = number(2, 1, 3, "threads", main=True)
    most: int = number(4, 1, 8, "tickets")


class State(Record):
    ticket: list[int] = array(lambda k: k.threads, integer(0, 9, "ticket, 0 is none"))
    next: int = integer(0, 9, "last ticket")
    serving: int = integer(0, 9, "last that was served")


def few(s: State, k: Bounds) -> bool:
    return s.next < k.most


model = Model(Bounds, State, participants={"thread": lambda k: k.threads}, constraint=few, deadlock=False)


@model.action("thread")
def draw(s: State, k: Bounds, thread: int) -> bool:
    if s.ticket[thread]:
        return False
    s.next += 1
    s.ticket[thread] = s.next
    return True


@model.action("thread")
def leave(s: State, k: Bounds, thread: int) -> bool:
    if not s.ticket[thread] or s.ticket[thread] != s.serving + 1:
        return False
    s.serving = s.ticket[thread]
    s.ticket[thread] = 0
    return True


@model.invariant("Nobody draws the last ticket while two are waiting for the first.")
def bounded(s: State, k: Bounds) -> bool:
    return s.next - s.serving <= k.threads and s.next <= k.most
# expect: holds 14
