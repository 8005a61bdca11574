"""What objects that exist before the model runs hold, and how it is shown.

Reads collections whose elements are known as groups.
"""

from __future__ import annotations

import ast
import inspect
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import FunctionType, MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from .held import PLAIN
from .published import is_pure_module
from .values import (
    NUMBER,
    TEXT,
    Group,
    Items,
    Known,
    Number,
    Value,
    either,
    forgotten,
    is_unordered,
    options,
)

if TYPE_CHECKING:
    from .expressions import Expressions


CONTAINERS = (list, tuple, set, frozenset, dict, deque, MappingProxyType, bytearray)

MOST_PARTS = 20_000
"""The most parts of a container of the module that are looked at."""


def is_wrapper(value: Any) -> bool:
    """Whether a function is what a decorator of Python's made, such as ``singledispatch``."""
    if not isinstance(value, FunctionType) or not hasattr(value, "__wrapped__"):
        return False
    return is_pure_module(str(value.__globals__.get("__name__")))


def has_plain_text(kind: type, written: bool) -> bool:
    """Whether the text of an instance of a class is its address.

    Parameters
    ----------
    written
        Whether it is written as ``print`` does, not as ``repr``.
    """
    ways = ("__format__", "__str__", "__repr__") if written else ("__repr__",)
    return all(inspect.getattr_static(kind, way) is vars(object)[way] for way in ways)


def parts_in(value: Any) -> Iterator[Any]:
    """Yield an object and everything in it, if it is a container."""
    todo, seen = [value], {id(value)}
    while todo:
        part = todo.pop()
        yield part
        inner: list[Any] = []
        if isinstance(part, (dict, MappingProxyType)):
            inner = [*part, *part.values()]
        elif is_wrapper(part):
            inner = [part.__wrapped__, *dict(getattr(part, "registry", {})).values()]
        elif isinstance(part, SimpleNamespace):
            inner = list(vars(part).values())
        elif isinstance(part, CONTAINERS) and not isinstance(part, bytearray):
            inner = list(part)
        for one in inner:
            if not isinstance(one, PLAIN) and id(one) not in seen:
                seen.add(id(one))
                todo.append(one)


def any_of(parts: Collection[Any]) -> Value | None:
    """Return any of the elements of a known container; None if it has none."""
    kinds = set(map(type, parts))
    if kinds == {int}:
        return NUMBER
    if len(parts) > MOST_PARTS:
        return TEXT if kinds == {str} else forgotten(Known(parts))
    return either(map(lifted, parts))


def lifted(value: Any) -> Value:
    """Return an element of a known container, so that few alternatives stand for many."""
    if isinstance(value, tuple) and type(value) is tuple:
        return Items(tuple(map(lifted, value)))
    if isinstance(value, int):
        return Number(type(value))
    return TEXT if isinstance(value, str) else Known(value)


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
