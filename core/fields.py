"""The parts of a state's declaration: records, variables and arrays.

Containers, which consist of these, are in :mod:`containers`; :mod:`layout` lays a declaration out.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import EnumMeta, IntEnum
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Self, TypeVar, cast, dataclass_transform, overload

from .errors import MisusedValueError, ModelError, about, misused, nearest, printed
from .indices import Records, Variables, records
from .values import Kind, array_type, as_kind, plain

Limit = int | Callable[[Any], int]
"""A number, or a function from the constants to one."""

Several = Sequence[int] | Callable[[Any], Iterable[int]]
"""Numbers, or a function from the constants to these."""

NONE = -1
"""Nobody, nothing, not known: the value below every broker, offset, record and epoch."""

WIDEST = 128
"""Bits of the largest limit that is computed, to report it; more than 64 cannot be stored."""


class Declared:
    """What declares a part of a record, and stands for it where a record that is made lacks it."""

    def __get__(self, record: object, kind: type) -> Self:
        if record is None:
            return self
        raise AttributeError(
            f"a part of this {kind.__name__} was left out, and only the bounds say what its lowest "
            "value is: write it by name (model.state() is a state, for a test)"
        )


@dataclass(frozen=True)
class Field(Declared):
    """One declared variable: its lowest and highest value, both included, and how it is shown.

    ``names`` matters to symmetry: it is ``"replica"`` if the value is the number of a replica (or
    NONE), and ``"replicas"`` if it is a set of them; ``of`` is their kind of participant, if it is
    declared.  ``kind`` is what it reads as: ``int``, ``bool`` or an enumeration.  ``initial`` is
    its value at first; None for the lowest one.
    """

    low: Limit
    high: Limit
    doc: str
    show: Callable[[int], object] = int
    names: str = ""
    kind: Kind = int
    initial: Limit | None = None
    of: str = ""


@dataclass(frozen=True)
class Array(Declared):
    """A declared sequence of records or of variables, of a length fixed by the constants.

    ``by_replica`` says that its index is the number of a replica; ``by`` names the kind of
    participant that the index numbers, for views and symmetry.  ``initial`` are the values of its
    variables at first, if they differ.  ``vacant`` says that it belongs to a container, which is
    empty at first: its variables then have their lowest values, whatever their declarations say.
    """

    length: Limit
    element: type[Record] | Field | Array
    by_replica: bool = False
    by: str = ""
    initial: Several | Limit | None = None
    vacant: bool = False


T = TypeVar("T", bound="Record")
E = TypeVar("E", bound="int | Record | list[Any]")
N = TypeVar("N", bound=IntEnum)


def refuse_other_limits(call: str, doc: object, **limits: object) -> None:
    """Refuse a declaration whose limit is neither a number nor a function of the bounds.

    Parameters
    ----------
    call
        What declares it, for the text.
    doc
        What says what it is about: a text.

    Raises
    ------
    ModelError
        With the line of the declaration.
    """
    for name, limit in limits.items():
        if isinstance(limit, type) or not (isinstance(limit, int) or callable(limit)):
            repair = "it must be a whole number, or a function of the bounds: lambda k: k.nodes"
            if isinstance(limit, EnumMeta):
                repair = f"write len({limit.__name__})"
            elif isinstance(limit, type) and issubclass(limit, Record):
                repair = f"for records write sequence_of({limit.__name__}, 3, 'what they are')"
            raise misused(f"{call}: {name} is {_named(limit)}; {repair}")
    if not isinstance(doc, str):
        raise misused(f"{call}: doc is {_named(doc)}; it must be a text that says what it holds")


def _named(value: object) -> str:
    """Return a value of the model in a short text; a class is its name."""
    if isinstance(value, (Field, Array)):
        return "a declaration"
    return value.__name__ if isinstance(value, type) else printed(value)


def _is_of_numbers(kind: object) -> bool:
    return isinstance(kind, EnumMeta) and issubclass(kind, int)


def integer(low: Limit, high: Limit, doc: str, *, initial: Limit | None = None) -> int:
    """Declare a whole number within ``low..high``; at first it is the lowest, or `initial`."""
    refuse_other_limits("integer", doc, low=low, high=high)
    return cast(int, Field(low, high, doc, initial=initial))


def replica_id(
    high: Limit, doc: str, low: Limit = NONE, *, of: str = "", initial: Limit | None = None
) -> int:
    """Declare the number of a replica, or NONE; it never changes if `low` equals `high`.

    `of` is the kind of participant, ``"manager"``, in a model of several kinds that may change
    places.
    """
    refuse_other_limits("replica_id", doc, low=low, high=high)
    return cast(int, Field(low, high, doc, names="replica", initial=initial, of=of))


def boolean(doc: str, *, initial: Limit | None = None) -> bool:
    """Declare a truth value, which reads as True or False; at first it is False, or `initial`."""
    refuse_other_limits("boolean", doc)
    return cast(bool, Field(0, 1, doc, bool, kind=bool, initial=initial))


def optional(high: Limit, doc: str, *, initial: Limit | None = None) -> int:
    """Declare a whole number within ``0..high``, or NONE; at first it is NONE, or `initial`."""
    refuse_other_limits("optional", doc, high=high)
    show = lambda value: None if value == NONE else value  # noqa: E731
    return cast(int, Field(NONE, high, doc, show, initial=initial))


def enumeration(kind: type[N], doc: str, *, initial: N | Callable[[Any], N] | None = None) -> N:
    """Declare a member of an enumeration; at first it is the one of the least value, or `initial`.

    It reads as that member; a number that is written to it becomes the member of that value.

    Raises
    ------
    ModelError
        If it is not an enumeration, or its values are not consecutive numbers.
    """
    refuse_other_limits("enumeration", doc)
    if not _is_of_numbers(kind):
        raise misused(
            f"enumeration: {_named(kind)} is not an enumeration of numbers; write one, "
            "class Phase(IntEnum), and name it here"
        )
    names = {int(member): member.name.lower() for member in kind}
    if not names:
        raise misused(f"enumeration: {kind.__name__} has no members; give it some")
    low, high = min(names), max(names)
    if len(names) <= high - low:
        missing = next(value for value in range(low, high) if value not in names)
        raise misused(
            f"{kind.__name__}: its values must be consecutive numbers, and {missing} is none; "
            f"number its members {low} to {low + len(names) - 1}",
            MisusedValueError,
        )
    show = lambda value: names.get(value, int(value))  # noqa: E731
    return cast(N, Field(low, high, doc, show, kind=kind, initial=initial))


def one_of(
    names: Sequence[str], doc: str, high: Limit | None = None, *, initial: str | Limit | None = None
) -> int:
    """Declare an enumeration: the number is the index of its name; at first 0, or `initial`."""
    refuse_other_limits("one_of", doc, **({} if high is None else {"high": high}))
    several = not isinstance(names, str) and isinstance(names, Sequence)
    if not several or not names or not all(isinstance(name, str) for name in names):
        raise misused(f'one_of: its names are {_named(names)}; write a list, ["slow", "fast"]')
    if isinstance(initial, str) and initial not in names:
        near = nearest(initial, names)
        hint = f"did you mean {near}?" if near else f"it has {', '.join(names)}"
        raise misused(f"one_of: initial is {initial!r}, which is none of its names; {hint}")
    show = lambda value: names[value] if 0 <= value < len(names) else int(value)  # noqa: E731
    first = names.index(initial) if isinstance(initial, str) else initial
    limit = len(names) - 1 if high is None else high
    return cast(int, Field(0, limit, doc, show, initial=first))


def subset(
    size: Limit, doc: str, names: str = "", *, of: str = "", initial: Limit | None = None
) -> int:
    """Declare a set of the numbers below `size`, stored as a bit mask; empty at first.

    With `names` or `of`, these are numbers of replicas, of that kind of participant.
    """
    refuse_other_limits("subset", doc, size=size)
    names = "replicas" if of else names

    def high(k: object) -> int:
        numbers = limit_of(size, k)
        if numbers < 0:
            raise ModelError(f"{doc}: a set of {numbers} numbers; it needs 0 or more")
        return (1 << min(numbers, WIDEST)) - 1

    show = lambda mask: set(members(mask))  # noqa: E731
    return cast(int, Field(0, high, doc, show, names, initial=initial, of=of))


class _Namespace(dict[str, Any]):
    """The names that the body of a record's class defines so far; none declares two variables."""

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(self.get(name), (Field, Array)):
            raise misused(f"{name} is declared twice in one record; rename one of them")
        super().__setitem__(name, value)


