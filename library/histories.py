"""Which histories a property reads: found from its code, so that no declaration can lack one.

A history is part of the state only if a requested property reads it.  Which variable is which
history is declared where its range is: a limit that reads ``k.track_committed`` belongs to the
history ``committed``.

What code reads: the names in it and in whatever it can call, found without running it.

A function reaches the functions that it names, those in its closure, its defaults and the
containers, objects and classes that it names, and those functions reach others.  The compiled code
is read, not the source.  Which part of the state a name belongs to is not asked: a name counts
wherever it stands.  Code that may read what it does not name, such as ``getattr`` with a computed
name, is said to read everything, and so is whatever cannot be read here.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from functools import cache, cached_property
from gc import get_referents
from inspect import unwrap
from opcode import opmap
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from ..core.asserting import is_users_code
from ..core.fields import Array, Record, declared_parts
from ..core.origins import Origin, located
from ..core.sources import global_names, is_own
from ..core.spec import Property, TransitionSystem
from ..model.protocol import TRACK, Protocol, histories_of

_OWN = {
    "core", "checker", "library", "commands", "gate", "render", "brokers", "diff", "mutate",
    "explain", "conform",
}  # fmt: skip
"""Parts of this package that no model belongs to: they read only what they are given."""

_PLAIN = {
    "_abc", "_bisect", "_collections", "_collections_abc", "_functools", "_heapq", "_operator",
    "abc", "bisect", "builtins", "collections", "dataclasses", "enum", "fractions", "functools",
    "heapq", "itertools", "math", "numbers", "operator", "reprlib", "types", "typing",
}  # fmt: skip
"""Modules of Python whose functions read no attribute by a computed name, but for those below."""

_READS_ANYTHING: set[object] = {
    getattr, vars, dir, eval, exec, compile, globals, locals, __import__,
    operator.attrgetter, operator.methodcaller,
}  # fmt: skip

_WRITES_TEXT: set[object] = {str, repr, ascii, format, print}
"""What may show the whole state, so that a text depends on all of it."""

_HARMLESS = {"__class__", "__doc__", "__len__", "__module__", "__name__", "__qualname__"}

_IMPORTS = {opmap["IMPORT_NAME"]}

_FORMATS = {
    opmap[name]
    for name in ("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "BUILD_INTERPOLATION")
    if name in opmap
}

_ASSERTS = {
    (opmap[name], 0) for name in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT") if name in opmap
}

_ATOMS = (str, bytes, int, float, complex, range, type(None), type(Ellipsis), type(NotImplemented))


@dataclass
class Reached:
    """What some code reads.

    Attributes
    ----------
    names
        The names in it, of whatever, and its texts that may be such a name.
    anything
        Whether it may read what it does not name.
    texts
        Whether it makes texts, which may show all that it is given.
    asserts
        Whether some of it is a user's and raises an ``AssertionError``.
    """

    names: set[str] = field(default_factory=set)
    anything: bool = False
    texts: bool = False
    asserts: bool = False


def reached(roots: Iterable[object], owners: Iterable[type], rules: object = None) -> Reached:
    """Return what some functions read, and all that they can call.

    Parameters
    ----------
    owners
        The classes of the values that they receive, whose methods are called by their names.
    rules
        The rules, which are called by their names, too.
    """
    walk = _Walk(list(owners), rules)
    walk.todo.extend(roots)
    while walk.todo:
        walk.visit(walk.todo.pop())
    return walk.known


class _Walk:
    """A walk through functions and whatever holds them."""

    def __init__(self, owners: list[type], rules: object) -> None:
        self.known = Reached()
        self.todo: list[Any] = []
        self._received: list[dict[str, Any]] = [{} if rules is None else vars(rules)]
        for owner in owners:
            methods = (
                (name, one) for name, one in vars(owner).items() if isinstance(one, _METHODS)
            )
            self._received.append(dict(methods))
        self._seen: dict[int, object] = {}

    def visit(self, value: Any) -> None:
        """Add what a value reads, and put what it holds on the list."""
        if isinstance(value, _ATOMS) and not isinstance(value, Enum):
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, BuiltinFunctionType):
            self._judge(value)
            self.todo.append(value.__self__)
        elif not isinstance(value, ModuleType):
            # What an iterator or a method of C holds cannot be seen.
            kind = type(value)
            self.known.anything |= kind.__module__ == "builtins" and kind not in _TRANSPARENT
            self.todo += [kind, *get_referents(value)]

    def _function(self, function: FunctionType) -> None:
        """Follow a function: what it holds, and the names in its code, unless it is plain."""
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # A cell may be empty still.
                self.todo.append(cell.cell_contents)
        self.todo += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        self.todo += vars(function).values()
        where, part = _place_of(function.__code__.co_filename)
        if where == "Python":
            self.known.anything |= part not in _PLAIN
        elif where == "followed":
            self._code(function.__code__, function.__globals__, function.__doc__)

    def _code(self, code: CodeType, there: Mapping[str, Any], doc: str | None = None) -> None:
        """Add the names in some code, and in the functions inside, and follow what they name."""
        operations = set(code.co_code[::2])
        self.known.anything |= bool(_IMPORTS & operations)
        self.known.texts |= bool(_FORMATS & operations)
        self.known.asserts |= _asserts(code) and is_users_code(code, there)
        names = set(code.co_names)
        for constant in _flat(code.co_consts):
            if isinstance(constant, CodeType):
                self._code(constant, there)
            elif isinstance(constant, str):
                self.known.names.update(constant.split("."))
                self.known.texts |= "%" in constant and constant != doc
        self.known.names |= names
        hidden = (one for one in names if one[:2] == one[-2:] == "__" and one not in _HARMLESS)
        self.known.anything |= any(hidden)
        self.known.texts |= "format" in names
        self._named(set(global_names(code)), names, there)
        for name in names:
            self.todo += (held[name] for held in self._received if name in held)

    def _named(self, first: set[str], names: set[str], there: Mapping[str, Any]) -> None:
        """Follow what names stand for in a module, and in the modules that these name."""
        modules = {id(there): there}
        todo = [there, vars(builtins)]
        while todo:
            known = todo.pop()
            for name in first if known is there or known is vars(builtins) else names:
                value = known[name] if name in known else _lazily(known, name)
                if not isinstance(value, ModuleType):
                    self.todo.append(value)
                elif id(vars(value)) not in modules:
                    modules[id(vars(value))] = vars(value)
                    todo.append(vars(value))

    def _class(self, kind: type) -> None:
        """Follow the functions of a class, but not those that a dataclass was given."""
        self._judge(kind)
        self.todo.append(type(kind))
        for base in kind.__mro__:
            for value in () if _is_pythons(base.__module__) else vars(base).values():
                code = getattr(unwrap(value), "__code__", None) if callable(value) else None
                generated = is_dataclass(base) and code and code.co_filename == "<string>"
                if not generated and not isinstance(value, _OF_C):
                    self.todo.append(value)

    def _judge(self, value: Any) -> None:
        """Note what a function or a class of Python may read."""
        self.known.anything |= value in _READS_ANYTHING
        self.known.texts |= value in _WRITES_TEXT
        module = value.__module__ or ""
        self.known.anything |= _is_pythons(module) and module.partition(".")[0] not in _PLAIN


def _asserts(code: CodeType) -> bool:
    """Whether code has an assertion, or names what one raises."""
    operations = {*zip(code.co_code[::2], code.co_code[1::2], strict=True)}
    return bool(_ASSERTS & operations) or AssertionError.__name__ in code.co_names


_TRANSPARENT = {
    dict, list, tuple, set, frozenset, MappingProxyType,
    MethodType, MethodWrapperType, property, staticmethod, classmethod,
}  # fmt: skip
"""Built-in classes of whose objects the garbage collector knows all that they hold."""

_METHODS = (FunctionType, staticmethod, classmethod, property, cached_property)

_OF_C = (
    ClassMethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
"""What is in a class and written in C: it is called with what it reads."""


def _flat(constants: Iterable[object]) -> Iterator[object]:
    """Yield constants, and those in tuples and sets of them."""
    for constant in constants:
        if isinstance(constant, (tuple, frozenset)):
            yield from _flat(constant)
        else:
            yield constant


def _lazily(module: Mapping[str, Any], name: str) -> Any:
    """Return what a module imports when it is asked for; None if it has no such name."""
    if "__getattr__" in module and name in module.get("__all__", ()):
        return getattr(sys.modules[module["__name__"]], name)
    return None


def _is_pythons(module: str) -> bool:
    """Whether a module is Python's own."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return module in sys.modules and (file is None or _place_of(file)[0] == "Python")


