"""The types of the typed form: all that is certain of a value before a rule runs.

A type says what a value is on every way that leads to it.  Where two ways meet, their types are
joined; where nothing is both, a name has no type there, and only reading it is a mistake.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import KEEP, Enum, Flag, IntEnum, IntFlag, ReprEnum
from functools import cache, reduce
from typing import Any

from ..core.containers import Bag
from ..core.errors import printed
from ..core.layout import WORD_BITS
from ..core.text import Tabled

WORD = -(1 << WORD_BITS - 1), (1 << WORD_BITS - 1) - 1
"""The lowest and the highest number of 64 bits."""

LEAST_MEMBER, MOST_MEMBER = -1, 62
"""The numbers that a set may have, which is a bit mask."""


class Type:
    """All that is certain of a value."""


@dataclass(frozen=True)
class Number(Type):
    """A whole number, a truth value or a member of an enumeration.

    Parameters
    ----------
    low, high
        Its lowest and highest value, both included.
    kind
        Its class in Python; None if that depends on the way, as for ``x or True``.
    optional
        Whether it is that of a variable that may be NONE.
    """

    low: int = WORD[0]
    high: int = WORD[1]
    kind: type | None = int
    optional: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Nothing(Type):
    """None."""


@dataclass(frozen=True)
class Text(Type):
    """A text, which can be compared, and be a key."""


@dataclass(frozen=True)
class Never(Type):
    """What no value has: an element of a list that is empty.

    Evaluating such an expression fails, so nothing else happens to it.
    """


@dataclass(frozen=True)
class Tuple(Type):
    """A tuple with a type for each item."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Record(Type):
    """A record outside of the state.

    Parameters
    ----------
    declaration
        Its class.
    fields
        The types of its parts by name, in the order of the declaration; one that was left out, and
        has no lowest value, is missing.
    own
        Whether the model made it; one that was read from a sequence is a value.
    """

    declaration: type
    fields: tuple[tuple[str, Type], ...]
    own: bool = True

    def field(self, name: str) -> Type | None:
        """Return the type of a part; None if it has none."""
        return dict(self.fields).get(name)


@dataclass(frozen=True)
class Sequence(Type):
    """A list, a tuple of any length or a deque outside of the state."""

    element: Type
    kind: type = list


@dataclass(frozen=True)
class Members(Type):
    """A set outside of the state.

    Parameters
    ----------
    element
        The type of its members.
    ordered
        Whether it is iterated in ascending order, as what an operator of a state's set gives.
    frozen
        Whether it is a ``frozenset``.
    """

    element: Type
    ordered: bool = False
    frozen: bool = False


@dataclass(frozen=True)
class Mapping(Type):
    """A dictionary outside of the state.

    Parameters
    ----------
    kind
        ``dict``, ``Counter`` or ``defaultdict``.
    factory
        What a ``defaultdict`` calls for a key that it lacks.
    of_a_set
        Whether its keys come in the order of a set.
    """

    key: Type
    value: Type
    kind: type = dict
    factory: Callable[[], Any] | None = None
    of_a_set: bool = False


@dataclass(frozen=True)
class Optional(Type):
    """None, or a value of another type."""

    of: Type


@dataclass(frozen=True)
class Stream(Type):
    """What yields values one by one, and is used at once: a generator, ``zip(...)``."""

    element: Type


@dataclass(frozen=True)
class Span(Type):
    """A ``range``.

    Parameters
    ----------
    step
        Its step, if that is known.
    numbers
        What its numbers may be.
    """

    step: int | None = None
    numbers: Number = Number()


@dataclass(frozen=True)
class Ref(Type):
    """A record, an array or a container of the state: a place.

    Parameters
    ----------
    form
        Its path, with ``[]`` for each index: ``replica[].log``.
    """

    form: str


@dataclass(frozen=True, eq=False)
class Known(Type):
    """What exists when the file is loaded, and never a number: a function, a class, a table.

    Two are equal if they are the same object.
    """

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True)
class Closure(Type):
    """A function within a function, a lambda, or what ``partial`` makes.

    Parameters
    ----------
    function
        What a call of it lowers.
    captured
        The names that it uses of the function around it, and where that has them.
    """

    function: Any
    captured: tuple[tuple[str, str, Type], ...] = ()