class _RecordType(type):
    """The class of classes of records: a part of the state is an instance of its declaration."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **more: Any) -> _Namespace:
        return _Namespace()

    def __instancecheck__(cls, instance: object) -> bool:
        declared = getattr(type(instance), "__declared__", object)
        return type.__instancecheck__(cls, instance) or issubclass(declared, cls)


@dataclass_transform(eq_default=False, kw_only_default=True)
class Record(metaclass=_RecordType):
    """Base of a declared state, or of a part of one.

    Actions see objects with a slot for each variable, record and array.  An array of records is a
    tuple.  An object that is assigned to a part is the part until the step ends; storing the state
    copies its values, and checks that no array was resized.

    A declaration may have methods, which actions and predicates call like functions.  It can be
    called with its parts by name, ``Entry(term=1, value=2)``: this makes a record outside of the
    state, which can be assigned, compared, or put into a sequence of such records.  A part that is
    a sequence or an array is a list in it, and one that is a set of records is a set.  A part that
    is left out is at its lowest; where only the bounds say what that is, the record has no such
    part until it is stored.

    Raises
    ------
    TypeError
        If a part is unknown, or its value is not of its declaration.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "__declared__"):
            # A class of the records of a state, where a variable converts its values.
            return
        parts = dict(_declared(cls))
        if any(not isinstance(part, Field) or part.kind is not int for part in parts.values()):
            type.__setattr__(cls, "__setattr__", _copying(parts))

    def __init__(self, *unnamed: object, **values: object) -> None:
        declared = declared_parts(type(self))
        if unnamed or not values.keys() <= declared.keys():
            name, takes = type(self).__name__, ", ".join(f"{part}=..." for part in declared)
            here = ", ".join((*map(str, unnamed), *values))
            raise TypeError(f"{name}({here}): write {name}({takes})")
        for part, declaration in declared.items():
            here = copied(declaration, values[part]) if part in values else lowest(declaration)
            if here is not None:
                object.__setattr__(self, part, here)

    def __eq__(self, other: object) -> bool:
        names = part_names(self)
        if not isinstance(other, Record) or part_names(other) != names:
            raise TypeError("a record can be compared only with one of the same declaration")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        # Equal records have equal hashes, as in a set of the entries of a log.
        return hash(self._hashed())

    def _hashed(self) -> object:
        """Return what is equal for equal records, and has a hash."""
        return tuple(hashable(getattr(self, name)) for name in part_names(self))

    def __repr__(self) -> str:
        parts = (
            f"{name}={getattr(self, name)!r}" for name in part_names(self) if hasattr(self, name)
        )
        return f"{type(self).__name__}({', '.join(parts)})"

    def assign(self, other: Self) -> None:
        """Copy every variable from another record of the same declaration."""
        copy_into(self, other)

    def __copy__(self) -> Self:
        return value_of(self)

    def __deepcopy__(self, memo: object) -> Self:
        return value_of(self)

    @classmethod
    def _copied(cls, *source: object) -> object:
        """Return what a record that is made by name holds of this declaration."""
        if not source:
            return cls()
        names = tuple(declared_parts(cls))
        if not isinstance(source[0], Record) or part_names(source[0]) != names:
            raise _needed(names, source[0])
        return value_of(source[0])


