"""The value of an expression while it is translated: known now, or in a register later."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import KEEP, Enum, Flag, IntEnum, IntFlag, ReprEnum
from typing import Any

from ...core.errors import printed
from ...core.layout import WORD_BITS
from ...core.spec import TidegateError
from ...language.forms import Outside


class UnsupportedError(TidegateError):
    """A function uses what the compiled engine does not translate."""


class OutsideError(UnsupportedError):
    """A part of a function lies outside of the language of models."""

    part: Outside


class KindError(UnsupportedError):
    """A value is of a kind that its use does not fit; in which expression is still to be said."""


class ReplacingError(UnsupportedError):
    """A function replaces a part of the state, for which its callers may have names."""


class WritingError(UnsupportedError):
    """A function writes where only reading is allowed."""


MACHINE = object()
"""The value of ``ARITHMETIC`` in a module whose functions compute modulo 2^64, as the machine does.

All other functions compute as Python does, and fail if a number does not fit into 64 bits.
"""

Range = tuple[int, int] | None
"""Lowest and highest value, both included; None if unknown."""

WORD = -(1 << WORD_BITS - 1), (1 << WORD_BITS - 1) - 1
"""Lowest and highest 64-bit signed integer."""


@dataclass(frozen=True)
class Constant:
    """A value that is known while translating: a constant, a function, the constants ``k``."""

    value: Any


@dataclass(frozen=True)
class Number:
    """A 64-bit signed integer in a register, with its range if that is known.

    ``kind`` is the type that it has in Python, if that is known: ``int`` or an enumeration, or
    ``bool``.
    """

    register: str
    range: Range = None
    kind: type | None = None


@dataclass(frozen=True)
class Truth:
    """A truth value in a register of one bit.

    If Python has a number there of which only the truth is known, ``truth_only`` names its origin.
    ``kind`` is None if Python may have 0 or 1 there instead of False or True.
    """

    register: str
    truth_only: str = ""
    kind: type | None = bool


@dataclass(frozen=True)
class StateRef:
    """A part of a state that lies packed at ``base``: a record, an array or a variable.

    ``form`` is its path with ``[]`` for each index, and ``indices`` are the indices.  ``sample`` is
    the same part of the layout's record, with 0 for an unknown index, which shows its structure.
    ``element`` says that it is read from a sequence: Python has a value there, so it must be loaded
    before anything is written.
    """

    base: str
    form: str
    indices: tuple[Constant | Number, ...]
    sample: Any
    element: bool = False


@dataclass(frozen=True)
class Places:
    """One of several parts of the state, by a number in a register that is below their count."""

    which: Number
    options: tuple[StateRef, ...]


@dataclass(frozen=True)
class Items:
    """A tuple of values, or a list that does not change."""

    items: tuple[Value, ...]
    kind: type = tuple


@dataclass(frozen=True)
class Method:
    """A method of a record, and that record."""

    function: Callable[..., Any]
    owner: StateRef | Made


@dataclass(frozen=True)
class Made:
    """A record or an array outside of the state: the values of its variables, by their paths in it.

    ``sample`` is what :class:`StateRef` has, or the class of a record that the model makes.
    """

    paths: tuple[str, ...]
    values: tuple[Value, ...]
    sample: Any

    @property
    def kind(self) -> type:
        """The class of the record."""
        return self.sample if isinstance(self.sample, type) else type(self.sample)


@dataclass(frozen=True)
class Span:
    """A slice of a sequence: its elements from ``first`` up to before ``last``."""

    owner: StateRef | Made
    first: Value
    last: Value


@dataclass(frozen=True)
class Elements:
    """A slice of a sequence that is loaded: the first ``count`` of these elements."""

    items: tuple[Value, ...]
    count: Value


@dataclass(frozen=True)
class Numbers:
    """The numbers of a ``range``; without a ``stop`` they do not end."""

    start: Value
    stop: Value | None
    step: int = 1


def as_numbers(value: Value) -> Value:
    """Return a range that is known as the numbers that it has; any other value as it is."""
    known = value.value if isinstance(value, Constant) else None
    if type(known) is not range:
        return value
    return Numbers(Constant(known.start), Constant(known.stop), known.step)


@dataclass(frozen=True)
class Zipped:
    """What ``zip`` and ``enumerate`` yield: the elements of several iterables, side by side."""

    parts: tuple[Value, ...]


@dataclass(frozen=True)
class Mapped:
    """What ``map`` yields: the results of a function, each when it is asked for.

    ``call`` is what makes it, and ``several`` says that it takes as many arguments as each element
    has parts.
    """

    function: Value
    of: Value
    call: ast.Call
    several: bool = False


@dataclass(frozen=True)
class Neighbours:
    """What ``pairwise`` yields: each element but the last with the one after it."""

    of: Value


@dataclass(frozen=True)
class Backwards:
    """What ``reversed`` yields."""

    of: Value


@dataclass(frozen=True)
class Choice:
    """One of several known values, by a number in a register that is below their count."""

    number: Number
    options: tuple[Any, ...]


@dataclass(frozen=True)
class Dictionary:
    """A dictionary outside of the state that does not change: its keys are known."""

    keys: tuple[Any, ...]
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Entries:
    """A dictionary outside of the state that may grow: a list of its keys and values.

    ``kind`` is its class in Python, and ``default`` what a ``defaultdict`` calls.  ``changes`` is
    the address of the number of keys that were added and removed: no loop goes on after one.
    """

    cells: Cells
    changes: str
    kind: type = dict
    default: Value | None = None


@dataclass(frozen=True)
class View:
    """What a method of such a dictionary shows of it: "keys", "values" or "items"."""

    entries: Entries
    part: str


@dataclass(frozen=True)
class Bits:
    """A set of numbers from 0 to 62 outside of the state, as a bit mask; bit 63 is -1.

    ``address`` is where the mask lies if the set may change; ``ordered`` says that it is iterated
    in ascending order whatever its members are, as a tuple or a ``Set`` is.  Neither has -1.
    The range of a mask that may have -1 begins with the lowest number of 64 bits, and ends with
    what the other members may be.
    """

    mask: Value
    address: str = ""
    ordered: bool = False


@dataclass(frozen=True)
class Cells:
    """A list or a tuple outside of the state, whose length is not known while translating.

    Parameters
    ----------
    base, length
        The addresses of its elements, and of their number.
    most
        How many elements there is room for.
    shapes
        The shape of an element, once one is known: see :mod:`slots`; then whether it was read.
    kind
        Its type in Python.
    changes
        The address of the number of its changes, of a deque: no loop over it goes on after one.
    """

    base: str
    length: str
    most: int
    shapes: list[Any]
    kind: type = list
    changes: str = ""


@dataclass(frozen=True)
class Distinct:
    """A set of tuples or records outside of the state.

    ``cells`` has each once, in no order; ``places`` are those parts of the state that are members,
    as they were when they were added.
    """

    cells: Cells
    places: list[StateRef] = field(default_factory=list)


@dataclass(frozen=True)
class Orders:
    """What ``permutations`` yields of the elements of a list, by number; or a list of that."""

    cells: Cells


@dataclass(frozen=True)
class Closure:
    """A function that is defined within another one, or a lambda; its calls are written out.

    ``around`` is the function in whose module its free names are looked up; ``defaults`` are what
    the last parameters had when it was defined.
    """

    tree: ast.FunctionDef | ast.Lambda
    around: Callable[..., Any]
    defaults: tuple[Value, ...] = ()
    hidden: Mapping[str, Value] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Perhaps:
    """A value that is None if a bit is set; ``value`` is None if nothing else is known of it."""

    value: Value | None
    none: str


NOWHERE = Constant("nowhere")
"""An element beyond an array; such a step has failed, so nothing depends on its value."""

LEFT_OUT = Constant(object())
"""What a record that is made by name lacks, because only the bounds say what is lowest there."""


def is_left_out(value: object) -> bool:
    """Whether a record lacks this value."""
    return isinstance(value, Constant) and value.value is LEFT_OUT.value


Value = (
    Constant
    | Number
    | Truth
    | StateRef
    | Places
    | Items
    | Method
    | Made
    | Span
    | Elements
    | Numbers
    | Zipped
    | Mapped
    | Neighbours
    | Backwards
    | Choice
    | Dictionary
    | Entries
    | View
    | Bits
    | Cells
    | Distinct
    | Orders
    | Closure
    | Perhaps
)

PASSED = (Constant, Number, Truth, StateRef, Made)
"""What a call passes on; a function that gets anything else is written out where it is called."""


PLAIN = frozenset({bool, bytes, complex, float, int, str, type(None), type(Ellipsis)})
"""Types whose values are fully described by their text, with operations nobody can override."""

_ARITHMETIC = {
    name
    for name, method in vars(int).items()
    if name.startswith("__") and method is not vars(object).get(name)
} - {"__doc__", "__format__", "__getattribute__", "__getnewargs__", "__new__", "__repr__"}
"""The operations that a class of numbers can override."""

_OF_FLAGS = {id(method) for part in (Flag, IntFlag) for method in vars(part).values()}
"""The methods of flags, which behave like numbers as long as they keep every bit."""


def integer_of(value: object) -> int | None:
    """Return the integer that a known value is in arithmetic; None if it is none.

    Raises
    ------
    UnsupportedError
        If its class overrides arithmetic.
    """
    which = type(value)
    if which is int or which is bool:
        return int(value)  # type: ignore[call-overload, no-any-return]
    if not issubclass(which, int):
        return None
    keeps = issubclass(which, IntFlag) and vars(which)["_boundary_"] is KEEP
    for part in which.__mro__[: which.__mro__.index(int)]:
        if part in (IntEnum, ReprEnum, Enum):
            continue
        own = {id(vars(part)[name]) for name in _ARITHMETIC & vars(part).keys()}
        if own - (_OF_FLAGS if keeps else set()):
            raise UnsupportedError(
                f"a number of the class {which.__name__}, which overrides arithmetic"
            )
    return int.__int__(value)  # type: ignore[arg-type]


MISTAKES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""The errors of Python if a value that is known while translating does not fit its use.

The model may never get there; the interpreted engine finds out whether it does.
"""


