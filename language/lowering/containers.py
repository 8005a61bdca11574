"""The methods of lists, sets, dictionaries and the state's containers."""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..form import (
    After,
    Apply,
    Change,
    Compare,
    Constant,
    Copy,
    Element,
    Expression,
    Gather,
    Item,
    Local,
    Lookup,
    Make,
    Part,
)
from ..types import (
    BOOL,
    CONTAINERS,
    NOTHING,
    Mapping,
    Members,
    NoJoinError,
    Number,
    Record,
    Ref,
    Sequence,
    Stream,
    Tuple,
    Type,
    join,
)
from .access import element_type, lookup, note_change, settled, write_through
from .calls import arguments_of, given
from .displays import iterable
from .frame import Frame, constant, named
from .operators import combined, contains, is_set, ordered
from .owners import STATE, origin_of, root_of

_NOTHING_BACK = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "clear", "reverse", "sort",
    "truncate", "add", "discard", "update", "intersection_update", "difference_update",
    "symmetric_difference_update", "subtract", "rotate",
}  # fmt: skip
"""Methods that change their owner, and return nothing."""

_TAKING = {"pop", "popleft"}
"""Methods that take an element out, and return it."""

_OF_KIND: dict[str, set[str]] = {
    "list": {"append", "extend", "insert", "remove", "clear", "reverse", "sort", "pop", "copy", "index", "count"},
    "deque": {"append", "appendleft", "extend", "extendleft", "insert", "remove", "clear", "reverse",
              "pop", "popleft", "copy", "index", "count", "rotate"},
    "seq": {"append", "extend", "insert", "remove", "clear", "pop", "popleft", "copy", "index", "count", "truncate"},
    "set": {"add", "remove", "discard", "clear", "update", "intersection_update", "difference_update",
            "symmetric_difference_update", "union", "intersection", "difference", "symmetric_difference",
            "issubset", "issuperset", "isdisjoint", "copy"},
    "bag": {"add", "remove", "discard", "count", "clear"},
    "tuple": {"index", "count"},
    "array": {"index", "count", "copy"},
    "dict": {"get", "keys", "values", "items", "pop", "setdefault", "update", "clear", "copy"},
    "counter": {"get", "keys", "values", "items", "pop", "setdefault", "update", "clear", "copy",
                "elements", "total", "subtract"},
}  # fmt: skip
"""The methods that the language has, by what has them."""

_ALGEBRA = {
    "union": "or_", "intersection": "and_", "difference": "sub", "symmetric_difference": "xor",
}  # fmt: skip


def method(frame: Frame, owner: Expression, name: str, node: ast.Call) -> Expression:
    """Lower the call of a method of a container."""
    what = _what(frame, owner.type)
    if name not in _OF_KIND[what]:
        allowed = ", ".join(sorted(_OF_KIND[what]))
        frame.refuse(node, f"{frame.text(node)}: {named(owner.type)} has no {name} in the language of models", f"it has {allowed}")  # fmt: skip
    if name in _NOTHING_BACK or name in _TAKING or name == "setdefault":
        return _changed(frame, owner, name, node)
    arguments, names = arguments_of(frame, node)
    return _READERS[name](frame, owner, name, arguments, names, node)


def _what(frame: Frame, kind: Type) -> str:
    """Return which methods a container has."""
    if isinstance(kind, Tuple) or (isinstance(kind, Sequence) and kind.kind is tuple):
        return "tuple"
    if isinstance(kind, Sequence):
        return "deque" if kind.kind is collections.deque else "list"
    if is_set(frame, kind):
        return "set"
    if isinstance(kind, Mapping):
        return "counter" if kind.kind is collections.Counter else "dict"
    assert isinstance(kind, Ref)
    if frame.schema.is_array(kind):
        return "array"
    return "bag" if frame.schema.is_bag(kind) else "seq"


# --- methods that change


def _changed(frame: Frame, owner: Expression, name: str, node: ast.Call) -> Expression:
    """Lower a method that changes its owner."""
    kind = owner.type
    if isinstance(kind, Members) and kind.frozen:
        frame.refuse(node, f"{frame.text(node)}: a frozenset does not change", "write set(...)")
    if not is_path(owner):
        frame.refuse(node, f"{frame.text(node)} changes what has no name", "give it a name first")
    arguments, names = arguments_of(frame, node)
    if names and name != "sort":
        frame.refuse(node, f"{frame.text(node)}: {name} takes no names")
    given_ = _arguments(frame, owner, name, arguments, names, node)
    for value in given_:
        frame.refuse_stream(value, node) if name not in _TAKES_STREAMS else None
    binds, owner = settled(frame, owner, node)
    if write_through(frame, Part(kind, owner, ""), node) is not None:
        frame.refuse(node, f"{frame.text(node)} changes a container through a name for an element", "write to the element itself, as in s.queue[i].members.add(x)")  # fmt: skip
    note_change(frame, owner, node, is_part=False)
    _kept_by(frame, owner, name, given_, node)
    result: Type = NOTHING
    if name in _TAKING or name == "setdefault":
        result = _taken(frame, owner, name, given_, node)
    _retyped(frame, owner, name, given_, node)
    change = Change(result, owner, name, tuple(given_))
    return After(result, tuple(binds), change) if binds else change


