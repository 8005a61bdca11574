"""Whether what a model's function returned is of the type that it must have."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .errors import printed


def misfit(value: object, kind: Any) -> str:
    """Say what of a value is not of a type, and what it should be; empty if all is.

    A list may stand for a tuple.

    >>> misfit((1, "a"), tuple[int, ...])
    "'a', where a whole number belongs"
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        wrong = [misfit(value, one) for one in inner]
        return "" if "" in wrong else wrong[0]
    if origin is tuple:
        return _misfit_of_tuple(value, inner)
    if origin is dict:
        if not isinstance(value, dict):
            return f"{printed(value)}, where a dictionary belongs"
        return _first(
            misfit(part, one)
            for pair in value.items()
            for part, one in zip(pair, inner, strict=True)
        )
    if not isinstance(value, kind):
        return f"{printed(value)}, where {_NAMES.get(kind, f'a {kind.__name__}')} belongs"
    hints = _hints(kind)
    return _first(misfit(getattr(value, name), hint) for name, hint in hints.items())


def _misfit_of_tuple(value: object, inner: tuple[Any, ...]) -> str:
    if not isinstance(value, (tuple, list)):
        return f"{printed(value)}, where a tuple belongs"
    if inner[1:] == (...,):
        return _first(misfit(part, inner[0]) for part in value)
    if len(value) != len(inner):
        return f"{printed(value)}, where a tuple of {len(inner)} belongs"
    return _first(misfit(part, one) for part, one in zip(value, inner, strict=True))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind) if is_dataclass(kind) else {}


def _first(wrong: Any) -> str:
    return next(filter(None, wrong), "")


_NAMES = {str: "a text", int: "a whole number", bool: "True or False", NoneType: "None"}
