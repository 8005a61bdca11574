"""Two counters, and what happens only at the ends of their ranges."""

from dataclasses import dataclass

from tidegate import Model, Record, boolean, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(250, 1, 5_000, "highest value of a counter", main=True)


class State(Record):
    x: int = integer(0, lambda k: k.most, "one counter")
    y: int = integer(0, lambda k: k.most, "the other")
    lost: bool = boolean("whether something was lost")


model = Model(Bounds, State)


@model.action("counter")
def grow_x(s: State, k: Bounds) -> bool:
    """Count x."""
    if s.x == k.most or s.lost:
        return False
    s.x += 1
    return True


@model.action("counter")
def grow_y(s: State, k: Bounds) -> bool:
    """Count y."""
    if s.y == k.most or s.lost:
        return False
    s.y += 1
    return True


@model.action("counter")
def lose(s: State, k: Bounds) -> bool:
    """Lose it when both have reached their ends."""
    if s.lost:
        return False
    if s.x + s.y < 2 * k.most:
        return False
    s.lost = True
    return True


@model.invariant("Nothing is lost.")
def nothing_lost(s: State, k: Bounds) -> bool:
    return not s.lost
