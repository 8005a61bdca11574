"""How the instruction that runs now names what it writes: ``s.queue[i].term``, or ``m.term``.

It is read from the positions that CPython keeps for each instruction.  The expressions within a
target begin where the target begins and end one after the other: ``s``, ``s.queue``,
``s.queue[i]``, ``s.queue[i].term``.
"""

from __future__ import annotations

import dis
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import CodeType

INDEX, NAME = "an index", "a name"

_STEPS = {"BINARY_SUBSCR": INDEX, "LOAD_ATTR": NAME, "LOAD_METHOD": NAME}
_CALLS = ("CALL", "PRECALL", "CALL_KW", "CALL_FUNCTION_EX")

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR")

_Position = tuple[int, int]
"""A line, and a column in it."""

Place = tuple[_Position, _Position]
"""Where an expression begins and ends."""


@dataclass(frozen=True)
class _Part:
    """An instruction and the expression that it is for; ``step`` is how that ends."""

    offset: int
    begin: _Position
    end: _Position
    step: str
    name: str
    attribute: bool
    following: int

    @property
    def is_short(self) -> bool:
        """Whether it is an attribute that has the position of its name alone.

        Where an expression goes over several lines, CPython keeps no more.
        """
        width = self.end[1] - self.begin[1]
        return self.attribute and self.begin[0] == self.end[0] and width == len(self.name)


@dataclass(frozen=True)
class Target:
    """What an instruction writes, or the object whose method it calls.

    Parameters
    ----------
    steps
        How the object that is written is reached, the last step first: ``INDEX`` or ``NAME``, with
        the place of the expression up to there.
    root
        The name that the first step begins with; empty if it begins with something else.
    """

    steps: tuple[tuple[str, Place | None], ...]
    root: str


@cache
def target(code: CodeType, offset: int) -> Target:
    """Return what the instruction at an offset writes; one without steps if that is not known."""
    part, parts = _at(code, offset), _parts(code)
    if part is not None and dis.opname[code.co_code[part.offset]] in _CALLS:
        # Of a call, the object is the one of the method.
        part = _within(part, parts.values())
        if part is None or part.step != NAME:
            return Target((), "")
    steps: list[tuple[str, Place | None]] = []
    while part is not None:
        part = _within(part, parts.values())
        if part is None or not part.step:
            break
        steps.append((part.step, (part.begin, part.end)))
    return Target(tuple(steps), part.name if part is not None else "")


def place(code: CodeType, offset: int) -> Place | None:
    """Return the place of the expression of the instruction at an offset."""
    part = _at(code, offset)
    return None if part is None else (part.begin, part.end)


def _at(code: CodeType, offset: int) -> _Part | None:
    """Return the instruction that an offset is in."""
    parts = _parts(code)
    return parts.get(max((at for at in parts if at <= offset), default=-1))


@cache
def _parts(code: CodeType) -> dict[int, _Part]:
    """Return the instructions that have a position, by their offsets."""
    parts = {}
    instructions = list(dis.get_instructions(code))
    offsets = {one.offset: other.offset for one, other in pairwise(instructions)}
    for instruction in instructions:
        at = instruction.positions
        if at is None or at.lineno is None or at.col_offset is None:
            continue
        first, last = (at.lineno, at.col_offset), (at.end_lineno or 0, at.end_col_offset or 0)
        step, name = _STEPS.get(instruction.opname, ""), ""
        if instruction.opname == "BINARY_OP" and instruction.argrepr == "[]":
            step = INDEX
        if isinstance(instruction.argval, str):
            name = instruction.argval
        here, attribute = instruction.offset, instruction.opname in _ATTRIBUTES
        parts[here] = _Part(here, first, last, step, name, attribute, offsets.get(here, -1))
    return parts


def _within(part: _Part, parts: Collection[_Part]) -> _Part | None:
    """Return the expression that an attribute, an element or a call is taken of."""
    if part.is_short:
        candidates = [other for other in parts if other.end < part.begin]
    else:
        candidates = [o for o in parts if o.begin == part.begin and o.end < part.end]
    last = max((other.end for other in candidates), default=None)
    ending = [other for other in candidates if other.end == last]
    # The copy of an object on the stack has the position of the object.
    owner = max(ending, key=lambda other: (bool(other.step), bool(other.name)), default=None)
    for following in sorted(parts, key=lambda other: other.offset):
        if owner is not None and following.offset == owner.following and following.is_short:
            owner = following if owner.end < following.begin and following.end < part.end else owner
    return owner
