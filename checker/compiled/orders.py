"""From a plain Python function to LLVM: ``itertools.permutations`` of elements of the state.

Python yields them in the order of their indices: the first element of the one with a number is
found by dividing that by the number of permutations of all others, and so on.
"""

from __future__ import annotations

import ast
from math import factorial
from typing import TYPE_CHECKING

from .function import Scope
from .tables import Indexed
from .values import Cells, Constant, Number, Orders, Value

if TYPE_CHECKING:
    from .loops import Loops

MOST_ORDERED = 8
"""The most elements that are permuted; a step that has more is left to Python."""

_SOME = ast.Name("permutations", ast.Load())


class Permutations:
    """Translates ``permutations`` in one function."""

    def __init__(self, scope: Scope, loops: Loops) -> None:
        self.out, self.lists, self.loops = scope.out, scope.lists, loops

    def of(self, value: Value) -> Orders:
        """Return the permutations of what has elements, as they are now."""
        return Orders(self._copied(value))

    def _copied(self, value: Value) -> Cells:
        cells = self.lists.new(most=MOST_ORDERED)
        append = self.lists.append
        self.loops.over(_SOME, value, lambda element, following, end: append(cells, element))
        return cells

    def indexed(self, orders: Orders) -> Indexed:
        """Return how permutations are found by their number."""
        most = factorial(orders.cells.most)
        return Indexed(most, lambda: self.length(orders), lambda number: self._at(orders, number))

    def length(self, orders: Orders) -> Number:
        """Return how many permutations there are."""
        out, count = self.out, self.lists.length(orders.cells)
        result: Value = Constant(1)
        for more in range(2, orders.cells.most + 1):
            has = out.compare("sge", count, Constant(more))
            product = out.arithmetic("mul", result, Constant(more))
            known = 1, factorial(more)
            result = Number(out.number(out.select(has, product, result, known)), known, int)
        assert isinstance(result, Number)
        return result

    def _at(self, orders: Orders, number: Value) -> Cells:
        """Return the permutation with a number, as a tuple."""
        out, lists, most = self.out, self.lists, orders.cells.most
        left, made = self._copied(orders.cells), lists.new(tuple, most)
        rest, times = out.variable(), out.variable()
        out.emit(f"store i64 {out.number(number)}, ptr {rest}")
        out.emit(f"store i64 {out.number(self.length(orders))}, ptr {times}")

        def take(position: Value, following: str, end: str) -> None:
            remaining = lists.length(left).register
            before = out.value(f"load i64, ptr {times}")
            # In a round there is an element left, so nothing is divided by zero.
            each = out.value(f"udiv i64 {before}, {remaining}")
            out.emit(f"store i64 {each}, ptr {times}")
            now = out.value(f"load i64, ptr {rest}")
            chosen = Number(out.value(f"udiv i64 {now}, {each}"))
            out.emit(f"store i64 {out.value(f'urem i64 {now}, {each}')}, ptr {rest}")
            within = out.extreme("min", chosen, Constant(most - 1))
            lists.append(made, lists.at(left, within))
            self._drop(left, within)

        count = lists.length(left)
        self.loops.counted(_SOME, Constant(0), lambda: count, 1, take, ())
        return made

    def _drop(self, cells: Cells, index: Value) -> None:
        """Emit the removal of an element of a list."""
        out, lists = self.out, self.lists
        last = out.arithmetic("sub", lists.length(cells), Constant(1))

        def move(place: Value, following: str, end: str) -> None:
            here = out.extreme("min", place, Constant(cells.most - 2))
            lists.put(cells, here, lists.at(cells, out.arithmetic("add", here, Constant(1))))

        self.loops.counted(_SOME, index, lambda: last, 1, move, ())
        lists.set_length(cells, last)
