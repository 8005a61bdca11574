"""Marks in translated code which way of each condition a state took: see :mod:`points`."""

from __future__ import annotations

import ast

from .emitter import Emitter
from .points import Mark
from .values import Truth, Value


class Marking:
    """The points of one function.

    Attributes
    ----------
    out
        Where its instructions go.
    """

    def __init__(self, out: Emitter) -> None:
        self.out = out
        self._points: dict[object, int | None] = {}

    def mark(self, value: Value, *where: object) -> None:
        """Have both ways of a truth value noted; `where` says which one of the function it is."""
        if self.out.points is None or not isinstance(value, Truth):
            return
        # A loop that is written out repeats the same condition.
        key = tuple(id(part) if isinstance(part, ast.AST) else part for part in where)
        if key not in self._points:
            self._points[key] = self.out.points.pair()
        number = self._points[key]
        if number is not None:
            self.out.pending.append(Mark(value.register, number))

    @property
    def elements(self) -> set[int]:
        """The elements of the marks that hold this function's own points."""
        points = self.out.points
        numbers = (number for number in self._points.values() if number is not None)
        return {points.element(number) for number in numbers} if points else set()


def is_marked(node: ast.expr) -> bool:
    """Whether what an expression consists of is marked by itself, so that it need not be."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_marked(node.operand)
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn))
    return isinstance(node, ast.BoolOp)
