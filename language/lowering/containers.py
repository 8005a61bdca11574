"""The methods of lists, sets, dictionaries and the state's containers, and those that only read."""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.containers import Bag
from ..form import Apply, Compare, Constant, Copy, Expression, Gather, Lookup, Make
from ..types import (
    BOOL,
    Mapping,
    Members,
    NoJoinError,
    Number,
    Ref,
    Sequence,
    Stream,
    Tuple,
    Type,
    named,
)
from .access import element_type, lookup
from .calls import arguments_of, refuse_stars
from .changes import CHANGING, changed
from .displays import iterable
from .frame import Frame, constant
from .operators import combined, contains, is_of_state, is_set, ordered
from .retyping import joined, member_type

_OF_DICTIONARIES = "get keys values items pop setdefault update clear copy"
_OF_KIND: dict[str, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "list": "append extend insert remove clear reverse sort pop copy index count",
        "deque": """append appendleft extend extendleft insert remove clear reverse pop popleft
            copy index count rotate""",
        "seq": "append extend insert remove clear pop popleft copy index count truncate",
        "set": """add remove discard clear update intersection_update difference_update
            symmetric_difference_update union intersection difference symmetric_difference
            issubset issuperset isdisjoint copy""",
        "bag": "add remove",
        "bag of records": "add remove discard count clear",
        "tuple": "index count",
        "array": "index count copy",
        "dict": _OF_DICTIONARIES,
        "counter": f"{_OF_DICTIONARIES} elements total subtract",
    }.items()
}
"""The methods that the language has, by what has them."""