@cache
def _place_of(file: str) -> tuple[str, str]:
    """Return whether code of a file is followed, of this package or Python's, and its part."""
    whose, path = located(file)
    part = path.parts[0].removesuffix(".py") if path.parts else ""
    if whose is Origin.TIDEGATE:
        return ("package" if part in _OWN else "followed"), part
    return ("Python" if whose is Origin.PYTHON or not file else "followed"), part


_LIMITS = ("low", "high", "length")


def asserts(protocol: Protocol) -> bool:
    """Whether the actions of a protocol may fail an assertion of a user's."""
    state: Any = protocol.state or protocol.model.declaration
    received = (*_records(state), *protocol.model.bounds.__mro__[:-1])
    actions = [action.apply for action in protocol.actions]
    if all(_is_ours(one) for one in (state, *actions, *vars(protocol.rules).values())):
        return False
    return reached(actions, received, protocol.rules).asserts


def _is_ours(value: Any) -> bool:
    """Whether a function or a class is of this package."""
    return not callable(value) or not is_own(value)


def every_history(protocol: Protocol) -> frozenset[str]:
    """Return the histories that the states of a protocol can keep."""
    return frozenset(name.removeprefix(TRACK) for name in histories_of(protocol.model.bounds))


def histories(prop: Property, protocol: Protocol) -> frozenset[str]:
    """Return the histories that a property of a protocol reads.

    Code that may read what it does not name, such as ``getattr`` with a computed name, reads all
    of them.  What ``explain`` and ``places`` read counts as well, unless they ask ``k.track_...``
    whether it is there.
    """
    model = protocol.model
    tracked = histories_of(model.bounds)
    if not tracked:
        return frozenset()
    state: Any = protocol.state or model.declaration
    received = (*_records(state), *model.bounds.__mro__[:-1])
    decides = reached((prop.witness or prop.predicate, prop.premise), received, protocol.rules)
    tells = reached((prop.explain, prop.places), received, protocol.rules)
    if decides.anything or decides.texts or tells.anything:
        return every_history(protocol)
    kept = kept_with(state, model.bounds)
    needed = {name for name in tracked if name in decides.names}
    for names, mentioned in ((decides.names, set()), (tells.names, tells.names)):
        # Some variables are there with any of several histories.
        for variable, tracks in sorted(kept.items(), key=lambda one: len(one[1])):
            if variable in names and needed.isdisjoint(tracks) and mentioned.isdisjoint(tracks):
                needed.add(tracks[0])
    return frozenset(name.removeprefix(TRACK) for name in needed)