def _copying(parts: Mapping[str, Any]) -> Callable[[Any, str, Any], None]:
    """Return ``__setattr__`` of records outside of the state, which have no slots.

    A value assigned to one of these parts is copied, as where a record is made.
    """

    def write(record: Any, name: str, value: Any) -> None:
        held = copied(parts[name], value) if name in parts else value
        object.__setattr__(record, name, held)

    return write


def _needed(names: tuple[str, ...], other: object) -> TypeError:
    what = f"a {type(other).__name__}" if isinstance(other, Record) else repr(other)
    return TypeError(f"a record of {', '.join(names)} is needed, not {what}")


def copied(declared: Any, source: Any) -> Any:
    """Return the copy of a value that a record made by name holds in one of its parts."""
    if isinstance(declared, Field):
        return as_kind(declared.kind, source)
    if isinstance(declared, Array):
        return _array(declared.element, [copied(declared.element, part) for part in source])
    return declared._copied(source)


def lowest(declared: Any) -> Any:
    """Return the lowest value of a part of a record; None if only the bounds say what that is."""
    if isinstance(declared, Field):
        return None if callable(declared.low) else as_kind(declared.kind, declared.low)
    if not isinstance(declared, Array):
        return declared._copied()
    if callable(declared.length) or lowest(declared.element) is None:
        return None
    return _array(declared.element, [lowest(declared.element) for _ in range(declared.length)])


