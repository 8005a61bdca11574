"""Indices of the state's arrays and sequences: one that is computed and negative is an error.

Python counts a negative index from the end.  Where ``s.log[-1]`` is written, the last element is
meant; where the index is NONE, or was computed, a guard is missing, and the model would silently
read or write another element than it says.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Sequence
from dis import get_instructions
from functools import cache
from itertools import islice, pairwise, takewhile
from types import CodeType
from typing import Any

from .errors import ModelError, caller, misused, printed

_read, _write = list.__getitem__, list.__setitem__


class Listed:
    """A sequence of the state, which compares and joins itself with arrays."""


class Variables(list[Any]):
    """An array of variables."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return NotImplemented if _is_listed(other) else list.__eq__(self, _as_list(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    # Called more often than any other function of Python: nothing but the sign is looked at.
    def __getitem__(self, index: Any) -> Any:
        try:
            return _read(self, index if index >= 0 else from_end(index, len(self)))
        except IndexError:
            raise beyond(index, len(self)) from None
        except TypeError:
            return _read(self, bounded(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            _write(self, index if index >= 0 else from_end(index, len(self)), value)
        except IndexError:
            raise beyond(index, len(self)) from None
        except TypeError:
            _write(self, bounded(index), value)


class Records(tuple[Any, ...]):
    """An array of records."""

    records: tuple[Any, ...]
    copy: Callable[[Any, Any], None]
    """Writes the values of a part of a state into another one; :mod:`fields` knows how."""

    def __eq__(self, other: object) -> bool:
        return NotImplemented if _is_listed(other) else list(self) == list(_as_list(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __add__(self, other: Any) -> Any:
        return list(self) + (other if _is_listed(other) else list(_as_list(other)))

    def __radd__(self, other: Any) -> Any:
        return list(_as_list(other)) + list(self)

    def __getitem__(self, index: Any) -> Any:
        try:
            return self.records[index if index >= 0 else from_end(index, len(self))]
        except IndexError:
            raise beyond(index, len(self)) from None
        except TypeError:
            some = self.records[bounded(index)]
            return list(some) if isinstance(index, slice) else some

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            self._write([self[index]], [value])
            return
        elements, values = self.records[bounded(index)], [*value]
        if len(values) != len(elements):
            raise ValueError(f"{len(values)} values for {len(elements)} elements of an array")
        self._write(elements, values)

    def _write(self, elements: Sequence[Any], values: Sequence[object]) -> None:
        """Copy values into elements; none of them may be another element."""
        pairs = list(zip(elements, values, strict=True))
        if any(
            other is value
            for element, value in pairs
            for other in self.records
            if other is not element
        ):
            raise misused(
                "an element of this array would be another name for an element of it; write "
                "[i].assign(...), which copies the values"
            )
        for element, value in pairs:
            # What `|=` changes is this element already.
            if element is not value:
                Records.copy(element, value)


# To users, and in messages, they are what they would be in Python.
Variables.__name__, Variables.__module__ = "list", "builtins"
Records.__name__, Records.__module__ = "tuple", "builtins"


def _is_listed(other: object) -> bool:
    """Whether what an array meets is a sequence of the state, by its declaration."""
    return issubclass(getattr(type(other), "__declared__", object), Listed)


def _as_list(other: object) -> Any:
    """Return what an array is compared with.

    Raises
    ------
    ModelError
        If that is not a list: an array would never equal it.
    """
    if not isinstance(other, (list, Records)):
        raise misused(f"an array is compared with {printed(other)}: write a list")
    return other


def records(elements: list[Any]) -> Records:
    """Return an array of these records."""
    array = Records(elements)
    # A tuple's own method is called through a slot, which takes three times as long.
    array.records = tuple(elements)
    return array


def from_end(index: int, length: int) -> int:
    """Return the index from the beginning that a negative one means, if it is written as a number.

    Raises
    ------
    ModelError
        If it was computed.
    """
    frame = caller()
    chosen = _index_at(frame.f_code, frame.f_lasti)
    if literal_of(chosen) is not None:
        # One that is before the first element stays one: beyond the last, for every engine.
        return index + length if index + length >= 0 else length
    raise _computed(index, chosen, f"of {length} elements")


def bounded(index: Any) -> Any:
    """Return a slice whose negative bounds are written as numbers, or what is not a slice.

    Raises
    ------
    ModelError
        If a negative bound was computed.
    """
    if not isinstance(index, slice):
        return index
    bounds = index.start, index.stop
    if any(isinstance(bound, int) and bound < 0 for bound in bounds):
        frame = caller()
        chosen = _index_at(frame.f_code, frame.f_lasti)
        written = (chosen.lower, chosen.upper) if isinstance(chosen, ast.Slice) else (None, None)
        for bound, node in zip(bounds, written, strict=True):
            if isinstance(bound, int) and bound < 0 and literal_of(node) is None:
                raise _computed(bound, node, "as a bound of a slice")
    return index


def beyond(index: int, length: int) -> IndexError:
    """Return the error for an index beyond the last element, as the model writes the index."""
    frame = caller()
    chosen = _index_at(frame.f_code, frame.f_lasti)
    written = str(index) if chosen is None else ast.unparse(chosen)
    value = "" if written == str(index) else f" = {index}"
    there = f"there {'is' if length == 1 else 'are'} {length or 'none'}"
    return IndexError(f"no element has the index {written}{value}; {there}, so check it before")


def _computed(index: int, node: ast.expr | None, where: str) -> ModelError:
    what = f"the index {ast.unparse(node)}" if node is not None else "an index"
    text = (
        f"{what} is {index}, {where}: Python would count from the end; if that is NONE, or may be "
        "negative, check it before (an index that is written as a number, as [-1], is meant so)"
    )
    return misused(text)


def literal_of(node: ast.expr | None) -> int | None:
    """Return an index that is written as a negative number, which counts from the end."""
    if not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)):
        return None
    number = node.operand.value if isinstance(node.operand, ast.Constant) else None
    return -number if type(number) is int and number > 0 else None


def _number_before(code: CodeType, at: int) -> ast.expr | None:
    """Return the number that an instruction takes as index, of code whose source is unknown."""
    # CPython may be within the cells after an instruction, once it calls a method of Python there.
    every = list(get_instructions(code))
    [*_, this] = takewhile(lambda one: one.offset <= at, every)
    # From 3.12 on, each branch of a conditional index may have its own copy of the instruction.
    place = this.opname, this.positions
    copies = [pair for pair in pairwise(every) if (pair[1].opname, pair[1].positions) == place]
    numbers = {before.argval if before.opname == "LOAD_CONST" else None for before, _ in copies}
    if len(numbers) != 1 or any(copy.is_jump_target for _, copy in copies):
        return None
    [number] = numbers
    return ast.parse(str(number), mode="eval").body if type(number) is int else None


def owner_written(kind: str) -> str:
    """Return the container whose method a model calls, as it is written; else its kind."""
    frame = caller()
    node = _written_at(frame.f_code, frame.f_lasti)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return kind
    written = ast.unparse(node.func.value)
    return written if len(written) <= MOST_WRITTEN else kind


MOST_WRITTEN = 40
"""The most characters of a container's expression that an error shows."""


@cache
def _index_at(code: CodeType, at: int) -> ast.expr | None:
    """Return the expression of the index that an instruction uses, or a call passes first."""
    node = _written_at(code, at)
    if node is None:
        placed = None not in next(islice(code.co_positions(), at // 2, None))
        return _number_before(code, at) if placed else None
    if isinstance(node, ast.Subscript):
        return node.slice
    return node.args[0] if isinstance(node, ast.Call) and node.args else None


@cache
def _written_at(code: CodeType, at: int) -> ast.expr | None:
    """Return the expression that an instruction evaluates; None if its source is unknown."""
    first, last, begin, end = next(islice(code.co_positions(), at // 2, None))
    if first is None or last is None or begin is None or end is None:
        return None
    lines = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if len(lines) != last - first + 1:
        return None
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    try:
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:
        # From CPython 3.13 on, the lines of `python -c` are those of "<string>", whoever asks.
        return None
