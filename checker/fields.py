"""Reads a document that anybody may have edited: checks the type and range of each field."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

SHOWN = 40
"""Characters of an offending value that a message shows."""


class FieldError(Exception):
    """A field with a wrong value; the text names the field, its value and what is allowed."""

    def __init__(self, name: str, value: Any, allowed: str) -> None:
        text = repr(value)
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
        super().__init__(f"{name} is {shown}, not {allowed}")


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