def _array(element: object, elements: list[Any]) -> object:
    if isinstance(element, Field):
        return array_type(element.kind, of_container=False)(elements)
    return records(elements)


def hashable(part: Any) -> Any:
    """Return the values of a part of a record as something that has a hash."""
    if isinstance(part, Record):
        return part._hashed()
    if isinstance(part, dict):
        return frozenset(part.items())
    if isinstance(part, set):
        return frozenset(part)
    return tuple(map(hashable, part)) if isinstance(part, (list, tuple)) else part


def part_names(record: Record) -> tuple[str, ...]:
    """Return the names of a record's variables, records and arrays, in order."""
    kind: Any = type(record)
    laid_out: tuple[str, ...] | None = getattr(kind, "__parts__", None)
    return tuple(declared_parts(kind)) if laid_out is None else laid_out


def declaration_of(record: Record) -> type:
    """Return the class that declares a record, which lies in a state or is a value."""
    kind: type = plain(type(record))
    declared: type = getattr(kind, "__declared__", kind)
    return declared


def copy_into(target: Record, source: object) -> None:
    """Write every variable of one record into another one of the same declaration."""
    names = part_names(target)
    if not isinstance(source, Record) or part_names(source) != names:
        raise _needed(names, source)
    for name in names:
        part, new = getattr(target, name), getattr(source, name, None)
        if new is None:
            _lower_part(target, name)
        elif isinstance(part, (list, tuple)):
            _copy_array(part, new, name)
        elif not isinstance(part, Record):
            setattr(target, name, new)
        elif hasattr(part, "fill") and not isinstance(new, Record):
            # A record that is made by name holds what Python has in place of a container.
            part.fill(new)
        else:
            copy_into(part, new)


def copy_part(target: Any, source: Any) -> None:
    """Write the values of a record, a container or an array into one of the same declaration."""
    if isinstance(target, (list, tuple)):
        _copy_array(target, source, "an array")
    elif hasattr(target, "fill") and not isinstance(source, Record):
        target.fill(source)
    else:
        copy_into(target, source)


Records.copy = copy_part


def _copy_array(target: Any, source: Any, name: str) -> None:
    """Write every variable of an array into another one of the same declaration."""
    if len(target) != len(source):
        raise TypeError(f"{name} has {len(target)} elements, and not {len(source)}")
    if isinstance(target, list):
        target[:] = source
    else:
        for element, new in zip(target, source, strict=True):
            if isinstance(element, Record):
                copy_part(element, new)
            else:
                _copy_array(element, new, f"{name}[...]")


def _lower(part: Any, low: int) -> None:
    """Give a record or an array of the state its lowest values."""
    if isinstance(part, list):
        part[:] = [low] * len(part)
    elif isinstance(part, tuple):
        for element in part:
            _lower(element, low)
    else:
        for name in part_names(part):
            _lower_part(part, name)


def _lower_part(target: Any, name: str) -> None:
    low, part = type(target).__lows__.get(name), getattr(target, name)
    if isinstance(part, int):
        setattr(target, name, low)
    else:
        _lower(part, low)


def value_of(record: T) -> T:
    """Return a copy of a part of the state with its present values."""
    kind: type[T] = plain(type(record))
    copy = object.__new__(kind)
    for name in part_names(record):
        part = getattr(record, name, None)
        if part is None:
            continue
        setattr(copy, name, _part_value(part))
    return copy


