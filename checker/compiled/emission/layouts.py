"""How values of the typed form lie in memory: as numbers of 64 bits, one after another.

A number is one of them; a tuple and a record have those of their parts.  A list has its length, and
then room for its elements; a set of numbers is a bit mask, any other set a list without duplicates.
What exists when the file is loaded takes no room: its type says what it is.
"""

from __future__ import annotations

from functools import lru_cache

from ....language.types import (
    Closure,
    Known,
    Mapping,
    Members,
    Never,
    Nothing,
    Number,
    OneOf,
    Optional,
    Places,
    Record,
    Ref,
    Sequence,
    Span,
    Text,
    Tuple,
    Type,
)
from ..values import Constant, Truth, UnsupportedError
from ..values import Number as Register

Leaf = Constant | Register | Truth
"""A number or a truth value, which is known or in a register."""

ROOM = 64
"""The most elements of a list outside of the state; a step that needs more is left to Python."""

LARGE, HUGE = 64, 1024
"""Numbers of an element from which on a list has room for a quarter, and for an eighth of that."""

MOST_CELLS = 1 << 15
"""The most numbers that a value may take."""


def is_mask(kind: Members) -> bool:
    """Whether a set is a bit mask: bits 0 to 62, and -1 as the last one."""
    return isinstance(kind.element, (Number, Never))


@lru_cache(maxsize=1 << 14)
def size(kind: Type) -> int:
    """Return how many numbers a value takes.

    Raises
    ------
    UnsupportedError
        If it has no place in memory, or takes too much.
    """
    if isinstance(kind, (Number, Text, OneOf)):
        return 1
    if isinstance(kind, (Nothing, Known, Never, Closure)):
        return 0
    if isinstance(kind, Optional):
        return 1 + size(kind.of)
    if isinstance(kind, Tuple):
        return sum(map(size, kind.items))
    if isinstance(kind, Record):
        return sum(size(part) for _, part in kind.fields)
    if isinstance(kind, Ref):
        return kind.form.count("[]")
    if isinstance(kind, Places):
        return 1 + sum(map(size, kind.options))
    if isinstance(kind, Span):
        return 3
    if isinstance(kind, Members) and is_mask(kind):
        return 1
    if isinstance(kind, (Sequence, Members, Mapping)):
        cells = 1 + room(kind) * element_size(kind)
        if cells > MOST_CELLS:
            raise UnsupportedError("a list of lists that takes too much memory")
        return cells
    raise UnsupportedError("a generator that has a name")


def element_size(kind: Sequence | Members | Mapping) -> int:
    """Return how many numbers an element of a container takes, or a key and its value."""
    if isinstance(kind, Mapping):
        return size(kind.key) + size(kind.value)
    return size(kind.element)


def room(kind: Sequence | Members | Mapping) -> int:
    """Return how many elements a container has room for."""
    numbers = element_size(kind)
    return ROOM if numbers <= LARGE else ROOM // 4 if numbers <= HUGE else ROOM // 8


@lru_cache(maxsize=1 << 14)
def is_flat(kind: Type) -> bool:
    """Whether a value is kept in registers, since nothing in it has a length of its own."""
    if isinstance(kind, Optional):
        return is_flat(kind.of)
    if isinstance(kind, Tuple):
        return all(map(is_flat, kind.items))
    if isinstance(kind, Record):
        return all(is_flat(part) for _, part in kind.fields)
    if isinstance(kind, Members):
        return is_mask(kind)
    return not isinstance(kind, (Sequence, Mapping))


@lru_cache(maxsize=1 << 14)
def leaves(kind: Type) -> tuple[Number, ...]:
    """Return the ranges of the numbers that a value in registers consists of."""
    if isinstance(kind, Number):
        return (kind,)
    if isinstance(kind, OneOf):
        return (Number(0, len(kind.options) - 1),)
    if isinstance(kind, Optional):
        return Number(0, 1), *leaves(kind.of)
    if isinstance(kind, Tuple):
        return tuple(leaf for item in kind.items for leaf in leaves(item))
    if isinstance(kind, Record):
        return tuple(leaf for _, part in kind.fields for leaf in leaves(part))
    return (Number(),) * size(kind)


@lru_cache(maxsize=1 << 14)
def known_ranges(kind: Type) -> tuple[Number, ...]:
    """Return the ranges that the numbers of a value are in; what stands for None has none."""
    if isinstance(kind, Optional):
        return Number(0, 1), *(Number(),) * size(kind.of)
    if isinstance(kind, Tuple):
        return tuple(leaf for item in kind.items for leaf in known_ranges(item))
    if isinstance(kind, Record):
        return tuple(leaf for _, part in kind.fields for leaf in known_ranges(part))
    return leaves(kind)


@lru_cache(maxsize=1 << 14)
def shape(kind: Type) -> object:
    """Return what is equal for two types whose values lie in memory alike."""
    if isinstance(kind, (Number, Text)):
        return type(kind).__name__
    if isinstance(kind, Optional):
        return "optional", shape(kind.of)
    if isinstance(kind, Tuple):
        return "tuple", *map(shape, kind.items)
    if isinstance(kind, Record):
        return "record", kind.declaration, *((name, shape(part)) for name, part in kind.fields)
    if isinstance(kind, Sequence):
        return "list", shape(kind.element)
    if isinstance(kind, Members):
        return "mask" if is_mask(kind) else ("set", shape(kind.element))
    if isinstance(kind, Mapping):
        return "dictionary", shape(kind.key), shape(kind.value)
    return kind
