"""Bounds the size of machine code: what is too large is not copied to where it is called.

LLVM takes time in proportion to the instructions that it optimises, and more for a long function.
Small functions are copied to their callers, since that makes fast code; but a function that writes
to a sequence of 24 records has 60,000 instructions, and 24 instances of an action call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

CALL = re.compile(r"(?<= call ).*?@\"([^\"]+)\"")

INLINED = 200_000
"""Instructions of all instances together, as far as copies make them longer."""

LEAST, MOST = 300, 4_000
"""Instructions of a function, with the copies in it, up to which it is copied: always; at most.

A function that has more than the latter of its own is not optimised either.
"""

UNROLLED = 16
"""The most rounds of a loop that are written out, if their number is known."""


class CodeSize:
    """The sizes of a module's functions.

    Parameters
    ----------
    instances
        How many instances of actions it is made for.
    """

    def __init__(self, instances: int = 1) -> None:
        self._most = min(max(INLINED // max(instances, 1), LEAST), MOST)
        self._inlined: dict[str, int] = {}

    def attributes(self, name: str, lines: Iterable[str]) -> str:
        """Return LLVM's attributes for a function whose callees are known."""
        own, copied = 0, 0
        for line in lines:
            own += 1
            if called := CALL.search(line):
                copied += self._inlined.get(called[1], 0)
        if own > MOST:
            return "noinline optnone"
        if own + copied > self._most:
            return "noinline"
        self._inlined[name] = own + copied
        return "alwaysinline"