@dataclass(frozen=True)
class OneOf(Type):
    """One of several values that exist when the file is loaded, by a number from 0 on."""

    options: tuple[Any, ...]


@dataclass(frozen=True)
class Places(Type):
    """One of several places of the state, by a number from 0 on."""

    options: tuple[Ref, ...]


BOOL = Number(0, 1, bool)
NOTHING, NEVER, TEXT = Nothing(), Never(), Text()


class NoJoinError(Exception):
    """Nothing is of both types."""


def join(one: Type, other: Type) -> Type:
    """Return the type of a value that has either type.

    Raises
    ------
    NoJoinError
        If there is none.

    Examples
    --------
    >>> join(Number(0, 1), Number(3, 4)), join(NOTHING, BOOL) == Optional(BOOL)
    (Number(low=0, high=4, kind=<class 'int'>), True)
    """
    if one == other or isinstance(other, Never):
        return one
    if isinstance(one, Never):
        return other
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        inner = other if isinstance(one, Nothing) else one
        return inner if isinstance(inner, Optional) else Optional(inner)
    if isinstance(one, Optional) or isinstance(other, Optional):
        return Optional(join(_certain(one), _certain(other)))
    if isinstance(one, Tuple) and isinstance(other, (Tuple, Sequence)):
        return _join_tuples(one, other)
    if isinstance(other, Tuple) and isinstance(one, Sequence):
        return _join_tuples(other, one)
    if isinstance(one, (Known, OneOf)) and isinstance(other, (Known, OneOf)):
        return _join_known(one, other)
    joined = _JOINS.get(type(one))
    if joined is None or type(one) is not type(other):
        raise NoJoinError
    return joined(one, other)


def _certain(one: Type) -> Type:
    return one.of if isinstance(one, Optional) else one


def _join_numbers(one: Number, other: Number) -> Type:
    kind = one.kind if one.kind is other.kind else None
    optional = one.optional or other.optional
    return Number(min(one.low, other.low), max(one.high, other.high), kind, optional)


def _join_tuples(one: Tuple, other: Tuple | Sequence) -> Type:
    if isinstance(other, Tuple) and len(one.items) == len(other.items):
        return Tuple(tuple(map(join, one.items, other.items)))
    if isinstance(other, Sequence) and other.kind is not tuple:
        raise NoJoinError
    items = (*one.items, *(other.items if isinstance(other, Tuple) else [other.element]))
    return Sequence(join_all(items), tuple)


def _join_records(one: Record, other: Record) -> Type:
    others = dict(other.fields)
    if one.declaration is not other.declaration or dict(one.fields).keys() != others.keys():
        raise NoJoinError
    fields = tuple((name, join(kind, others[name])) for name, kind in one.fields)
    return Record(one.declaration, fields, one.own and other.own)


def _join_sequences(one: Sequence, other: Sequence) -> Type:
    if one.kind is not other.kind:
        raise NoJoinError
    return replace(one, element=join(one.element, other.element))


def _join_sets(one: Members, other: Members) -> Type:
    if one.frozen is not other.frozen:
        raise NoJoinError
    ordered = one.ordered and other.ordered
    return Members(join(one.element, other.element), ordered, one.frozen)


def _join_mappings(one: Mapping, other: Mapping) -> Type:
    if (one.kind, one.factory) != (other.kind, other.factory):
        raise NoJoinError
    key, value = join(one.key, other.key), join(one.value, other.value)
    return replace(one, key=key, value=value, of_a_set=one.of_a_set or other.of_a_set)


def _join_streams(one: Stream, other: Stream) -> Type:
    return Stream(join(one.element, other.element))


def _join_closures(one: Closure, other: Closure) -> Type:
    if one.function is not other.function or len(one.captured) != len(other.captured):
        raise NoJoinError
    pairs = list(zip(one.captured, other.captured, strict=True))
    if any(a[:2] != b[:2] for a, b in pairs):
        raise NoJoinError
    return Closure(one.function, tuple((*a[:2], join(a[2], b[2])) for a, b in pairs))


def _join_spans(one: Span, other: Span) -> Type:
    numbers = join(one.numbers, other.numbers)
    assert isinstance(numbers, Number)
    return Span(one.step if one.step == other.step else None, numbers)


