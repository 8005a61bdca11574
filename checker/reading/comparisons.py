"""Reads comparisons and patterns: what is compared must mean what it says."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .values import (
    TRUTH,
    Group,
    Items,
    Known,
    Unknown,
    Value,
    is_number,
    is_unordered,
    kind_of,
    marked,
    options,
)

if TYPE_CHECKING:
    from .expressions import Expressions

ORDER = (
    "the order of a set whose members are not numbers differs from process to process; "
    "use sorted(...), or a tuple"
)


class Comparisons:
    """Reads the comparisons of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.body = expressions, expressions.body

    def compare(self, node: ast.Compare) -> Value:
        """Read a comparison."""
        operands = [node.left, *node.comparators]
        values = [self.expressions.value(operand) for operand in operands]
        for at, operator in enumerate(node.ops):
            self._compared(
                node, operator, (operands[at], values[at]), (operands[at + 1], values[at + 1])
            )
        return marked(TRUTH, any(value.history for value in values))

    def _compared(
        self,
        node: ast.AST,
        operator: ast.cmpop,
        left: tuple[ast.expr, Value],
        right: tuple[ast.expr, Value],
    ) -> None:
        """Refuse comparisons whose answer is not what their reader expects."""
        identity = isinstance(operator, (ast.Is, ast.IsNot))
        if identity or isinstance(operator, (ast.Eq, ast.NotEq)):
            for (text, value), (_, other) in ((left, right), (right, left)):
                self._refuse_identity(node, ast.unparse(text), value, other, identity)
        listed = identity or isinstance(operator, (ast.In, ast.NotIn))
        if not listed:
            for text, value in (left, right):
                if is_unordered(value) and not _is_set(value):
                    self.body.find(text, f"{shortened(text)}: {ORDER}")
        among = self._listed(right[1]) if isinstance(operator, (ast.In, ast.NotIn)) else ()
        if is_number(left[1]) and any(map(is_nothing, among)):
            self._refuse_identity(node, ast.unparse(left[0]), left[1], Known(None), True)

    def _listed(self, value: Value) -> Sequence[Value]:
        if isinstance(value, Known) and isinstance(value.value, (tuple, list, set, frozenset)):
            return [Known(part) for part in value.value]
        return value.items if isinstance(value, Items) else ()

    def _refuse_identity(
        self, node: ast.AST, text: str, value: Value, other: Value, identity: bool
    ) -> None:
        """Refuse a number that is compared with None, or by ``is``."""
        if not is_number(value) or isinstance(value, Known):
            return
        if is_nothing(other):
            self.body.find(
                node, f"{text} is a number, never None; an empty optional is NONE: write == NONE"
            )
        elif identity:
            kind, same = kind_of(value), kind_of(other)
            if kind in (None, int) or (same is not None and same is not kind):
                self.body.find(node, f"{text} is a number, which `is` compares by object; write ==")

    def pattern(self, node: ast.pattern, subject: Value, quiet: bool = False) -> None:
        """Read a pattern of a match statement, and assign the names that it captures."""
        if isinstance(node, ast.MatchSingleton) and not quiet:
            text = "the subject of match"
            self._refuse_identity(node, text, subject, Known(node.value), True)
        elif isinstance(node, ast.MatchValue):
            self.expressions.value(node.value)
        elif isinstance(node, ast.MatchOr):
            for part in node.patterns:
                self.pattern(part, subject, quiet)
        elif isinstance(node, ast.MatchAs):
            if node.pattern is not None:
                self.pattern(node.pattern, subject, quiet)
            if node.name:
                self.body.variables[node.name] = subject
        elif isinstance(node, ast.MatchClass):
            self.expressions.value(node.cls)
        if not isinstance(node, (ast.MatchOr, ast.MatchAs)):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.pattern):
                    self.pattern(inner, Unknown(subject.history), quiet)
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name and not isinstance(node, ast.MatchAs):
            self.body.variables[name] = Unknown(subject.history)


def is_nothing(value: Value) -> bool:
    """Whether a value is surely None."""
    return isinstance(value, Known) and value.value is None


def _is_set(value: Value) -> bool:
    return all(
        (isinstance(one, Group) and one.kind in ("set", "dict"))
        or (isinstance(one, Known) and isinstance(one.value, (set, frozenset)))
        for one in options(value)
    )


def shortened(node: ast.AST) -> str:
    """Return a part of the code as it is written, in one line."""
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."