def _part_value(part: Any) -> Any:
    """Return a copy of a part of a record with its present values."""
    if isinstance(part, Record):
        return value_of(part)
    if isinstance(part, (list, tuple)):
        elements = [_part_value(element) for element in part]
        return records(elements) if isinstance(part, tuple) else Variables(elements)
    return part


def nested(declaration: type[T]) -> T:
    """Declare a record within a record."""
    if not is_record(declaration):
        raise misused(f"nested: {_named(declaration)} does not derive from Record; name one")
    return cast(T, declaration)


@overload
def array(
    length: Limit,
    element: type[T],
    *,
    by_replica: bool = False,
    by: str = "",
    initial: None = None,
) -> list[T]: ...
@overload
def array(
    length: Limit,
    element: E,
    *,
    by_replica: bool = False,
    by: str = "",
    initial: Several | Limit | None = None,
) -> list[E]: ...
def array(
    length: Limit,
    element: object,
    *,
    by_replica: bool = False,
    by: str = "",
    initial: Several | Limit | None = None,
) -> object:
    """Declare a sequence of records, variables or arrays, of fixed length.

    Parameters
    ----------
    element
        The class of the records, or the declaration of one variable, container or array.
    by_replica
        Whether its index is the number of a replica, which symmetry may permute.
    by
        The kind of participant that its index numbers, for views and, with `by_replica`, for
        symmetry: ``"manager"``.
    initial
        The values of its variables at first, or the one that all have, or a function of the bounds
        that returns it; by default each is what `element` says.
    """
    refuse_other_limits("array", "", length=length)
    if not (is_record(element) or isinstance(element, (Field, Array))):
        raise misused(
            f"array: {_named(element)} declares neither a variable nor a record nor an array; "
            "declare an element, as integer(0, 3, 'ballot'), or name a class that derives from "
            "Record"
        )
    if initial is not None and not isinstance(element, Field):
        raise misused("array: its elements are not variables; declare the initial values of these")
    return Array(length, cast(Any, element), by_replica, by, initial)


def is_record(declaration: object) -> bool:
    """Whether something declares a record."""
    return isinstance(declaration, type) and issubclass(declaration, Record)


def members(mask: int) -> list[int]:
    """Return the numbers in a set stored as a bit mask, in ascending order.

    >>> members(0b101)
    [0, 2]
    """
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def size(mask: int) -> int:
    """Return the size of a set stored as a bit mask, which the compiled engine computes at once.

    >>> size(0b101)
    2
    """
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def limit_of(limit: Limit, k: object) -> int:
    """Return the value of a limit for given constants.

    Raises
    ------
    ModelError
        If it is not a whole number, or a function that does not take the constants.
    """
    try:
        number: object = limit(k) if callable(limit) else limit
    except TypeError:
        if not callable(limit) or _takes_one(limit):
            raise
        text = "a limit of the state is called with the bounds; write lambda k: k.nodes"
        raise about(limit, text) from None
    if isinstance(number, int):
        return number
    text = f"a limit of the state is {printed(number)}; it must be a whole number"
    raise about(limit, text) if callable(limit) else ModelError(text)


def several_of(several: Several, k: object) -> list[int]:
    """Return the numbers that a declaration says, or a function from the constants."""
    said: Any = several(k) if callable(several) else several
    if isinstance(said, int):
        raise ModelError(f"its members at first are {said!r}; write several: {{{said!r}}}")
    return list(said)


def _takes_one(limit: Any) -> bool:
    """Whether a limit can be called with the constants."""
    try:
        inspect.signature(limit).bind(None)
    except TypeError:
        return False
    return True