def ask(operation: Callable[..., Any], *operands: Any) -> Any:
    """Return the result of an operation on known objects, some of which are a model's own.

    What changes by itself would make the machine code another one the next time.

    Raises
    ------
    UnsupportedError
        If it fails otherwise than by ``MISTAKES``, or has another result the second time.
    """
    try:
        value, again = operation(*operands), operation(*operands)
    except (KeyboardInterrupt, UnsupportedError, *MISTAKES):
        raise
    except BaseException as error:  # noqa: BLE001 - a user's property may raise anything
        raise UnsupportedError(
            f"what cannot be computed while translating: {type(error).__name__}: {error}"
        ) from None
    if type(value) is not type(again) or _plain(value) != _plain(again):
        raise UnsupportedError(
            f"{operation.__name__} of {', '.join(map(printed, operands))}, which changes by itself,"
        )
    return value


def _plain(value: Any) -> object:
    """Return the plain value of a value, or the number that it is; None for any other object."""
    if type(value) in PLAIN:
        return value
    try:
        return integer_of(value)
    except UnsupportedError:
        return None


def span(value: Value) -> Range:
    """Return the range of an integer value, if it is known."""
    number = integer_of(value.value) if isinstance(value, Constant) else None
    if number is not None:
        return number, number
    if isinstance(value, Truth):
        return 0, 1
    return value.range if isinstance(value, Number) else None


