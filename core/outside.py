"""Detects changes of what a model's code reads outside of the state during a search."""

from __future__ import annotations

import dis
import inspect
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from itertools import chain
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

from .errors import about, is_users
from .purity import is_declared_pure, own_attributes

_DATA = (
    bool, bytes, float, int, str, type(None), tuple, frozenset, bytearray, deque, dict, list, set,
    MappingProxyType,
)  # fmt: skip

_PLAIN = (bool, bytes, complex, float, int, str, type(None))

_PLAIN_KINDS = frozenset(_PLAIN)

_HOLDERS = (FunctionType, MethodType, SimpleNamespace, partial)
"""Classes of Python whose objects hold data, beside those of collections."""

_DEFAULTS = {"_field_defaults"}
"""What a named tuple that is made with fewer arguments holds."""

_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
"""Instructions that name a variable of the module."""

Look = Callable[[], object]
"""Returns the present value of a name."""


@dataclass
class _Place:
    """A name that a function reads, with what it stood for when that was last accepted.

    ``had`` are the attributes that its object had then.
    """

    function: FunctionType
    name: str
    look: Look
    had: frozenset[str]
    before: str


class Outside:
    """The data outside of the state that functions of a model read, as of the start of the search.

    Parameters
    ----------
    functions
        Actions, predicates and the other functions that a search calls.
    """

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        self._seen: set[int] = set()
        self._places: list[_Place] = []
        for function in functions:
            self._add(function)

    def refuse_writes(self) -> None:
        """Refuse data that has changed since.

        Raises
        ------
        ModelError
            If a variable of a module or of an enclosing function, or a default has changed: a step
            then depends on the steps that were tried before.
        """
        for place in self._places:
            value = place.look()
            now = _written(value)
            if now == place.before:
                continue
            if _written(value, _kept(value) - place.had) != place.before:
                raise about(
                    place.function,
                    f"{place.name} changed while the model was searched: what an action or a "
                    "property writes must be a variable of the state",
                )
            place.before, place.had = now, frozenset(own_attributes(value))

    def _add(self, function: object) -> None:
        if not isinstance(function, FunctionType) or id(function) in self._seen:
            return
        if is_declared_pure(function):
            return
        self._seen.add(id(function))
        if not is_users(function.__code__.co_filename):
            return
        for name, look in read_by(function):
            value = look()
            if is_declared_pure(value):
                continue
            self._add(own_attributes(value).get("__wrapped__", value))
            if isinstance(value, _DATA) or _has_data(value):
                self._places.append(
                    _Place(function, name, look, frozenset(own_attributes(value)), _written(value))
                )


def read_by(function: FunctionType) -> Iterator[tuple[str, Look]]:
    """Yield the names that a function reads and that are not local to it."""
    space = function.__globals__
    for name in _names(function.__code__):
        if name in space:
            yield name, lambda name=name: space.get(name)  # type: ignore[misc]
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, lambda cell=cell: _content(cell)  # type: ignore[misc]
    for value in function.__defaults__ or ():
        yield f"a default of {function.__name__}", lambda value=value: value  # type: ignore[misc]


def _names(code: CodeType) -> set[str]:
    """Return the module's names that code, or code nested in it, reads or writes."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    steps = dis.get_instructions(code)
    return {str(step.argval) for step in steps if step.opname in _GLOBAL}.union(*inner)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _has_data(value: object) -> bool:
    """Whether a value is a user's function, class or object, or a library's that holds data."""
    if isinstance(value, BuiltinMethodType):
        return not isinstance(value.__self__, ModuleType)
    if isinstance(value, _HOLDERS):
        return True
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__ == "collections" or _is_of_user(kind)


def _is_of_user(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and is_users(file)


def _kept(value: object) -> frozenset[str]:
    """Return the attributes of an object that cached properties keep, and would find again."""
    kept = set()
    for name in own_attributes(value):
        if _is_cached(type(value), name):
            declared = inspect.getattr_static(type(value), name)
            # One that fails now was kept by something else.
            with suppress(Exception):
                if _written(declared.func(value)) == _written(own_attributes(value)[name]):
                    kept.add(name)
    return frozenset(kept)


def _is_cached(kind: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(kind, name, None), cached_property)


def _written(value: object, without: Collection[str] = frozenset()) -> str:
    """Return all data in a value as text that differs once some of it has changed.

    Parameters
    ----------
    without
        Attributes of the value that are left out.
    """
    return repr(_shape(value, without, {}))


def _shape(value: Any, without: Collection[str] | None, seen: dict[int, object]) -> object:
    """Return the data in a value and in what it holds, each object once."""
    if isinstance(value, _PLAIN):
        return value
    name = type(value).__name__
    if id(value) in seen:
        return name
    seen[id(value)] = value
    parts = list(_data_in(value, without))
    if not _PLAIN_KINDS.issuperset(map(type, parts)):
        parts = [_shape(part, None, seen) for part in parts]
    return name, sorted(map(repr, parts)) if isinstance(value, (set, frozenset)) else parts


def _data_in(value: Any, without: Collection[str] | None) -> Iterable[object]:
    """Return what a value holds that may be, or hold, data."""
    if isinstance(value, (dict, MappingProxyType)):
        return chain.from_iterable(value.items())
    if isinstance(value, (tuple, frozenset, bytearray, deque, list, set)):
        return value
    if isinstance(value, partial):
        return (value.func, value.args, value.keywords)
    if isinstance(value, (MethodType, BuiltinMethodType)):
        return (value.__self__,)
    if isinstance(value, Enum):
        return (value.value,)
    if isinstance(value, FunctionType):
        if is_declared_pure(value) or not is_users(value.__code__.co_filename):
            return ()
        held = (value.__defaults__, value.__kwdefaults__, *map(_content, value.__closure__ or ()))
        return (*held, *_attributes(value, without))
    return _attributes(value, without) if _has_data(value) else ()


def _attributes(value: object, without: Collection[str] | None) -> list[object]:
    """Return the attributes of an object, but for private ones.

    Parameters
    ----------
    without
        Those that are left out, too; None for what cached properties keep.
    """
    kind = type(value)
    if without is None:
        without = {name for name in own_attributes(value) if _is_cached(kind, name)}
    slots = {
        name: getattr(value, name, None)
        for base in kind.__mro__
        for name in vars(base).get("__slots__", ())
        if isinstance(inspect.getattr_static(kind, name, None), MemberDescriptorType)
    }
    attributes = slots | dict(own_attributes(value))
    return [
        part
        for name, part in attributes.items()
        if name not in without and (name in _DEFAULTS or not name.startswith("_"))
    ]
