"""The data that the parts of a function's translation share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .emitter import Emitter
from .function import Compiled
from .marking import Marking
from .values import Value, WritingError

if TYPE_CHECKING:
    from .unit import Unit


@dataclass
class Scope:
    """The function in translation, its names and its instructions.

    Parameters
    ----------
    unit
        The module of the functions.
    function, compiled
        The function, and its translation.
    out, marks
        Its instructions, and the points of its branches.
    pure
        Whether what is translated must not write to the state, since a guard calls it, or since a
        part of the state that Python has a copy of is still to be read.
    local
        The values of local names that are assigned once.
    assigned
        All local names of the function.
    variables
        Addresses of the local names that are assigned several times.
    """

    unit: Unit
    function: Callable[..., Any]
    compiled: Compiled
    out: Emitter
    marks: Marking
    pure: bool
    local: dict[str, Value]
    assigned: Mapping[str, object]
    variables: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def reading(self, only: bool = True) -> Iterator[None]:
        """Refuse what writes to the state in this block, if that is not refused anyway."""
        pure = self.pure
        self.pure = pure or only
        try:
            yield
        finally:
            self.pure = pure

    def write(self, what: str) -> None:
        """Note that the function writes; like a loop, that has no vector instruction.

        Raises
        ------
        WritingError
            If it must not.
        """
        if self.pure:
            raise WritingError(f"{what} where only reading is allowed")
        self.out.loops.append(True)
