"""Computes what is known while a model is translated: globals, attributes, defaults, elements.

The translator asks :class:`Constants` for all that is in no syntax tree.  What it asks for must not
change by itself, or the machine code would be another one the next time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, EnumType
from types import FunctionType
from typing import Any

from ...core.fields import Field, declared_parts
from ...core.kinds import as_kind, members_of
from .values import PLAIN, UnsupportedError, integer_of


def _looked_up(function: Any, name: str) -> object:
    """Return the value of a name that is not local to a function."""
    code = function.__code__
    if name in code.co_freevars:
        return function.__closure__[code.co_freevars.index(name)].cell_contents
    if name in function.__globals__:
        return function.__globals__[name]
    if name in function.__builtins__:
        return function.__builtins__[name]
    raise UnsupportedError(f"{function.__name__} uses {name}, which is not known")


def _returns(function: FunctionType) -> str | None:
    """Return the return annotation of a function, as text; None if it has none."""
    if "return" not in function.__annotations__:
        return None
    declared = function.__annotations__["return"]
    named = declared is int or declared is bool or isinstance(declared, EnumType)
    return declared.__name__ if named else str(declared)


def _defaults(function: FunctionType) -> tuple[object, ...]:
    return function.__defaults__ or ()


def _elements(value: object) -> tuple[object, ...]:
    """Return the elements that a loop iterates over."""
    if not issubclass(type(value), (tuple, list, range)):
        raise UnsupportedError("a for loop over something else than a range or an array")
    return tuple(value)  # type: ignore[arg-type]


def _choices(value: object) -> tuple[object, ...]:
    """Return the elements of the right side of ``in``."""
    if type(value) not in (tuple, list, range, set, frozenset, dict):
        raise UnsupportedError("membership in something else than a tuple")
    return tuple(value)  # type: ignore[arg-type]


def _enumerates(function: Any, name: str) -> bool:
    """Whether a name in a function is that of an enumeration whose members are numbers."""
    try:
        value = _looked_up(function, name)
    except UnsupportedError:
        return False
    return isinstance(value, type) and issubclass(value, Enum) and issubclass(value, int)


def _has_value(kind: type) -> bool:
    """Whether the value of each member of an enumeration is its number."""
    return issubclass(kind, Enum) and not any(
        "value" in vars(part) for part in kind.__mro__ if part is not Enum
    )


def _is_subclass(kind: type, other: Any) -> bool:
    """Whether values of a type are instances of another one."""
    if type(other) not in (type, EnumType):
        raise UnsupportedError(f"isinstance() of {other!r}, which is no plain class,")
    return issubclass(kind, other)


def _overrides(kind: type) -> bool:
    """Whether numbers that read as members of an enumeration compute otherwise than numbers."""
    for member in members_of(kind).values():
        integer_of(member)
    return False


def _kinds(declaration: Any) -> tuple[type, ...]:
    """Return what a record's variables read as, in order."""
    return tuple(part.kind for part in declared_parts(declaration).values())  # type: ignore[union-attr]


def _members(kind: type) -> int:
    """Return how many numbers read as members of an enumeration, or as truth values."""
    return len(members_of(kind))


def _variables(declaration: Any) -> tuple[str, ...]:
    """Return the names of a record's variables; it must have no other parts."""
    declared = declared_parts(declaration)
    if not all(isinstance(part, Field) for part in declared.values()):
        raise TypeError(f"{declaration.__name__} has parts that are no variables")
    return tuple(declared)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "as_kind": as_kind,
    "attribute": getattr,
    "choices": _choices,
    "defaults": _defaults,
    "elements": _elements,
    "enumerates": _enumerates,
    "has_value": _has_value,
    "is_subclass": _is_subclass,
    "kinds": _kinds,
    "members": _members,
    "name": _looked_up,
    "overrides": _overrides,
    "returns": _returns,
    "type": type,
    "variables": _variables,
    **{function.__name__: function for function in (bool, int, len, max, min)},
    **{
        function.__name__: function
        for function in (
            operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor,
            operator.lshift, operator.rshift, operator.floordiv, operator.mod, operator.neg,
            operator.pos, operator.invert,
            operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
            operator.contains, operator.getitem, operator.is_,
        )
    },
}  # fmt: skip
"""The operations, by name."""


class Constants:
    """The known values of one translation."""

    def __init__(self) -> None:
        self._answers: dict[object, Any] = {}
        # Objects are identified by address, so they must stay alive.
        self._asked: list[tuple[Any, ...]] = []

    def ask(self, operation: str, *operands: Any) -> Any:
        """Return the result of an operation, which is always the same for the same objects.

        Raises
        ------
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError
            As the operation does; that is an answer, too.
        UnsupportedError
            If it fails otherwise, or a second evaluation has another result.
        """
        # True and 1 are equal, but not the same.
        key = (
            operation,
            *((type(one), one) if type(one) in PLAIN else id(one) for one in operands),
        )
        if key not in self._answers:
            self._asked.append(operands)
            value, again = _applied(operation, operands), _applied(operation, operands)
            if not _is_same(value, again):
                raise UnsupportedError(
                    f"{operation} of {_shown(operands)}, which changes by itself,"
                )
            self._answers[key] = value
        answer = self._answers[key]
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def elements(self, operation: str, value: Any) -> list[Any]:
        """Return the elements of the result of an operation."""
        row = self.ask(operation, value)
        return [self.ask("getitem", row, index) for index in range(self.ask("len", row))]


@dataclass(frozen=True)
class _Raised:
    """The error that an operation raised."""

    error: Exception


def _applied(operation: str, operands: Sequence[Any]) -> Any:
    """Return the result of an operation, which may be an error that the translator expects.

    Raises
    ------
    UnsupportedError
        For any other error.
    """
    try:
        return OPERATIONS[operation](*operands)
    except (KeyboardInterrupt, UnsupportedError):
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return _Raised(error)
    except BaseException as error:  # noqa: BLE001 - a user's property may raise anything
        raise UnsupportedError(
            f"what cannot be computed while translating: {type(error).__name__}: {error}"
        ) from None


def _is_same(value: Any, again: Any) -> bool:
    """Whether the translator sees the same in two values."""
    if type(value) is not type(again):
        return False
    if isinstance(value, _Raised):
        return type(value.error) is type(again.error)
    return _number(value) == _number(again)


def _number(value: Any) -> object:
    """Return the plain value of a value, or the number that it is; None for any other object."""
    if type(value) in PLAIN:
        return value
    try:
        return integer_of(value)
    except UnsupportedError:
        return None


def _shown(operands: Sequence[object]) -> str:
    plain = [repr(part) for part in operands if type(part) in PLAIN]
    return ", ".join([type(part).__name__ for part in operands if type(part) not in PLAIN] + plain)
