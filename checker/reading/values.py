"""Values, as far as they are known before the model runs.

``history`` says of a value that it depends on a variable which the state holds only if a property
needs it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ...core.containers import Bag, Ordered, Set
from ...core.errors import ModelError
from ...core.fields import NONE, Array, Field, Record
from .held import held

MOST_OPTIONS = 12
"""The most alternatives of a value that are told apart."""

_PLAIN = (bool, int, str, float, complex, bytes, type(None), type(Ellipsis))


@dataclass(frozen=True, eq=False)
class Known:
    """An object that exists already: a constant, a function, a module, the bounds ``k``.

    ``unordered`` says that it is a dictionary with the order of a set.
    """

    value: Any
    history: bool = False
    unordered: bool = False

    def _key(self) -> object:
        plain = type(self.value) in _PLAIN
        return type(self.value), self.value if plain else id(self.value), self.history

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True)
class Number:
    """An integer of a class: ``int``, ``bool``, or an enumeration.

    ``optional`` says that it is a variable which may be NONE.
    """

    kind: type = int
    history: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Text:
    """A string."""

    history: bool = False


@dataclass(frozen=True)
class Items:
    """A tuple of values."""

    items: tuple[Value, ...]

    @property
    def history(self) -> bool:
        """Whether an item depends on history."""
        return any(item.history for item in self.items)


@dataclass(frozen=True)
class Place:
    """A record, an array or a container of the state: whoever has it sees later writes.

    ``root`` says that it is the state itself.
    """

    declared: Any
    history: bool = False
    root: bool = False


@dataclass(frozen=True)
class Element:
    """A record, or a part of one, that was read from a sequence: a value."""

    declared: Any
    history: bool = False


@dataclass(frozen=True)
class Made:
    """A record of a declared class outside of the state."""

    declared: Any
    history: bool = False


@dataclass(eq=False)
class Group:
    """A list, a set, a dictionary, an iterator: what it holds, whichever element it is.

    Attributes
    ----------
    kind
        ``list``, ``tuple``, ``set``, ``dict`` or ``iter``.
    element, key
        Any of its elements; of a dictionary any value, and any key.  None if it is empty so far.
    unordered
        Whether its order may differ between two runs.
    shared
        Whether it outlives the call, since a memoised function returned it.
    """

    kind: str
    element: Value | None = None
    key: Value | None = None
    unordered: bool = False
    history: bool = False
    shared: bool = False
    changes = 0

    def add(self, value: Value | None, key: Value | None = None) -> None:
        """Add an element, which may be any of several."""
        element = gathered(self.element, value)
        keys = joined(self.key, key)
        if element != self.element or keys != self.key:
            self.element, self.key = element, keys
            Group.changes += 1

    def blur(self, source: Value) -> None:
        """Take over from a source that its order is unknown, or that it depends on history."""
        unordered = self.unordered or is_unordered(source)
        history = self.history or source.history
        if (unordered, history) != (self.unordered, self.history):
            self.unordered, self.history = unordered, history
            Group.changes += 1


@dataclass(frozen=True, eq=False)
class Local:
    """A function that is defined inside another one, with that one's variables."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    body: Any
    history: bool = False


@dataclass(frozen=True)
class Bound:
    """A method with its owner; ``function`` is None for one of a built-in class or container."""

    name: str
    owner: Value
    function: Any = None
    history: bool = False


@dataclass(frozen=True)
class Object:
    """An instance, made by the model's code, of a class that is not a record."""

    kind: type
    history: bool = False


@dataclass(frozen=True)
class Either:
    """One of several values."""

    options: tuple[Value, ...]

    @property
    def history(self) -> bool:
        """Whether an alternative depends on history."""
        return any(option.history for option in self.options)


@dataclass(frozen=True)
class Unknown:
    """Any value.

    ``unordered`` says that it may be a set, or hold one, whose order differs between two runs.
    """

    history: bool = False
    unordered: bool = False


Value = (
    Known | Number | Text | Items | Place | Element | Made | Group | Local | Bound | Object
    | Either | Unknown
)  # fmt: skip

NOTHING = Known(None)
NUMBER, TRUTH, TEXT, ANYTHING = Number(), Number(bool), Text(), Unknown()