def combined(operator: str, left: Range, right: Range) -> Range:
    """Return the range of the result of an operator, which may exceed 64 bits."""
    left, right = left or WORD, right or WORD
    if operator == "add":
        return left[0] + right[0], left[1] + right[1]
    if operator == "sub":
        return left[0] - right[1], left[1] - right[0]
    if operator == "min":
        return min(left[0], right[0]), min(left[1], right[1])
    if operator == "max":
        return max(left[0], right[0]), max(left[1], right[1])
    if operator in ("and", "or", "xor"):
        return _bitwise(operator, left, right)
    if operator in ("shl", "ashr") and not (right[0] >= 0 and right[1] < WORD_BITS):
        return None
    apply = _CORNERS[operator]
    corners = [apply(one, other) for one in left for other in right]
    return min(corners), max(corners)


_CORNERS: dict[str, Callable[[int, int], int]] = {
    "mul": operator.mul,
    "shl": operator.lshift,
    "ashr": operator.rshift,
}
"""Operators whose largest and smallest results are at the extremes of their operands."""


def _bitwise(operator: str, left: tuple[int, int], right: tuple[int, int]) -> Range:
    """Return the range of a bitwise operation, as whole bits."""
    if operator == "and" and max(left[0], right[0]) >= 0:
        return 0, min(known[1] for known in (left, right) if known[0] >= 0)
    # A number and its complement have the same number of bits.
    bits = max((number if number >= 0 else ~number).bit_length() for number in (*left, *right))
    return (-(1 << bits) if min(left[0], right[0]) < 0 else 0), (1 << bits) - 1


