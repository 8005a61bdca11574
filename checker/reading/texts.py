"""Reads what becomes text, which may differ from process to process."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .comparisons import shortened
from .contents import has_plain_text
from .notes import ADDRESS, ORDER
from .values import Bound, Group, Known, Local, Object, Value, options, parts_of

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
