"""Floor division, remainder and shifts of negative numbers; the digits of a balanced clock come back."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    span: int = number(7, 1, 20, "how far the pointer moves from zero")


class State(Record):
    at: int = integer(-20, 20, "where the pointer is")
    half: int = integer(-20, 20, "half of it, rounded down")
    rest: int = integer(-3, 3, "the rest")
    started: int = integer(0, 1, "whether it began")


model = Model(Bounds, State, deadlock=False)


@model.initial
def zero(s: State, k: Bounds):
    s.at = 0
    s.half = 0
    s.rest = 0
    yield


@model.action("hand")
def left(s: State, k: Bounds) -> bool:
    """Move to the left."""
    if not -k.span < s.at <= k.span:
        return False
    s.at -= 1
    s.half = s.at // 3
    s.rest = s.at % 3
    return True


@model.action("hand")
def right(s: State, k: Bounds) -> bool:
    """Move to the right."""
    if not -k.span <= s.at < k.span:
        return False
    s.at += 1
    s.half = s.at // 3
    s.rest = s.at % 3
    return True


@model.invariant("Quotient and remainder give the number.")
def euclid(s: State, k: Bounds) -> bool:
    return s.half * 3 + s.rest == s.at and 0 <= s.rest < 3


@model.invariant("A shift is a floor division.")
def shift(s: State, k: Bounds) -> bool:
    return s.at >> 1 == s.at // 2 and (s.at << 2) == s.at * 4 and ~s.at == -s.at - 1


@model.invariant("Masks of negative numbers are never negative.")
def masks(s: State, k: Bounds) -> bool:
    return s.at & 7 == s.at % 8 and (s.at | 0) == s.at and (s.at ^ -1) == ~s.at

# expect: holds 15