def either(one: Type, other: Type) -> Type:
    """Return the type of what a name may have on two ways: as joined, or one of several places.

    Raises
    ------
    NoJoinError
        If there is none.
    """
    places = (Ref, Places)
    if one == other or not (isinstance(one, places) and isinstance(other, places)):
        return join(one, other)
    return Places(tuple(dict.fromkeys((*_places(one), *_places(other)))))


def _places(one: Ref | Places) -> tuple[Ref, ...]:
    return one.options if isinstance(one, Places) else (one,)


def _join_known(one: Known | OneOf, other: Known | OneOf) -> Type:
    options = [*_options(one)]
    options += [value for value in _options(other) if all(value is not own for own in options)]
    return OneOf(tuple(options))


def _options(one: Known | OneOf) -> tuple[Any, ...]:
    return (one.value,) if isinstance(one, Known) else one.options


_JOINS: dict[type[Type], Callable[[Any, Any], Type]] = {
    Number: _join_numbers, Record: _join_records, Sequence: _join_sequences,
    Members: _join_sets, Mapping: _join_mappings, Stream: _join_streams, Closure: _join_closures,
    Span: _join_spans,
}  # fmt: skip


def join_all(types: Iterable[Type]) -> Type:
    """Return the type of a value that has any of some types; ``NEVER`` if there are none."""
    start: Type = NEVER
    return reduce(join, types, start)


def widened(before: Type, after: Type) -> Type:
    """Return the type of what a loop changes: a number that grew may be any number.

    Parameters
    ----------
    before, after
        What it was before a round, and after it.

    Examples
    --------
    >>> widened(Sequence(NEVER), Sequence(Number(0, 3))).element
    Number(low=0, high=3, kind=<class 'int'>)
    """
    return _grown(before, either(before, after))


def _grown(before: Type, joined: Type) -> Type:
    """Return the joined type, without limits where there was another number before."""
    if joined == before or isinstance(before, Never):
        # What has nothing before the first round has numbers after it, and more are to come.
        return joined
    if isinstance(before, (Sequence, Members)) and isinstance(joined, (Sequence, Members)):
        return replace(joined, element=_grown(before.element, joined.element))
    if isinstance(before, Mapping) and isinstance(joined, Mapping):
        key, value = _grown(before.key, joined.key), _grown(before.value, joined.value)
        return replace(joined, key=key, value=value)
    return _without_limits(joined)


def _without_limits(one: Type) -> Type:
    if isinstance(one, Number):
        return one if one.kind not in (int, None) else replace(one, low=WORD[0], high=WORD[1])
    if isinstance(one, Tuple):
        return Tuple(tuple(map(_without_limits, one.items)))
    if isinstance(one, Record):
        return replace(one, fields=tuple((name, _without_limits(t)) for name, t in one.fields))
    if isinstance(one, Optional):
        return Optional(_without_limits(one.of))
    if isinstance(one, (Sequence, Members)):
        return replace(one, element=_without_limits(one.element))
    if isinstance(one, Mapping):
        return replace(one, key=_without_limits(one.key), value=_without_limits(one.value))
    return one


def contains_ref(one: Type) -> bool:
    """Whether a value stands for a place of the state, or holds what does."""
    if isinstance(one, Ref):
        return True
    return any(map(contains_ref, parts_of(one)))


def parts_of(one: Type) -> tuple[Type, ...]:
    """Return the types of which a type is made."""
    if isinstance(one, Tuple):
        return one.items
    if isinstance(one, Record):
        return tuple(kind for _, kind in one.fields)
    if isinstance(one, Optional):
        return (one.of,)
    if isinstance(one, (Sequence, Members, Stream)):
        return (one.element,)
    if isinstance(one, Places):
        return one.options
    return (one.key, one.value) if isinstance(one, Mapping) else ()


CONTAINERS = (Sequence, Members, Mapping)
"""The types of what holds values by number, by key or as members."""


def is_changeable(one: Type) -> bool:
    """Whether a value can be changed where it is, or holds what can; a place is not one."""
    if isinstance(one, Sequence) and one.kind is not tuple:
        return True
    if (isinstance(one, Members) and not one.frozen) or isinstance(one, (Mapping, Record)):
        return True
    return any(map(is_changeable, parts_of(one)))


