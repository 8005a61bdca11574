"""Reads a document that anybody may have edited: checks the type and range of each field."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from ..core.options import Declared, options

SHOWN = 40
"""Characters of an offending value that a message shows."""


@dataclass(frozen=True)
class Within:
    """The range of a number, for ``Annotated``."""

    low: int
    high: int


@dataclass(frozen=True)
class Like:
    """The regular expression of a text, for ``Annotated``."""

    pattern: str


MOST_STATES = (1 << 40) - 1
"""The most states that a search can number."""

Count = Annotated[int, Within(0, MOST_STATES)]
Word = Annotated[int, Within(0, (1 << 64) - 1)]


class FieldError(Exception):
    """A field with a wrong value; the text names the field, its value and the allowed ones."""

    def __init__(self, name: str, value: Any, allowed: str) -> None:
        text = repr(value)
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
        super().__init__(f"{name} is {shown}, not {allowed}")


def read(kind: Any, value: Any, name: str, within: str = "") -> Any:
    """Return a value of JSON as what its type declares: a dataclass, or the parts of one.

    Parameters
    ----------
    kind
        A dataclass, a list, a tuple, a dictionary by texts, a text, a truth value, one of these or
        None, or a number ``Annotated`` with :class:`Within`.
    within
        What precedes the names of a dataclass's fields.

    Raises
    ------
    FieldError
        If it is none.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        limit = parts[1]
        if isinstance(limit, Within):
            return integer(value, name, limit.low, limit.high)
        return text(value, name, limit.pattern)
    if origin in (Union, UnionType):
        [other] = (part for part in parts if part is not NoneType)
        return None if value is None else read(other, value, name, within)
    if origin is dict:
        document = mapping(value, name)
        if parts[1] is Any:
            return document
        return {key: read(parts[1], part, f"{name}[{key!r}]") for key, part in document.items()}
    if origin in (list, tuple):
        fixed = origin is tuple and parts[-1] is not Ellipsis
        items = array(value, name, len(parts) if fixed else None)
        kinds = parts if fixed else (parts[0],) * len(items)
        named = (f"{name}[{number}]" for number in range(len(items)))
        each = zip(kinds, items, named, strict=True)
        return origin(read(part, item, where, f"{where}.") for part, item, where in each)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind, include_extras=True)
        hints |= {one.field: _ranged(one) for one in options(kind) if one.kind == "int"}
        document = record(value, name, hints)
        return kind(
            **{
                key: read(part, document[key], f"{within}{key}", f"{within}{key}.")
                for key, part in hints.items()
            }
        )
    return flag(value, name) if kind is bool else text(value, name)


def _ranged(option: Declared) -> Any:
    """Return the type of a whole number that is an option, with its range."""
    low, high = option.option.low, option.option.high
    number = Annotated[int, Within(int(low or 0), int(high or MOST_STATES))]
    return number | None if option.optional else number


def record(value: Any, name: str, fields: Collection[str]) -> dict[str, Any]:
    """Return a value that must be an object with exactly these fields."""
    document = mapping(value, name)
    if document.keys() != set(fields):
        raise FieldError(name, sorted(document), f"an object with the fields {', '.join(fields)}")
    return document


def mapping(value: Any, name: str) -> dict[str, Any]:
    """Return a value that must be an object, with any fields."""
    if not isinstance(value, dict):
        raise FieldError(name, value, "an object")
    return value


def array(value: Any, name: str, length: int | None = None) -> list[Any]:
    """Return a value that must be an array, of that length if one is given."""
    if not isinstance(value, list) or length not in (None, len(value)):
        raise FieldError(name, value, "an array" + ("" if length is None else f" of {length}"))
    return value


def integer(value: Any, name: str, low: int, high: int) -> int:
    """Return a value that must be a whole number within ``low..high``."""
    # True is an int in Python, but no number in JSON.
    if type(value) is not int or not low <= value <= high:
        raise FieldError(name, value, f"a whole number from {low} to {high}")
    return value


def text(value: Any, name: str, pattern: str = ".*") -> str:
    """Return a value that must be a text that matches a whole regular expression."""
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.DOTALL):
        raise FieldError(name, value, "a text" + ("" if pattern == ".*" else f" like {pattern}"))
    return value


def flag(value: Any, name: str) -> bool:
    """Return a value that must be true or false."""
    if not isinstance(value, bool):
        raise FieldError(name, value, "true or false")
    return value
