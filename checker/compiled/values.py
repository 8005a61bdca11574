"""The values of an instruction's operands: known now, or in a register later."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.layout import WORD_BITS
from ...language.lowering.frame import LoweringError
from ...language.types import overriding


class UnsupportedError(LoweringError):
    """A function uses what the compiled engine has no code for."""


Range = tuple[int, int] | None
"""Lowest and highest value, both included; None if unknown."""

WORD = -(1 << WORD_BITS - 1), (1 << WORD_BITS - 1) - 1
"""Lowest and highest 64-bit signed integer."""


@dataclass(frozen=True)
class Constant:
    """A value that is known: a number, a truth value, the bounds, an object of the file."""

    value: Any


@dataclass(frozen=True)
class Number:
    """A 64-bit signed integer in a register, with its range if that is known.

    ``kind`` is the type that it has in Python, if that is known: ``int`` or an enumeration, or
    ``bool``.
    """

    register: str
    range: Range = None
    kind: type | None = None


@dataclass(frozen=True)
class Truth:
    """A truth value in a register of one bit."""

    register: str


@dataclass(frozen=True)
class StateRef:
    """A part of a state that lies packed at ``base``: the state itself, an array or a variable.

    ``form`` is its path with ``[]`` for each index, and ``indices`` are the indices.
    """

    base: str
    form: str = ""
    indices: tuple[Constant | Number, ...] = ()


Value = Constant | Number | Truth
"""An operand of an instruction."""

Argument = Value | StateRef
"""What a rule of the model gets."""


PLAIN = frozenset({bool, bytes, complex, float, int, str, type(None), type(Ellipsis)})
"""Types whose values are fully described by their text, with operations nobody can override."""


def integer_of(value: object) -> int | None:
    """Return the integer that a known value is in arithmetic; None if it is none."""
    which = type(value)
    if which is int or which is bool:
        return int(value)  # type: ignore[call-overload, no-any-return]
    if not issubclass(which, int):
        return None
    return None if overriding(which) else int.__int__(value)  # type: ignore[arg-type]


def span(value: Value) -> Range:
    """Return the range of an integer value, if it is known."""
    number = integer_of(value.value) if isinstance(value, Constant) else None
    if number is not None:
        return number, number
    if isinstance(value, Truth):
        return 0, 1
    return value.range if isinstance(value, Number) else None


def combined(operator: str, left: Range, right: Range) -> Range:
    """Return the range of the result of an operator, which may exceed 64 bits."""
    left, right = left or WORD, right or WORD
    if operator == "add":
        return left[0] + right[0], left[1] + right[1]
    if operator == "sub":
        return left[0] - right[1], left[1] - right[0]
    if operator == "min":
        return min(left[0], right[0]), min(left[1], right[1])
    if operator == "max":
        return max(left[0], right[0]), max(left[1], right[1])
    if operator in ("and", "or", "xor"):
        return _bitwise(operator, left, right)
    if operator in ("shl", "ashr") and not (right[0] >= 0 and right[1] < WORD_BITS):
        return None
    apply = _CORNERS[operator]
    corners = [apply(one, other) for one in left for other in right]
    return min(corners), max(corners)


_CORNERS: dict[str, Callable[[int, int], int]] = {
    "mul": operator.mul,
    "shl": operator.lshift,
    "ashr": operator.rshift,
}
"""Operators whose largest and smallest results are at the extremes of their operands."""


def _bitwise(operator: str, left: tuple[int, int], right: tuple[int, int]) -> Range:
    """Return the range of a bitwise operation, as whole bits."""
    if operator == "and" and max(left[0], right[0]) >= 0:
        return 0, min(known[1] for known in (left, right) if known[0] >= 0)
    # A number and its complement have the same number of bits.
    bits = max((number if number >= 0 else ~number).bit_length() for number in (*left, *right))
    return (-(1 << bits) if min(left[0], right[0]) < 0 else 0), (1 << bits) - 1


def fits(known: Range) -> bool:
    """Whether every value of a range is a 64-bit signed integer."""
    return known is not None and WORD[0] <= known[0] and known[1] <= WORD[1]


def union(left: Range, right: Range) -> Range:
    """Return the range of a value that is one or the other."""
    if left is None or right is None:
        return None
    return min(left[0], right[0]), max(left[1], right[1])