def options(value: Value) -> tuple[Value, ...]:
    """Return the alternatives of a value."""
    return value.options if isinstance(value, Either) else (value,)


def joined(left: Value | None, right: Value | None) -> Value | None:
    """Return a value that is one or the other; None stands for no value at all."""
    if left is None or right is None or left == right:
        return right if left is None else left
    merged: list[Value] = []
    for value in (*options(left), *options(right)):
        if isinstance(value, Unknown):
            return forgotten(left, right)
        for at, other in enumerate(merged):
            if (both := _merged(other, value)) is not None:
                merged[at] = both
                break
        else:
            merged.append(value)
    if len(merged) > MOST_OPTIONS:
        return forgotten(left, right)
    return merged[0] if len(merged) == 1 else Either(tuple(merged))


def gathered(left: Value | None, right: Value | None) -> Value | None:
    """Return a value that is one or the other, nobody knows which: it may be NONE if one may."""
    result = joined(left, right)
    if isinstance(result, Number) and not result.optional:
        either_may = any(one is not None and is_optional(one) for one in (left, right))
        return replace(result, optional=either_may)
    return result


def either(values: Iterable[Value | None]) -> Value | None:
    """Return a value that is one of several."""
    result: Value | None = None
    for value in values:
        result = joined(result, value)
    return result


def forgotten(*values: Value) -> Unknown:
    """Return a value that may be any of several, or be made of them."""
    history = any(value.history for value in values)
    return Unknown(history, any(map(hides_order, values)))


def hides_order(value: Value) -> bool:
    """Whether a value is or holds a set whose order may differ between two runs."""
    return any(
        is_unordered(part) or (isinstance(part, Known) and holds_order(part.value))
        for part in (*options(value), *parts_of(value))
    )


def holds_order(value: object) -> bool:
    """Whether an object is or holds a set whose order differs from process to process."""
    sets = (one for one in held(value, most=None) if isinstance(one, (set, frozenset)))
    return any(is_unordered(Known(one)) for one in sets)


def _merged(left: Value, right: Value) -> Value | None:
    """Return one value for two of a kind; None if they are of different kinds."""
    if left == right:
        return left
    history = left.history or right.history
    kind = kind_of(left)
    if kind is not None and kind is kind_of(right):
        both = is_optional(left) and is_optional(right)
        return Number(kind, history, optional=both)
    if is_text(left) and is_text(right):
        return Text(history)
    if isinstance(left, Items) and isinstance(right, Items) and len(left.items) == len(right.items):
        pairs = zip(left.items, right.items, strict=True)
        return Items(tuple(joined(*pair) or ANYTHING for pair in pairs))
    same = type(left) is type(right)
    if same and isinstance(left, (Place, Element, Made)) and left.declared is right.declared:  # type: ignore[union-attr]
        return replace(left, history=history)
    if same and isinstance(left, (Object, Known)):
        one, other = (getattr(v, "kind", None) or getattr(v, "value", None) for v in (left, right))
        return replace(left, history=history) if one is other else None
    return None


def kind_of(value: Value) -> type | None:
    """Return the class of a value that is surely an integer; None for others."""
    if isinstance(value, Number):
        return value.kind
    if isinstance(value, Known) and isinstance(value.value, int):
        return type(value.value)
    return None


def is_optional(value: Value) -> bool:
    """Whether a value is a variable that may be NONE."""
    return isinstance(value, Number) and value.optional


def is_text(value: Value) -> bool:
    """Whether a value is surely a string."""
    return isinstance(value, Text) or (isinstance(value, Known) and isinstance(value.value, str))


def is_number(value: Value) -> bool:
    """Whether a value is surely an integer, whichever alternative it is."""
    return all(kind_of(option) is not None for option in options(value))


def marked(value: Value, history: bool = True) -> Value:
    """Return a value that depends on history, too, if `history` says so."""
    if not history or value.history:
        return value
    if isinstance(value, Items):
        return Items(tuple(marked(item) for item in value.items) or (Unknown(True),))
    if isinstance(value, Either):
        return Either(tuple(marked(option) for option in value.options))
    return replace(value, history=True)