_ALGEBRA = {
    "union": "or_", "intersection": "and_", "difference": "sub", "symmetric_difference": "xor",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """The call of a method that only reads."""

    owner: Expression
    name: str
    arguments: list[Expression]
    node: ast.Call


def method(frame: Frame, owner: Expression, name: str, node: ast.Call) -> Expression:
    """Lower the call of a method of a container."""
    what = _what(frame, owner.type)
    if what == "bag" and not isinstance(owner.type, Ref):
        raise frame.refusal(
            node,
            f"{frame.text(node)}: a bag of a record that is not in the state",
            "keep a bag in the state, and make the record with that: Note(counts=s.bag)",
        )
    if name not in _OF_KIND[what]:
        raise frame.refusal(
            node,
            f"{frame.text(node)}: {named(owner.type)} has no {name} in the language of models",
            f"it has {', '.join(sorted(_OF_KIND[what]))}",
        )
    if name in CHANGING:
        return changed(frame, owner, name, node)
    arguments, names = arguments_of(frame, node)
    if name == "union":
        arguments = [_flat(frame, one, node) for one in arguments]
    refuse_stars(frame, arguments, node)
    least, most = _ARGUMENTS.get(name, (0, 0))
    if names or not least <= len(arguments) <= most:
        raise frame.refusal(node, f"{frame.text(node)}: {name} takes other arguments")
    return _READERS[name](frame, Asked(owner, name, arguments, node))


def _what(frame: Frame, kind: Type) -> str:
    """Return which methods a container has."""
    if isinstance(kind, Tuple) or (isinstance(kind, Sequence) and kind.kind is tuple):
        return "tuple"
    if isinstance(kind, Sequence):
        return "deque" if kind.kind is collections.deque else "list"
    if is_set(frame, kind):
        return "set"
    if isinstance(kind, Mapping):
        if kind.kind is Bag:
            return "bag"
        return "counter" if kind.kind is collections.Counter else "dict"
    if isinstance(kind, Ref) and frame.schema.is_array(kind):
        return "array"
    if isinstance(kind, Ref) and frame.schema.is_bag(kind):
        return "bag" if isinstance(frame.schema.node(kind), Bag) else "bag of records"
    return "seq"


Reader = Callable[[Frame, Asked], Expression]


def _algebra(frame: Frame, call: Asked) -> Expression:
    result = call.owner
    if not call.arguments:
        return _copied(frame, call)
    for other in call.arguments:
        other = as_set(frame, other, call.node, result)
        result = combined(frame, _ALGEBRA[call.name], result, other, call.node)
    return result


def _flat(frame: Frame, value: Expression, node: ast.AST) -> Expression:
    """Return what all sets of a list have, which is given by a star."""
    if not (isinstance(value, Apply) and value.name == "starred"):
        return value
    over = iterable(frame, value.arguments[0], node)
    element = element_type(frame, element_type(frame, over.type))
    return Apply(Stream(element), "flattened", (over,))


def as_set(frame: Frame, value: Expression, node: ast.AST, owner: Expression) -> Expression:
    """Return any values as a set, as the methods of another set take them."""
    if is_of_state(frame, value.type) and not is_of_state(frame, owner.type):
        # It goes over a set of the state, which has no numbers below 0, as over any values.
        return Gather(Members(member_type(frame, element_type(frame, value.type))), value)
    if is_set(frame, value.type):
        return value
    over = iterable(frame, value, node)
    return Gather(Members(member_type(frame, element_type(frame, over.type))), over)


def _subset(frame: Frame, call: Asked) -> Expression:
    other = as_set(frame, call.arguments[0], call.node, call.owner)
    sign = "le" if call.name == "issubset" else "ge"
    return ordered(frame, sign, call.owner, other, call.node)


def _disjoint(frame: Frame, call: Asked) -> Expression:
    other = as_set(frame, call.arguments[0], call.node, call.owner)
    both = combined(frame, "and_", call.owner, other, call.node)
    return Compare(BOOL, "eq", both, Make(Members(element_type(frame, both.type)), ()))


def _copied(frame: Frame, call: Asked) -> Expression:
    kind = call.owner.type
    return Copy(frame.schema.value(kind) if isinstance(kind, Ref) else kind, call.owner)


def _found(frame: Frame, call: Asked) -> Expression:
    # That they can be compared is checked as it is for `in`.
    contains(frame, call.arguments[0], call.owner, call.node)
    return Apply(Number(0), call.name, (call.owner, call.arguments[0]))


def _got(frame: Frame, call: Asked) -> Expression:
    key, *defaults = call.arguments
    default = defaults[0] if defaults else constant(None)
    try:
        return lookup(call.owner, _mapping(call), key, default)
    except NoJoinError:
        raise frame.refusal(
            call.node, f"{frame.text(call.node)} gives values of several kinds", "use one kind"
        ) from None


def _mapping(call: Asked) -> Mapping:
    """Return the type of a dictionary, whose methods these are."""
    kind = call.owner.type
    return kind if isinstance(kind, Mapping) else Mapping(kind, kind)


def _viewed(frame: Frame, call: Asked) -> Expression:
    kind = _mapping(call)
    element = {"values": kind.value, "items": Tuple((kind.key, kind.value))}.get(call.name)
    return Apply(Stream(element or kind.key), call.name, (call.owner,))


def _totalled(frame: Frame, call: Asked) -> Expression:
    return Apply(Number(), "total", (call.owner,))


_READERS: dict[str, Reader] = {
    **dict.fromkeys(_ALGEBRA, _algebra), **dict.fromkeys(("issubset", "issuperset"), _subset),
    "isdisjoint": _disjoint, "copy": _copied, "index": _found, "count": _found, "get": _got,
    **dict.fromkeys(("keys", "values", "items", "elements"), _viewed), "total": _totalled,
}  # fmt: skip

_ANY_NUMBER = 99
_ARGUMENTS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(_ALGEBRA, (0, _ANY_NUMBER)), "get": (1, 2),
    **dict.fromkeys(("issubset", "issuperset", "isdisjoint", "index", "count"), (1, 1)),
}  # fmt: skip
"""How many arguments the methods take that take any."""


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
    kinds = [*(constant(one).type for one in options), default.type]
    return Lookup(joined(frame, kinds, node), owner, arguments[0], default)
