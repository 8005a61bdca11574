"""Reads calls of Python's built-in functions: what they return, and what they depend on."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.fields import Record
from .comparisons import is_nothing, mismatch, shortened
from .contents import add_mapping
from .notes import ANEW, TIES
from .operators import as_text
from .values import (
    ANYTHING,
    NOTHING,
    NUMBER,
    TEXT,
    TRUTH,
    Group,
    Items,
    Known,
    Number,
    Object,
    Place,
    Text,
    Unknown,
    Value,
    either,
    forgotten,
    is_number,
    is_stable,
    is_unordered,
    is_unstable,
    joined,
    kind_of,
    marked,
    options,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

Arguments = Sequence[Value]
Names = Mapping[str, Value]


class BuiltIns:
    """Reads the calls of built-in functions in one function."""

    def __init__(self, expressions: Expressions, calls: Calls) -> None:
        self.expressions, self.body, self.calls = expressions, expressions.body, calls

    def call(self, name: str, arguments: Arguments, named: Names, node: ast.AST) -> Value | None:
        """Return what a built-in function returns; None if nothing is known of it."""
        if name in _GATHERED:
            return self._gathered(_GATHERED[name], arguments[:1], node)
        if name in _SURELY:
            return _SURELY[name]
        method = getattr(self, f"_{name}", None)
        if method is None:
            return None
        result: Value = method(arguments, named, node)
        return result

    def _any(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        for value in arguments:
            self.expressions.as_truth(node, self.expressions.elements(value, node, ordered=False))
        return TRUTH

    _all = _any

    def _bool(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        for value in arguments:
            self.expressions.as_truth(node, value)
        return TRUTH

    def _isinstance(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        kinds = self.expressions.comparisons.members(arguments[1]) or arguments[1:]
        if wrong := next(filter(None, (mismatch(arguments[0], kind) for kind in kinds)), ""):
            self.body.find(node, f"{shortened(node)}: it {wrong}")
        return TRUTH

    def _sum(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        element = (
            self.expressions.elements(arguments[0], node, ordered=False) if arguments else None
        )
        if element is None or is_number(element):
            return NUMBER
        self.expressions.elements(arguments[0], node)
        return forgotten(element, *arguments[1:])

    def _sorted(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        group = self.expressions.site(node, "list")
        for value in arguments[:1]:
            element = self._compared(value, named, node)
            group.add(element)
            self._each(named.get("key"), element, node)
        return group

    def _min(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        if len(arguments) != 1:
            self._each(named.get("key"), either(arguments), node)
            return either(arguments) or ANYTHING
        element = self._compared(arguments[0], named, node)
        self._each(named.get("key"), element, node)
        return joined(element, named.get("default")) or ANYTHING

    _max = _min

    def _compared(self, value: Value, named: Names, node: ast.AST) -> Value | None:
        """Return any of the elements to sort: equal ones keep the order they had."""
        element = self.expressions.elements(value, node, ordered=False)
        has_order = element is None or all(map(_has_order, options(element)))
        if is_unordered(value) and ("key" in named or not has_order):
            self.body.find(node, f"{shortened(node)}: {TIES}")
        return element

    def _each(self, function: Value | None, element: Value | None, node: ast.AST) -> Value:
        if function is None or (isinstance(function, Known) and function.value is None):
            return element or ANYTHING
        return self.calls.invoke(function, [element or ANYTHING], {}, node)

    def _float(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        # One that is made of a text may be a NaN.
        return Object(float) if all(map(is_number, arguments)) else Unknown()

    def _bytearray(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        group = self._gathered("list", (), node)
        group.add(NUMBER)
        return group

    def _gathered(self, kind: str, arguments: Arguments, node: ast.AST) -> Group:
        group = self.expressions.site(node, kind)
        for value in arguments:
            group.add(self.expressions.elements(value, node, ordered=False))
            group.blur(value)
        return group

    def _dict(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        group = self.expressions.site(node, "dict")
        for value in arguments:
            element = self.expressions.elements(value, node, ordered=False)
            if isinstance(element, Items):
                group.add(element.items[-1], element.items[0])
            elif not add_mapping(group, value):
                group.add(forgotten(element or ANYTHING), forgotten(element or ANYTHING))
            group.blur(value)
        for name, value in named.items():
            group.add(value, TEXT)
            if name == "**":
                group.blur(value)
        return group

    def _range(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return Group("tuple", NUMBER)

    def _enumerate(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        element = self.expressions.elements(arguments[0], node) if arguments else None
        return Group("iter", Items((NUMBER, element or ANYTHING)))

    def _zip(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        results = [self.expressions.elements(value, node) or ANYTHING for value in arguments]
        return Group("iter", Items(tuple(results)))

    def _map(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        sources = arguments[1:]
        several = len(sources) > 1
        results = [self.expressions.elements(value, node, ordered=several) for value in sources]
        group = self.expressions.site(node, "iter")
        group.add(self.calls.invoke(arguments[0], [one or ANYTHING for one in results], {}, node))
        for value in sources:
            group.blur(value)
        return group

    def _filter(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        element = self.expressions.elements(arguments[1], node, ordered=False)
        if is_nothing(arguments[0]):
            self.expressions.as_truth(node, element)
        self._each(arguments[0], element, node)
        return self._gathered("iter", arguments[1:], node)

    def _reduce(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        element = self.expressions.elements(arguments[1], node)
        start = joined(element, either(arguments[2:])) or ANYTHING
        first = self.calls.invoke(arguments[0], [start, element or ANYTHING], {}, node)
        both = joined(first, start) or ANYTHING
        result = self.calls.invoke(arguments[0], [both, element or ANYTHING], {}, node)
        return joined(result, start) or ANYTHING

    def _globals(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        function = self.body.function
        return Known(function.__globals__) if function else ANYTHING

    def _next(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        element = self.expressions.elements(arguments[0], node) if arguments else None
        return joined(element, either(arguments[1:])) or ANYTHING

    def _divmod(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return Items((NUMBER, NUMBER)) if all(map(is_number, arguments)) else ANYTHING

    def _round(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return NUMBER if len(arguments) == 1 else ANYTHING

    def _abs(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return NUMBER if arguments and is_number(arguments[0]) else ANYTHING

    def _hash(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        here = getattr(self.body.source.node, "name", "")
        # A __hash__ may be asked of another one; who relies on it is refused.
        within = here == "__hash__"
        if any(is_unstable(one) if within else not is_stable(one) for one in arguments):
            self.body.find(
                node,
                f"{ast.unparse(node)} {ANEW}: only numbers, and tuples of "
                "numbers, have the same hash everywhere",
            )
        return NUMBER

    def _str(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return self._as_text(arguments, node, True)

    def _repr(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        return self._as_text(arguments, node, False)

    def _as_text(self, arguments: Arguments, node: ast.AST, written: bool) -> Value:
        for value in arguments:
            as_text(self.expressions, value, node, written)
        return marked(TEXT, any(map(self.expressions.is_state, arguments)))

    def _super(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        above = self.calls.objects.above(self.body)
        if len(arguments) == 2 and isinstance(arguments[0], Known):
            above = Object(arguments[0].value.__mro__[1])
        if self.calls.reader.in_language:
            # A rule has no super at all, which is said of it.
            return above
        if isinstance(above, Object) and issubclass(above.kind, Record):
            name = "" if above.kind is Record else above.kind.__name__
            repair = f"call {name}.METHOD(self)" if name else "leave it out"
            self.body.find(node, f"super() does not work in a record; {repair}")
        return above

    _format, _ascii = _str, _repr

    def _type(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        one = arguments[0] if len(arguments) == 1 else ANYTHING
        if isinstance(one, Known):
            return Known(type(one.value))
        kind = _KINDS.get(one.kind) if isinstance(one, Group) else kind_of(one)
        return ANYTHING if kind is None else Known(kind)

    def _getattr(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        owner, name = arguments[0], arguments[1] if len(arguments) > 1 else ANYTHING
        if isinstance(name, Known) and isinstance(name.value, str):
            results = self.expressions.attribute(node, owner, name.value)  # type: ignore[arg-type]
            return joined(results, either(arguments[2:])) or ANYTHING
        if any(isinstance(one, Known) for one in options(owner)):
            self.body.find(
                node, f"{ast.unparse(node)} cannot be read: its name is known only while it runs"
            )
        return Unknown(isinstance(owner, Place))

    def _setattr(self, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        for one in options(arguments[0]):
            if isinstance(one, Place):
                self.body.wrote(node, one, "", either(arguments[1:]) or ANYTHING)
            elif isinstance(one, Known):
                self.body.find(node, f"{ast.unparse(node)} writes what outlives the call")
        return NOTHING


def _has_order(value: Value) -> bool:
    """Whether of two such values that differ one is surely less: of two sets none may be."""
    if isinstance(value, Known):
        return _is_ordered(value.value)
    if isinstance(value, Items):
        return all(_has_order(one) for item in value.items for one in options(item))
    if isinstance(value, Group):
        elements = options(value.element) if value.element is not None else ()
        return value.kind in ("list", "tuple") and all(map(_has_order, elements))
    if isinstance(value, Object):
        return value.kind in _COMPARED
    # What a library returns is taken for numbers or texts.
    return isinstance(value, (Number, Text, Unknown))


def _is_ordered(value: object) -> bool:
    """Whether a known value has an order: a NaN has none, and a class of the model another one."""
    if type(value) is tuple:
        return all(map(_is_ordered, value))
    return type(value) in _COMPARED and value == value


_GATHERED = {
    "list": "list", "tuple": "tuple", "set": "set", "frozenset": "set", "iter": "iter",
    "reversed": "iter",
}  # fmt: skip
"""The functions that return the elements of what they get, and the kind of that group."""

_SURELY: dict[str, Value] = {"len": NUMBER, "object": Object(object), "print": NOTHING}
"""What some functions return, whatever they get."""

_KINDS = {"list": list, "tuple": tuple, "set": set, "dict": dict}

_COMPARED = (bool, int, float, str, bytes, type(None))
