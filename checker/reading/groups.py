"""Reads collections whose elements are known as groups."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .contents import any_of
from .values import Group, Items, Known, Value, either, is_unordered, options

if TYPE_CHECKING:
    from .expressions import Expressions

_NODE = ast.Constant(0)


def as_group(expressions: Expressions, value: Value) -> Group | None:
    """Return a list, a set or a tuple as a group; None for other values."""
    several = options(value)
    if len(several) > 1:
        return _merged([as_group(expressions, one) for one in several])
    if isinstance(value, Group):
        return value
    if isinstance(value, Items):
        return Group("tuple", either(value.items), history=value.history)
    if isinstance(value, Known) and isinstance(value.value, (list, tuple, set, frozenset)):
        kind = "set" if isinstance(value.value, (set, frozenset)) else "list"
        element = expressions.elements(value, _NODE, ordered=False)
        return Group(kind, element, unordered=is_unordered(value))
    return None


def add_mapping(group: Group, value: Value) -> bool:
    """Add the keys and the values of a mapping to a dictionary; return whether it is one."""
    for one in options(value):
        if isinstance(one, Group) and one.kind == "dict":
            group.add(one.element, one.key)
        elif isinstance(one, Known) and isinstance(one.value, Mapping):
            group.add(any_of(one.value.values()), any_of(one.value))
        else:
            return False
    return True


def _merged(groups: Sequence[Group | None]) -> Group | None:
    """Return a group that is any of several."""
    known = [group for group in groups if group is not None]
    if len(known) < len(groups):
        return None
    merged = Group(known[0].kind)
    for group in known:
        merged.add(group.element, group.key)
        merged.blur(group)
    return merged
