"""What a model's code reads outside of the state, which must not change while it is searched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from .blame import about
from .errors import is_users

_DATA = (
    bool, bytes, float, int, str, type(None), tuple, frozenset, bytearray, deque, dict, list, set,
)  # fmt: skip

Look = Callable[[], object]
"""Returns what is in a place now."""


class Outside:
    """The data that functions of a model read, as it is when the search begins.

    Parameters
    ----------
    functions
        Actions, predicates and whatever else a search calls.
    """

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        self._seen: set[int] = set()
        self._places: list[tuple[FunctionType, str, Look, str]] = []
        for function in functions:
            self._add(function)

    def refuse_writes(self) -> None:
        """Refuse what has changed since.

        Raises
        ------
        ModelError
            If a variable of a module, of a function around another, or a default has: what a step
            does then depends on which steps were tried before.
        """
        for function, name, look, before in self._places:
            if _written(look()) != before:
                raise about(
                    function,
                    f"{name} changed while the model was searched: what an action or a property "
                    "writes must be a variable of the state",
                )

    def _add(self, function: object) -> None:
        if not isinstance(function, FunctionType) or id(function) in self._seen:
            return
        self._seen.add(id(function))
        if not is_users(function.__code__.co_filename):
            return
        for name, look in _read_by(function):
            value = look()
            if isinstance(value, FunctionType):
                self._add(value)
            elif isinstance(value, _DATA):
                self._places.append((function, name, look, _written(value)))


def _read_by(function: FunctionType) -> Iterator[tuple[str, Look]]:
    """Yield the names that a function reads and that are not its own."""
    space = function.__globals__
    for name in _names(function.__code__):
        if name in space:
            yield name, lambda name=name: space.get(name)  # type: ignore[misc]
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, lambda cell=cell: _content(cell)  # type: ignore[misc]
    for value in function.__defaults__ or ():
        yield f"a default of {function.__name__}", lambda value=value: value  # type: ignore[misc]


def _names(code: CodeType) -> set[str]:
    """Return the names that code and the code within it may look up in the module."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _written(value: object) -> str:
    """Return a value as text that tells whether it has changed."""
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__} {sorted(map(repr, value))}"
    return f"{type(value).__name__} {value!r}"