def fits(known: Range) -> bool:
    """Whether every value of a range is a 64-bit signed integer."""
    return known is not None and WORD[0] <= known[0] and known[1] <= WORD[1]


def is_truth(value: Value) -> bool:
    """Whether a value can be nothing but True, False, 1 or 0."""
    if isinstance(value, Truth):
        return not value.truth_only
    known = span(value)
    return known is not None and known[0] >= 0 and known[1] <= 1


def forms_of(value: Value) -> Iterator[str]:
    """Yield the parts of the state that a value stands for, holds or reads."""
    if isinstance(value, StateRef):
        yield value.form
    elif isinstance(value, Places):
        for option in value.options:
            yield from forms_of(option)
    elif isinstance(value, (Span, Method)):
        yield from forms_of(value.owner)
    elif isinstance(value, (Mapped, Neighbours, Backwards)):
        yield from forms_of(value.of)
    elif isinstance(value, (Zipped, Items)):
        for part in value.parts if isinstance(value, Zipped) else value.items:
            yield from forms_of(part)


def kind_of(value: Value) -> type | None:
    """Return the type that a value has in Python; None if it is not known."""
    if isinstance(value, Constant):
        return type(value.value)
    return value.kind if isinstance(value, (Number, Truth)) else None


def common(left: type | None, right: type | None) -> type | None:
    """Return the type of a value that is one or the other; None if it may have either."""
    return left if left is right else None


def union(left: Range, right: Range) -> Range:
    """Return the range of a value that is one or the other."""
    if left is None or right is None:
        return None
    return min(left[0], right[0]), max(left[1], right[1])


def as_constant(value: Value) -> Value:
    """Return a tuple of known values as one known value; any other value as it is."""
    if not isinstance(value, Items):
        return value
    items = map(as_constant, value.items)
    known = [item.value for item in items if isinstance(item, Constant)]
    return Constant(value.kind(known)) if len(known) == len(value.items) else value


def known_items(value: Value) -> tuple[Value, ...] | None:
    """Return the items of a tuple or a list whose length is known; None for anything else."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Constant) and type(value.value) in (tuple, list):
        return tuple(map(Constant, value.value))
    return None


def is_none(value: Value) -> bool:
    """Whether a value is known to be None."""
    return isinstance(value, Constant) and value.value is None
