"""Loops over a range that a variable ends, and a product that takes many bits."""

from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(12, 1, 60, "rounds at most", main=True)
    weight: int = number(6, 1, 2_000, "highest weight")


class State(Record):
    m: int = integer(0, lambda k: k.most, "rounds")
    weight: list[int] = array(4, integer(0, lambda k: k.weight, "a weight"))
    total: int = integer(
        0, lambda k: k.most * k.weight * k.weight, "weights, multiplied, in all rounds"
    )


model = Model(Bounds, State)


@model.action("counter")
def more(s: State, k: Bounds) -> bool:
    """Go one round more."""
    if s.m == k.most:
        return False
    s.m += 1
    return True


@model.action("counter", index=lambda k: range(4))
def grow(s: State, k: Bounds, index: int) -> bool:
    """Grow a weight, unless it would exceed that before it."""
    if s.weight[index] == k.weight:
        return False
    if index > 0 and s.weight[index] >= s.weight[index - 1]:
        return False
    s.weight[index] += 1
    return True


@model.action("counter")
def add(s: State, k: Bounds) -> bool:
    """Add up the products of all rounds."""
    total = 0
    for turn in range(s.m):
        if turn % 2 == 0:
            total += s.weight[0] * s.weight[1]
        else:
            total += s.weight[2] * s.weight[3]
    if total == s.total:
        return False
    s.total = total
    return True


@model.invariant("No total exceeds all rounds at the highest weight.")
def bounded(s: State, k: Bounds) -> bool:
    return s.total < k.most * k.weight * k.weight or s.m <= k.most
