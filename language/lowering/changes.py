"""The methods that change lists, sets, dictionaries and the state's containers."""

from __future__ import annotations

import ast
import collections
from dataclasses import replace

from ..form import (
    After,
    Change,
    Contains,
    Expression,
    Given,
    If,
    Lookup,
    Not,
    Part,
    Statement,
    Store,
)
from ..types import BOOL, NOTHING, Mapping, Members, Number, Record, Ref, Stream, Tuple, Type
from .access import element_type, is_path, note_change, settled, write_through
from .calls import arguments_of, given
from .displays import iterable
from .effects import is_simple, writes_state
from .fitting import refuse_element
from .frame import Frame, constant
from .owners import root_of
from .retyping import joined, joined_element, keyed, retyped

_NOTHING_BACK = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "clear", "reverse", "sort",
    "truncate", "add", "discard", "update", "intersection_update", "difference_update",
    "symmetric_difference_update", "subtract", "rotate",
}  # fmt: skip
"""Methods that change their owner, and return nothing."""

_OF_AN_ELEMENT = {"append", "appendleft", "add", "insert", "remove", "discard"}
"""Methods whose last argument is an element of their owner."""

_GIVING_BACK = {"pop", "popleft", "setdefault"}
"""Methods that change their owner, and return what was or is in it."""

CHANGING = _NOTHING_BACK | _GIVING_BACK
"""The names of all methods that change their owner."""

_TAKING_STREAMS = {
    "extend", "extendleft", "update", "intersection_update", "difference_update",
    "symmetric_difference_update", "subtract",
}  # fmt: skip
"""Those that take whatever yields values."""


def changed(frame: Frame, owner: Expression, name: str, node: ast.Call) -> Expression:
    """Lower a method that changes its owner."""
    kind = owner.type
    before: tuple[Statement, ...] = ()
    if isinstance(owner, After):
        before, owner = owner.body, owner.value
    if isinstance(kind, Members) and kind.frozen:
        raise frame.refusal(
            node, f"{frame.text(node)}: a frozenset does not change", "write set(...)"
        )
    if not is_path(owner):
        raise frame.refusal(
            node, f"{frame.text(node)} changes what has no name", "give it a name first"
        )
    arguments, names = arguments_of(frame, node)
    if names and name != "sort":
        raise frame.refusal(node, f"{frame.text(node)}: {name} takes no names")
    given_ = _arguments(frame, owner, name, arguments, names, node)
    if name not in _TAKING_STREAMS:
        for value in given_:
            frame.refuse_stream(value, node)
    # Its indices are evaluated before the arguments, and the place is found after them.
    changes = any(not is_simple(value) for value in given_)
    binds, owner = settled(frame, owner, node, all_of_it=changes)
    if write_through(frame, Part(kind, owner, ""), node) is not None:
        raise frame.refusal(
            node,
            f"{frame.text(node)} changes a container through a name for an element",
            "write to the element itself, as in s.queue[i].members.add(x)",
        )
    if isinstance(owner.type, Ref) and any(map(writes_state, given_)):
        given_ = evaluated_before(frame, given_, binds, node)
    if name == "setdefault":
        return _set_by_default(frame, owner, given_, [*before, *binds], node)
    if isinstance(owner.type, Ref):
        _refuse_unfit(frame, owner.type, name, given_, node)
    note_change(frame, owner, node, is_part=False)
    _hold(frame, owner, given_, node)
    result = _given_back(frame, owner.type, given_, node) if name in _GIVING_BACK else NOTHING
    _retyped(frame, owner, name, given_, node)
    change = Change(result, owner, name, tuple(given_))
    binds = [*before, *binds]
    return After(result, tuple(binds), change) if binds else change


def _refuse_unfit(
    frame: Frame, kind: Ref, name: str, values: list[Expression], node: ast.AST
) -> None:
    """Refuse what no element of a container of the state can be."""
    if name in _TAKING_STREAMS:
        for value in values:
            refuse_element(frame, kind, element_type(frame, value.type), node)
    elif name in _OF_AN_ELEMENT and values:
        refuse_element(frame, kind, values[-1].type, node)


def evaluated_before(
    frame: Frame, values: list[Expression], binds: list[Statement], node: ast.AST
) -> list[Expression]:
    """Return operands that change the state, evaluated before the change of a container of it."""
    result: list[Expression] = []
    for value in values:
        if isinstance(value.type, Stream):
            what = f"{frame.text(node)} changes the state for each element that it takes"
            raise frame.refusal(node, what, "write a loop")
        bind, again = frame.temporary(value, node)
        binds.append(bind)
        result.append(again)
    return result


