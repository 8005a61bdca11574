"""What an expression of the model is while it is translated: known now, or in a register later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...spec import TidegateError


class UnsupportedError(TidegateError):
    """A function uses what the compiled engine does not translate."""


Range = tuple[int, int] | None
"""Lowest and highest value, both included; None where that is not known."""


@dataclass(frozen=True)
class Static:
    """A value that is known while translating: a constant, a function, the constants ``k``."""

    value: Any


@dataclass(frozen=True)
class Number:
    """A 64-bit signed integer in a register, with its range where that is known."""

    register: str
    range: Range = None


@dataclass(frozen=True)
class Truth:
    """A truth value in a register of one bit."""

    register: str


@dataclass(frozen=True)
class Place:
    """A part of a state that lies packed at ``base``: a record, an array or a variable.

    ``form`` is its path with ``[]`` for each index, ``indices`` are these, and ``sample`` is the
    same part of the layout's record (of its first element for an index that is not known), which
    tells what is there.
    """

    base: str
    form: str
    indices: tuple[Static | Number, ...]
    sample: Any


@dataclass(frozen=True)
class Items:
    """A tuple of values."""

    items: tuple[Value, ...]


NOWHERE = Static("nowhere")
"""What lies beyond an array; a step that comes here has failed, so nothing depends on it."""

Value = Static | Number | Truth | Place | Items


def span(value: Value) -> Range:
    """Return the range of an integer value, as far as it is known."""
    if isinstance(value, Static) and isinstance(value.value, int):
        return int(value.value), int(value.value)
    if isinstance(value, Truth):
        return 0, 1
    return value.range if isinstance(value, Number) else None


def combined(operator: str, left: Range, right: Range) -> Range:
    """Return the range of the sum, difference, smaller or larger of two values."""
    if left is None or right is None:
        return None
    if operator == "add":
        return left[0] + right[0], left[1] + right[1]
    if operator == "sub":
        return left[0] - right[1], left[1] - right[0]
    if operator == "min":
        return min(left[0], right[0]), min(left[1], right[1])
    if operator == "max":
        return max(left[0], right[0]), max(left[1], right[1])
    return None


def union(left: Range, right: Range) -> Range:
    """Return the range of a value that is one or the other."""
    if left is None or right is None:
        return None
    return min(left[0], right[0]), max(left[1], right[1])
