"""Values of the typed form in registers and in memory: parts, copies and conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Parts
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....language.types import (
    WORD,
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
    Tuple,
    Type,
)
from ..arithmetic import from_beginning
from ..emitter import Emitter, Marking
from ..values import Constant, Truth, UnsupportedError
from ..values import Number as Register
from .layouts import Leaf, element_size, is_flat, known_ranges, leaves, room, shape, size

if TYPE_CHECKING:
    from .functions import Module


@dataclass(frozen=True)
class Value:
    """A value: its numbers in registers, or the address where it lies.

    Parameters
    ----------
    type
        What it is here, which may be wider than what the form says of the expression.
    """

    type: Type
    leaves: tuple[Leaf, ...] = ()
    address: str = ""


ZERO, ONE = Constant(0), Constant(1)


class Memory:
    """Emits the moving of values.

    Parameters
    ----------
    module
        The functions around this one.
    out
        The instructions of the function.

    Attributes
    ----------
    marks
        The points of its branches.
    called_elements
        The elements of the marks in which the functions that it calls record theirs.
    """

    def __init__(self, module: Module, out: Emitter) -> None:
        self.module, self.out, self.marks = module, out, Marking(out)
        self.called_elements: set[int] = set()

    # --- addresses

    def block(self, kind: Type) -> str:
        """Return the address of memory for a value."""
        address = self.out.room(max(size(kind), 1))
        if not is_flat(kind):
            # Whatever is read before it is written has no elements.
            listed = isinstance(kind, (Sequence, Members, Mapping))
            bytes_ = 8 if listed else 8 * size(kind)
            self.out.prologue.append(
                f"  call void @llvm.memset.p0.i64(ptr {address}, i8 0, i64 {bytes_}, i1 false)"
            )
        return address

    def at(self, address: str, offset: int) -> str:
        """Return the address of a number further on."""
        return self.out.element(address, offset) if offset else address

    def element_address(self, address: str, index: Leaf, width: int) -> str:
        """Return where an element of a list lies, whose index must be within its room."""
        first = self.out.value(f"mul i64 {self.out.number(index)}, {width}")
        return self.out.element(address, self.out.value(f"add i64 {first}, 1"))

    def within(self, index: Leaf, limit: int) -> Leaf:
        """Return an index below a limit, whatever it is: a step that has failed goes on."""
        if isinstance(index, Constant) and 0 <= index.value < limit:
            return index
        number = self.out.number(index)
        clamped = self.out.value(f"call i64 @llvm.umin.i64(i64 {number}, i64 {max(limit - 1, 0)})")
        return Register(clamped, (0, max(limit - 1, 0)), int)

    def from_beginning(self, index: Leaf, length: Leaf) -> Leaf:
        """Return an index counted from the beginning, which Python counts from the end below 0."""
        return from_beginning(self.out, index, length)

    # --- values

    def load(self, kind: Type, address: str) -> Value:
        """Return the value at an address; one that lies in memory stays there."""
        if not is_flat(kind):
            return Value(kind, address=address)
        return Value(
            kind,
            tuple(self.load_leaf(one, self.at(address, n)) for n, one in enumerate(leaves(kind))),
        )

    def load_leaf(self, kind: Number, address: str) -> Leaf:
        """Return the number at an address."""
        return self.leaf(self._read(address), kind)

    def leaf(self, register: str, kind: Number) -> Leaf:
        """Return the number in a register, as one of its class and its range."""
        if kind.low == kind.high:
            return Constant(kind.low if kind.kind is None else kind.kind(kind.low))
        if kind.kind is bool:
            return Truth(self.out.value(f"icmp ne i64 {register}, 0"))
        return Register(register, (kind.low, kind.high), kind.kind)

    def store(self, value: Value, kind: Type, address: str) -> None:
        """Emit the writing of a value to an address, as a value of a type."""
        if not is_flat(kind):
            if not is_flat(value.type) and shape(value.type) == shape(kind):
                self.copy(value.type, value.address, address)
                return
            self._store_converted(value, kind, address)
            return
        for number, leaf in enumerate(self.fitted(self.convert(value, kind)).leaves):
            self.out.emit(f"store i64 {self.out.number(leaf)}, ptr {self.at(address, number)}")

    def fitted(self, value: Value) -> Value:
        """Return a value in registers, all of whose numbers are in the ranges of its type.

        The type is that of whatever is there; where it is not, the step fails, and Python says why.
        """
        pairs = zip(value.leaves, known_ranges(value.type), strict=True)
        return Value(value.type, tuple(self._leaf_fitted(leaf, kind) for leaf, kind in pairs))

    def _leaf_fitted(self, leaf: Leaf, kind: Number) -> Leaf:
        low, high = kind.low, kind.high
        if isinstance(leaf, Truth) or (low, high) == WORD:
            return leaf
        if isinstance(leaf, Constant):
            if not low <= leaf.value <= high:
                self.fail()
            return leaf
        if leaf.range is not None and low <= leaf.range[0] and leaf.range[1] <= high:
            return leaf
        above = self.out.value(f"sub i64 {leaf.register}, {low}")
        self.out.fail_if(self.out.value(f"icmp ugt i64 {above}, {high - low}"))
        return Register(leaf.register, (low, high), kind.kind)

    def copy(self, kind: Type, source: str, target: str) -> None:
        """Emit the copying of a value in memory: of a list the elements that it has."""
        if source == target:
            return
        if isinstance(kind, (Sequence, Members, Mapping)) and not is_flat(kind):
            length = self.length_at(source, kind)
            self.out.emit(f"store i64 {self.out.number(length)}, ptr {target}")
            count = self.out.value(f"mul i64 {self.out.number(length)}, {8 * element_size(kind)}")
            first, other = self.out.element(target, 1), self.out.element(source, 1)
            self._copy_bytes(first, other, count)
            return
        self.copy_numbers(target, source, size(kind))

    def copy_numbers(self, target: str, source: str, count: int) -> None:
        """Emit the copying of so many numbers."""
        if count:
            self._copy_bytes(target, source, 8 * count)

    def _copy_bytes(self, target: str, source: str, count: int | str) -> None:
        passed = f"ptr {target}, ptr {source}, i64 {count}, i1 false"
        self.out.emit(f"call void @llvm.memcpy.p0.p0.i64({passed})")

    def length_at(self, address: str, kind: Sequence | Members | Mapping) -> Leaf:
        """Return how many elements the list at an address has."""
        count = f"i64 {self._read(address)}, i64 {room(kind)}"
        return Register(self.out.value(f"call i64 @llvm.umin.i64({count})"), (0, room(kind)), int)

    def _read(self, address: str) -> str:
        """Return what is in memory, also where nothing was written before the step had failed."""
        return self.out.value(f"freeze i64 {self.out.value(f'load i64, ptr {address}')}")

    def part(self, value: Value, offset: int, kind: Type) -> Value:
        """Return a part of a value, which begins that many numbers further on."""
        if is_flat(value.type):
            return Value(kind, value.leaves[offset : offset + size(kind)])
        return self.load(kind, self.at(value.address, offset))

    def item(self, value: Value, number: int) -> Value:
        """Return an item of a tuple."""
        assert isinstance(value.type, Tuple)
        items = value.type.items
        return self.part(value, sum(map(size, items[:number])), items[number])

    def items(self, value: Value) -> list[Value]:
        """Return the items of a tuple."""
        assert isinstance(value.type, Tuple)
        return [self.item(value, number) for number in range(len(value.type.items))]

    def field(self, value: Value, name: str) -> Value:
        """Return a part of a record."""
        assert isinstance(value.type, Record)
        offset = 0
        for other, kind in value.type.fields:
            if other == name:
                return self.part(value, offset, kind)
            offset += size(kind)
        raise UnsupportedError(f"a record without {name}")

    def is_none(self, value: Value) -> Leaf:
        """Return whether a value is None."""
        if isinstance(value.type, Optional):
            flag = self.part(value, 0, Number(0, 1, bool)).leaves[0]
            return (
                Truth(self.out.truth(flag))
                if not isinstance(flag, Constant)
                else Constant(bool(flag.value))
            )
        return Constant(isinstance(value.type, Nothing))

    def certain(self, value: Value, check: bool = True) -> Value:
        """Return a value that is not None; the step fails if it is."""
        if not isinstance(value.type, Optional):
            if isinstance(value.type, Nothing) and check:
                self.fail()
                return self.zero(Never())
            return value
        if check:
            none = self.is_none(value)
            if not (isinstance(none, Constant) and not none.value):
                self.out.fail_if(self.out.truth(none))
        return self.part(value, 1, value.type.of)

    def fail(self) -> None:
        """Emit that the step fails here."""
        self.out.fail_if("true")

    def zero(self, kind: Type) -> Value:
        """Return a value of a type that nothing depends on, as after a failure."""
        if is_flat(kind):
            return Value(
                kind, tuple(Constant(False) if one.kind is bool else ZERO for one in leaves(kind))
            )
        address = self.block(kind)
        self.clear(kind, address)
        return Value(kind, address=address)

    def clear(self, kind: Type, address: str) -> None:
        """Emit that all lists at an address are empty."""
        if isinstance(kind, (Sequence, Members, Mapping)):
            self.out.emit(f"store i64 0, ptr {address}")
            return
        cleared = f"ptr {address}, i8 0, i64 {8 * max(size(kind), 1)}, i1 false"
        self.out.emit(f"call void @llvm.memset.p0.i64({cleared})")

    def kept(self, value: Value) -> Value:
        """Return a copy of a value that lies in memory, where nobody else writes."""
        if is_flat(value.type):
            return value
        address = self.block(value.type)
        self.copy(value.type, value.address, address)
        return Value(value.type, address=address)

    # --- conversions

    def convert(self, value: Value, kind: Type) -> Value:
        """Return a value as one of another type, which has it."""
        one = value.type
        if shape(one) == shape(kind):
            return replace(value, type=kind)
        if isinstance(one, Never):
            return self.zero(kind)
        if not is_flat(kind):
            address = self.block(kind)
            self._store_converted(value, kind, address)
            return Value(kind, address=address)
        if isinstance(kind, Optional):
            return self._optional(value, kind)
        if isinstance(one, Optional):
            return self.convert(self.certain(value), kind)
        if isinstance(kind, Tuple) and isinstance(one, Tuple):
            items = [self.convert(self.item(value, n), part) for n, part in enumerate(kind.items)]
            return Value(kind, tuple(leaf for item in items for leaf in item.leaves))
        if isinstance(kind, Record) and isinstance(one, Record):
            parts = [self.convert(self.field(value, name), part) for name, part in kind.fields]
            return Value(kind, tuple(leaf for part in parts for leaf in part.leaves))
        if isinstance(kind, (Nothing, Known, Closure)) and not isinstance(one, Number):
            return Value(kind)
        if isinstance(kind, OneOf):
            return Value(kind, (self._option(value, kind),))
        if isinstance(kind, Places):
            return self.one_place(value, kind)
        if isinstance(kind, Members) and isinstance(one, Members):
            return Value(kind, value.leaves or (ZERO,))
        if isinstance(kind, Never):
            return Value(kind)
        raise UnsupportedError("a value that is of another kind on another way")

    def _optional(self, value: Value, kind: Optional) -> Value:
        if isinstance(value.type, Nothing):
            return Value(kind, (ONE, *self.zero(kind.of).leaves))
        if isinstance(value.type, Optional):
            inner = self.convert(self.certain(value, check=False), kind.of)
            return Value(kind, (self.is_none(value), *inner.leaves))
        return Value(kind, (ZERO, *self.convert(value, kind.of).leaves))

    def one_place(self, value: Value, kind: Places) -> Value:
        """Return a place as one of several, with its indices among those of all."""
        known = value.type
        options = known.options if isinstance(known, Places) else (known,)
        which = value.leaves[0] if isinstance(known, Places) else ZERO
        indices = list(value.leaves[1:] if isinstance(known, Places) else value.leaves)
        places = {}
        for option in options:
            places[option] = indices[: size(option)]
            del indices[: size(option)]
        # On the way to here it is none of those that the type lacks.
        numbers = [
            kind.options.index(option) if option in kind.options else 0 for option in options
        ]
        chosen: Leaf = Constant(numbers[0])
        for number, place in enumerate(numbers[1:], 1):
            here = self.out.compare("eq", which, Constant(number))
            chosen = self.out.select(here, Constant(place), chosen, (0, len(kind.options) - 1))
        rest = (leaf for one in kind.options for leaf in places.get(one, [ZERO] * size(one)))
        return Value(kind, (chosen, *rest))

    def place_among(self, value: Value, kind: Ref) -> Value:
        """Return the place that a value is known to be, of several."""
        assert isinstance(value.type, Places)
        before = 1
        for option in value.type.options:
            if option == kind:
                return Value(kind, value.leaves[before : before + size(option)])
            before += size(option)
        raise UnsupportedError("a place that is another one on another way")

    def _option(self, value: Value, kind: OneOf) -> Leaf:
        """Return the number among these options of a value that is one of them."""
        if isinstance(value.type, Known):
            wanted = value.type.value
            return Constant(next(n for n, one in enumerate(kind.options) if one is wanted))
        if not isinstance(value.type, OneOf):
            raise UnsupportedError("a value that is a function on another way")
        places = [
            next(n for n, one in enumerate(kind.options) if one is option)
            for option in value.type.options
        ]
        chosen: Leaf = Constant(places[0])
        for number, place in enumerate(places[1:], 1):
            here = self.out.compare("eq", value.leaves[0], Constant(number))
            chosen = self.out.select(here, Constant(place), chosen, (0, len(kind.options) - 1))
        return chosen

    def _store_converted(self, value: Value, kind: Type, address: str) -> None:
        """Emit the writing of a value to memory as one of another type that lies there."""
        one = value.type
        if isinstance(kind, Optional):
            if isinstance(one, Nothing):
                self.clear(kind, address)
                self.out.emit(f"store i64 1, ptr {address}")
                return
            none = self.is_none(value)
            self.out.emit(f"store i64 {self.out.number(none)}, ptr {address}")
            self.store(self.certain(value, check=False), kind.of, self.at(address, 1))
        elif isinstance(one, Optional):
            self.store(self.certain(value), kind, address)
        elif isinstance(kind, Tuple) and isinstance(one, Tuple):
            offset = 0
            for number, part in enumerate(kind.items):
                self.store(self.item(value, number), part, self.at(address, offset))
                offset += size(part)
        elif isinstance(kind, Record) and isinstance(one, Record):
            offset = 0
            for name, part in kind.fields:
                self.store(self.field(value, name), part, self.at(address, offset))
                offset += size(part)
        elif isinstance(kind, (Sequence, Members, Mapping)):
            self._store_elements(value, kind, address)
        elif isinstance(one, Never):
            self.clear(kind, address)
        else:
            raise UnsupportedError("a value that is of another kind on another way")

    def _store_elements(
        self, value: Value, kind: Sequence | Members | Mapping, address: str
    ) -> None:
        one = value.type
        self.out.emit(f"store i64 0, ptr {address}")
        if isinstance(one, Tuple):
            assert isinstance(kind, Sequence)
            for number in range(len(one.items)):
                self.append(address, kind, self.item(value, number))
            return
        if isinstance(one, (Never, Members)) and is_flat(one):
            # An empty set of what is not known yet.
            return
        if not isinstance(one, (Sequence, Members, Mapping)):
            raise UnsupportedError("a value that is of another kind on another way")
        if element_size(one) == 0:
            return
        with self.rounds(self.length_at(value.address, one), room(one)) as index:
            if isinstance(one, Mapping):
                assert isinstance(kind, Mapping)
                self.append_entry(address, kind, *self.entry(value.address, one, index))
            else:
                self.append(address, kind, self.element(value.address, one, index))

    # --- lists

    def element(self, address: str, kind: Sequence | Members, index: Leaf) -> Value:
        """Return an element of a list, whose index must be within its room."""
        return self.load(kind.element, self.element_address(address, index, element_size(kind)))

    def entry(self, address: str, kind: Mapping, index: Leaf) -> tuple[Value, Value]:
        """Return a key and its value, by a number within the room."""
        here = self.element_address(address, index, element_size(kind))
        return self.load(kind.key, here), self.load(kind.value, self.at(here, size(kind.key)))

    def next_place(self, address: str, kind: Sequence | Members | Mapping) -> tuple[str, Leaf]:
        """Return where a new element goes, and its index; the step fails if there is no room."""
        length = self.length_at(address, kind)
        self.out.fail_if(self.out.value(f"icmp uge i64 {self.out.number(length)}, {room(kind)}"))
        index = self.within(length, room(kind))
        following = self.out.value(f"add i64 {self.out.number(index)}, 1")
        self.out.emit(f"store i64 {following}, ptr {address}")
        return self.element_address(address, index, element_size(kind)), index

    def append(self, address: str, kind: Sequence | Members | Mapping, value: Value) -> None:
        """Emit the addition of an element at the end of a list."""
        assert not isinstance(kind, Mapping)
        place, _ = self.next_place(address, kind)
        self.store(value, kind.element, place)

    def append_entry(self, address: str, kind: Mapping, key: Value, value: Value) -> None:
        """Emit the addition of a key and its value."""
        place, _ = self.next_place(address, kind)
        self.store(key, kind.key, place)
        self.store(value, kind.value, self.at(place, size(kind.key)))

    # --- loops

    @contextmanager
    def rounds(
        self, count: Leaf | Callable[[], Leaf], most: int, first: Leaf = ZERO
    ) -> Iterator[Leaf]:
        """Emit a loop over the numbers from one on up to before another one.

        Parameters
        ----------
        count
            The other one, or what emits the reading of it before each round.

        Yields
        ------
        Leaf
            The number of the round, which is below `most` whatever has failed.
        """
        out = self.out
        counter = out.variable()
        length = count if callable(count) else lambda: count
        out.loops.append(True)
        out.emit(f"store i64 {out.number(first)}, ptr {counter}")
        head, body, end = (out.label(hint) for hint in ("round", "body", "end"))
        out.place_label(head)
        here = out.value(f"load i64, ptr {counter}")
        more = Truth(out.value(f"icmp slt i64 {here}, {out.number(length())}"))
        out.branch(more, body, end)
        out.place_label(body)
        out.begin_round()
        yield self.within(Register(here), max(most, 1))
        if not out.terminated:
            following = out.value(f"load i64, ptr {counter}")
            following = out.value(f"add i64 {following}, 1")
            out.emit(f"store i64 {following}, ptr {counter}")
            out.jump(head)
        out.place_label(end)

    def when(
        self, test: Leaf, yes: Callable[[], None], no: Callable[[], None] | None = None
    ) -> None:
        """Emit one of two ways, which then meet."""
        out = self.out
        if isinstance(test, Constant):
            if test.value:
                yes()
            elif no is not None:
                no()
            return
        one, other, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, one, other if no is not None else end)
        out.place_label(one)
        yes()
        if no is not None:
            if not out.terminated:
                out.jump(end)
            out.place_label(other)
            no()
        out.place_label(end)

    # --- truth

    def both(self, parts: Parts[Leaf]) -> Leaf:
        """Return whether all of some truths are true, which are all evaluated."""
        result: Leaf = Constant(True)
        for part in parts:
            if isinstance(part, Constant):
                if not part.value:
                    return Constant(False)
                continue
            if isinstance(result, Constant):
                result = part
            else:
                result = Truth(
                    self.out.value(f"and i1 {self.out.truth(result)}, {self.out.truth(part)}")
                )
        return result

    def either(self, parts: Parts[Leaf]) -> Leaf:
        """Return whether any of some truths is true, which are all evaluated."""
        return self.opposite(self.both([self.opposite(part) for part in parts]))

    def opposite(self, truth: Leaf) -> Leaf:
        """Return whether a truth is false."""
        if isinstance(truth, Constant):
            return Constant(not truth.value)
        return Truth(self.out.value(f"xor i1 {self.out.truth(truth)}, true"))