def names_of_history(protocol: Protocol) -> Collection[str]:
    """Return the variables that a state holds only with some history, and the switches of these."""
    model = protocol.model
    tracked = histories_of(model.bounds)
    if not tracked:
        return ()
    state: Any = protocol.state or model.declaration
    return (*kept_with(state, model.bounds), *tracked)


def keeps_histories(system: TransitionSystem[Any, Any], prop: Property, protocol: Protocol) -> bool:
    """Whether the states of a protocol's system have the histories that a property reads."""
    return all(getattr(system.constants, TRACK + name) for name in histories(prop, protocol))


@cache
def kept_with(state: type, constants: type) -> Mapping[str, tuple[str, ...]]:
    """Return for each variable that is history the switches with any of which it is kept."""
    kept = {}
    for name, part in declared_parts(state).items():
        limits = [getattr(one, limit, None) for one in (part, *_parts(part)) for limit in _LIMITS]
        names = reached(limits, constants.__mro__[:-1]).names
        if tracks := tuple(track for track in histories_of(constants) if track in names):
            kept[name] = tracks
    return kept


@cache
def _records(state: type) -> tuple[type, ...]:
    """Return the classes of the records of a state, and those that they are derived from."""
    kinds = {state: None}
    for part in _parts(state):
        kinds |= dict.fromkeys(part.__mro__) if isinstance(part, type) else {}
    return tuple(kind for kind in (*state.__mro__, *kinds) if issubclass(kind, Record))


def _parts(part: object, within: tuple[object, ...] = ()) -> Iterable[object]:
    """Yield what a part of a declaration consists of, also if it is a part of itself."""
    inner: Iterable[object] = ()
    if isinstance(part, Array):
        inner = (part.element,)
    elif isinstance(part, type):
        inner = declared_parts(part).values()
    for one in inner:
        yield one
        if not any(one is outer for outer in within):
            yield from _parts(one, (*within, one))