def type_of(value: object) -> Type:
    """Return the type of a value that exists when the file is loaded.

    Examples
    --------
    >>> type_of((1, None)), type_of([1, 4])
    (Tuple(items=(Number(low=1, high=1, kind=<class 'int'>), Nothing())), \
Sequence(element=Number(low=1, high=4, kind=<class 'int'>), kind=<class 'list'>))
    """
    if value is None:
        return NOTHING
    if isinstance(value, int) and WORD[0] <= value <= WORD[1] and _is_plain_number(type(value)):
        return Number(int(value), int(value), int if type(value) is Tabled else type(value))
    if type(value) is str:
        return TEXT
    try:
        return _type_of_container(value)
    except NoJoinError:
        return Known(value)


def _is_plain_number(kind: type) -> bool:
    """Whether numbers of a class compute as whole numbers do."""
    return kind in (int, bool, Tabled) or issubclass(kind, Enum)


_ARITHMETIC = {
    name
    for name, method in vars(int).items()
    if name.startswith("__") and method is not vars(object).get(name)
} - {"__doc__", "__format__", "__getattribute__", "__getnewargs__", "__new__", "__repr__"}
"""The operations that a class of numbers can override."""

_OF_FLAGS = {id(method) for part in (Flag, IntFlag) for method in vars(part).values()}
"""The methods of flags, which behave like numbers as long as they keep every bit."""


@cache
def overriding(kind: type) -> bool:
    """Whether a class of numbers computes otherwise than whole numbers do."""
    if kind in (int, bool):
        return False
    keeps = issubclass(kind, IntFlag) and vars(kind)["_boundary_"] is KEEP
    for part in kind.__mro__[: kind.__mro__.index(int)]:
        if part in (IntEnum, ReprEnum, Enum):
            continue
        own = {id(vars(part)[name]) for name in _ARITHMETIC & vars(part).keys()}
        if own - (_OF_FLAGS if keeps else set()):
            return True
    return False


def _type_of_container(value: object) -> Type:
    kind = type(value)
    if kind is tuple:
        items = tuple(map(type_of, value))  # type: ignore[call-overload]
        return Known(value) if any(map(_is_static, items)) else Tuple(items)
    if kind in (list, deque):
        return _held(value, Sequence(_joined(value), kind))
    if kind in (set, frozenset):
        return _held(value, Members(_joined(value), frozen=kind is frozenset))
    if isinstance(value, dict) and kind in (dict, Counter, defaultdict):
        factory = getattr(value, "default_factory", None)
        return Mapping(_joined(value), _joined(value.values()), kind, factory)
    return Known(value)


def _held(value: object, result: Sequence | Members) -> Type:
    return Known(value) if isinstance(result.element, Known) else result


def _joined(values: Any) -> Type:
    """Return the type of any of some values.

    Raises
    ------
    NoJoinError
        If there is none, or one of them is a function or an object.
    """
    joined = join_all(map(type_of, values))
    if _is_static(joined):
        raise NoJoinError
    return joined


def _is_static(one: Type) -> bool:
    """Whether a value of a type is known by what it is alone, or holds what is."""
    return isinstance(one, (Known, OneOf)) or any(map(_is_static, parts_of(one)))


def named(kind: Type) -> str:
    """Say what a value is, in words."""
    if isinstance(kind, Known):
        return printed(kind.value)
    if isinstance(kind, Number) and kind.kind is bool:
        return "a truth value"
    if isinstance(kind, Mapping) and kind.kind is Bag:
        return "a bag"
    if isinstance(kind, Members) and kind.frozen:
        return "a frozenset"
    return _NAMES.get(type(kind).__name__, "a value")


_NAMES = {
    "Number": "a number", "Nothing": "None", "Text": "a text", "Tuple": "a tuple",
    "Record": "a record", "Sequence": "a list", "Members": "a set", "Mapping": "a dictionary",
    "Optional": "None on some way", "Stream": "a generator", "Span": "a range",
    "Ref": "a part of the state", "Closure": "a function", "OneOf": "a function",
}  # fmt: skip