def _declared(declaration: type) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record class with their names, those of its bases first."""
    for base in reversed(declaration.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, (Field, Array)) or (
                isinstance(value, type) and issubclass(value, Record)
            ):
                yield name, value


@cache
def declared_parts(declaration: type) -> dict[str, Field | Array | type[Record]]:
    """Return the fields of a record class by name, those of its bases first.

    Raises
    ------
    ModelError
        If it has attributes that declare nothing, such as ``x: int = 0``.
    """
    parts: dict[str, Any] = {}
    for name, part in _declared(declaration):
        if name in parts:
            text = f"{declaration.__name__}.{name} is declared in a base class, too; rename one"
            raise about_class(declaration, text, name)
        if name in _TAKEN:
            text = f"{declaration.__name__}.{name}: every record has something of this name"
            raise about_class(declaration, f"{text}; call the variable otherwise", name)
        parts[name] = part
    for base in declaration.__mro__[: declaration.__mro__.index(Record)]:
        annotated = vars(base).get("__annotations__", {})
        plain = {
            name: value
            for name, value in vars(base).items()
            if not (name.startswith("__") or isinstance(value, _BESIDE))
        }
        for name, value in {**annotated, **plain}.items():
            if name not in parts:
                _refuse_undeclared(declaration, name, value, annotated.get(name))
    return parts


def kinds_of(parts: Mapping[str, object]) -> dict[str, Kind]:
    """Return what variables read as, by name; those that read as ``int`` are left out."""
    return {
        name: part.kind
        for name, part in parts.items()
        if isinstance(part, Field) and part.kind is not int
    }


def about_class(declaration: type, text: str, name: str = "") -> ModelError:
    """Return an error whose place is the line of a field, else the first one of its declaration."""
    error = ModelError(text)
    with suppress(OSError, TypeError):
        lines, first = inspect.getsourcelines(declaration)
        written = rf"\s*(def\s+)?{re.escape(name)}\s*[(:=]"
        named = (n for n, line in enumerate(lines) if name and re.match(written, line))
        error.place = inspect.getsourcefile(declaration) or "?", first + next(named, 0)
    return error


def method_of(declaration: type, name: str) -> FunctionType | None:
    """Return a method that a record class defines; None for one that every record has."""
    method = _defined(declaration, name)
    return method if isinstance(method, FunctionType) else None


def getter_of(declaration: type, name: str) -> FunctionType | None:
    """Return the function of a property that a record class defines; None if it has none."""
    defined = _defined(declaration, name)
    return cast(FunctionType, defined.fget) if isinstance(defined, property) else None


def _defined(declaration: type, name: str) -> object:
    """Return what a record class defines by a name; None for what every record has."""
    own = declaration.__mro__[: declaration.__mro__.index(Record)]
    return next((vars(base)[name] for base in own if name in vars(base)), None)


_TAKEN = {"_owner", "_key", "_read", "assign", "_copied", "_hashed"}
"""Names of what every record has besides its variables."""

_OF_TYPES = {
    "bool": "bool = boolean('whether it is so')",
    "set": "Set = set_of(5, 'which of the numbers below 5')",
    "frozenset": "Set = set_of(5, 'which of the numbers below 5')",
    "list": "Seq = sequence_of(5, 3, 'up to 3 numbers below 5')",
    "tuple": "Seq = sequence_of(5, 3, 'up to 3 numbers below 5')",
    "dict": "list[int] = array(5, integer(0, 9, 'what each of 5 has'))",
    "NoneType": "int = optional(5, 'a number up to 5, or NONE')",
}
"""What declares a variable in place of a value of Python's, by its type."""


def _refuse_undeclared(declaration: type, name: str, value: object, annotation: object) -> None:
    """Refuse an attribute of a record class that declares no variable, with what would.

    Parameters
    ----------
    value
        What it is; its annotation, if it is nothing else.
    """
    where = f"{declaration.__name__}.{name}"
    if isinstance(value, cached_property):
        text = f"{where} is a cached property, and a record changes; write @property"
        raise about_class(declaration, text, name)
    has_value = value is not annotation
    kind = type(value).__name__ if has_value else getattr(annotation, "__name__", str(annotation))
    what = f"is {value!r}" if has_value else "has no value"
    repair = _OF_TYPES.get(kind.partition("[")[0], "int = integer(0, 9, 'what it counts')")
    if isinstance(value, IntEnum):
        repair = f"{kind} = enumeration({kind}, 'which it is')"
    text = f"{where} {what}, which declares no variable of the state; write {name}: {repair}"
    raise about_class(declaration, text, name)


_BESIDE = (FunctionType, classmethod, property)
"""Attributes that a declaration may have besides its variables: methods and properties."""
