"""A state is declared once; everything else about it is derived from that declaration.

A model declares its state as classes of fields::

    class Replica(Record):
        hw: int = integer(0, lambda k: k.log_size, "high watermark")
        log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)

and :class:`Layout` derives, for given constants, the record that actions read and write, the state
that a search stores, the packed words, the fingerprint, the type check and the rendering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from .errors import Line, ModelError, printed
from .fields import (
    Array,
    Field,
    Record,
    about_class,
    copy_into,
    declared_parts,
    kinds_of,
    limit_of,
    value_of,
)
from .indices import records
from .record import (
    Deleted,
    Part,
    Stored,
    UnstorableError,
    Variable,
    accessors,
    class_of,
    element,
    packing,
    present,
    put,
    range_error,
    range_errors,
)
from .text import shown_part
from .values import ConstantError, Kind, array_type

State = Stored
"""A stored state: one element per variable, counted from the variable's lowest value."""

WORD_BITS = 64
_integers = {int, bool}
"""Integer classes met so far; enumerations are added, unless they define their own `|`."""

MOST_ELEMENTS = 10_000
"""The most elements of an array: more are a mistake in its length."""

_WORD = (1 << WORD_BITS) - 1


S = TypeVar("S")


class Layout(Generic[S]):
    """The declared state, laid out for given constants.

    Parameters
    ----------
    declaration
        The class of the state, derived from :class:`Record`.
    constants
        Passed to every limit of the declaration that is a function.

    Attributes
    ----------
    record
        The one record of this layout; :meth:`load` and :meth:`dump` move states in and out of it.
    variables
        All variables with their positions, those of width 0 included.
    """

    load: Callable[[State], None]
    """Write a stored state into ``record``."""

    dump: Callable[[], State]
    """Return the state that ``record`` holds, as it is stored.

    It raises an exception if a part was replaced, an array was resized, or a value does not fit or
    is not an integer; ``mistake`` says which.
    """

    pack: Callable[[State], tuple[int, ...]]
    """Return a stored state as 64-bit words; no variable straddles a word."""

    unpack: Callable[[Sequence[int]], State]
    """Return the state from its packed words."""

    values: Callable[[], tuple[int, ...]]
    """Return every variable of ``record``, including those that are not stored."""

    in_range: Callable[[], bool]
    """Whether every variable of ``record`` lies within its declared range."""

    within: Callable[[tuple[int, ...]], bool]
    """Whether the integers that ``values`` returned lie within the declared ranges."""

    intact: Callable[[], bool]
    """Whether ``record`` consists of the declared parts, and each array has its length."""

    def __init__(self, declaration: type[S], constants: object) -> None:
        self.declaration, self._constants = declaration, constants
        self.record: S = cast(S, _build(declaration, constants, ""))
        self.variables: list[Variable] = []
        self._places: list[tuple[Any, str | int]] = []
        self._parts: list[Part] = []
        self._initial: list[int] = []
        self._place(self.record, declaration, constants, "", (), (), "")
        self.stored = tuple(v for v in self.variables if v.width)
        self.words = 1 + max((v.word for v in self.stored), default=0)
        self.bits = sum(v.width for v in self.stored)
        self._narrow = all(v.high - v.low < 256 for v in self.stored)
        vars(self).update(
            accessors(
                declaration.__name__,
                self.variables,
                self._places,
                self._parts,
                self._narrow,
                self.adopt,
            )
        )
        self.pack, self.unpack = packing(
            declaration.__name__, self.stored, self.words, self._narrow
        )
        self._lengths = {p.path: len(p.node) for p in self._parts if p.integers}
        self.reset()

    @property
    def kinds(self) -> list[Kind]:
        """What the variables read as, each once, in order."""
        return list(dict.fromkeys(variable.kind for variable in self.variables))

    @property
    def classes(self) -> list[type]:
        """The classes of the record and of the records within it, each once, in order."""
        nodes = [self.record, *(node for node, _ in self._places)]
        nodes += [part.owner for part in self._parts]
        return list(dict.fromkeys(type(node) for node in nodes if isinstance(node, Record)))

    def restore(self) -> None:
        """Put the declared parts into ``record``, with the values that they have."""
        for part in self._parts:
            if isinstance(part.name, str):
                setattr(part.owner, part.name, part.node)

    def adopt(self) -> None:
        """Copy the values of the objects in place of parts of ``record`` into the declared parts.

        Within an action, such a part is another object, as in Python; a state has the values.

        Raises
        ------
        UnstorableError
            If they do not fit, or a part was deleted or resized; then ``record`` stays as it is.
        """
        if not self._is_whole():
            self._copy_to(self)

    def assigned(self) -> dict[str, object]:
        """Return the objects that ``record`` has in place of parts, by the paths of these."""
        here = [(part, present(part.owner, part.name)) for part in self._parts]
        return {part.path: one for part, one in here if one is not part.node}

    def _is_whole(self) -> bool:
        """Whether ``record`` has all the declared parts."""
        try:
            return self.intact()
        except AttributeError:
            return False

    def _copy_to(self, other: Layout[Any]) -> None:
        """Copy what ``record`` has, in whatever objects, to another record, or to the same."""
        places = [(p.owner, p.name) for p in self._parts if isinstance(p.name, str)]
        assigned = [(owner, name, present(owner, name)) for owner, name in places]
        if self._resized() or any(isinstance(one, Deleted) for *_, one in assigned):
            raise UnstorableError
        try:
            values = value_of(cast(Record, self.record))
            other.restore()
            copy_into(cast(Record, other.record), values)
        except Exception as error:
            for owner, name, one in assigned:
                setattr(owner, name, one)
            raise UnstorableError(getattr(error, "said", "") or str(error)) from error

    def _resized(self) -> list[str]:
        """Say which arrays have another length."""
        return [
            f"{part.path} has {len(part.node)} elements, declared {self._lengths[part.path]}"
            for part in self._parts
            if part.integers and len(part.node) != self._lengths[part.path]
        ]

    @cached_property
    def _scratch(self) -> Layout[S]:
        """The same layout with another record, to try whether values fit."""
        return Layout(self.declaration, self._constants)

    def _fits(self) -> bool:
        """Whether the objects in place of parts of ``record`` have fitting values."""
        try:
            self._copy_to(self._scratch)
            fits = self._scratch.sound()
        except UnstorableError:
            fits = False
        if not fits:
            # What does not fit stays in its record.
            del self._scratch
        return fits

    def reset(self) -> None:
        """Put the declared parts into ``record``, and set every variable to its initial value."""
        self.restore()
        for part in self._parts:
            if part.integers:
                part.node[:] = [0] * self._lengths[part.path]
        for initial, (owner, key) in zip(self._initial, self._places, strict=True):
            put(owner, key, initial)

    def changed(self, before: tuple[int, ...]) -> list[str]:
        """Name each variable of ``record`` that changed since :meth:`values` returned `before`."""
        pairs = zip(self.variables, before, self.values(), strict=True)
        return [variable.label for variable, old, new in pairs if old != new]

    def range_errors(self) -> list[str]:
        """Name each variable of ``record`` that is out of its declared range, or no integer."""
        return range_errors(self.variables, self._places)

    def sound(self) -> bool:
        """Whether ``record`` can be stored: its integers are in their ranges."""
        try:
            if not self.intact():
                return self._fits()
            values = self.values()
            kinds = set(map(type, values))
            if not kinds <= _integers:
                if not all(issubclass(kind, int) for kind in kinds):
                    return False
                others: set[Any] = kinds - _integers
                if not all(kind.__or__ is int.__or__ for kind in others):
                    return self.intact() and self.in_range()
                _integers.update(kinds)
            return self.intact() and self.within(values)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - comparing with something else than an integer may fail
            return False

    def mistake(self, error: BaseException | None = None) -> str:
        """Say what was wrongly written into ``record``, or refused by `error`; empty if nothing."""
        if isinstance(error, ConstantError):
            owner, key, value = error.args
            here = zip(self.variables, self._places, strict=True)
            [variable] = [v for v, place in here if place[0] is owner and place[1] == key]
            return f"wrote a value out of range: {range_error(variable, value)}"
        if resized := self._resized():
            return f"resized a part of the state: {'; '.join(resized)}"
        if assigned := self.assigned():
            try:
                self.adopt()
            except UnstorableError as unfit:
                why = f": {unfit}" if str(unfit) else ""
                what = "; ".join(f"{path} is {printed(one)}" for path, one in assigned.items())
                return f"wrote to a part of the state what does not fit: {what}{why}"
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
        shown = shown_part(self.record, self.declaration)
        return shown if isinstance(shown, dict) else {"state": shown}

    def declared_at(self, variable: Variable) -> Line | None:
        """Return the line that declares a variable, or the container that it is a part of."""
        declared: Any = self.declaration
        for name in re.sub(r"\[\d+\]", "", variable.path).split("."):
            if isinstance(declared, type) and not _is_container(declared):
                owner, last = declared, name
                declared = declared_parts(declared)[name]
                while isinstance(declared, Array):
                    declared = declared.element
        return about_class(owner, "", last).place

    def records_of(self, kind: type) -> dict[str, Any]:
        """Return records of a class within the state, by their paths; of an array the first one."""
        nodes = {part.path: part.node for part in self._parts}
        firsts = {
            f"{path}[0]": node[0]
            for path, node in nodes.items()
            if isinstance(node, tuple) and node
        }
        return {path: node for path, node in {**nodes, **firsts}.items() if isinstance(node, kind)}

    def _place(
        self,
        node: Any,
        declared: type | Field | Array,
        k: object,
        form: str,
        replicas: tuple[int, ...],
        by: tuple[str, ...],
        label: str,
        vacant: bool = False,
    ) -> None:
        """Walk the declaration in order and give every variable its position."""
        vacant = vacant or (isinstance(declared, Array) and declared.vacant)
        begins = _initial(declared, k, len(node) if isinstance(declared, Array) else 0, label)
        for key, part, address in _parts(node, declared, form):
            at, of, here = replicas, by, _label(declared, label, key)
            if isinstance(declared, Array) and declared.by_replica:
                at, of = (*replicas, int(key)), (*by, declared.by)
            with _blaming(declared, str(key)):
                if isinstance(part, Field):
                    initial = part.initial if begins is None else begins[int(key)]
                    low, high = limit_of(part.low, k), limit_of(part.high, k)
                    first = low if initial is None or vacant else limit_of(initial, k)
                    if wrong := _wrong(low, high, first):
                        raise ModelError(f"{here}: {wrong}")
                    self._append(address, at, of, here, low, high, part)
                    self._initial.append(first)
                    self._places.append((node, key))
                    continue
                inner = element(node, key)
                if isinstance(key, str) or isinstance(part, Array):
                    constant = isinstance(part, Array) and _is_constant(part.element, k)
                    self._parts.append(Part(address.format(*at), node, key, inner, constant))
                self._place(inner, part, k, address, at, of, here, vacant)

    def _append(
        self,
        form: str,
        replicas: tuple[int, ...],
        by: tuple[str, ...],
        label: str,
        low: int,
        high: int,
        declared: Field,
    ) -> None:
        """Put the variable after the previous one, in the next word if it would straddle words."""
        word, shift = 0, 0
        if self.variables:
            last = self.variables[-1]
            word, shift = last.word, last.shift + last.width
        if shift + (high - low).bit_length() > WORD_BITS:
            word, shift = word + 1, 0
        path = form.format(*replicas)
        variable = Variable(path, form, replicas, by, label, low, high, declared, word, shift)
        self.variables.append(variable)


