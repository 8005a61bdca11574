"""What Python may call by itself, or whoever has an object: all that the object holds.

An operator, a format, a truth value, ``with``, ``match`` or a decorated name calls functions that
no code names.  Whichever of them Python takes, it is a function that an object or its class holds.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

PLAIN = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range,
    slice, Enum,
)  # fmt: skip
"""Classes of values that hold nothing to be called."""

MOST_HELD = 20_000
"""The most objects that are looked at in one."""

_ENDS = (ModuleType, type, CodeType, FrameType)
"""What is not looked into: a module or a class is not part of what refers to it."""

MAKING = ("__init__", "__new__", "__post_init__")
"""What runs before there is an instance."""

LOADING = ("__set_name__", "__init_subclass__", "__prepare__")
"""What runs while a class is made: no class is made while a model runs."""

_BY_NAME = ("__match_args__", "__slots__")


def held(
    value: object,
    ends: Callable[[object], bool] = lambda one: False,
    most: int | None = MOST_HELD,
) -> Iterator[object]:
    """Yield an object and everything that it holds, but for numbers and texts.

    Nothing of its own code runs, as ``getattr`` would have it.

    Parameters
    ----------
    ends
        Whether an object is not looked into.
    most
        The most objects that are looked at; None for all.
    """
    todo, seen = [value], dict[int, object]()
    while todo and (most is None or len(seen) < most):
        one = todo.pop()
        if id(one) in seen or issubclass(type(one), PLAIN):
            continue
        # It is kept, so that no other object gets its number.
        seen[id(one)] = one
        yield one
        if not ends(one):
            todo += inside(one)


def inside(value: object) -> Iterable[object]:
    """Return what an object holds itself."""
    if issubclass(type(value), _ENDS):
        return ()
    if isinstance(value, FunctionType):
        cells = (cell.cell_contents for cell in value.__closure__ or () if _is_full(cell))
        named = (value.__kwdefaults__ or {}).values()
        return chain(cells, value.__defaults__ or (), named, vars(value).values())
    return (one for one in gc.get_referents(value) if one is not type(value))


def functions_in(value: object) -> Iterator[FunctionType]:
    """Yield a function, or those that a property, a wrapper or another descriptor holds."""
    if isinstance(value, FunctionType):
        yield value
    elif not issubclass(type(value), PLAIN):
        yield from (one for one in held(value) if isinstance(one, FunctionType))


def by_itself(kind: type) -> Iterator[FunctionType]:
    """Yield what Python calls by itself with an instance of a class, as its first argument.

    These are special methods, properties and other descriptors, of the class and its bases, but for
    those that make an instance.
    """
    for name, attribute in attributes_of(kind):
        # Those of an enumeration, such as _missing_, have one underscore.
        is_special = name.startswith("_") and name.endswith("_")
        is_method = isinstance(attribute, (FunctionType, staticmethod, classmethod))
        if name in MAKING or name in LOADING:
            continue
        if is_special or (hasattr(type(attribute), "__get__") and not is_method):
            yield from functions_in(attribute)


def making(kind: type) -> Iterator[FunctionType]:
    """Yield the methods that make an instance of a class."""
    for name in MAKING:
        yield from functions_in(inspect.getattr_static(kind, name, None))


def attributes_of(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a class and its bases, as they are written."""
    bases = (base for base in type.mro(kind) if base.__module__ != "builtins")
    for name in sorted({name for base in bases for name in vars(base)}):
        yield name, inspect.getattr_static(kind, name)


def names_in(kind: type) -> Iterator[str]:
    """Yield the attributes that Python reads by name for a class."""
    for name in _BY_NAME:
        for one in getattr(kind, name, ()):
            if isinstance(one, str):
                yield one


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
