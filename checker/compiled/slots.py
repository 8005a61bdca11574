"""Values of several parts in memory: what a name has that is assigned on several ways.

A value is taken apart into numbers, its *leaves*, and a *shape*, by which they make it up again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.containers import Bag, Ordered, Set
from .emitter import Emitter
from .values import (
    NOWHERE,
    WORD,
    Backwards,
    Bits,
    Cells,
    Choice,
    Constant,
    Dictionary,
    Distinct,
    Elements,
    Items,
    KindError,
    Made,
    Mapped,
    Number,
    Numbers,
    Orders,
    Perhaps,
    Places,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    Zipped,
    common,
    integer_of,
    kind_of,
    span,
)


@dataclass(frozen=True)
class Shape:
    """How leaves make up a value.

    Parameters
    ----------
    like
        A value of this shape, without its leaves; it is equal for two values of one shape.
    parts
        The shapes of its parts; none for a leaf, and for a constant.
    kind
        The type of a leaf in Python, if it is known.
    """

    like: object
    parts: tuple[Shape, ...] = ()
    kind: type | None = None


HINTS = {
    "best": "what min() or max() finds", "key": "the key that min() or max() compares",
    "next": "what next() finds", "reduced": "what reduce() makes",
    "result": "what a function returns on several ways",
}  # fmt: skip
"""What the translator's own names stand for."""

_KINDS: tuple[tuple[Any, str], ...] = (
    ((Cells, Elements, Span), "a list or a tuple of unknown length"),
    ((Bits, Distinct), "a set that changes"),
    (Orders, "a list of permutations"),
    ((Numbers, Zipped, Mapped, Backwards), "a range or an iterator"),
    ((StateRef, Places), "a part of the state"),
    (Perhaps, "what may be None"),
)

LEAF = "a number"
"""The ``like`` of a shape that is one leaf."""


def taken_apart(value: Value) -> tuple[Shape, list[Value]]:
    """Return the shape of a value, and its leaves.

    Raises
    ------
    UnsupportedError
        If it is a value that cannot be kept in memory.
    """
    if is_leaf(value):
        kind = None if value is NOWHERE else kind_of(value)
        # That a number is a plain one says nothing of it.
        return Shape(LEAF, kind=None if kind is int else kind), [value]
    if isinstance(value, Constant):
        return Shape(value), []
    if isinstance(value, Items):
        return _of_parts(Items((), value.kind), value.items)
    if isinstance(value, Made):
        return _of_parts((value.paths, _structure(value.sample), value), value.values)
    if isinstance(value, StateRef) and not value.element:
        bare = (value.base, value.form)
        return _of_parts((bare, value), value.indices)
    if isinstance(value, Dictionary):
        return _of_parts(("dictionary", value.keys), value.values)
    if isinstance(value, Choice):
        return Shape(("choice", value.options)), [value.number]
    if isinstance(value, Bits) and not value.address:
        # A set of the state is iterated in order; one of 64 numbers has no room for -1.
        low, high = span(value.mask) or (0, 1 << 64)
        size = "wide" if value.ordered and (low < 0 or high > WORD[1]) else "narrow"
        return Shape(("bits", size), kind=Set if value.ordered else set), [value.mask]
    words = next((words for kind, words in _KINDS if isinstance(value, kind)), "a function")
    raise UnsupportedError(words)


def _structure(sample: Any) -> object:
    """Return what is equal for the samples of two values that have the same parts."""
    if isinstance(sample, (list, tuple)):
        return (type(sample), *map(_structure, sample))
    kind = sample if isinstance(sample, type) else type(sample)
    # The class of a record of the state is derived from the declaration, by which others are made.
    kind = getattr(kind, "__declared__", kind)
    # What a container may hold is said where it is declared, not by its class.
    return id(sample) if issubclass(kind, (Set, Ordered, Bag)) else kind


def is_leaf(value: Value) -> bool:
    """Whether a value is one number."""
    if value is NOWHERE:
        return True
    if isinstance(value, Constant):
        return issubclass(type(value.value), int) and integer_of(value.value) is not None
    return isinstance(value, (Number, Truth))


def _of_parts(like: object, values: tuple[Value, ...]) -> tuple[Shape, list[Value]]:
    taken = [taken_apart(part) for part in values]
    leaves = [leaf for _, part in taken for leaf in part]
    return Shape(like, tuple(shape for shape, _ in taken)), leaves