def mix(word: int) -> int:
    """Scramble 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood, OOPSLA 2014)."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31


@contextmanager
def _blaming(declared: object, name: str) -> Iterator[None]:
    """Give an error the line of a part of a record that the model declares, if it has none."""
    try:
        yield
    except ModelError as error:
        # The line of a container is that of the variable that is one.
        if error.place is None and isinstance(declared, type) and not _is_container(declared):
            raise about_class(declared, Exception.__str__(error), name) from None
        raise


def _is_container(declared: type) -> bool:
    return declared.__module__.rpartition(".")[0] == __package__


def _wrong(low: int, high: int, initial: int) -> str:
    """Say what is wrong with the range of a variable, or with its initial value; or nothing."""
    if high < low:
        return f"its range {low}..{high} is empty; the lower limit comes first"
    if high - low >> WORD_BITS:
        return f"{low}..{high} takes more than {WORD_BITS} bits; make it smaller"
    if not low <= initial <= high:
        return f"its initial value {initial} is not within {low}..{high}; change one of them"
    return ""


def _initial(declared: object, k: object, length: int, path: str) -> list[Any] | None:
    """Return the initial values that an array declares, one for each element; None for none.

    A single number is that of all elements.

    Raises
    ------
    ModelError
        If they are more or fewer, or no whole numbers.
    """
    if not isinstance(declared, Array) or declared.initial is None:
        return None
    said: Any = declared.initial
    said = said(k) if callable(said) else said
    values: list[Any] = [said] * length if isinstance(said, int) else list(said)
    wrong = [value for value in values if not isinstance(value, int)]
    if wrong or len(values) != length:
        what = f"{wrong[0]!r} among its" if wrong else f"{len(values)}"
        raise ModelError(f"{path}: {what} initial values; it needs {length} whole numbers")
    return values


def _build(
    declared: Any,
    k: object,
    path: str,
    of_container: bool = False,
    within: tuple[type, ...] = (),
) -> Any:
    """Make the record of a declaration that lies at `path`, maybe as a part of a container.

    Parameters
    ----------
    within
        The declarations of the records that it is a part of.
    """
    if isinstance(declared, Field):
        return limit_of(declared.low, k)
    if isinstance(declared, Array):
        length = limit_of(declared.length, k)
        if not 0 <= length <= MOST_ELEMENTS:
            what = "a container" if of_container else "an array"
            raise ModelError(
                f"{path}: {what} of {length} elements; it can have 0 to {MOST_ELEMENTS:,}"
            )
        elements = [
            _build(declared.element, k, f"{path}[{i}]", within=within) for i in range(length)
        ]
        if not isinstance(declared.element, Field):
            return tuple(elements) if of_container else records(elements)
        array = array_type(declared.element.kind, of_container)()
        array.extend(elements)
        return array
    if declared in within:
        text = f"{path}: a {declared.__name__} is a part of itself, so the state has no end"
        raise about_class(declared, f"{text}; write the number of the other one instead")
    of_container = _is_container(declared)
    fields: dict[str, Any] = dict(declared_parts(declared))
    constants = {}
    for name, part in fields.items():
        with _blaming(declared, name):
            if _is_constant(part, k):
                constants[name] = limit_of(part.low, k)
    inner_parts = {name: _innermost(part) for name, part in fields.items()}
    lows = {name: limit_of(p.low, k) for name, p in inner_parts.items() if isinstance(p, Field)}
    made = class_of(declared, Record, fields, constants, kinds_of(fields), lows)
    node: Any = object.__new__(made)
    for name, part in fields.items():
        with _blaming(declared, name):
            address = _label(declared, path, name)
            inner = _build(part, k, address, of_container, (*within, declared))
        setattr(node, name, inner)
    return node


def _innermost(declared: Any) -> Any:
    """Return the declaration of the elements of an array, and of the arrays in it."""
    while isinstance(declared, Array):
        declared = declared.element
    return declared


def _label(declared: object, owner: str, key: str | int) -> str:
    """Return how a model writes a part of a record, an array or a container that lies at `owner`.

    >>> _label(None, "log[0]", "term"), _label(None, "log", 0)
    ('log[0].term', 'log[0]')
    """
    if isinstance(key, int):
        return f"{owner}[{key}]"
    if isinstance(declared, type) and _is_container(declared):
        return f"len({owner})" if key == "length" else owner
    return f"{owner}.{key}" if owner else key


def _is_constant(declared: Any, k: object) -> bool:
    return isinstance(declared, Field) and limit_of(declared.low, k) == limit_of(declared.high, k)


def _parts(node: Any, declared: Any, path: str) -> Iterator[tuple[str | int, Any, str]]:
    """Yield (key, declaration, path) of each direct part of a record or an array."""
    if isinstance(declared, Array):
        for index in range(len(node)):
            shown = "{}" if declared.by_replica else index
            yield index, declared.element, f"{path}[{shown}]"
    else:
        for name, part in declared_parts(declared).items():
            yield name, part, f"{path}.{name}" if path else name
