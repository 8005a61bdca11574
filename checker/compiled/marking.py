"""Emits marks of the way that a state took at each condition: see :mod:`points`."""

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
        The emitter of its instructions.
    """

    def __init__(self, out: Emitter) -> None:
        self.out = out
        self._points: dict[object, int | None] = {}

    def mark(self, value: Value, *where: object) -> None:
        """Mark both ways of a truth value; `where` identifies the condition in the function."""
        if self.out.points is None or not isinstance(value, Truth):
            return
        # An unrolled loop repeats the same condition.
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
    """Whether the parts of an expression are marked, so that it need not be."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_marked(node.operand)
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn))
    return isinstance(node, ast.BoolOp)
