"""Records what a translation reads outside of syntax trees, so that a later run can compare.

A translation depends on the syntax trees of functions and on what these name: globals, attributes,
defaults, elements.  The translator asks :class:`Reads` for all of these, which records every
question with its answer.  If the same questions have the same answers, the translation is the same
and need not be made again.

Plain values are their own answers.  For any other object the record has only its number, in the
order in which objects were met, and what the translator sees without a question (:func:`_nature`);
anything else about the object is a separate question.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, EnumType
from types import FunctionType
from typing import Any

from ...core.fields import Field, declared_parts
from ...core.kinds import as_kind, members_of
from ...core.layout import WORD_BITS, members
from .intrinsics import INTRINSICS
from .sources import described
from .values import MACHINE, PLAIN, UnsupportedError, integer_of

Question = list[Any]
"""An operation, its operands and its result.

A plain operand is itself; an object is a list with its number.
"""

_WRITTEN = (bool, int, str, type(None))
"""Types of operands that JSON preserves."""

_KNOWN: dict[int, str] = {
    id(function): function.__name__
    for function in (
        any,
        all,
        bool,
        int,
        isinstance,
        len,
        max,
        members,
        min,
        range,
        sum,
        *INTRINSICS,
    )
}
"""The objects that the translator knows by identity."""


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


def _function(function: FunctionType) -> str:
    """Return the hash of a function itself, without the values of its names."""
    decorated = hasattr(function, "__wrapped__")
    itself = described(function.__code__, lines=True)
    is_own = function.__globals__.get("ARITHMETIC") is MACHINE
    names = f"{function.__name__}\n{is_own}\n{decorated}\n"
    return hashlib.sha256(f"{names}{itself}".encode(errors="surrogatepass")).hexdigest()


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
    "function": _function,
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
"""The operations, by the names under which they are recorded."""


class Reads:
    """The questions of one translation, with their answers.

    Parameters
    ----------
    roots
        The objects that it begins with.

    Attributes
    ----------
    questions
        All questions in order, each once.
    keepable
        Whether a later run can ask the same questions; it cannot about an unknown object.
    """

    def __init__(self, roots: Sequence[object] = ()) -> None:
        self._objects = _Objects()
        self._answers: dict[object, Any] = {}
        self.roots = [self._objects.described(root) for root in roots]
        self.questions: list[Question] = []
        self.keepable = True

    def ask(self, operation: str, *operands: Any) -> Any:
        """Return the result of an operation, which is always the same for the same objects.

        Raises
        ------
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError
            As the operation does; that is an answer, too.
        UnsupportedError
            If it fails otherwise, or a second evaluation has another result.
        """
        key = (operation, *map(self._key, operands))
        if key not in self._answers:
            self._answers[key] = self._answered(operation, operands)
        answer = self._answers[key]
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def elements(self, operation: str, value: Any) -> list[Any]:
        """Return the elements of the result of an operation."""
        row = self.ask(operation, value)
        return [self.ask("getitem", row, index) for index in range(self.ask("len", row))]

    def _key(self, operand: object) -> object:
        if type(operand) in PLAIN:
            # True and 1 are equal, but not the same.
            return type(operand), operand
        return self._number(operand)

    def _number(self, value: object) -> int:
        number = self._objects.number(value)
        if number is None:
            self.keepable = False
            self._objects.described(value)
            number = self._objects.number(value)
            assert number is not None
        return number

    def _answered(self, operation: str, operands: tuple[Any, ...]) -> Any:
        value, again = _applied(operation, operands), _applied(operation, operands)
        if _nature(value) != _nature(again):
            raise UnsupportedError(f"{operation} of {_shown(operands)}, which changes by itself,")
        if not all(type(part) in PLAIN for part in (value, *operands)):
            question = [operation, *map(self._written, operands), self._objects.described(value)]
            self.questions.append(question)
        return value

    def _written(self, operand: object) -> object:
        """Return an operand as it is recorded."""
        if type(operand) not in PLAIN:
            return [self._number(operand)]
        is_long = isinstance(operand, int) and operand.bit_length() > WORD_BITS
        if type(operand) not in _WRITTEN or is_long:
            self.keepable = False
            return None
        return operand


def answers_are_same(roots: list[str], questions: list[Question], here: Sequence[object]) -> bool:
    """Whether all questions of another translation have the same answers here.

    Parameters
    ----------
    roots, questions
        As :class:`Reads` recorded them.
    here
        The objects to begin with.
    """
    objects = _Objects()
    try:
        if [objects.described(root) for root in here] != roots:
            return False
        for operation, *operands, answer in questions:
            known = [
                objects[operand[0]] if type(operand) is list else operand for operand in operands
            ]
            if objects.described(_applied(operation, known)) != answer:
                return False
    except UnsupportedError:
        return False
    return True


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


class _Objects:
    """The objects met so far, numbered in order."""

    def __init__(self) -> None:
        # Objects are identified by address, so they must stay alive.
        self._met: list[object] = []
        self._numbers: dict[int, int] = {}

    def __getitem__(self, number: int) -> object:
        return self._met[number]

    def number(self, value: object) -> int | None:
        """Return the number of an object; None if it is new."""
        return self._numbers.get(id(value))

    def described(self, value: object) -> str:
        """Return a description of a value; a new object is numbered."""
        if type(value) in PLAIN or type(value) is _Raised:
            return _nature(value)
        number = self._numbers.get(id(value))
        if number is not None:
            return f"#{number}"
        number = self._numbers[id(value)] = len(self._met)
        self._met.append(value)
        return f"#{number} {_nature(value)}"


def _nature(value: Any) -> str:
    """Return what the translator sees of a value without a question."""
    if type(value) is int:
        # Python refuses to write very long numbers in decimal.
        return f"int {value:x}"
    if type(value) in PLAIN:
        return f"{type(value).__name__} {value!r}"
    if type(value) is _Raised:
        kinds = [kind.__name__ for kind in type(value.error).__mro__]
        return f"raised {' '.join(kinds)}"
    if id(value) in _KNOWN:
        return _KNOWN[id(value)]
    if type(value) is FunctionType:
        return "function"
    try:
        number = integer_of(value)
    except UnsupportedError:
        return "object"
    return "object" if number is None else f"number {number:x}"


def _shown(operands: Sequence[object]) -> str:
    plain = [repr(part) for part in operands if type(part) in PLAIN]
    return ", ".join([type(part).__name__ for part in operands if type(part) not in PLAIN] + plain)
