"""Objects that exist before the model runs: what they are, and whether its code may use them.

Has functions read that no code names: what Python may call on the objects that a model uses.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from inspect import getattr_static
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from ...core.fields import Record
from ...core.origins import is_library
from ...language import table
from ...language.forms import Outside
from ...language.names import MISSING, Where, found, looked_up
from .contents import CONTAINERS, MOST_PARTS, any_of, has_plain_text, is_wrapper, parts_in
from .held import LOADING, PLAIN, attributes_of, by_itself, functions_in, held, making, names_in
from .notes import LOST, Part
from .published import (
    ONLY,
    SAME_EVERYWHERE,
    WITHIN,
    is_exception,
    is_pure,
    is_steady,
    reads,
    unlisted,
)
from .values import (
    ANYTHING,
    NUMBER,
    TEXT,
    Bound,
    Element,
    Known,
    Made,
    Number,
    Object,
    Place,
    Value,
    hides_order,
    holds_order,
    kind_of,
    marked,
    options,
    parts_of,
)

if TYPE_CHECKING:
    from .body import Body
    from .reader import Reader


_OF_CLASSES = ("__class_getitem__",)


class Meetings:
    """Reads each object of the model's own, once, when it is met for the first time."""

    def __init__(self, objects: Objects) -> None:
        self._objects, self._reader = objects, objects.reader
        self._met: dict[object, object] = {}

    def meet(self, value: object) -> None:
        """Read what may be called of an object, and of all that it holds."""
        for one in held(value, self._is_end):
            kind = type(one)
            if self._is_end(one):
                continue
            if isinstance(one, FunctionType):
                self._reader.later(one)
            elif issubclass(kind, type):
                self._of_class(one)  # type: ignore[arg-type]
            elif self._objects.is_own(kind):
                self.instance(kind, Known(one))

    def pass_on(self, value: object) -> None:
        """Read what a library may call of a class or an object that it gets: any method."""
        kind: type = value if isinstance(value, type) else type(value)
        if self._objects.is_framework(kind) or issubclass(kind, Record):
            return
        if self._objects.is_own(kind):
            for name, attribute in attributes_of(kind):
                for function in () if name in LOADING else functions_in(attribute):
                    self._reader.later(function)

    def _is_end(self, value: object) -> bool:
        """Whether an object is Tidegate's, or declared pure."""
        return self._objects.is_framework(type(value)) or self._reader.trusts(value)

    def instance(self, kind: type, owner: Value) -> None:
        """Read what Python may call by itself on an instance of a class."""
        key = kind, owner
        if key in self._met or issubclass(kind, Record):
            return
        self._met[key] = key
        for function in by_itself(kind):
            self._reader.later(function, owner)
        self._of_class(kind)

    def _of_class(self, kind: type) -> None:
        """Read what Python may call by itself on a class, and what the class holds."""
        if kind in self._met or self._objects.is_framework(kind) or not self._objects.is_own(kind):
            return
        self._met[kind] = kind
        self._reader.unresolved.update(names_in(kind))
        for name in _OF_CLASSES:
            for function in functions_in(getattr_static(kind, name, None)):
                self._reader.later(function, Known(kind))
        for function in making(kind):
            self._reader.later(function, Object(kind))
        for function in by_itself(type(kind)):
            self._reader.later(function, Known(kind))
        self.instance(kind, Object(kind))
        for _, attribute in attributes_of(kind):
            if not isinstance(attribute, (FunctionType, staticmethod, classmethod)):
                self.meet(attribute)


_MEMOISED = type(functools.cache(lambda: None))

_PACKAGE = __name__.partition(".")[0]
_OURS = tuple(f"{_PACKAGE}.{room}." for room in ("core", "checker"))


