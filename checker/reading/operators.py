"""Reads what operators give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...core.containers import Set
from .groups import as_group
from .texts import as_text
from .values import (
    TEXT,
    Element,
    Group,
    Number,
    Object,
    Place,
    Unknown,
    Value,
    forgotten,
    is_number,
    is_record,
    is_text,
    is_unordered,
    kind_of,
    marked,
    parts_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions

LOGICAL = (ast.BitAnd, ast.BitOr, ast.BitXor)


def computed(
    expressions: Expressions, node: ast.AST, operator: ast.operator, operands: tuple[Value, Value]
) -> Value:
    """Return what an operator gives."""
    left, right = operands
    history = left.history or right.history
    if is_number(left) and is_number(right):
        return _of_numbers(operator, left, right)
    if is_text(left):
        for part in (right, *parts_of(right)) if isinstance(operator, ast.Mod) else ():
            as_text(expressions, part, node)
        return marked(TEXT, history)
    groups = [as_group(expressions, one) for one in operands]
    known = [group for group in groups if group is not None]
    repeated = isinstance(operator, ast.Mult) and any(map(is_number, operands))
    if known and (repeated or len(known) == len(groups)):
        # The keys of a dictionary are combined as sets are.
        as_set = known[0].kind == "iter" and isinstance(operator, (*LOGICAL, ast.Sub))
        result = expressions.site(node, "set" if as_set else known[0].kind)
        for group in known:
            result.add(group.element, group.key)
            result.blur(group)
        return result
    if isinstance(operator, (*LOGICAL, ast.Sub)):
        for group in known:
            if group.kind == "set" and is_unordered(group):
                return Group("set", Unknown(history), unordered=True, history=history)
    containers = [one for one in operands if isinstance(one, (Place, Element))]
    if any(is_record(one.declared) and issubclass(one.declared, Set) for one in containers):
        return Group("set", Number(int, history), history=history)
    return forgotten(left, right)


def _of_numbers(operator: ast.operator, left: Value, right: Value) -> Value:
    history = left.history or right.history
    if isinstance(operator, ast.Div):
        return Object(float, history)
    if isinstance(operator, ast.Pow):
        return Unknown(history)
    both = kind_of(left) is bool and kind_of(right) is bool
    return Number(bool if both and isinstance(operator, LOGICAL) else int, history)
