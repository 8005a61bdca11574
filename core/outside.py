"""Detects changes of what a model's code reads outside of the state during a search."""

from __future__ import annotations

import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from itertools import chain
from types import (
    BuiltinMethodType,
    CellType,
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
from .sources import global_names

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

Look = Callable[[], object]
"""Returns the present value of a name."""


@dataclass
class _Place:
    """A name that a function reads, with what it stood for at the start."""

    function: FunctionType
    name: str
    look: Look
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
            if _written(place.look()) != place.before:
                raise about(
                    place.function,
                    f"{place.name} changed while the model was searched: what an action or a "
                    "property writes must be a variable of the state",
                )

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
                self._places.append(_Place(function, name, look, _written(value)))


def read_by(function: FunctionType) -> Iterator[tuple[str, Look]]:
    """Yield the names that a function reads and that are not local to it."""
    space = function.__globals__
    for name in set(global_names(function.__code__)):
        if name in space:
            yield name, lambda name=name: space.get(name)  # type: ignore[misc]
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, lambda cell=cell: _content(cell)  # type: ignore[misc]
    for value in function.__defaults__ or ():
        yield f"a default of {function.__name__}", lambda value=value: value  # type: ignore[misc]


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


def _written(value: object) -> str:
    """Return all data in a value as text that differs once some of it has changed."""
    return repr(_shape(value, {}))


def _shape(value: Any, seen: dict[int, object]) -> object:
    """Return the data in a value and in what it holds, each object once."""
    if isinstance(value, _PLAIN):
        return value
    name = type(value).__name__
    if id(value) in seen:
        return name
    seen[id(value)] = value
    parts = list(_data_in(value))
    if not _PLAIN_KINDS.issuperset(map(type, parts)):
        parts = [_shape(part, seen) for part in parts]
    return name, sorted(map(repr, parts)) if isinstance(value, (set, frozenset)) else parts


def _data_in(value: Any) -> Iterable[object]:
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
        return (*held, *_attributes(value))
    return _attributes(value) if _has_data(value) else ()


def _attributes(value: object) -> list[object]:
    """Return the attributes of an object, but for private ones and what cached properties keep.

    The getter of a cached property is read, and a write to what it keeps is refused there.
    """
    kind = type(value)
    slots = {
        name: getattr(value, name, None)
        for base in kind.__mro__
        for name in vars(base).get("__slots__", ())
        if isinstance(inspect.getattr_static(kind, name, None), MemberDescriptorType)
    }
    return [
        part
        for name, part in (slots | dict(own_attributes(value))).items()
        if (name in _DEFAULTS or not name.startswith("_"))
        and not isinstance(inspect.getattr_static(kind, name, None), cached_property)
    ]
