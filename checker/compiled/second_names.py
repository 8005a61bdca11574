"""Lists, sets and dictionaries with a second name in Python, of which machine code has a copy.

In Python a change shows by both names.  So neither the copy nor what it is a copy of may change
after that.  In a loop what comes before comes after, too, unless each round makes another list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import count
from typing import Any

from .values import Bits, Cells, Closure, Constant, Made, StateRef, UnsupportedError

Blocks = tuple[int, ...]
"""The numbers of the loops and branches that a place in a function lies in, from the outside."""


def memories(value: Any) -> Iterator[str]:
    """Yield where a value lies that may change, and where its parts do."""
    if isinstance(value, Cells):
        yield value.base
    elif isinstance(value, Bits):
        yield from [value.address] if value.address else []
    elif isinstance(value, tuple):
        for part in value:
            yield from memories(part)
    elif isinstance(value, Closure):
        yield from memories((*value.defaults, *value.hidden.values()))
    elif type(value).__module__ == Cells.__module__ and not isinstance(value, _OF_MODEL):
        yield from memories(tuple(getattr(value, part.name) for part in fields(value)))


_OF_MODEL = (Constant, StateRef, Made)
"""What has no list of a function's own in it."""


class SecondNames:
    """What has a copy in one function, and what changes, by where it lies in memory.

    Attributes
    ----------
    changes
        How many changes were emitted.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._blocks: Blocks = ()
        self._numbers, self._loops = count(), set[int]()
        self._made: dict[str, Blocks] = {}
        self._changed: defaultdict[str, list[Blocks]] = defaultdict(list)
        self._copied: dict[str, str] = {}
        self._refilled = ""

    @contextmanager
    def block(self, is_loop: bool = False) -> Iterator[None]:
        """Note that what this block emits runs on one way only, or in each round of a loop."""
        before, number = self._blocks, next(self._numbers)
        self._blocks += (number,)
        if is_loop:
            self._loops.add(number)
        try:
            yield
        finally:
            self._blocks = before

    @contextmanager
    def refilling(self, value: Any) -> Iterator[None]:
        """Note that a name gets another list, which lies where its list was."""
        before, [self._refilled] = self._refilled, memories(value)
        try:
            yield
        finally:
            self._refilled = before

    def made(self, memory: str) -> None:
        """Note that a list is made here."""
        self._made[memory] = self._blocks

    @property
    def is_in_loop(self) -> bool:
        """Whether this place comes again."""
        return bool(self._loops & {*self._blocks})

    def is_copied(self, memory: str) -> bool:
        """Whether a list is a copy, or has one."""
        return memory in self._copied

    def change(self, memory: str) -> None:
        """Note that a list changes.

        Raises
        ------
        UnsupportedError
            If it has a second name.
        """
        if memory == self._refilled:
            return
        if memory in self._copied:
            raise UnsupportedError(self._copied[memory])
        self.changes += 1
        self._changed[memory].append(self._blocks)

    def copy(self, memory: str, what: str) -> None:
        """Note that a list is a copy, or has one; `what` says which name the other one has.

        Raises
        ------
        UnsupportedError
            If it changes in a loop that comes here again.
        """
        self._copied.setdefault(memory, f"{what}, another name of a list that changes,")
        if any(self._comes_again(memory, blocks) for blocks in self._changed[memory]):
            raise UnsupportedError(self._copied[memory])

    def _comes_again(self, memory: str, changed: Blocks) -> bool:
        """Whether a loop has a change that comes after this place, of the same list."""
        made = self._made.get(memory, ())
        is_new = changed[: len(made)] == made == self._blocks[: len(made)]
        both = self._loops & {*changed} & {*self._blocks}
        return bool(both - {*made} if is_new else both)
