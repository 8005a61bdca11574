"""Whether a value can lie in a variable, a part or a container of the state."""

from __future__ import annotations

import ast
from collections import deque

from ...core.fields import Record as Declared
from ...core.fields import declared_parts
from ..form import Expression
from ..types import (
    Known,
    Mapping,
    Members,
    Never,
    Nothing,
    Number,
    Optional,
    Places,
    Record,
    Ref,
    Sequence,
    Tuple,
    Type,
    named,
)
from .access import element_type
from .bags import OF_BAGS, fits_bag
from .frame import Frame


def refuse_unfit(frame: Frame, kind: Type, value: Expression, node: ast.AST) -> None:
    """Refuse a value of another kind than its place in the state has."""
    supplied = frame.certain(value).type
    if isinstance(supplied, Never):
        return
    if not fits(frame, kind, supplied):
        what = f"{frame.text(node)} is {_place_named(frame, kind)}, and gets {named(supplied)}"
        is_bag = isinstance(kind, Ref) and frame.schema.is_bag(kind)
        raise frame.refusal(node, what, OF_BAGS if is_bag else _repair_of_unfit(supplied))


def _repair_of_unfit(supplied: Type) -> str:
    """Return what to write in place of a value that does not fit."""
    if isinstance(supplied, Nothing):
        return "write NONE"
    if isinstance(supplied, Known) and isinstance(supplied.value, Declared):
        name = type(supplied.value).__name__
        return f"make it where it is assigned, by {name}(...), or in a function that returns it"
    return ""


def refuse_element(frame: Frame, kind: Ref, supplied: Type, node: ast.AST) -> None:
    """Refuse a value of another kind than the elements of a container of the state."""
    element = element_type(frame, kind)
    if not fits(frame, element, supplied):
        others = _place_named(frame, element).removeprefix("a ")
        what = f"{frame.text(node)} puts {named(supplied)} among {others}s"
        made = element.declaration.__name__ if isinstance(element, Record) else ""
        repair = f"make a record: {made}(...)" if made else _repair_of_unfit(supplied)
        raise frame.refusal(node, what, repair)


def fits(frame: Frame, kind: Type, supplied: Type) -> bool:
    """Whether a value of a type can be assigned to a variable or a part of the state."""
    if isinstance(supplied, Optional):
        supplied = supplied.of
    if isinstance(supplied, Never):
        return True
    if isinstance(kind, Number):
        return isinstance(supplied, Number)
    if isinstance(kind, Ref):
        kind = frame.schema.value(kind)
    if isinstance(kind, Mapping):
        every = supplied.options if isinstance(supplied, Places) else (supplied,)
        return all(fits_bag(frame, kind, one) for one in every)
    if isinstance(supplied, (Ref, Places)):
        options = supplied.options if isinstance(supplied, Places) else (supplied,)
        return all(fits(frame, kind, frame.schema.value(one)) for one in options)
    if isinstance(kind, Record):
        if not isinstance(supplied, Record):
            return False
        parts = dict(supplied.fields)
        return declared_parts(kind.declaration).keys() == declared_parts(
            supplied.declaration
        ).keys() and all(fits_bag(frame, one, parts[n]) for n, one in kind.fields if n in parts)
    if isinstance(kind, Sequence):
        listed = isinstance(supplied, Tuple) or (
            isinstance(supplied, Sequence) and supplied.kind is not deque
        )
    else:
        assert isinstance(kind, Members)
        listed = isinstance(supplied, Members)
    items = supplied.items if isinstance(supplied, Tuple) else (element_type(frame, supplied),)
    return listed and all(fits(frame, kind.element, item) for item in items)


def _place_named(frame: Frame, kind: Type) -> str:
    """Say what lies at a place."""
    if isinstance(kind, Number):
        return "a number"
    if not isinstance(kind, Ref):
        return named(kind)
    if frame.schema.is_sequence(kind):
        return "a list"
    if frame.schema.is_set(kind):
        return "a set"
    return "a bag" if frame.schema.is_bag(kind) else "a record"