def of_part(part: Any, history: bool, read: bool = False) -> Value:
    """Return a declared part of a record of the state, or of one that was read from a sequence."""
    if isinstance(part, Field):
        return Number(part.kind, history, optional=part.low == NONE)
    return Element(part, history) if read else Place(part, history)


def is_record(declared: Any) -> bool:
    """Whether a declaration is a class of records."""
    return isinstance(declared, type) and issubclass(declared, Record)


def is_array(value: Value) -> bool:
    """Whether a value is an array of the state, of fixed length."""
    return isinstance(value, (Place, Element)) and isinstance(value.declared, Array)


def is_of_container(value: Value) -> bool:
    """Whether a value is a set, a bag or a sequence that is declared."""
    declared: Any = getattr(value, "declared", None)
    return is_record(declared) and issubclass(declared, (Ordered, Set, Bag))


def element_of(declared: Any, history: bool, read: bool) -> Value:
    """Return any element of a declared array."""
    assert isinstance(declared, Array)
    return of_part(declared.element, history, read)


def is_container(value: Value) -> bool:
    """Whether a value may be a container that outlives the call, and can change."""
    for one in options(value):
        if isinstance(one, Known) and isinstance(one.value, (list, dict, set, bytearray)):
            return True
        if isinstance(one, Group) and one.shared:
            return True
    return False


def catches_everything(caught: Value) -> bool:
    """Whether a handler for this class, or for one of these, catches Tidegate's own errors."""
    for one in options(caught):
        listed = one.items if isinstance(one, Items) else [one]
        known = [part.value for part in listed if isinstance(part, Known)]
        flat = [kind for part in known for kind in (part if isinstance(part, tuple) else (part,))]
        if any(isinstance(kind, type) and issubclass(ModelError, kind) for kind in flat):
            return True
    return False


def may_change(value: Value) -> bool:
    """Whether a value may be a list, a set, a dictionary or a record."""
    return any(isinstance(one, (Group, Made, Place)) for one in options(value))


def is_unordered(value: Value) -> bool:
    """Whether the order of a value's elements may differ between two runs."""
    return any(_option_is_unordered(option) for option in options(value))


def _option_is_unordered(value: Value) -> bool:
    if isinstance(value, Known) and isinstance(value.value, (set, frozenset)):
        return len(value.value) > 1 and not all(map(hashes_alike, value.value))
    if isinstance(value, (Known, Unknown)):
        return value.unordered
    if not isinstance(value, Group):
        return False
    return value.unordered or (
        value.kind == "set" and value.element is not None and not is_stable(value.element)
    )


def hashes_alike(value: object) -> bool:
    """Whether a known value has the same hash in every process."""
    if isinstance(value, (tuple, frozenset)):
        return all(map(hashes_alike, value))
    if isinstance(value, Enum) and not isinstance(value, int):
        return False
    # The hash of a NaN, which equals nothing, is made of its address.
    return isinstance(value, (int, float, complex)) and value == value


def is_stable(value: Value) -> bool:
    """Whether a value surely has the same hash in every process."""
    return all(_option_is_stable(option) for option in options(value))


def _option_is_stable(value: Value) -> bool:
    if isinstance(value, Known):
        return hashes_alike(value.value)
    if isinstance(value, Items):
        return all(map(is_stable, value.items))
    if isinstance(value, Group) and value.kind in ("tuple", "set"):
        return value.element is None or is_stable(value.element)
    is_fraction = isinstance(value, Object) and value.kind is float
    return is_fraction or isinstance(value, Number)


def is_unstable(value: Value) -> bool:
    """Whether a value surely has another hash in another process."""
    known = isinstance(value, Known) and not hashes_alike(value.value)
    return known or is_text(value) or any(map(is_unstable, parts_of(value)))


def parts_of(value: Value) -> Iterator[Value]:
    """Yield the values inside a tuple or a group, however deep."""
    seen: list[Value] = []
    todo = list(options(value))
    while todo:
        one = todo.pop()
        inner: tuple[Value | None, ...] = ()
        if isinstance(one, Items):
            inner = one.items
        elif isinstance(one, Group) and not any(one is other for other in seen):
            # A list may hold itself.
            seen.append(one)
            inner = one.element, one.key
        parts = [part for each in inner if each is not None for part in options(each)]
        yield from parts
        todo += parts