def put_together(out: Emitter, shape: Shape, leaves: list[Number]) -> Value:
    """Return the value that leaves make up, which are consumed from the front."""
    if shape.like == LEAF:
        leaf = leaves.pop(0)
        if shape.kind is bool:
            return Truth(out.truth(leaf))
        return replace(leaf, kind=shape.kind)
    if isinstance(shape.like, Constant):
        return shape.like
    parts = tuple(put_together(out, part, leaves) for part in shape.parts)
    if isinstance(shape.like, Items):
        return Items(parts, shape.like.kind)
    assert isinstance(shape.like, tuple)
    if shape.like[0] == "choice":
        return Choice(leaves.pop(0), shape.like[1])
    if shape.like[0] == "dictionary":
        return Dictionary(shape.like[1], parts)
    if shape.like[0] == "bits":
        mask, ordered = leaves.pop(0), shape.kind is Set
        known = mask.range or (
            None if shape.like[1] == "wide" else (0 if ordered else WORD[0], WORD[1])
        )
        return Bits(replace(mask, range=known), ordered=ordered)
    sample = shape.like[-1]
    if isinstance(sample, Made):
        return Made(sample.paths, parts, sample.sample)
    assert isinstance(sample, StateRef)
    indices = tuple(part for part in parts if isinstance(part, (Constant, Number)))
    return replace(sample, indices=indices)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same, as far as the translation knows."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        return type(one.value) is type(other.value) and bool(one.value == other.value)
    if (
        isinstance(one, tuple)
        and isinstance(other, tuple)
        and isinstance(one[-1], (Made, StateRef))
    ):
        return bool(one[:-1] == other[:-1])
    return bool(one == other)


def _is_place(shape: Shape) -> bool:
    """Whether a shape is that of a part of the state."""
    return isinstance(shape.like, tuple) and isinstance(shape.like[-1], StateRef)


def holds_place(shape: Shape) -> bool:
    """Whether a value of a shape stands for a part of the state, or holds one."""
    return _is_place(shape) or any(map(holds_place, shape.parts))


def _forms(shape: Shape | None) -> Iterator[str]:
    if shape is not None:
        if _is_place(shape):
            yield shape.like[-1].form  # type: ignore[index]
        for part in shape.parts:
            yield from _forms(part)


def united(one: Shape, other: Shape) -> Shape:
    """Return the shape of a value that has either one.

    Raises
    ------
    KindError
        If there is none.
    """
    if not _same(one.like, other.like) or len(one.parts) != len(other.parts):
        raise KindError("a value that is of another kind on another way (write if and else)")
    parts = zip(one.parts, other.parts, strict=True)
    return Shape(one.like, tuple(united(*pair) for pair in parts), common(one.kind, other.kind))


def told(name: str) -> str:
    """Return a name as the user knows it; what stands for it, if it is the translator's own."""
    own = name.partition("?")[0]
    if not name.endswith("?"):
        return own
    return HINTS.get(own.rstrip("0123456789"), "a value that is chosen")


