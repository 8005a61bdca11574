"""What a translation reads outside of syntax trees, recorded so that a later run can compare.

A translation is made of the syntax trees of functions and of what these name: globals, attributes,
defaults, elements.  Whatever it wants to know of those it asks :class:`Reads`, which notes what was
asked and what came of it.  Where the same questions have the same answers, the translation is the
same, and need not be made again.

Plain values are their own answers.  Of any other object only its number is noted, in the order in
which objects were met, and what the translator can see without asking (:func:`_nature`): whatever
it wants to know of it later is a question of its own.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ...core.fields import Field, declared_parts
from ...core.layout import WORD_BITS, members
from .intrinsics import INTRINSICS
from .sources import described
from .values import MACHINE, PLAIN, UnsupportedError, integer_of

Question = list[Any]
"""An operation, its operands and what came of it.

A plain operand is itself, an object is its number in a list of one.
"""

_WRITTEN = (bool, int, str, type(None))
"""Types of operands that JSON gives back as they were."""

_KNOWN: dict[int, str] = {
    id(function): function.__name__
    for function in (any, all, bool, int, len, max, members, min, range, sum, *INTRINSICS)
}
"""What the translator knows by its identity."""


def _looked_up(function: Any, name: str) -> object:
    """Return what a name that is not local to a function stands for."""
    code = function.__code__
    if name in code.co_freevars:
        return function.__closure__[code.co_freevars.index(name)].cell_contents
    if name in function.__globals__:
        return function.__globals__[name]
    if name in function.__builtins__:
        return function.__builtins__[name]
    raise UnsupportedError(f"{function.__name__} uses {name}, which is not known")


def _returns(function: FunctionType) -> str | None:
    """Return what a function is declared to return, as text; None where it is not declared."""
    if "return" not in function.__annotations__:
        return None
    declared = function.__annotations__["return"]
    return declared.__name__ if declared is int or declared is bool else str(declared)


def _function(function: FunctionType) -> str:
    """Return the hash of a function itself, without what its names stand for."""
    decorated = hasattr(function, "__wrapped__")
    itself = described(function.__code__, lines=True)
    is_own = function.__globals__.get("ARITHMETIC") is MACHINE
    names = f"{function.__name__}\n{is_own}\n{decorated}\n"
    return hashlib.sha256(f"{names}{itself}".encode(errors="surrogatepass")).hexdigest()


def _defaults(function: FunctionType) -> tuple[object, ...]:
    return function.__defaults__ or ()


def _elements(value: object) -> tuple[object, ...]:
    """Return what a loop goes through."""
    if not issubclass(type(value), (tuple, list, range)):
        raise UnsupportedError("a for loop over something else than a range or an array")
    return tuple(value)  # type: ignore[arg-type]


def _choices(value: object) -> tuple[object, ...]:
    """Return what a value is compared with by ``in``."""
    if type(value) not in (tuple, list, range, set, frozenset, dict):
        raise UnsupportedError("membership in something else than a tuple")
    return tuple(value)  # type: ignore[arg-type]


def _variables(declaration: Any) -> tuple[str, ...]:
    """Return the names of a record's variables, of which it must consist."""
    declared = declared_parts(declaration)
    if not all(isinstance(part, Field) for part in declared.values()):
        raise TypeError(f"{declaration.__name__} has parts that are no variables")
    return tuple(declared)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "attribute": getattr,
    "choices": _choices,
    "defaults": _defaults,
    "elements": _elements,
    "function": _function,
    "name": _looked_up,
    "returns": _returns,
    "variables": _variables,
    **{function.__name__: function for function in (bool, int, len, max, min)},
    **{
        function.__name__: function
        for function in (
            operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor,
            operator.lshift, operator.rshift, operator.floordiv, operator.mod, operator.neg,
            operator.pos, operator.invert,
            operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
            operator.contains, operator.getitem,
        )
    },
}  # fmt: skip
"""What can be asked, by the name under which it is recorded."""


class Reads:
    """The questions of one translation, with their answers.

    Parameters
    ----------
    roots
        The objects that it begins with.

    Attributes
    ----------
    questions
        All that was asked, in order, each once.
    keepable
        Whether a later run can ask the same; not of an object that came from nowhere.
    """

    def __init__(self, roots: Sequence[object] = ()) -> None:
        self._objects = _Objects()
        self._answers: dict[object, Any] = {}
        self.roots = [self._objects.described(root) for root in roots]
        self.questions: list[Question] = []
        self.keepable = True

    def ask(self, operation: str, *operands: Any) -> Any:
        """Return what comes of an operation; the same each time for the same objects.

        Raises
        ------
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError
            As the operation does; that is an answer, too.
        UnsupportedError
            If it fails otherwise, or something else comes of it the second time.
        """
        key = (operation, *map(self._key, operands))
        if key not in self._answers:
            self._answers[key] = self._answered(operation, operands)
        answer = self._answers[key]
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def elements(self, operation: str, value: Any) -> list[Any]:
        """Return the elements of what comes of an operation."""
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
        if type(operand) not in _WRITTEN or _is_long(operand):
            self.keepable = False
            return None
        return operand


def answers_are_same(roots: list[str], questions: list[Question], here: Sequence[object]) -> bool:
    """Whether all that another translation asked has the same answers here.

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
    """An error that came of an operation."""

    error: Exception


def _applied(operation: str, operands: Sequence[Any]) -> Any:
    """Return what comes of an operation, be it an error of a kind that the translator expects.

    Raises
    ------
    UnsupportedError
        If it is any other.
    """
    try:
        return OPERATIONS[operation](*operands)
    except (KeyboardInterrupt, UnsupportedError):
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return _Raised(error)
    except BaseException as error:  # noqa: BLE001 - whatever a property of the user's raises
        raise UnsupportedError(
            f"what cannot be computed beforehand: {type(error).__name__}: {error}"
        ) from None


class _Objects:
    """The objects that were met, numbered in the order in which they were."""

    def __init__(self) -> None:
        # What is known by its address must stay where it is.
        self._met: list[object] = []
        self._numbers: dict[int, int] = {}

    def __getitem__(self, number: int) -> object:
        return self._met[number]

    def number(self, value: object) -> int | None:
        """Return the number of an object; None if it was not met."""
        return self._numbers.get(id(value))

    def described(self, value: object) -> str:
        """Return all that can be seen of a value; an object is numbered if it is new."""
        if type(value) in PLAIN or type(value) is _Raised:
            return _nature(value)
        number = self._numbers.get(id(value))
        if number is not None:
            return f"#{number}"
        number = self._numbers[id(value)] = len(self._met)
        self._met.append(value)
        return f"#{number} {_nature(value)}"


def _nature(value: Any) -> str:
    """Return what the translator sees of a value without asking."""
    if type(value) is int:
        # Python refuses to write very long numbers in tens.
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


def _is_long(operand: object) -> bool:
    return isinstance(operand, int) and operand.bit_length() > WORD_BITS


def _shown(operands: Sequence[object]) -> str:
    plain = [repr(part) for part in operands if type(part) in PLAIN]
    return ", ".join([type(part).__name__ for part in operands if type(part) not in PLAIN] + plain)
