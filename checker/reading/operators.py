"""Reads what operators give.

Reads what becomes text, which may differ from process to process.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...core.containers import Set
from .comparisons import shortened
from .contents import as_group, has_plain_text
from .notes import ADDRESS, ORDER
from .values import (
    TEXT,
    Bound,
    Element,
    Group,
    Known,
    Local,
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
    options,
    parts_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions


def as_text(expressions: Expressions, value: Value, node: ast.AST, written: bool = True) -> None:
    """Refuse text that differs from process to process, as :func:`has_plain_text` has it."""
    if expressions.objects.hides_order(value):
        expressions.body.find(node, f"{shortened(node)} as text: {ORDER}")
    for one in (part for option in options(value) for part in (option, *parts_of(option))):
        generator = isinstance(one, Group) and one.kind == "iter"
        if generator or isinstance(one, (Local, Bound)):
            expressions.body.find(node, f"{shortened(node)} as text has {ADDRESS}")
        known = isinstance(one, Known) and expressions.objects.has_address(one.value, written)
        if known or (isinstance(one, Object) and has_plain_text(one.kind, written)):
            expressions.body.find(node, f"{shortened(node)} as text has {ADDRESS}")


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
        expressions.body.refuse_outside(node, shortened(node), "a text that is built")
        for part in (right, *parts_of(right)) if isinstance(operator, ast.Mod) else ():
            as_text(expressions, part, node)
        return marked(TEXT, history)
    groups = [as_group(expressions, one) for one in operands]
    known = [group for group in groups if group is not None]
    repeated = isinstance(operator, ast.Mult) and any(map(is_number, operands))
    if known and (repeated or len(known) == len(groups)):
        # The keys of a dictionary are combined as sets are.
        of_sets = isinstance(operator, (*LOGICAL, ast.Sub))
        as_set = of_sets and any(group.kind != "dict" for group in known)
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
