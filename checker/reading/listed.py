"""Reads calls of functions that are on the list of pure ones, and of those that look like them.

What methods do: those of Python's containers, of a state's, and of the model's own classes.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.sources import source_of
from ...language.methods import FUNCTIONS, MUTATING
from .body import write
from .builtins import Arguments, BuiltIns, Names
from .comparisons import shortened
from .notes import ANEW, LOST, ORDER, STATE
from .operators import computed
from .values import (
    ANYTHING,
    NOTHING,
    TEXT,
    TRUTH,
    Items,
    Known,
    Number,
    Object,
    Unknown,
    Value,
    either,
    forgotten,
    joined,
    marked,
    parts_of,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions


OF_PLACES = {
    "at": "element", "pop": "taken", "popleft": "taken", "copied": "element",
    "index": "number", "count": "number", "__len__": "number", "__getitem__": "element",
    "issubset": "truth", "issuperset": "truth", "isdisjoint": "truth", "__contains__": "truth",
    "__eq__": "truth", "__le__": "truth", "union": "set", "intersection": "set",
    "difference": "set", "copy": "set",
}  # fmt: skip
"""What the methods of the state's containers return; whatever is not here writes."""

NUMBERS = frozenset({"int", "ord", "len", "hash", "bit_length", "bit_count", "countOf", "index"})
TRUTHS = frozenset({
    "bool", "callable", "contains", "eq", "ge", "gt", "hasattr", "is_", "is_not", "issubclass",
    "isclose", "le", "lt", "ne", "not_", "truth",
})  # fmt: skip
TEXTS = frozenset({"bin", "chr", "hex", "oct", "str", "repr", "ascii", "format", "dumps"})
"""Functions of the list, by what they return."""


def changes_itself(kind: type) -> bool:
    """Whether a method of a class, other than those that make an instance, writes to its owner."""
    for name, function in vars(kind).items():
        if not isinstance(function, FunctionType) or name in ("__init__", "__new__"):
            continue
        source = source_of(function)
        parts = ast.walk(source.node) if source else ()
        if any(map(_writes_to_owner, parts)):
            return True
    return False