_TAKES_STREAMS = {"extend", "extendleft", "update", "intersection_update", "difference_update",
                  "symmetric_difference_update", "subtract"}  # fmt: skip


def is_path(owner: Expression) -> bool:
    """Whether an expression says where something lies, and so can be changed."""
    while isinstance(owner, (Part, Element, Item, Lookup)) and not isinstance(owner.type, Ref):
        owner = owner.of
    return isinstance(owner, (Local, Constant)) or isinstance(owner.type, Ref)


def _arguments(
    frame: Frame,
    owner: Expression,
    name: str,
    arguments: list[Expression],
    names: dict[str, Expression],
    node: ast.AST,
) -> list[Expression]:
    """Return the arguments of a method that changes, as it takes them."""
    if name in _TAKES_STREAMS:
        return [
            one if isinstance(one.type, Mapping) else iterable(frame, one, node)
            for one in arguments
        ]
    if name == "sort":
        element = element_type(frame, owner.type)
        key = given(frame, names["key"], [element], node) if "key" in names else constant(None)
        reverse = frame.truth(names["reverse"], node) if "reverse" in names else constant(False)
        return [key, reverse]
    return arguments


def _kept_by(
    frame: Frame, owner: Expression, name: str, values: list[Expression], node: ast.AST
) -> None:
    """Note that a container holds what was put into it."""
    root = STATE if isinstance(owner.type, Ref) else root_of(owner)
    if root is None:
        return
    for value in values:
        origin = origin_of(value, frame.scope.sharing)
        inner = origin.same | origin.within | origin.holds
        sharing = frame.scope.sharing
        for one in inner:
            sharing = sharing._put(one, root) if one != root else sharing
        frame.scope = replace(frame.scope, sharing=sharing)


def _taken(
    frame: Frame, owner: Expression, name: str, values: list[Expression], node: ast.AST
) -> Type:
    """Return the type of what a method takes out."""
    kind = owner.type
    if isinstance(kind, Mapping):
        if name == "pop":
            return _with(frame, [kind.value, *(one.type for one in values[1:])], node)
        return _with(frame, [kind.value, *(one.type for one in values[1:])], node)
    element = element_type(frame, kind)
    return replace(element, own=True) if isinstance(element, Record) else element


def _with(frame: Frame, kinds: list[Type], node: ast.AST) -> Type:
    try:
        result = kinds[0]
        for kind in kinds[1:]:
            result = join(result, kind)
    except NoJoinError:
        frame.refuse(node, f"{frame.text(node)} gives values of several kinds", "use one kind")
    return result


def _retyped(
    frame: Frame, owner: Expression, name: str, values: list[Expression], node: ast.AST
) -> None:
    """Note what a container of one's own may hold, once a method has put it in."""
    kind = owner.type
    if isinstance(kind, Ref) or not values:
        return
    new: Type = kind
    first = values[0].type
    if isinstance(kind, Mapping):
        if name == "setdefault":
            value = values[1].type if len(values) > 1 else NOTHING
            new = replace(kind, key=_with(frame, [kind.key, first], node), value=_with(frame, [kind.value, value], node))  # fmt: skip
        elif name in ("update", "subtract") and isinstance(first, Mapping):
            new = replace(kind, key=_with(frame, [kind.key, first.key], node), value=_with(frame, [kind.value, first.value, *([Number()] if kind.kind is collections.Counter else [])], node))  # fmt: skip
        elif name in ("update", "subtract"):
            pair = element_type(frame, first)
            if kind.kind is collections.Counter:
                new = replace(kind, key=_with(frame, [kind.key, pair], node), value=Number())
            elif isinstance(pair, Tuple) and len(pair.items) == 2:
                new = replace(kind, key=_with(frame, [kind.key, pair.items[0]], node), value=_with(frame, [kind.value, pair.items[1]], node))  # fmt: skip
    elif name in ("append", "appendleft", "add"):
        new = _element(frame, kind, first, node)
    elif name == "insert":
        new = _element(frame, kind, values[1].type, node)
    elif name in _TAKES_STREAMS and name not in ("intersection_update", "difference_update"):
        for value in values:
            new = _element(frame, new, element_type(frame, value.type), node)
    if new != kind:
        retyped(frame, owner, new, node)


def _element(frame: Frame, kind: Type, element: Type, node: ast.AST) -> Type:
    if not isinstance(kind, (Sequence, Members)):
        return kind
    try:
        return replace(kind, element=join(kind.element, element))
    except NoJoinError:
        frame.refuse(node, f"{frame.text(node)} puts {named(element)} among {named(kind.element)}", "use a list for each kind")  # fmt: skip


