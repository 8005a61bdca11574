"""What a list, a set, a dictionary or a record of one's own holds, once it has changed."""

from __future__ import annotations

import ast
from collections.abc import Sequence as Parts
from dataclasses import replace

from ..form import Element, Expression, Item, Local, Lookup, Part
from ..types import (
    Mapping,
    Members,
    NoJoinError,
    Record,
    Ref,
    Sequence,
    Tuple,
    Type,
    join,
    join_all,
    named,
)
from .frame import Frame


def joined(frame: Frame, kinds: Parts[Type], node: ast.AST) -> Type:
    """Return the type of what is of any of these; refused if nothing is of all."""
    try:
        return join_all(kinds)
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)} has values of several kinds", "use one kind"
        ) from None


def keyed(frame: Frame, kind: Mapping, key: Type, value: Type, node: ast.AST) -> Mapping:
    """Return the type of a dictionary that has got a key and a value."""
    keys, values = joined(frame, [kind.key, key], node), joined(frame, [kind.value, value], node)
    return replace(kind, key=keys, value=values)


def member_type(frame: Frame, kind: Type) -> Type:
    """Return the type that an element has as a member of a set: a record of the state is a copy."""
    if isinstance(kind, Ref) and not frame.is_listed(kind):
        return frame.schema.value(kind)
    return kind


def joined_element(frame: Frame, kind: Type, element: Type, node: ast.AST) -> Type:
    """Return the type of a list or a set that has got an element."""
    if not isinstance(kind, (Sequence, Members)):
        return kind
    if isinstance(kind, Members):
        element = member_type(frame, element)
    try:
        return replace(kind, element=join(kind.element, element))
    except NoJoinError:
        raise frame.refusal(
            node,
            f"{frame.text(node)} puts {named(element)} among {named(kind.element)}",
            "use a list for each kind",
        ) from None


def retyped(frame: Frame, where: Expression, kind: Type, node: ast.AST) -> None:
    """Note the type of what lies somewhere, once it has changed."""
    while not isinstance(where, Local):
        if not isinstance(where, (Part, Element, Item, Lookup)) or isinstance(where.of.type, Ref):
            return
        kind = _outer(frame, where, where.of.type, kind, node)
        where = where.of
    for name, variable in frame.scope.names.items():
        if variable.slot == where.name:
            frame.made.slots[where.name] = join(frame.made.slots[where.name], kind)
            # A part of the same line may have changed it since its type was looked up.
            changed = replace(variable, type=join(variable.type, kind))
            frame.scope = replace(frame.scope, names={**frame.scope.names, name: changed})
            return
    frame.made.slots[where.name] = join(frame.made.slots.get(where.name, kind), kind)


def _outer(frame: Frame, where: Expression, owner: Type, kind: Type, node: ast.AST) -> Type:
    """Return the type of what holds a part that has another type now."""
    if isinstance(where, Part) and isinstance(owner, Record):
        fields = tuple((name, kind if name == where.name else one) for name, one in owner.fields)
        return replace(owner, fields=fields)
    if isinstance(where, Lookup) and isinstance(owner, Mapping):
        return keyed(frame, owner, where.key.type, kind, node)
    if isinstance(where, Item) and isinstance(owner, Tuple):
        items = [*owner.items]
        items[where.number] = kind
        return Tuple(tuple(items))
    if isinstance(owner, (Sequence, Members)):
        return joined_element(frame, owner, kind, node)
    return owner