def _writes_to_owner(node: ast.AST) -> bool:
    """Whether a part of a method assigns an attribute of an object, or changes what one holds."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, (ast.Store, ast.Del)) and isinstance(node.value, ast.Name)
    if isinstance(node, ast.Subscript):
        stored = isinstance(node.ctx, (ast.Store, ast.Del))
        return stored and isinstance(node.value, ast.Attribute)
    called = node.func if isinstance(node, ast.Call) else None
    held = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Attribute)
    return held and isinstance(called, ast.Attribute) and called.attr in MUTATING


CHANGE_FIRST = frozenset({
    "setitem", "delitem", "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod",
    "imul", "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "heappush", "heappop", "heapify",
    "heappushpop", "heapreplace", "insort", "insort_left", "insort_right", "register",
    "update_wrapper",
})  # fmt: skip
"""Functions that change what they get first, or what they belong to."""

WHOLE = frozenset({"floor", "ceil", "gcd", "lcm", "isqrt", "comb", "perm", "factorial"})
"""Functions of the module math that return an integer."""


UNMOVED = frozenset({
    "chain", "from_iterable", "cycle", "filterfalse", "permutations", "product", "repeat",
    "starmap", "tee",
})  # fmt: skip
"""Functions of itertools that give the same elements, whatever the order of what they get."""

KEEPS = frozenset({
    "MappingProxyType", "SimpleNamespace", "UserDict", "cast", "copy", "dataclass",
    "deepcopy", "defaultdict", "field", "mappingproxy", "partial", "replace",
})  # fmt: skip
"""Functions that keep a set as a set."""

PASSED = frozenset({"hash", "repr", "ascii", "format", "set", "frozenset"})
"""Built-in functions that depend on the hash or the address of what they get."""


class Listed:
    """Reads the calls of listed functions in one function."""

    def __init__(self, expressions: Expressions, calls: Calls) -> None:
        self.expressions, self.body, self.calls = expressions, expressions.body, calls
        self.built_in = BuiltIns(expressions, calls)

    def call(self, callee: Any, arguments: Arguments, named: Names, node: ast.AST) -> Value:
        """Return what a function of the list returns."""
        module, name = getattr(callee, "__module__", ""), getattr(callee, "__name__", "")
        every = (*arguments, *named.values())
        history = any(part.history for value in every for part in (value, *parts_of(value)))
        if name == dict.fromkeys.__name__ and arguments:
            group = self.expressions.site(node, "dict")
            key = self.expressions.elements(arguments[0], node, ordered=False)
            group.add(arguments[1] if len(arguments) > 1 else NOTHING, key)
            group.blur(arguments[0])
            return group
        if name in BY_ITSELF:
            owner = getattr(callee, "__self__", None)
            return self.special(name, arguments if owner is None else [Known(owner)], node)
        getter = _GETTERS.get(type(callee))
        if getter is not None and arguments:
            return getter(self, callee, arguments[0], node)
        if module in ("builtins", "_functools"):
            result = self.built_in.call(name, arguments, named, node)
            if result is not None:
                return marked(result, history)
        self.calls.read_all(arguments, named)
        # Whatever it is, it can read all that the state holds.
        history = history or any(map(self.expressions.is_state, every))
        if module == "itertools":
            asks = bool(arguments) and is_truth(arguments[0])
            for value in arguments[1:] if asks else ():
                element = self.expressions.elements(value, node, ordered=False)
                self.expressions.as_truth(node, element)
            return marked(self._iterator(arguments, node, name not in UNMOVED), history)
        if module == "math" and name in WHOLE:
            return Number(int, history)
        if module == "_operator" and (result := self._operator(callee, arguments, node)):
            return result
        if name in CHANGE_FIRST or (name in MUTATING and hasattr(callee, "__objclass__")):
            self._change(callee, arguments, node)
        if any(isinstance(one, Unknown) or is_mutable(one) for one in every):
            # What it returns may be, or hold, what outlives the call.
            self.calls.reader.writes_unseen = True
        loads = self.calls.reader.loads
        for value in every:
            if self.expressions.objects.hides_order(value):
                keeps = not loads or name in KEEPS
                self.body.find(node, f"{shortened(node)}: {LOST if keeps else ORDER}")
            passed = getattr(value.value, "__name__", "") if isinstance(value, Known) else ""
            if passed in PASSED and not loads:
                text = f"{shortened(node)} passes {passed} on, whose result {ANEW}; call it here"
                self.body.find(node, text)
        return marked(_result(module, name) or forgotten(*every), history)

    def special(self, name: str, arguments: Arguments, node: ast.AST) -> Value:
        """Return what a special method of a built-in class returns, as the function does."""
        return self.built_in.call(BY_ITSELF[name], arguments[:1], {}, node) or ANYTHING

    def _operator(self, callee: Any, arguments: Arguments, node: ast.AST) -> Value | None:
        """Refuse what an operator would be refused for, and return what it gives or calls."""
        name = getattr(callee, "__name__", "")
        if len(arguments) == 2 and (operator_ := FUNCTIONS.get(callee)) is not None:
            return computed(self.expressions, node, operator_, (arguments[0], arguments[1]))
        if name == "call" and arguments:
            return self.calls.invoke(arguments[0], arguments[1:], {}, node)
        if name in ("not_", "truth") and arguments:
            self.expressions.as_truth(node, arguments[0])
        if name in ("is_", "is_not", "eq", "ne") and len(arguments) == 2:
            left, right = arguments
            self.expressions.comparisons.refuse(node, left, right, name.startswith("is"))
        return None

    def _iterator(self, arguments: Arguments, node: ast.AST, ordered: bool) -> Value:
        group = self.expressions.site(node, "iter")
        results = [self.expressions.elements(value, node, ordered) for value in arguments]
        group.add(joined(either(results), Unknown()))
        for value in arguments:
            group.blur(value)
        return group

    def _change(self, callee: Any, arguments: Arguments, node: ast.AST) -> None:
        """Note that a call changes its first argument, or what a registration belongs to."""
        if callee.__name__ == "register":
            self.body.find(node, f"{ast.unparse(node)} writes what outlives the call; {STATE}")
        elif arguments:
            of = ast.Subscript(ast.Name("it"), node)  # type: ignore[arg-type]
            target = ast.copy_location(node, node) if isinstance(node, ast.expr) else of
            write(self.body, target, arguments[0], "", either(arguments[1:]) or NOTHING)

    def _attributes(self, callee: Any, owner: Value, node: Any) -> Value:
        """Return what ``attrgetter(...)`` returns."""
        results = []
        for dotted in callee.__reduce__()[1]:
            value = owner
            for name in dotted.split("."):
                value = self.expressions.attribute(node, value, name)
            results.append(value)
        return results[0] if len(results) == 1 else Items(tuple(results))

    def _items(self, callee: Any, owner: Value, node: Any) -> Value:
        """Return what ``itemgetter(...)`` returns."""
        results = [
            self.expressions.subscripted(node, owner, Known(item))
            for item in callee.__reduce__()[1]
        ]
        return results[0] if len(results) == 1 else Items(tuple(results))

    def _method(self, callee: Any, owner: Value, node: Any) -> Value:
        """Return what ``methodcaller(...)`` returns."""
        made, parts = callee.__reduce__()
        is_partial = isinstance(made, partial)
        name, *arguments = [*made.args, *parts] if is_partial else [*parts]
        named = {key: Known(value) for key, value in (made.keywords if is_partial else {}).items()}
        method = self.expressions.attribute(node, owner, name)
        return self.calls.invoke(method, [Known(one) for one in arguments], named, node)


def is_truth(value: Value) -> bool:
    """Whether a function is None or ``bool``, which ask for the truth of what they get."""
    return isinstance(value, Known) and (value.value is None or value.value is bool)


def is_mutable(value: Value) -> bool:
    """Whether a value is a container of the module that can change."""
    return isinstance(value, Known) and isinstance(value.value, (list, dict, set, bytearray))


BY_ITSELF = {"__hash__": "hash", "__repr__": "repr", "__str__": "str", "__format__": "str"}
"""Special methods, with the built-in function that does what they do."""

Getter = Callable[[Listed, Any, Value, ast.AST], Value]

_GETTERS: dict[type, Getter] = {
    operator.attrgetter: Listed._attributes,
    operator.itemgetter: Listed._items,
    operator.methodcaller: Listed._method,
}


def _result(module: str, name: str) -> Value | None:
    """Return what a listed function returns, whatever it is called with; None if it is unknown."""
    if module == "re" and name in ("match", "search", "fullmatch"):
        return either((Object(object), NOTHING)) or ANYTHING
    if name in NUMBERS:
        return Number(int)
    if name in TRUTHS:
        return TRUTH
    return TEXT if name in TEXTS else None