def retyped(frame: Frame, where: Expression, kind: Type, node: ast.AST) -> None:
    """Note the type of what lies somewhere, once it has changed."""
    while not isinstance(where, Local):
        if not isinstance(where, (Part, Element, Item, Lookup)) or isinstance(where.of.type, Ref):
            return
        kind = _outer(frame, where, kind, node)
        where = where.of
    for name, variable in frame.scope.names.items():
        if variable.slot == where.name:
            frame.made.slots[where.name] = join(frame.made.slots[where.name], kind)
            changed = replace(variable, type=kind)
            frame.scope = replace(frame.scope, names={**frame.scope.names, name: changed})
            return
    frame.made.slots[where.name] = join(frame.made.slots.get(where.name, kind), kind)


def _outer(frame: Frame, where: Expression, kind: Type, node: ast.AST) -> Type:
    """Return the type of what holds a part that has another type now."""
    owner = where.of.type  # type: ignore[attr-defined]
    if isinstance(where, Part) and isinstance(owner, Record):
        fields = tuple((name, kind if name == where.name else one) for name, one in owner.fields)
        return replace(owner, fields=fields)
    if isinstance(where, Lookup) and isinstance(owner, Mapping):
        key = _with(frame, [owner.key, where.key.type], node)
        return replace(owner, key=key, value=_with(frame, [owner.value, kind], node))
    if isinstance(where, Item) and isinstance(owner, Tuple):
        items = [*owner.items]
        items[where.number] = kind
        return Tuple(tuple(items))
    if isinstance(owner, (Sequence, Members)):
        return _element(frame, owner, kind, node)
    return owner


# --- methods that only read

Reader = Callable[
    [Frame, Expression, str, list[Expression], dict[str, Expression], ast.Call], Expression
]


def _algebra(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    result = owner if arguments else Copy(_value(frame, owner.type), owner)
    for other in arguments:
        result = combined(frame, _ALGEBRA[name], result, as_set(frame, other, node), node)
    return result


def as_set(frame: Frame, value: Expression, node: ast.AST) -> Expression:
    """Return any values as a set, as the methods of sets take them."""
    if is_set(frame, value.type):
        return value
    over = iterable(frame, value, node)
    return Gather(Members(element_type(frame, over.type)), over)


def _value(frame: Frame, kind: Type) -> Type:
    return frame.schema.value(kind) if isinstance(kind, Ref) else kind


def _subset(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    other = as_set(frame, arguments[0], node)
    return ordered(frame, "le" if name == "issubset" else "ge", owner, other, node)


def _disjoint(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    both = combined(frame, "and_", owner, as_set(frame, arguments[0], node), node)
    return Compare(BOOL, "eq", both, Make(Members(element_type(frame, both.type)), ()))


def _copied(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    if isinstance(owner.type, CONTAINERS):
        return Copy(owner.type, owner)
    return Copy(_value(frame, owner.type), owner)


def _found(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    if len(arguments) != 1:
        frame.refuse(node, f"{frame.text(node)}: {name} takes one value")
    contains(frame, arguments[0], owner, node)
    return Apply(Number(0), name, (owner, arguments[0]))


def _got(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    kind = owner.type
    assert isinstance(kind, Mapping)
    default = arguments[1] if len(arguments) > 1 else constant(None)
    try:
        return lookup(frame, owner, kind, arguments[0], default)
    except NoJoinError:
        frame.refuse(node, f"{frame.text(node)} gives values of several kinds", "use one kind")


def _viewed(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    kind = owner.type
    assert isinstance(kind, Mapping)
    element: Type = {"keys": kind.key, "values": kind.value, "items": Tuple((kind.key, kind.value)), "elements": kind.key}[name]  # fmt: skip
    return Apply(Stream(element), name, (owner,))


def _totalled(frame: Frame, owner: Expression, name: str, arguments: list[Expression], names: Any, node: ast.Call) -> Expression:  # fmt: skip
    return Apply(Number(), "total", (owner,))


_READERS: dict[str, Reader] = {
    **dict.fromkeys(_ALGEBRA, _algebra), **dict.fromkeys(("issubset", "issuperset"), _subset),
    "isdisjoint": _disjoint, "copy": _copied, "index": _found, "count": _found, "get": _got,
    **dict.fromkeys(("keys", "values", "items", "elements"), _viewed), "total": _totalled,
}  # fmt: skip


def known_method(frame: Frame, owner: Constant, name: str, node: ast.Call) -> Expression | None:
    """Lower a method of a table of functions of the file; None if it has none of this name."""
    table = owner.value
    if not isinstance(table, dict) or name != "get":
        return None
    arguments, _ = arguments_of(frame, node)
    default = arguments[1] if len(arguments) > 1 else constant(None)
    if isinstance(arguments[0], Constant):
        return constant(table[arguments[0].value]) if arguments[0].value in table else default
    options: list[Any] = []
    for entry in table.values():
        if all(entry is not one for one in options):
            options.append(entry)
    kinds = [constant(one).type for one in options]
    found = _with(frame, kinds, node)
    return Lookup(_with(frame, [found, default.type], node), owner, arguments[0], default)
