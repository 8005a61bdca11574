"""From a plain Python function to LLVM: whether two values are the same object."""

from __future__ import annotations

import ast
import types
from enum import Enum
from typing import TYPE_CHECKING

from .function import Mode
from .scope import Scope
from .values import (
    NOWHERE,
    Constant,
    Number,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    common,
    kind_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions


class Identities:
    """Translates comparisons by ``is`` in one function."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.unit, self.out, self.expressions = scope.unit, scope.out, expressions

    def compared(self, node: ast.Compare) -> Value:
        """Return whether two values are the same object: None, a member or a truth value."""
        [right] = node.comparators
        negated = isinstance(node.ops[0], ast.IsNot)
        if isinstance(right, ast.Constant) and right.value is None:
            return self._is_none(node, negated)
        one, other = self.expressions.expression(node.left), self.expressions.expression(right)
        if one is NOWHERE or other is NOWHERE:
            return Constant(False)
        kinds = [
            self.unit.known.ask("type", v.value) if isinstance(v, Constant) else kind_of(v)
            for v in (one, other)
        ]
        kind = common(*kinds)
        if kind is not bool and not (isinstance(kind, type) and issubclass(kind, Enum)):
            raise UnsupportedError(
                f"the comparison {ast.unparse(node)}, of what are not two truth values or two "
                "members of one enumeration,"
            )
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant(self.unit.known.ask("is_", one.value, other.value) is not negated)
        same = self.out.compare("eq", one, other)
        return self.expressions.negation(same) if negated else same

    def _is_none(self, node: ast.Compare, negated: bool) -> Value:
        """Return whether a call returns None."""
        if isinstance(node.left, ast.Call) and self._is_function(node.left.func):
            result = self.expressions.calls.called(node.left, Mode.IS_NONE)
            assert isinstance(result, Truth)
            return Truth(self.out.value(f"xor i1 {result.register}, true")) if negated else result
        value = self.expressions.expression(node.left)
        if isinstance(value, StateRef) or (isinstance(value, Number) and value.kind):
            raise UnsupportedError(
                f"{ast.unparse(node)}, since a variable is never None: write `== NONE`,"
            )
        return Constant(is_known_none(value, node.left) != negated)

    def none(self, node: ast.expr) -> bool:
        """Return whether an expression is None, which must be known."""
        return is_known_none(self.expressions.expression(node), node)

    def _is_function(self, node: ast.expr) -> bool:
        """Return whether the callee is a plain Python function."""
        callee = self.expressions.expression(node)
        return isinstance(callee, Constant) and isinstance(callee.value, types.FunctionType)


def is_known_none(value: Value, node: ast.expr) -> bool:
    """Whether the value of an expression is None, which must be known."""
    if isinstance(value, Truth) and value.truth_only:
        raise UnsupportedError(f"whether {ast.unparse(node)} is None")
    return isinstance(value, Constant) and value.value is None
