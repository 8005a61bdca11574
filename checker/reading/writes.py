"""What is written to an attribute or an element: the state, or what outlives the call."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from .notes import LOST
from .values import Element, Group, Known, Place, Unknown, Value, is_unordered, options

if TYPE_CHECKING:
    from .body import Body


def _is_member(value: Value) -> bool:
    """Whether a value is a member of an enumeration, which there is once."""
    kind = getattr(value, "kind", None)
    return isinstance(kind, type) and issubclass(kind, Enum)


OWN_VARIABLES = (
    "what a model remembers must be a variable of its state, or it is not a function of its state"
)


def write(
    body: Body, node: ast.expr, owner: Value, name: str, value: Value, key: Value | None = None
) -> None:
    """Read a write to an attribute or an element."""
    for one in options(owner):
        if isinstance(one, Place):
            body.wrote(node, one, name, value)
        elif isinstance(one, Element):
            where = ast.unparse(node)
            holder = ast.unparse(node.value)  # type: ignore[attr-defined]
            body.find(
                node,
                f"{where} is written, but {holder} holds a value that was read from a "
                f"sequence; write it in its place: s.sequence[i].{name or 'field'} = ...",
            )
        elif _is_member(one) or (isinstance(one, Known) and one.value is not None):
            what = ast.unparse(node)
            body.find(node, f"{what} outlives the call and is written; {OWN_VARIABLES}")
        elif isinstance(one, Group):
            one.add(value, key)
            one.blur(Unknown(body.depends))
            if one.shared:
                what = ast.unparse(node)
                body.find(node, f"{what} outlives the call and is written; {OWN_VARIABLES}")
        else:
            body.leaks = body.leaks or body.depends or value.history
            body.reader.writes_unseen = True
            if is_unordered(value):
                body.find(node, f"{ast.unparse(node)} holds a set: {LOST}")
