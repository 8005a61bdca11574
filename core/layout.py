"""A state is declared once; everything else about it is derived from that declaration.

A model declares its state as classes of fields::

    class Replica(Record):
        hw: int = integer(0, lambda k: k.log_size, "high watermark")
        log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)

and :class:`Layout` derives, for given constants, the record that actions read and write, the state
that a search stores, the packed words, the fingerprint, the type check and the rendering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, cast, overload

from .errors import blaming
from .record import (
    ConstantError,
    Part,
    Stored,
    accessors,
    class_of,
    element,
    packing,
    part_errors,
    put,
    range_error,
    range_errors,
)

State = Stored
"""A stored state: one element per variable, counted from the variable's lowest value."""

Limit = int | Callable[[Any], int]
"""A number, or a function from the constants to one."""

NONE = -1
"""Nobody, nothing, not known: the value below every broker, offset, record and epoch."""

WORD_BITS = 64
_WORD = (1 << WORD_BITS) - 1


class Record:
    """Base of a declared state, or of a part of one.

    Actions see objects with a slot for each variable, record and array.  Only variables may be
    assigned: an array of records is a tuple, and that the other parts are neither replaced nor
    resized is watched whenever a state is stored.
    """

    __slots__ = ()


@dataclass(frozen=True)
class Field:
    """One declared variable: its lowest and highest value, both included, and how it is shown.

    ``names`` says what the value speaks of, where that matters to symmetry: ``"replica"`` for the
    number of a replica (or NONE), ``"replicas"`` for a set of them.
    """

    low: Limit
    high: Limit
    doc: str
    show: Callable[[int], object] = int
    names: str = ""


@dataclass(frozen=True)
class Array:
    """A declared sequence of records or of variables, of a length fixed by the constants.

    ``by_replica`` says that its index is the number of a replica.
    """

    length: Limit
    element: type[Record] | Field
    by_replica: bool = False


T = TypeVar("T", bound=Record)


def integer(low: Limit, high: Limit, doc: str) -> int:
    """Declare a whole number within ``low..high``."""
    return cast(int, Field(low, high, doc))


def replica_id(high: Limit, doc: str, low: Limit = NONE) -> int:
    """Declare the number of a replica, or NONE; it is always the same where `low` is `high`."""
    return cast(int, Field(low, high, doc, names="replica"))


def boolean(doc: str) -> bool:
    """Declare a truth value."""
    return cast(bool, Field(0, 1, doc, bool))


def one_of(names: Sequence[str], doc: str, high: Limit | None = None) -> int:
    """Declare an enumeration: the number is the index of its name."""
    return cast(int, Field(0, len(names) - 1 if high is None else high, doc, names.__getitem__))


def subset(size: Limit, doc: str, names: str = "") -> int:
    """Declare a set of the numbers below `size`, stored as a bit mask."""

    def high(k: object) -> int:
        return int((1 << _number(size, k)) - 1)

    return cast(int, Field(0, high, doc, lambda mask: set(members(mask)), names))


def nested(declaration: type[T]) -> T:
    """Declare a record within a record."""
    return cast(T, declaration)


@overload
def array(length: Limit, element: type[T], *, by_replica: bool = False) -> list[T]: ...
@overload
def array(length: Limit, element: int, *, by_replica: bool = False) -> list[int]: ...
def array(length: Limit, element: object, *, by_replica: bool = False) -> object:
    """Declare a sequence of records, or of variables, of fixed length."""
    return Array(length, cast("type[Record] | Field", element), by_replica)


def members(mask: int) -> list[int]:
    """Return the numbers in a set stored as a bit mask, in ascending order.

    >>> members(0b101)
    [0, 2]
    """
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


@dataclass(frozen=True)
class Variable:
    """A field of the laid-out state.

    ``path`` addresses it from the state record (``replica[1].log[0].epoch``); ``replicas`` are the
    indices in it that are numbers of replicas, and ``form`` is the path with a gap for each of
    these; ``low`` and ``high`` are its range, both included; ``word`` and ``shift`` place it in the
    packed form.
    """

    path: str
    form: str
    replicas: tuple[int, ...]
    low: int
    high: int
    field: Field
    word: int
    shift: int

    @property
    def width(self) -> int:
        """Bits that it needs; a range of one value needs none and is not stored."""
        return (self.high - self.low).bit_length()

    def shown(self, value: int) -> object:
        """Return a value as people see it."""
        with blaming(f"showing {self.path}"):
            return self.field.show(value)


