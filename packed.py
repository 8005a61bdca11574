"""A stored state as 64-bit words, as machine code has it, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

State = bytes | tuple[int, ...]


class Placed(Protocol):
    """A variable with its place in the words, in bits."""

    @property
    def word(self) -> int:
        """Number of its word."""

    @property
    def shift(self) -> int:
        """Bits below it."""

    @property
    def width(self) -> int:
        """Bits that it needs."""


def packing(
    name: str, stored: Sequence[Placed], words: int, narrow: bool
) -> tuple[Callable[[State], tuple[int, ...]], Callable[[Sequence[int]], State]]:
    """Generate the functions between a stored state and its 64-bit words.

    Parameters
    ----------
    name, narrow
        As for :func:`record.accessors`.
    stored
        The variables that a stored state holds.
    words
        How many words there are.
    """
    fields = [(v.word, f"t{number} << {v.shift}") for number, v in enumerate(stored)]
    packed = [" | ".join(part for at, part in fields if at == word) or "0" for word in range(words)]
    values = "".join(f"words[{v.word}] >> {v.shift} & {(1 << v.width) - 1}," for v in stored)
    taken = "".join(f"t{number}," for number in range(len(stored)))
    source = (
        f"def pack(state):\n {f'{taken} = state' if stored else 'pass'}\n"
        f" return ({''.join(f'{part},' for part in packed)})\n"
        f"def unpack(words):\n return {'bytes' if narrow else ''}(({values}))\n"
    )
    space: dict[str, Any] = {}
    exec(compile(source, f"<packed layout of {name}>", "exec"), space)
    return space["pack"], space["unpack"]
