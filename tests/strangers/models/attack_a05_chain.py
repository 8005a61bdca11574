"""Chained comparisons evaluate the middle once, `in` and `not in` chain, too: a < b in (..) means a < b and b in (..)."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "highest")


class State(Record):
    a: int = integer(0, 9, "first")
    b: int = integer(0, 9, "second")


model = Model(Bounds, State, deadlock=False)


@model.action("first")
def up_a(s: State, k: Bounds) -> bool:
    """Raise a while it is below b or b is even."""
    if not (s.a < s.b in (1, 3) or s.a == s.b != k.top):
        return False
    s.a += 1
    return True


@model.action("second")
def up_b(s: State, k: Bounds) -> bool:
    """Raise b as long as it is not beyond the top, twice as fast."""
    if s.b + 2 > k.top:
        return False
    s.b += 1 + (s.a == s.b)
    return True


@model.invariant("b is not one while a is zero.")
def never(s: State, k: Bounds) -> bool:
    return not s.a == 0 != s.b == 1

# expect: holds 13