S = TypeVar("S")


class Layout(Generic[S]):
    """The declared state, laid out for given constants.

    Parameters
    ----------
    declaration
        The class of the state, derived from :class:`Record`.
    constants
        Handed to every limit of the declaration that is a function.

    Attributes
    ----------
    record
        The one record of this layout; :meth:`load` and :meth:`dump` move states in and out of it.
    variables
        All variables with their place, those of width 0 included.
    """

    load: Callable[[State], None]
    """Write a stored state into ``record``."""

    dump: Callable[[], State]
    """Return the state that ``record`` holds, as it is stored.

    It raises something where no stored state can hold that, since a part was replaced, an array was
    resized, or a value is no integer or does not fit; ``mistake`` says what.
    """

    pack: Callable[[State], tuple[int, ...]]
    """Return a stored state as 64-bit words; no variable straddles a word."""

    unpack: Callable[[Sequence[int]], State]
    """Return the state that ``pack`` made words from."""

    values: Callable[[], tuple[int, ...]]
    """Return every variable of ``record``, also those that are not stored."""

    in_range: Callable[[], bool]
    """Whether every variable of ``record`` lies within its declared range."""

    intact: Callable[[], bool]
    """Whether ``record`` consists of the declared parts, and each array has its length."""

    def __init__(self, declaration: type[S], constants: object) -> None:
        self.declaration = declaration
        self.record: S = cast(S, _build(declaration, constants))
        self.variables: list[Variable] = []
        self._places: list[tuple[Any, str | int]] = []
        self._parts: list[Part] = []
        self._place(self.record, declaration, constants, "", ())
        self.stored = tuple(v for v in self.variables if v.width)
        self.words = 1 + max((v.word for v in self.stored), default=0)
        self.bits = sum(v.width for v in self.stored)
        self._narrow = all(v.high - v.low < 256 for v in self.stored)
        made = accessors(
            declaration.__name__, self.variables, self._places, self._parts, self._narrow
        )
        self.load, self.dump, self.values = made.load, made.dump, made.values
        self.in_range, self.intact = made.in_range, made.intact
        self.pack, self.unpack = packing(
            declaration.__name__, self.stored, self.words, self._narrow
        )
        self._lengths = {p.path: len(p.node) for p in self._parts if p.integers}
        self.reset()

    def reset(self) -> None:
        """Put the declared parts into ``record``, and set every variable to its lowest value."""
        for part in self._parts:
            setattr(part.owner, part.name, part.node)
            if part.integers:
                part.node[:] = [0] * self._lengths[part.path]
        for variable, (owner, key) in zip(self.variables, self._places, strict=True):
            put(owner, key, variable.low)

    def changed(self, before: tuple[int, ...]) -> list[str]:
        """Name each variable of ``record`` that is not as :meth:`values` once returned it."""
        pairs = zip(self.variables, before, self.values(), strict=True)
        return [variable.path for variable, old, new in pairs if old != new]

    def range_errors(self) -> list[str]:
        """Name each variable of ``record`` that is out of its declared range, or no integer."""
        return range_errors(self.variables, self._places)

    def sound(self) -> bool:
        """Whether ``record`` consists of the declared parts, with integers in their ranges."""
        try:
            integers = all(isinstance(value, int) for value in self.values())
            return integers and self.intact() and self.in_range()
        except Exception:  # noqa: BLE001 - whatever comes of comparing with what is no integer
            return False

    def mistake(self, error: BaseException | None = None) -> str:
        """Say what was written into ``record``, or refused by `error`; empty if nothing was."""
        if isinstance(error, ConstantError):
            owner, key, value = error.args
            here = zip(self.variables, self._places, strict=True)
            [variable] = [v for v, place in here if place[0] is owner and place[1] == key]
            return f"wrote a value out of range: {range_error(variable, value)}"
        if parts := part_errors(self._parts, self._lengths):
            what = f"replaced or resized a part of the state: {'; '.join(parts)}; assign its "
            return what + "variables one by one instead"
        if ranges := self.range_errors():
            return f"wrote a value out of range: {'; '.join(ranges)}"
        return ""

    def fingerprint(self, state: State) -> int:
        """Return the 64-bit fingerprint of `state`; every engine computes this same number."""
        hashed = self.words
        for word in self.pack(state):
            hashed = mix(hashed ^ word)
        return hashed

    def describe(self, state: State) -> dict[str, Any]:
        """Return `state` as nested dictionaries and lists, for rendering only."""
        self.load(state)
        with blaming("showing a variable"):
            shown = _shown(self.record, self.declaration)
        assert isinstance(shown, dict)
        return shown

    def _place(
        self,
        node: Any,
        declared: type | Field | Array,
        k: object,
        form: str,
        replicas: tuple[int, ...],
    ) -> None:
        """Walk the declaration in order and give every variable its place."""
        for key, part, address in _parts(node, declared, form):
            by_replica = isinstance(declared, Array) and declared.by_replica
            at = (*replicas, int(key)) if by_replica else replicas
            if isinstance(part, Field):
                low, high = _number(part.low, k), _number(part.high, k)
                if high < low:
                    raise ValueError(f"{address}: its range {low}..{high} is empty")
                if high - low >> WORD_BITS:
                    raise ValueError(f"{address}: {low}..{high} takes more than {WORD_BITS} bits")
                self._append(address, at, low, high, part)
                self._places.append((node, key))
            else:
                inner = element(node, key)
                if isinstance(key, str):
                    constant = isinstance(part, Array) and _is_constant(part.element, k)
                    self._parts.append(Part(address.format(*at), node, key, inner, constant))
                self._place(inner, part, k, address, at)

    def _append(
        self, form: str, replicas: tuple[int, ...], low: int, high: int, declared: Field
    ) -> None:
        """Put the variable after the one before it, in the next word where it would straddle."""
        word, shift = 0, 0
        if self.variables:
            last = self.variables[-1]
            word, shift = last.word, last.shift + last.width
        if shift + (high - low).bit_length() > WORD_BITS:
            word, shift = word + 1, 0
        path = form.format(*replicas)
        self.variables.append(Variable(path, form, replicas, low, high, declared, word, shift))