class Objects:
    """What the code of a model may do with objects that exist already."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.meetings = Meetings(self)
        self._fine: dict[int, object] = {}
        self._remembered: dict[object, Any] = {}
        self._ordered: dict[int, tuple[object, bool]] = {}

    def is_read(self, value: Any) -> bool:
        """Whether a function is one that can be read: the model's code, not a library's."""
        if not isinstance(value, FunctionType):
            return False
        file = value.__code__.co_filename
        if is_ours(value) or is_library(file):
            return False
        return file != "<string>" or value.__module__ == "__main__"

    def mention(self, body: Body, node: ast.expr, value: Any) -> None:
        """Refuse an object that no model may use, and read functions that it may call."""
        if isinstance(value, PLAIN) or id(value) in self._fine or self.reader.loads:
            return
        why = self.refused(value)
        if why:
            body.find(node, f"{ast.unparse(node)} {why}")
        else:
            self._fine[id(value)] = value
            self.meetings.meet(value)

    def refused(self, value: Any) -> str:
        """Return why a model may not use an object; empty if it may."""
        for count, part in enumerate(parts_in(value)):
            if count == MOST_PARTS:
                break
            if why := self._part_refused(part):
                name = getattr(part, "__name__", "") if part is not value else ""
                return f"has {name}, which {why}" if name else why
        return ""

    def _part_refused(self, value: Any) -> str:
        if isinstance(value, (*PLAIN, *CONTAINERS, ModuleType)):
            return ""
        if self.reader.trusts(value):
            return ""
        if isinstance(value, _MEMOISED):
            value = value.__wrapped__
        if isinstance(value, MethodType):
            return self._part_refused(value.__func__) or self._part_refused(value.__self__)
        if isinstance(value, functools.partial):
            parts = (value.func, *value.args, *value.keywords.values())
            return next(filter(None, map(self._part_refused, parts)), "")
        if self.is_read(value):
            self.reader.later(value)
            return ""
        if is_wrapper(value):
            return ""
        if isinstance(value, type):
            return "" if self.is_own(value) or is_pure(value) else unlisted(value)
        if callable(value) and not self.is_own(type(value)):
            return "" if is_ours(value) or is_pure(value) else unlisted(value)
        if issubclass(type(value), Iterator):
            return f"is an iterator, and what it gives next depends on earlier steps; {ONLY}"
        kind = type(value)
        return "" if self.is_own(kind) or is_steady(kind) else unlisted(value)

    @staticmethod
    def is_framework(kind: type) -> bool:
        """Whether a class is one of Tidegate's."""
        return kind.__module__.partition(".")[0] == _PACKAGE

    def is_own(self, kind: type) -> bool:
        """Whether a class is defined by the model, or by Tidegate for models."""
        file = _file_of(kind.__module__)
        if self.is_framework(kind) or issubclass(kind, (Record, Enum)):
            return True
        if file is None:
            return kind.__module__ == "__main__"
        own = not is_library(file)
        if own:
            self.reader.classes.add(kind)
        return own

    def refuse_unlisted(self, body: Body, node: ast.AST, value: Any) -> None:
        """Refuse the call of what is neither read, nor on the list, nor declared pure."""
        if self.reader.trusts(value) or is_ours(value) or is_wrapper(value):
            return
        if not is_pure(value):
            body.find(node, f"{_callee(node)} {unlisted(value)}")
        elif self.reader.in_language and not (is_exception(value) or table.has(value)):
            name = getattr(value, "__name__", type(value).__name__)
            body.find(node, Outside(node, name, table.repair(value)).text)

    def refuse_parts(self, body: Body, node: ast.AST, value: functools.partial[Any]) -> None:
        """Refuse the call of a partial function that holds what no model may use."""
        if why := self._part_refused(value):
            body.find(node, f"{_callee(node)} {why}")

    @staticmethod
    def is_memoised(callee: object) -> bool:
        """Whether a function keeps what it returned before."""
        return isinstance(callee, _MEMOISED)

    def unwrapped(self, body: Body, node: ast.AST, callee: Any, arguments: Sequence[Value]) -> Any:
        """Return the function that a memoised one calls; its arguments must be values."""
        if not isinstance(callee, _MEMOISED):
            return callee
        for value in arguments:
            if any(isinstance(one, (Place, Element, Made)) for one in options(value)):
                body.find(
                    node,
                    f"{ast.unparse(node)} is remembered for the record itself, whose values "
                    "change; pass numbers to a memoised function",
                )
        if not callee.cache_parameters()["typed"]:
            for place, value in enumerate(arguments):
                self._refuse_alike(body, node, (id(callee), place), value)
        return callee.__wrapped__

    def _refuse_alike(self, body: Body, node: ast.AST, place: object, value: Value) -> None:
        """Refuse an argument that a memoised function takes for an equal one of another class."""
        is_fraction = isinstance(value, Object) and value.kind is float
        kind = float if is_fraction else kind_of(value)
        known = self._remembered.setdefault(place, kind)
        if kind and known and kind is not known:
            body.find(
                node,
                f"{ast.unparse(node)} gets a {kind.__name__}, and elsewhere a {known.__name__}: "
                "a memoised function takes equal ones for the same; write cache(typed=True)",
            )

    def name(self, body: Body, node: ast.Name) -> Value:
        """Return the object of a name that is not local."""
        function = body.function
        if function is None:
            return ANYTHING
        where, value = found(function, node.id)
        if where is Where.MODULE:
            if node.id in WITHIN or node.id == "__name__":
                body.find(node, f"{node.id} depends on where the file lies; {ONLY}")
            file = function.__code__.co_filename
            varies = self.reader.loaded(file, function.__globals__, node.id)
            # What no model may use is refused where it is used.
            if varies and (isinstance(value, CONTAINERS) or not self.refused(value)):
                body.objections += varies
            return Known(value, unordered=self.reader.is_unordered(file, node.id))
        if node.id == "__debug__":
            body.find(node, f"__debug__ is another one under python -O; {ONLY}")
        if where is Where.BUILTINS:
            # A model's file imports by a function of Tidegate's, which is __import__ all the same.
            value = getattr(builtins, node.id, value)
        return ANYTHING if value is MISSING else Known(value)

    def attribute(self, body: Body, node: ast.expr, value: Any, name: str) -> Value:
        """Return an attribute of an object."""
        file = str(vars(value).get("__file__")) if isinstance(value, ModuleType) else ""
        if file and not is_library(file):
            body.objections += self.reader.loaded(file, vars(value), name)
        if isinstance(value, (ModuleType, type)):
            attribute = inspect.getattr_static(value, name, MISSING)
            if isinstance(attribute, property):
                return ANYTHING
            attribute = getattr(value, name, MISSING)
            if isinstance(value, ModuleType) and not callable(attribute):
                self._refuse_variable(body, node, value.__name__, name)
            return ANYTHING if attribute is MISSING else Known(attribute)
        if isinstance(value, (str, bytes, *CONTAINERS)) and type(value).__module__ in _BUILT_IN:
            return Bound(name, Known(value))
        if isinstance(value, _MEMOISED) and name == "cache_info":
            body.find(node, f"{ast.unparse(node)} counts earlier calls; {ONLY}")
        # Whether a history is kept depends on the properties that are checked.
        history = name in self.reader.histories
        return marked(self.of_class(body, node, Known(value), type(value), name), history)

    @staticmethod
    def _refuse_variable(body: Body, node: ast.AST, module: str, name: str) -> None:
        """Refuse a variable of a module that is not the same in every process."""
        if (what := reads(module, name)) and (module, name) not in SAME_EVERYWHERE:
            body.find(node, f"{ast.unparse(node)} {what}; {ONLY}")

    def of_class(self, body: Body, node: ast.AST, owner: Value, kind: type, name: str) -> Value:
        """Return an attribute of an instance of a class."""
        attribute = inspect.getattr_static(kind, name, MISSING)
        getter = attribute.func if isinstance(attribute, functools.cached_property) else None
        getter = attribute.fget if isinstance(attribute, property) else getter
        if isinstance(getter, FunctionType) and self.is_read(getter):
            with self.reader.reading(Part.OTHER if isinstance(owner, Known) else self.reader.part):
                return self.reader.call(body, getter, [owner], {})
        if isinstance(attribute, (staticmethod, classmethod)):
            return Known(getattr(kind, name))
        if isinstance(attribute, FunctionType):
            return Bound(name, owner, attribute) if self.is_read(attribute) else Bound(name, owner)
        if isinstance(owner, Known):
            try:
                return Known(getattr(owner.value, name))
            except Exception:  # noqa: BLE001 - it is the model's code, and fails when it runs
                return ANYTHING
        if attribute is not MISSING and not hasattr(attribute, "__get__"):
            return Known(attribute)
        # Those of a built-in class do what the built-in functions do.
        return Bound(name, owner) if name in ("__hash__", "__repr__", "__str__") else ANYTHING

    def constructed(
        self,
        body: Body,
        node: ast.AST,
        kind: type,
        arguments: Sequence[Value],
        named: Mapping[str, Value],
    ) -> None:
        """Read what the construction of an instance runs."""
        made = Object(kind)
        for field in getattr(kind, "__dataclass_fields__", {}).values():
            if why := self.refused(field.default_factory):
                body.find(node, f"the default of {kind.__name__}.{field.name} {why}")
        for function in making(kind):
            self.reader.call(body, function, [made, *arguments], named)
        self.meetings.instance(kind, made)

    def above(self, body: Body) -> Value:
        """Return what ``super()`` gives in a method."""
        function = body.function
        here: Any = looked_up(function, "__class__")
        if function is None or here is MISSING:
            return ANYTHING
        own = body.variables.get(function.__code__.co_varnames[0], ANYTHING)
        kind = own.kind if isinstance(own, Object) else here
        kind = type(own.value) if isinstance(own, Known) else kind
        order = kind.__mro__ if here in kind.__mro__ else here.__mro__
        return Object(order[order.index(here) + 1])

    def item(self, body: Body, node: ast.AST, value: Any, index: Value) -> Value:
        """Return an element of an object by its index."""
        at: Any = index.value if isinstance(index, Known) else MISSING
        if isinstance(value, defaultdict) and at not in value:
            text = f"{ast.unparse(node)} may add a key to a defaultdict that outlives the call"
            body.find(node, f"{text}; write .get(...)")
        elif isinstance(value, (list, tuple, dict, str, range)) and at is not MISSING:
            try:
                return Known(value[at])
            except (LookupError, TypeError):
                return ANYTHING
        if isinstance(value, type):
            return self.elements(body, value) or ANYTHING if issubclass(value, Enum) else ANYTHING
        if isinstance(value, (dict, MappingProxyType)):
            return any_of(value.values()) or ANYTHING
        if isinstance(value, (list, tuple, deque, str, range)):
            return self.elements(body, value) or ANYTHING
        method = self.of_class(body, node, Known(value), type(value), "__getitem__")
        if isinstance(method, Bound) and method.function is not None:
            return self.reader.call(body, method.function, [Known(value), index], {})
        if self.holds_order(value):
            body.find(node, f"{ast.unparse(node)}: {LOST}")
        return ANYTHING

    def holds_order(self, value: object) -> bool:
        """Whether an object holds a set whose order differs from process to process."""
        if isinstance(value, PLAIN):
            return False
        if id(value) not in self._ordered:
            self._ordered[id(value)] = value, holds_order(value)
        return self._ordered[id(value)][1]

    def hides_order(self, value: Value) -> bool:
        """Whether a value holds a set of which one could not see any more that it is one."""
        kinds = [
            part.kind for part in (*options(value), *parts_of(value)) if isinstance(part, Object)
        ]
        within = (one for kind in kinds if self.is_own(kind) for _, one in attributes_of(kind))
        return hides_order(value) or any(map(self.holds_order, within))

    def elements(self, body: Body, value: Any) -> Value | None:
        """Return any element of an object; None if it has none."""
        if isinstance(value, str):
            return TEXT
        if isinstance(value, range):
            return NUMBER
        if isinstance(value, type) and issubclass(value, Enum):
            return Number(value) if issubclass(value, int) else Object(value)
        if isinstance(value, (list, tuple, set, frozenset, deque, dict)):
            return any_of(value)
        return ANYTHING

    def has_address(self, value: Any, written: bool) -> bool:
        """Whether the text of an object has its address in memory, as :func:`has_plain_text`."""
        parts = [one for one in held(value, self.is_shown) if not isinstance(one, type)]
        return any(isinstance(one, FunctionType) for one in parts) or any(
            has_plain_text(type(one), written) for one in parts if self.is_own(type(one))
        )

    @classmethod
    def is_shown(cls, value: object) -> bool:
        """Whether the text of an object is not made of those that it holds."""
        kind = type(value)
        return cls.is_framework(kind) or not (is_dataclass(kind) or issubclass(kind, CONTAINERS))


def _callee(node: ast.AST) -> str:
    """Return the callee, as the source has it."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


@functools.cache
def _file_of(module: str) -> str | None:
    """Return the file of a module."""
    return getattr(sys.modules.get(module), "__file__", None)


_BUILT_IN = ("builtins", "collections")


def is_ours(value: Any) -> bool:
    """Whether a function or a class is a part of the framework, not of a model."""
    module = str(getattr(value, "__module__", "") or "")
    return f"{module}.".startswith(_OURS)
