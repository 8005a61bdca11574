"""Sorting by exchanging neighbours from every permutation; the initial states come from nested generators."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from tidegate import Model, Record, Seq, boolean, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    size: int = number(3, 1, 4, "size", main=True)


class State(Record):
    items: Seq = sequence_of(integer(0, 3, "item"), lambda k: k.size, "items")
    strict: bool = boolean("only exchanges that sort")
    swaps: int = integer(0, 9, "exchanges")


model = Model(Bounds, State, deadlock=False)


def fill(s: State, order: tuple) -> None:
    s.items.extend(list(order))


def filled(s: State, k: Bounds) -> Iterator[None]:
    for order in permutations(range(k.size)):
        fill(s, order)
        yield


@model.initial
def start(s: State, k: Bounds) -> Iterator[None]:
    yield from filled(s, k)
    for strict, order in product([True, False], permutations(range(k.size))):
        if order[0] == 0:
            continue
        s.strict = strict
        fill(s, order)
        yield


@model.action("sorter", i=lambda k: range(k.size - 1))
def swap(s: State, k: Bounds, i: int) -> bool:
    if s.items[i] <= s.items[i + 1] or (not s.strict and s.swaps == 2):
        return False
    s.items[i], s.items[i + 1] = s.items[i + 1], s.items[i]
    s.swaps += 1
    return True


@model.invariant("Who sorts strictly needs at most two exchanges.")
def two(s: State, k: Bounds) -> bool:
    return s.swaps <= 2
# expect: violated Two 3
