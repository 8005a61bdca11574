"""Detects changes of what a model's code reads outside of the state during a search."""

from __future__ import annotations

import dis
import inspect
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import CellType, CodeType, FunctionType, SimpleNamespace
from typing import Any

from .errors import about, is_users
from .purity import is_declared_pure, own_attributes

_DATA = (
    bool, bytes, float, int, str, type(None), tuple, frozenset, bytearray, deque, dict, list, set,
)  # fmt: skip

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
        for name, look in _read_by(function):
            value = look()
            if is_declared_pure(value):
                continue
            self._add(own_attributes(value).get("__wrapped__", value))
            if isinstance(value, _DATA) or _has_data(value):
                self._places.append(
                    _Place(function, name, look, frozenset(own_attributes(value)), _written(value))
                )


def _read_by(function: FunctionType) -> Iterator[tuple[str, Look]]:
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
    """Whether a value is a function, or a user's class or object, with attributes."""
    if isinstance(value, (FunctionType, SimpleNamespace)):
        return True
    kind = value if isinstance(value, type) else type(value)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and is_users(file)


def _kept(value: object) -> frozenset[str]:
    """Return the attributes of an object that cached properties keep, and would find again."""
    kept = set()
    for name in own_attributes(value):
        declared = inspect.getattr_static(type(value), name, None)
        if isinstance(declared, cached_property):
            # One that fails now was kept by something else.
            with suppress(Exception):
                if _written(declared.func(value)) == _written(own_attributes(value)[name]):
                    kept.add(name)
    return frozenset(kept)


def _written(value: object, without: Collection[str] = ()) -> str:
    """Return a value, or the data in its attributes, as text that differs once it has changed."""
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__} {sorted(map(repr, value))}"
    if isinstance(value, _DATA):
        return f"{type(value).__name__} {value!r}"
    hidden = {name for name in own_attributes(value) if name.startswith("_")} - _DEFAULTS
    hidden = hidden.union(without)
    parts = {name: part for name, part in own_attributes(value).items() if name not in hidden}
    return repr({name: _written(part) for name, part in parts.items() if isinstance(part, _DATA)})
