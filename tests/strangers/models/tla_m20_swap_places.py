"""Bubble sort of nested records by tuple assignment, places and copies, a local alias that sees later writes."""
from dataclasses import dataclass
from itertools import permutations

from tidegate import Kind, Model, Record, array, boolean, integer, nested, number


@dataclass(frozen=True)
class Bounds:
    cells: int = number(3, 2, 4, "cells", main=True)


class Mark(Record):
    moved: bool = boolean("moved")


class Cell(Record):
    value: int = integer(0, 3, "value")
    mark: Mark = nested(Mark)


class State(Record):
    cell: list[Cell] = array(lambda k: k.cells, Cell, by="cell")
    hand: Cell = nested(Cell)
    swaps: int = integer(0, 6, "swaps")


model = Model(Bounds, State, participants={"cell": lambda k: k.cells}, deadlock=False)


@model.initial
def any_order(s: State, k: Bounds):
    for order in permutations(range(k.cells)):
        for cell, value in zip(s.cell, order, strict=True):
            cell.value = value
        yield


@model.action("cell")
def swap(s: State, k: Bounds, cell: int) -> bool:
    if cell + 1 == k.cells or s.cell[cell].value < s.cell[cell + 1].value:
        return False
    left, right = s.cell[cell], s.cell[cell + 1]
    s.hand.assign(left)
    left.assign(right)
    right.assign(s.hand)
    left.mark.moved = right.mark.moved = True
    s.hand.value, s.hand.mark.moved = 0, False
    assert not s.hand.mark.moved
    s.swaps += 1
    return True


def inversions(s: State) -> int:
    values = [c.value for c in s.cell]
    return sum(a > b for i, a in enumerate(values) for b in values[i + 1 :])


@model.invariant("Swaps and inversions add up to at most all pairs.")
def bounded(s: State, k: Bounds) -> bool:
    return s.swaps + inversions(s) <= k.cells * (k.cells - 1) // 2


@model.invariant("Values are a permutation.")
def kept(s: State, k: Bounds) -> bool:
    return {c.value for c in s.cell} == set(range(k.cells)) and len({*(c.value for c in s.cell)}) == k.cells


@model.liveness(Kind.EVENTUALLY_ALWAYS, "It is sorted in the end.")
def is_sorted(s: State, k: Bounds) -> bool:
    return inversions(s) == 0 and s.hand.value == 0
# expect: holds 16
