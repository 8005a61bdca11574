"""Reads calls: of the model's own functions, and of those that are known to be pure."""

from __future__ import annotations

import ast
from contextlib import suppress
from enum import Enum
from functools import partial
from inspect import unwrap
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, assert_never

from ...core.containers import Bag, Ordered, Set
from ...core.fields import Record
from ...language.methods import MUTATING
from .builtins import Arguments, Names
from .comparisons import (
    MADE_OF_CONSTANTS,
    is_nothing,
    is_set,
    of_constants,
    refuse_parts,
    shortened,
)
from .contents import add_mapping, as_group
from .declared import annotation, declared_result
from .held import functions_in
from .listed import BY_ITSELF, OF_PLACES, Listed, changes_itself
from .notes import EVERYTHING, LOST, ORDER, STATE
from .operators import as_text
from .published import is_exception
from .values import (
    ANYTHING,
    NOTHING,
    NUMBER,
    TEXT,
    TRUTH,
    Bound,
    Element,
    Group,
    Items,
    Known,
    Local,
    Made,
    Number,
    Object,
    Place,
    Unknown,
    Value,
    catches_everything,
    either,
    forgotten,
    is_number,
    is_record,
    is_text,
    is_unordered,
    joined,
    marked,
    may_change,
    options,
    parts_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions


class Calls:
    """Reads the calls of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.body = expressions, expressions.body
        self.reader, self.objects = expressions.reader, expressions.objects
        self.listed = Listed(expressions, self)

    def call(self, node: ast.Call) -> Value:
        """Return what a call may return."""
        callee = self.expressions.callee(node.func)
        arguments: list[Value] = []
        for part in node.args:
            value = self.expressions.value(part)
            if isinstance(part, ast.Starred) and isinstance(value, Items):
                arguments += value.items
            elif isinstance(part, ast.Starred):
                arguments.append(self.expressions.elements(value, part) or ANYTHING)
            else:
                arguments.append(value)
        named = {part.arg or "**": self.expressions.value(part.value) for part in node.keywords}
        before = len(self.body.effects)
        result = self.invoke(callee, arguments, named, node)
        replaced = [one for effect in self.body.effects[before:] for one in effect.replaces]
        if replaced:
            what = f"{ast.unparse(node)} replaces an element of an array"
            self.body.refuse_old_names(node, replaced, what, "use .assign(...)")
        return result

    def invoke(self, callee: Value, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        """Return what the call of a value may return; that of None is an error, and returns not."""
        callees = [one for one in options(callee) if not is_nothing(one)]
        results = [self._invoked(one, arguments, named, node) for one in callees]
        return marked(either(results) or ANYTHING, callee.history and not isinstance(callee, Bound))

    def _invoked(self, callee: Value, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        if isinstance(callee, Known):
            return self._known(callee.value, arguments, named, node)
        if isinstance(callee, Local):
            return self.reader.local(self.body, callee, arguments, named)
        if isinstance(callee, Bound):
            if callee.function is not None:
                return self.reader.call(
                    self.body, callee.function, [callee.owner, *arguments], named
                )
            return self.method(callee, arguments, named, node)
        if isinstance(callee, Object):
            method = self.objects.of_class(self.body, node, callee, callee.kind, "__call__")
            if isinstance(method, Bound) and method.function is not None:
                return self._invoked(method, arguments, named, node)
        function = node.func if isinstance(node, ast.Call) else None
        if not isinstance(function, ast.Attribute) or function.attr in MUTATING:
            self.reader.writes_unseen = True
        self.read_all(arguments, named)
        return forgotten(callee, *arguments, *named.values())

    def read_all(self, arguments: Arguments, named: Names) -> None:
        """Read functions that are passed on: whoever has them may call them, with anything."""
        for value in (*arguments, *named.values()):
            for one in options(value):
                if isinstance(one, Known) and self.objects.is_read(one.value):
                    self.reader.later(one.value)
                elif isinstance(one, Known):
                    self.objects.meetings.pass_on(one.value)
                elif isinstance(one, Bound) and one.name in MUTATING:
                    self.reader.writes_unseen = True
                elif isinstance(one, Local):
                    self.reader.local(self.body, one, None, {})

    def _known(self, callee: Any, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        if self.reader.trusts(callee):
            return self._declared(callee, arguments, named)
        if callee is suppress and any(map(catches_everything, arguments)):
            self.body.find(node, f"this {EVERYTHING}")
        remembered = callee
        if self.objects.is_memoised(callee):
            self.body.refuse_outside(node, shortened(node), "a function with a cache")
        callee = self.objects.unwrapped(self.body, node, callee, arguments)
        if callee is not remembered:
            result = self._known(callee, arguments, named, node)
            for one in options(result):
                if isinstance(one, Group):
                    one.shared = True
                if any(isinstance(part, Made) for part in (one, *parts_of(one))):
                    # Whoever writes to that record writes to what outlives the call.
                    self.reader.writes_unseen = True
                elif isinstance(one, Object) and changes_itself(one.kind):
                    what = f"{ast.unparse(node)} is remembered, and changes by its methods"
                    self.body.find(node, f"{what}; {STATE}")
            return result
        if callee is assert_never or annotation(callee) in ("NoReturn", "Never"):
            self.body.over = True
        if isinstance(callee, MethodType):
            of = Known(callee.__self__)
            return self._known(callee.__func__, [of, *arguments], named, node)
        if isinstance(callee, partial):
            self.objects.refuse_parts(self.body, node, callee)
            keywords = {name: Known(value) for name, value in callee.keywords.items()}
            first = [Known(value) for value in callee.args]
            return self._known(callee.func, [*first, *arguments], {**keywords, **named}, node)
        if isinstance(callee, FunctionType) and self.objects.is_read(callee):
            return self.reader.call(self.body, callee, arguments, named)
        if isinstance(callee, type):
            return self._made(callee, arguments, named, node)
        called = self.objects.of_class(self.body, node, Known(callee), type(callee), "__call__")
        if isinstance(called, Bound) and called.function is not None:
            return self._invoked(called, arguments, named, node)
        owner = getattr(callee, "__self__", None)
        if not isinstance(owner, (type(None), type, ModuleType)) and callee.__name__ in MUTATING:
            self.body.find(node, f"{ast.unparse(node)} writes what outlives the call; {STATE}")
        if type(owner) in _BUILT_IN:
            bound = Bound(callee.__name__, Known(owner))
            return self.method(bound, arguments, named, node)
        if getattr(callee, "__name__", "") == "__getitem__" and owner is not None:
            return self.objects.item(self.body, node, owner, either(arguments) or ANYTHING)
        self.objects.refuse_unlisted(self.body, node, callee)
        self.objects.meetings.meet(callee)
        results = [
            self.reader.call(self.body, function, arguments, named)
            for function in functions_in(callee)
            if self.objects.is_read(function)
        ]
        if results:
            # A wrapper, such as one by singledispatch, makes something of what these return.
            return forgotten(*results)
        return self.listed.call(callee, arguments, named, node)

    def _declared(self, callee: Any, arguments: Arguments, named: Names) -> Value:
        """Return what a function that is declared pure returns; it may read all arguments.

        What it does is tried instead of read, but for what it declares to return.
        """
        self.read_all(arguments, named)
        plain = unwrap(callee)
        if self.objects.is_read(plain):
            self.body.objections += self.reader.answers_of(plain, arguments, named)
        values = (*arguments, *named.values())
        history = any(value.history or self.expressions.is_state(value) for value in values)
        return marked(declared_result(plain), history)

    def _made(self, kind: type, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        """Return an instance of a class."""
        if issubclass(kind, Record):
            refuse_parts(self.body, kind, named, node)
            return Made(kind, any(v.history for v in (*arguments, *named.values())))
        if kind.__module__ == "builtins" and not is_exception(kind):
            self.objects.refuse_unlisted(self.body, node, kind)
            return self.listed.call(kind, arguments, named, node)
        if kind in MADE_OF_CONSTANTS and (made := of_constants(kind, arguments, named)):
            return made
        if self.reader.loads and issubclass(kind, Enum) and any(map(is_unordered, arguments)):
            self.body.find(node, f"{shortened(node)}: {ORDER}")
        if issubclass(kind, int):
            if not issubclass(kind, Enum):
                code = f"{_named(kind)}(...)"
                self.body.refuse_outside(node, code, "a number of a class of the model")
            self.objects.meetings.meet(kind)
            return Number(kind, any(value.history for value in arguments))
        if issubclass(kind, Enum):
            # It returns one of the members, which are there already.
            self.objects.meetings.meet(kind)
            return either(map(Known, kind)) or Object(kind)
        if group := self._collected(kind, arguments, named, node):
            return group
        if is_exception(kind) and not self.objects.is_own(kind):
            for value in arguments:
                as_text(self.expressions, value, node)
            return Object(kind)
        if not self.objects.is_own(kind):
            self.objects.refuse_unlisted(self.body, node, kind)
            return self.listed.call(kind, arguments, named, node)
        if not self.objects.is_framework(kind):
            code = f"{_named(kind)}(...)"
            self.body.refuse_outside(node, code, "an object of a class of the model")
        self.objects.constructed(self.body, node, kind, arguments, named)
        for value in (*arguments, *named.values()):
            if self.objects.hides_order(value):
                self.body.find(node, f"{_named(kind)}(...): {LOST}")
        # An object that is made of the state may show what it holds, under any name.
        every = (*arguments, *named.values())
        return Object(kind, any(v.history or self.expressions.is_state(v) for v in every))

    def _collected(
        self, kind: type, arguments: Arguments, named: Names, node: ast.AST
    ) -> Group | None:
        """Return an instance of a class of the module collections."""
        of = {"deque": "list", "Counter": "dict", "OrderedDict": "dict", "defaultdict": "dict"}
        if kind.__module__ != "collections" or kind.__name__ not in of:
            return None
        self.objects.refuse_unlisted(self.body, node, kind)
        group = self.expressions.site(node, of[kind.__name__])
        self.read_all(arguments, named)
        if kind.__name__ == "Counter":
            for value in arguments:
                group.add(NUMBER, self.expressions.elements(value, node, ordered=False))
        if kind.__name__ == "defaultdict" and arguments:
            # A key that is looked up is there from then on.
            [factory, *arguments] = arguments
            if factory != Known(None):
                group.add(self._invoked(factory, [], {}, node), ANYTHING)
        self._unite(group, arguments, named, node)
        return group

    def method(self, bound: Bound, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        """Return what a method of a built-in class or of a container returns."""
        owner, name = bound.owner, bound.name
        history = owner.history or any(value.history for value in (*arguments, *named.values()))
        if isinstance(owner, (Place, Element, Made)):
            return self._of_container(owner, name, arguments, node)
        self.read_all(arguments, named)
        if name in BY_ITSELF:
            return marked(self.listed.special(name, [owner], node), history)
        if isinstance(owner, Known) and self.objects.holds_order(owner.value):
            self.body.find(node, f"{shortened(node)}: {LOST}")
        if is_text(owner):
            self.body.refuse_outside(node, shortened(node), "a method of a text")
            if name == "join":
                self.expressions.elements(arguments[0] if arguments else ANYTHING, node)
            if name == "format":
                for value in arguments:
                    as_text(self.expressions, value, node)
            return marked(_of_text(name), history)
        group = as_group(self.expressions, owner)
        if name in MUTATING and not isinstance(owner, Group):
            self.reader.writes_unseen = True
        moves = name in MUTATING and not is_set(owner) and any(map(is_unordered, arguments))
        if self.reader.loads and moves:
            self.body.find(node, f"{shortened(node)}: {ORDER}")
        if name in MUTATING and (isinstance(owner, Known) or (group and group.shared)):
            self.body.find(node, f"{ast.unparse(node)} writes what outlives the call; {STATE}")
        if isinstance(owner, Known) and isinstance(owner.value, dict):
            group = Group(
                "dict",
                either(map(Known, owner.value.values())),
                either(map(Known, owner.value)),
                owner.unordered,
            )
        if group is not None:
            return marked(self._of_group(group, name, arguments, named, node), history)
        if is_number(owner):
            return Number(int, history)
        return Unknown(history)

    def _of_container(
        self, owner: Place | Element | Made, name: str, arguments: Arguments, node: ast.AST
    ) -> Value:
        """Return what a method of a set, a bag or a sequence of the state returns."""
        declared = owner.declared
        if name in ("index", "count", "remove", "discard", "__contains__"):
            for value in arguments[:1]:
                self.expressions.comparisons.refuse_member(node, value, owner)
        history = owner.history or any(value.history for value in arguments)
        kind = OF_PLACES.get(name)
        if kind is None or kind == "taken":
            value = either(arguments) or NOTHING
            if isinstance(owner, Place) and isinstance(node, ast.Call) and name in _STORING:
                self.body.refuse_changes(node, node.args if may_change(value) else [])
            if isinstance(owner, Place):
                self.body.wrote(node, owner, name, value)
            elif isinstance(owner, Element):
                self.body.find(
                    node,
                    f"{ast.unparse(node)} writes a value that was read from a sequence; write it "
                    "in its place, s.sequence[i] = ...",
                )
            if kind is None:
                return NOTHING
        if kind in ("taken", "element"):
            if is_record(declared) and issubclass(declared, Ordered):
                element = self.expressions.elements(owner, node)
                if isinstance(element, Element) and kind == "taken":
                    return Made(element.declared, history)
                return marked(element or ANYTHING, history)
            return Number(int, history)
        if kind == "set" and is_record(declared) and issubclass(declared, (Set, Bag)):
            return Group("set", Number(int, history), history=history)
        return marked({"number": NUMBER, "truth": TRUTH}.get(kind or "", ANYTHING), history)

    def _of_group(
        self, group: Group, name: str, arguments: Arguments, named: Names, node: ast.AST
    ) -> Value:
        """Return what a method of a list, a set or a dictionary returns."""
        elements = self.expressions.elements
        if name in MUTATING:
            group.blur(Unknown(self.body.depends or any(value.history for value in arguments)))
            self.body.written += group.kind == "list"
        if name in ("append", "add", "appendleft"):
            group.add(arguments[0] if arguments else ANYTHING)
        elif name == "insert":
            group.add(arguments[-1] if arguments else ANYTHING)
        elif name == "__setitem__":
            group.add(either(arguments[1:]) or ANYTHING, either(arguments[:1]))
        elif name in _UNITING:
            target = group if name in MUTATING else self._copied(group)
            self._unite(target, arguments, named, node)
            return NOTHING if target is group and not name.startswith("__") else target
        elif name in ("copy", "intersection", "difference"):
            return self._copied(group)
        elif name in ("pop", "popleft", "popitem"):
            if name == "popitem":
                elements(group, node)
            source = group if group.kind != "dict" else Group("iter", group.element)
            return joined(elements(source, node), either(arguments[1:2])) or ANYTHING
        elif name == "sort" and "key" not in named:
            group.unordered = False
        elif name == "sort":
            elements(group, node)
        elif name in ("get", "setdefault"):
            for value in arguments[:1]:
                keys = Group("list", group.key)
                self.expressions.comparisons.refuse_member(node, value, keys)
            if name == "setdefault" and len(arguments) > 1:
                group.add(arguments[1], arguments[0])
            return (
                joined(group.element, arguments[1] if len(arguments) > 1 else NOTHING) or ANYTHING
            )
        elif name in ("keys", "values", "items"):
            key, value = group.key or ANYTHING, group.element or ANYTHING
            element = {"keys": key, "values": value, "items": Items((key, value))}[name]
            return Group("iter", element, unordered=group.unordered)
        elif name in ("most_common", "elements"):
            elements(group, node)
        elif name in ("index", "count", "__len__"):
            for value in arguments[:1]:
                self.expressions.comparisons.refuse_member(node, value, group)
            if name == "index":
                elements(group, node)
            return NUMBER
        elif name.startswith("is"):
            return TRUTH
        elif name not in MUTATING and name not in ("__contains__", "__missing__"):
            self._refuse_order((group, *arguments), node)
        return NOTHING if name in MUTATING else ANYTHING

    def _unite(self, group: Group, arguments: Arguments, named: Names, node: ast.AST) -> None:
        """Add the elements of what a method gets to a group."""
        for value in arguments:
            element = self.expressions.elements(value, node, ordered=False)
            if group.kind != "dict":
                group.add(element)
            elif not add_mapping(group, value):
                group.add(forgotten(element or ANYTHING), forgotten(element or ANYTHING))
            group.blur(value)
        for value in named.values():
            group.add(value, TEXT)

    def _refuse_order(self, values: Arguments, node: ast.AST) -> None:
        """Refuse a method that may show the order of its owner, or of what it gets."""
        if any(map(self.objects.hides_order, values)):
            self.body.find(node, f"{shortened(node)}: {ORDER}")

    @staticmethod
    def _copied(group: Group) -> Group:
        return Group(group.kind, group.element, group.key, group.unordered, group.history)


_BUILT_IN = (list, dict, set, frozenset, tuple, str, int, bytes)


_STORING = frozenset({"add", "append", "appendleft", "insert"})
"""Methods that store what they get, and not only what is in it."""

_UNITING = frozenset({
    "extend", "update", "extendleft", "union", "symmetric_difference", "__iadd__", "__ior__",
    "__or__", "__add__",
})  # fmt: skip
"""Methods that add the elements of what they get."""


def _named(value: Any) -> str:
    return str(getattr(value, "__name__", type(value).__name__))


def _of_text(name: str) -> Value:
    if name in ("split", "rsplit", "splitlines"):
        return Group("list", TEXT)
    if name in ("partition", "rpartition"):
        return Items((TEXT, TEXT, TEXT))
    if name.startswith(("is", "startswith", "endswith")):
        return TRUTH
    return NUMBER if name in ("count", "find", "index", "rfind", "rindex") else TEXT