class Slots:
    """The local names of a function that have values of several parts, or perhaps None.

    Attributes
    ----------
    nullable
        Names that may be None on some way.
    kept
        Emits the loading of what lies in memory of a value.
    """

    def __init__(self, out: Emitter, expected: Mapping[int | str, Shape]) -> None:
        self.out, self._expected = out, expected
        self._early: set[str] = set()
        self.nullable: set[str] = set()
        self.kept: Callable[[Value], Value] = lambda value: value
        self._shapes: dict[str, Shape | None] = {}
        self._places: dict[str, str] = {}
        self._options: dict[str, list[Shape]] = {}
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._shapes

    @property
    def early(self) -> dict[int | str, Shape]:
        """The shapes of names that were read when only None was known of them."""
        known = {name: shape for name, shape in self._shapes.items() if name in self._early}
        return {name: shape for name, shape in known.items() if shape and not _is_place(shape)}

    def forms(self) -> list[str]:
        """Return the parts of the state that names with several values stand for, or hold."""
        options = [shape for shapes in self._options.values() for shape in shapes]
        return [form for shape in [*self._shapes.values(), *options] for form in _forms(shape)]

    def store(self, name: str, value: Value) -> None:
        """Emit the assignment of a value to a name."""
        out = self.out
        out.settle(name)
        if name not in self._shapes:
            self._shapes[name] = self._expected.get(name)
            self.nullable |= {name} if isinstance(value, Perhaps) else set()
        is_none = isinstance(value, Constant) and value.value is None
        if name in self.nullable:
            none = value.none if isinstance(value, Perhaps) else ("true" if is_none else "false")
            flag = out.value(f"zext i1 {none} to i64")
            out.emit(f"store i64 {flag}, ptr {self._place(f'{name}#none')}")
        elif is_none or isinstance(value, Perhaps):
            raise UnsupportedError(f"{name}, which is None on some way,")
        inner = value.value if isinstance(value, Perhaps) else value
        if isinstance(inner, Places):
            self._store_place(name, inner)
        elif inner is not None and not is_none:
            self._store_parts(name, inner)

    def _store_place(self, name: str, places: Places) -> None:
        """Emit the assignment of whichever part of the state is chosen."""
        out = self.out
        for number, option in enumerate(places.options):
            here, on = out.label("here"), out.label("on")
            out.branch(out.compare("eq", places.which, Constant(number)), here, on)
            out.place_label(here)
            self._store_parts(name, option)
            out.place_label(on)

    def _store_parts(self, name: str, inner: Value) -> None:
        """Emit the assignment of the parts of a value."""
        before = self._shapes[name]
        if inner is NOWHERE and before is not None:
            # The step has failed.
            return
        shape, leaves = self._taken_apart(name, inner)
        at = self._option(name, shape) if _is_place(shape) else 0
        if at:
            self._put(f"{name}#{at}", leaves)
            return
        if before is not None:
            shape = united(before, shape)
            if name in self._read and kinds(shape) != kinds(before):
                raise UnsupportedError(f"{name}, which is of another type on another way,")
        self._shapes[name] = shape
        self._put(name, leaves)

    def _taken_apart(self, name: str, value: Value) -> tuple[Shape, list[Value]]:
        try:
            return taken_apart(self.kept(value))
        except UnsupportedError as error:
            if name.endswith("?"):
                raise KindError(f"{told(name)}, {error}") from None
            raise UnsupportedError(
                f"{told(name)}, {error} that is given on several ways (give it once, after the "
                "guards),"
            ) from None

    def _put(self, name: str, leaves: list[Value]) -> None:
        for number, leaf in enumerate(leaves):
            path = f"{name}#{number}"
            self.out.settle(path, span(leaf))
            self.out.emit(f"store i64 {self.out.number(leaf)}, ptr {self._place(path)}")

    def _option(self, name: str, shape: Shape) -> int:
        """Note which of several parts of the state a name has, and return its number."""
        options = self._options.setdefault(name, [])
        before = self._shapes[name]
        if before is not None and not _is_place(before):
            return 0
        at = next((n for n, one in enumerate(options) if _same(one.like, shape.like)), len(options))
        if at == len(options):
            if name in self._read:
                raise UnsupportedError(f"{name}, which is another part of the state on another way")
            options.append(shape)
        self.out.emit(f"store i64 {at}, ptr {self._place(f'{name}#which')}")
        return at

    def expect(self, name: str, value: Value) -> None:
        """Note what kind of value a name will have, which is assigned later."""
        if name not in self._shapes:
            self._shapes[name] = self._taken_apart(name, value)[0]

    def forget(self, name: str) -> None:
        """Take a name as if it had never been assigned."""
        self._shapes.pop(name, None)

    def load(self, name: str) -> Value:
        """Return the value of a name."""
        out, shape = self.out, self._shapes[name]
        self._read.add(name)
        options = self._options.get(name, [])
        if shape is None:
            self._early.add(name)
        value = None if shape is None else self._got(name, shape)
        if len(options) > 1:
            places = [
                value,
                *(self._got(f"{name}#{n}", options[n]) for n in range(1, len(options))),
            ]
            which = out.value(f"load i64, ptr {self._place(f'{name}#which')}")
            known = tuple(place for place in places if isinstance(place, StateRef))
            value = Places(Number(which, (0, len(options) - 1)), known)
        if name not in self.nullable:
            assert value is not None
            return value
        flag = out.value(f"load i64, ptr {self._place(f'{name}#none')}")
        return Perhaps(value, out.value(f"icmp ne i64 {flag}, 0"))

    def _got(self, name: str, shape: Shape) -> Value:
        """Return the value whose leaves lie at a name."""
        leaves = []
        for number in range(count(shape)):
            known = (self.out.definite or {}).get(f"{name}#{number}")
            register = self.out.value(f"load i64, ptr {self._place(f'{name}#{number}')}")
            leaves.append(Number(register, known))
        return put_together(self.out, shape, leaves)

    def _place(self, path: str) -> str:
        """Return the address of a leaf, which is 0 until it is written."""
        if path not in self._places:
            self._places[path] = self.out.variable()
            self.out.prologue.append(f"  store i64 0, ptr {self._places[path]}")
        return self._places[path]


def kinds(shape: Shape) -> list[type | None]:
    """Return the types of the leaves of a shape."""
    return [shape.kind, *(kind for part in shape.parts for kind in kinds(part))]


def count(shape: Shape) -> int:
    """Return how many leaves a shape has."""
    own = shape.like == LEAF or (
        isinstance(shape.like, tuple) and shape.like[0] in ("choice", "bits")
    )
    return int(own) + sum(map(count, shape.parts))