def mix(word: int) -> int:
    """Scramble 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood, OOPSLA 2014)."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31


def _number(limit: Limit, k: object) -> int:
    return limit(k) if callable(limit) else limit


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
    """Return the fields of a record class by name, those of its bases first."""
    return dict(_declared(declaration))


def _build(declared: Any, k: object) -> Any:
    """Make the record of a declaration."""
    if isinstance(declared, Field):
        return _number(declared.low, k)
    if isinstance(declared, Array):
        elements = [_build(declared.element, k) for _ in range(_number(declared.length, k))]
        return elements if isinstance(declared.element, Field) else tuple(elements)
    fields = dict(_declared(declared))
    constants = {name: _number(p.low, k) for name, p in fields.items() if _is_constant(p, k)}
    node = class_of(declared, Record, fields, constants)()
    for name, part in fields.items():
        setattr(node, name, _build(part, k))
    return node


def _is_constant(declared: Any, k: object) -> bool:
    return isinstance(declared, Field) and _number(declared.low, k) == _number(declared.high, k)


def _parts(node: Any, declared: Any, path: str) -> Iterator[tuple[str | int, Any, str]]:
    """Yield (key, declaration, path) of what lies directly in a record or an array."""
    if isinstance(declared, Array):
        for index in range(len(node)):
            shown = "{}" if declared.by_replica else index
            yield index, declared.element, f"{path}[{shown}]"
    else:
        for name, part in _declared(declared):
            yield name, part, f"{path}.{name}" if path else name


def _shown(node: Any, declared: Any) -> object:
    if isinstance(declared, Field):
        return declared.show(node)
    if isinstance(declared, Array):
        return [_shown(part, declared.element) for part in node]
    return {name: _shown(getattr(node, name), part) for name, part in _declared(declared)}