def _set_by_default(
    frame: Frame,
    owner: Expression,
    values: list[Expression],
    before: list[Statement],
    node: ast.AST,
) -> Expression:
    """Lower ``setdefault``: what it gives is what the key has, where that lies."""
    default = values[1] if len(values) > 1 else constant(None)
    line, binds = frame.line_of(node), list[Statement]()
    again: list[Expression] = []
    for value in (values[0], default):
        bind, name = frame.temporary(value, node)
        binds.append(bind)
        again.append(name)
    note_change(frame, owner, node, is_part=False)
    _hold(frame, owner, [default], node)
    _retyped(frame, owner, "setdefault", [values[0], default], node)
    kind = _given_back(frame, owner.type, [values[0], default], node)
    entry = Lookup(kind, owner, again[0])
    test = Not(BOOL, Contains(BOOL, again[0], owner))
    added = If(line, test, (Store(line, entry, again[1]),), ())
    return After(kind, (*before, *binds, added), entry)


def _arguments(
    frame: Frame,
    owner: Expression,
    name: str,
    arguments: list[Expression],
    names: dict[str, Expression],
    node: ast.AST,
) -> list[Expression]:
    """Return the arguments of a method that changes, as it takes them."""
    if name in _TAKING_STREAMS:
        return [
            one if isinstance(one.type, Mapping) else iterable(frame, one, node)
            for one in arguments
        ]
    if name == "sort":
        element = element_type(frame, owner.type)
        key = given(frame, names["key"], [element], node) if "key" in names else constant(None)
        root = root_of(owner)
        if isinstance(key, Given) and any(root_of(one) == root for one in key.captured if root):
            what = f"{frame.text(node)}: the key looks into the list while that is sorted"
            raise frame.refusal(node, what, "write sorted(...), and then sort by that")
        reverse = frame.truth(names["reverse"], node) if "reverse" in names else constant(False)
        return [key, reverse]
    return arguments


def _hold(frame: Frame, owner: Expression, values: list[Expression], node: ast.AST) -> None:
    """Note that a container holds these values."""
    if isinstance(owner.type, Ref):
        for value in values:
            frame.stores("", value)
        return
    root = root_of(owner)
    if root is not None:
        frame.holds(root, values, node)


def _given_back(frame: Frame, kind: Type, values: list[Expression], node: ast.AST) -> Type:
    """Return the type of what a method takes out, or of what a key has after ``setdefault``."""
    if isinstance(kind, Mapping):
        return joined(frame, [kind.value, *(one.type for one in values[1:])], node)
    element = element_type(frame, kind)
    if isinstance(kind, Ref) and isinstance(element, Record):
        return replace(element, own=True)
    return element


def _retyped(
    frame: Frame, owner: Expression, name: str, values: list[Expression], node: ast.AST
) -> None:
    """Note what a container of one's own may hold, once a method has put it in."""
    kind = owner.type
    if isinstance(kind, Ref) or not values:
        return
    new: Type = kind
    if isinstance(kind, Mapping):
        new = _updated(frame, kind, name, values, node)
    elif name in ("append", "appendleft", "add"):
        new = joined_element(frame, kind, values[0].type, node)
    elif name == "insert":
        new = joined_element(frame, kind, values[1].type, node)
    elif name in _TAKING_STREAMS and name not in ("intersection_update", "difference_update"):
        for value in values:
            new = joined_element(frame, new, element_type(frame, value.type), node)
    if new != kind:
        retyped(frame, owner, new, node)


def _updated(
    frame: Frame, kind: Mapping, name: str, values: list[Expression], node: ast.AST
) -> Type:
    """Return the type of a dictionary after a method has changed it."""
    first, counts = values[0].type, kind.kind is collections.Counter
    if name == "setdefault":
        return keyed(frame, kind, first, values[1].type if len(values) > 1 else NOTHING, node)
    if name not in ("update", "subtract"):
        return kind
    if isinstance(first, Mapping):
        # Counters add what they have.
        kind = replace(kind, value=Number()) if counts else kind
        return keyed(frame, kind, first.key, first.value, node)
    element = element_type(frame, first)
    if counts:
        return replace(kind, key=joined(frame, [kind.key, element], node), value=Number())
    if isinstance(element, Tuple) and len(element.items) == 2:
        return keyed(frame, kind, element.items[0], element.items[1], node)
    raise frame.refusal(node, f"{frame.text(node)} takes pairs of a key and a value")
