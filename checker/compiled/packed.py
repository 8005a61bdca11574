"""Emits what is done with the variables of a packed state, whose words are in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.record import Variable
from .emitter import Emitter

Moves = dict[tuple[int, int, int], int]
"""For (word from, word to, bits to the left): the mask of what moves that way."""


def stored_value(out: Emitter, words: Sequence[str], variable: Variable) -> str:
    """Emit a variable's stored value."""
    moved = out.value(f"lshr i64 {words[variable.word]}, {variable.shift}")
    return out.value(f"and i64 {moved}, {(1 << variable.width) - 1}")


def move_bits(
    out: Emitter, words: Sequence[str], moves: Mapping[tuple[int, int, int], int], to: list[str]
) -> None:
    """Emit moves of bits from the words of a state to other words, which hold none of them yet."""
    for (start, end, distance), mask in moves.items():
        bits = out.value(f"and i64 {words[start]}, {mask}")
        if distance:
            way = "shl" if distance > 0 else "lshr"
            bits = out.value(f"{way} i64 {bits}, {abs(distance)}")
        to[end] = out.value(f"or i64 {to[end]}, {bits}")
