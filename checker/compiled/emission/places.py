"""The places of the state: what they have, and how a rule writes to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ....core.containers import Bag, Ordered, RecordBag, RecordSet, Set, Sorted
from ....core.fields import Record as Declaration
from ....core.fields import declaration_of, part_names
from ....language.types import (
    Mapping,
    Members,
    Never,
    Number,
    Record,
    Ref,
    Sequence,
    Tuple,
    Type,
    contains_ref,
)
from ..values import Constant, StateRef, Truth, UnsupportedError
from ..values import Number as Register
from .comparison import Comparison
from .layouts import Leaf, is_flat, room, size
from .memory import ONE, ZERO, Value


class Places(Comparison):
    """Emits the reading and the writing of places."""

    base = "%base"
    """The address of the packed state."""

    def node(self, place: Value) -> Any:
        """Return what shows the form of a place."""
        assert isinstance(place.type, Ref)
        return self.module.schema.node(place.type)

    def state_ref(self, form: str, indices: tuple[Leaf, ...]) -> StateRef:
        """Return a place by its path and its indices."""
        known = tuple(
            one if isinstance(one, (Constant, Register)) else Register(self.out.number(one), (0, 1))
            for one in indices
        )
        return StateRef(self.base, form, known)

    def part_of(self, place: Value, name: str) -> Value:
        """Return a part of a record of the state: the value of a variable, or a place."""
        assert isinstance(place.type, Ref)
        kind = self.module.schema.part(place.type, name)
        assert kind is not None
        if isinstance(kind, Ref):
            return Value(kind, place.leaves)
        return self._variable(f"{place.type.form}.{name}".lstrip("."), place.leaves, kind)

    def _variable(self, form: str, indices: tuple[Leaf, ...], kind: Any) -> Value:
        leaf: Leaf = self.module.places.load(self.out, self.state_ref(form, indices))
        if isinstance(leaf, Register) and leaf.kind is bool:
            leaf = Truth(self.out.value(f"icmp ne i64 {leaf.register}, 0"))
        return Value(kind, (leaf,))

    def hidden(self, place: Value, name: str) -> Value:
        """Return a part of a container: its array, its length, or what lies beyond its elements."""
        assert isinstance(place.type, Ref)
        form = f"{place.type.form}.{name}"
        node = getattr(self.node(place), name)
        if isinstance(node, (Declaration, list, tuple)):
            return Value(Ref(form), place.leaves)
        return self._variable(form, place.leaves, Number())

    def write_hidden(self, place: Value, name: str, leaf: Leaf) -> None:
        """Emit the writing of a variable of a container."""
        assert isinstance(place.type, Ref)
        self.write_variable(f"{place.type.form}.{name}", place.leaves, leaf)

    def write_variable(self, form: str, indices: tuple[Leaf, ...], leaf: Leaf) -> None:
        """Emit the writing of a variable."""
        self.out.loops.append(True)
        if isinstance(leaf, Truth):
            leaf = Register(self.out.number(leaf), (0, 1))
        self.module.places.store(self.out, self.state_ref(form, indices), leaf)

    def length_of(self, place: Value) -> Leaf:
        """Return how many elements or members a place has."""
        node = self.node(place)
        if isinstance(node, Set):
            mask = self.out.number(self.hidden(place, "mask").leaves[0])
            return Register(self.out.value(f"call i64 @llvm.ctpop.i64(i64 {mask})"), (0, 63), int)
        if isinstance(node, Ordered):
            return self.hidden(place, "length").leaves[0]
        if isinstance(node, Bag):
            return self._bag_size(place, node)
        return Constant(len(node))

    def _bag_size(self, place: Value, node: Any) -> Leaf:
        counts, total = self.hidden(place, "counts"), ZERO
        result: Leaf = total
        for number in range(len(node.counts)):
            result = self.out.arithmetic(
                "add", result, self.array_element(counts, Constant(number)).leaves[0]
            )
        return result

    def array_element(self, array: Value, index: Leaf) -> Value:
        """Return an element of an array of the state, whose index must be within it."""
        assert isinstance(array.type, Ref)
        form, indices = f"{array.type.form}[]", (*array.leaves, index)
        node = self.node(array)
        if not len(node):
            return self.zero(Number())
        first = tuple.__getitem__(node, 0) if isinstance(node, tuple) else list.__getitem__(node, 0)
        if isinstance(first, (Declaration, list, tuple)):
            return Value(Ref(form), indices)
        kind = self.module.schema.at(form)
        return self._variable(form, indices, kind)

    def checked(self, index: Leaf, length: Leaf, most: int) -> Leaf:
        """Return an index, and emit the failure of one that is beyond the elements."""
        known = isinstance(index, Constant) and isinstance(length, Constant)
        span = index.range if isinstance(index, Register) else None
        fits = (
            span is not None
            and isinstance(length, Constant)
            and span[0] >= 0
            and span[1] < length.value
        )
        if known and 0 <= index.value < length.value:  # type: ignore[union-attr]
            return index
        if not fits:
            number = self.out.number(index)
            self.out.fail_if(self.out.value(f"icmp uge i64 {number}, {self.out.number(length)}"))
        return self.within(index, max(most, 1))

    def element_of(self, place: Value, index: Leaf) -> Value:
        """Return the element of an array or a sequence with an index, as a place if it is one."""
        node = self.node(place)
        if isinstance(node, Ordered):
            items = self.hidden(place, "items")
            at = self.checked(index, self.length_of(place), len(node.items))
            return self.array_element(items, at)
        return self.array_element(place, self.checked(index, Constant(len(node)), len(node)))

    # --- copies of what the state has

    def snapshot(self, place: Value) -> Value:
        """Return a copy of what a place has; of a value that itself."""
        if not isinstance(place.type, Ref):
            return place
        node, kind = self.node(place), self.module.schema.value(place.type)
        if isinstance(node, Set):
            return Value(kind, self.hidden(place, "mask").leaves)
        if isinstance(kind, Record):
            return self._record(place, kind)
        address = self.block(kind)
        self.clear(kind, address)
        if isinstance(node, Bag):
            assert isinstance(kind, Mapping)
            self._counted(place, node, kind, address)
        elif isinstance(node, RecordBag) or (
            isinstance(node, Declaration) and issubclass(declaration_of(node), RecordBag)
        ):
            assert isinstance(kind, Mapping)
            self._occurrences(place, node, kind, address)
        else:
            assert isinstance(kind, (Sequence, Members))
            length = self.length_of(place)
            with self.rounds(length, max(self.module.schema.most(place.type), 1)) as index:
                items = self.hidden(place, "items") if isinstance(node, Ordered) else place
                self.append(address, kind, self.snapshot(self.array_element(items, index)))
        return Value(kind, address=address)

    def held(self, value: Value, kind: Type) -> Value:
        """Return what a slot or a container of a type gets: a place only if the type has places."""
        return value if contains_ref(kind) else self.snapshot(value)

    def _record(self, place: Value, kind: Record) -> Value:
        parts = [
            self.convert(self.snapshot(self.part_of(place, name)), part)
            for name, part in kind.fields
        ]
        return self.made(kind, parts)

    def made(self, kind: Record | Tuple, parts: list[Value]) -> Value:
        """Return a tuple or a record of these parts."""
        types = kind.items if isinstance(kind, Tuple) else tuple(part for _, part in kind.fields)
        if is_flat(kind):
            every = [self.convert(one, part) for one, part in zip(parts, types, strict=True)]
            return Value(kind, tuple(leaf for one in every for leaf in one.leaves))
        address, offset = self.block(kind), 0
        for one, part in zip(parts, types, strict=True):
            self.store(one, part, self.at(address, offset))
            offset += size(part)
        return Value(kind, address=address)

    def _counted(self, place: Value, node: Any, kind: Mapping, address: str) -> None:
        counts = self.hidden(place, "counts")
        for number in range(len(node.counts)):
            count = self.array_element(counts, Constant(number))
            some = self.out.compare("ne", count.leaves[0], ZERO)
            key = Value(kind.key, (Constant(number),))

            def add(key: Value = key, count: Value = count) -> None:
                self.append_entry(address, kind, key, count)

            self.when(some, add)

    def _occurrences(self, place: Value, node: Any, kind: Mapping, address: str) -> None:
        items = self.hidden(place, "items")
        with self.rounds(self.length_of(place), max(len(node.items), 1)) as index:
            key = self.snapshot(self.array_element(items, index))
            self.put_entry(Value(kind, address=address), kind, key, Value(Number(), (ONE,)), "add")

    # --- writing

    def fill(self, place: Value, value: Value) -> None:
        """Emit the writing of a value to a place, whose parts stay where they are."""
        node = self.node(place)
        if isinstance(value.type, Ref):
            value = self.snapshot(value)
        value = self.certain(value)
        if isinstance(value.type, Never):
            self.fail()
        elif isinstance(node, Set):
            assert isinstance(value.type, Members)
            self.write_hidden(place, "mask", value.leaves[0])
        elif isinstance(node, Sorted):
            self._fill_sorted(place, node, value)
        elif isinstance(node, Ordered):
            self._fill_sequence(place, node, value)
        elif isinstance(node, Bag):
            self._fill_bag(place, node, value)
        elif isinstance(node, Declaration):
            self._fill_record(place, node, value)
        else:
            self._fill_array(place, node, value)

    def _fill_bag(self, place: Value, node: Any, value: Value) -> None:
        assert isinstance(value.type, Mapping)
        counts = self.hidden(place, "counts")
        self.lower(counts)
        if isinstance(value.type.key, Never):
            return
        with self.rounds(self.length_at(value.address, value.type), len(node.counts)) as index:
            key, count = self.entry(value.address, value.type, index)
            number = self.within(key.leaves[0], len(node.counts))
            self.put_element(counts, number, count)

    def _fill_record(self, place: Value, node: Any, value: Value) -> None:
        assert isinstance(value.type, Record)
        for name in part_names(node):
            if value.type.field(name) is None:
                self.lower(self.part_place(place, name))
            else:
                self.put(place, name, self.field(value, name))

    def put(self, place: Value, name: str, value: Value) -> None:
        """Emit the writing of a part of a record."""
        assert isinstance(place.type, Ref)
        kind = self.module.schema.part(place.type, name)
        assert kind is not None
        if isinstance(kind, Ref):
            self.fill(Value(kind, place.leaves), value)
        else:
            self.write_variable(
                f"{place.type.form}.{name}".lstrip("."), place.leaves, self._number(value)
            )

    def _number(self, value: Value) -> Leaf:
        value = self.certain(value)
        return value.leaves[0] if value.leaves else ZERO

    def put_element(self, array: Value, index: Leaf, value: Value) -> None:
        """Emit the writing of an element of an array, whose index must be within it."""
        assert isinstance(array.type, Ref)
        node = self.node(array)
        if not len(node):
            return
        first = tuple.__getitem__(node, 0) if isinstance(node, tuple) else list.__getitem__(node, 0)
        form, indices = f"{array.type.form}[]", (*array.leaves, index)
        if isinstance(first, (Declaration, list, tuple)):
            self.fill(Value(Ref(form), indices), value)
        else:
            self.write_variable(form, indices, self._number(value))

    def _fill_array(self, place: Value, node: Any, value: Value) -> None:
        length, at = self.indexed_value(value)
        self.out.fail_if(self.out.truth(self.out.compare("ne", length, Constant(len(node)))))
        for number in range(len(node)):
            self.put_element(place, Constant(number), at(Constant(number)))

    def _fill_sequence(self, place: Value, node: Any, value: Value) -> None:
        length, at = self.indexed_value(value)
        most = len(node.items)
        self.out.fail_if(self.out.value(f"icmp ugt i64 {self.out.number(length)}, {most}"))
        items = self.hidden(place, "items")
        for number in range(most):
            index = Constant(number)
            here = self.out.compare("sgt", length, index)
            fill = partial(self._put_from, items, index, at)
            self.when(here, fill, partial(self.blank, place, items, index))
        self.write_hidden(place, "length", self.within(length, most + 1))

    def _put_from(self, items: Value, index: Leaf, at: Callable[[Leaf], Value]) -> None:
        self.put_element(items, index, at(index))

    def blank(self, place: Value, items: Value, index: Leaf) -> None:
        """Emit that an element beyond the last one has the lowest values."""
        if len(self.node(items)):
            self.lower(self.array_place(items, index))

    def array_place(self, array: Value, index: Leaf) -> Value:
        """Return an element of an array as a place, also if it is a variable."""
        assert isinstance(array.type, Ref)
        return Value(Ref(f"{array.type.form}[]"), (*array.leaves, index))

    def part_place(self, place: Value, name: str) -> Value:
        """Return a part of a record as a place, also if it is a variable."""
        assert isinstance(place.type, Ref)
        return Value(Ref(f"{place.type.form}.{name}".lstrip(".")), place.leaves)

    def lower(self, place: Value) -> None:
        """Emit that a part of the state has its lowest values."""
        assert isinstance(place.type, Ref)
        form, node = place.type.form, self.node(place)
        if isinstance(node, Declaration):
            for name in part_names(node):
                if name != "blank" or not isinstance(node, Ordered):
                    self.lower(self.part_place(place, name))
        elif isinstance(node, (list, tuple)):
            for number in range(len(node)):
                self.lower(self.array_place(place, Constant(number)))
        else:
            lowest = self.module.places.lowest(self.state_ref(form, place.leaves))
            self.write_variable(form, place.leaves, Constant(int(lowest.value)))

    def _fill_sorted(self, place: Value, node: Any, value: Value) -> None:
        items = self.hidden(place, "items")
        for number in range(len(node.items)):
            self.blank(place, items, Constant(number))
        self.write_hidden(place, "length", ZERO)
        kind, once = value.type, isinstance(node, RecordSet)
        assert isinstance(kind, (Mapping, Members, Sequence))
        with self.rounds(self.length_at(value.address, kind), room(kind)) as index:
            if isinstance(kind, Mapping):
                self._add_counted(place, node, *self.entry(value.address, kind, index))
            else:
                self.add_sorted(place, self.element(value.address, kind, index), once)

    def _add_counted(self, place: Value, node: Any, record: Value, times: Value) -> None:
        """Emit the addition of a record to a bag as often as a count says."""
        count, most = times.leaves[0], len(node.items)
        self.out.fail_if(self.out.truth(self.out.compare("sgt", count, Constant(most))))
        with self.rounds(count, most):
            self.add_sorted(place, record, False)

    def add_sorted(self, place: Value, value: Value, once: bool) -> None:
        """Emit the addition of a record to a set or a bag of records, where it belongs."""
        node, items = self.node(place), self.hidden(place, "items")
        most, length = len(node.items), self.length_of(place)
        value = self.as_element(items, value)
        first = self._position(items, length, value, most)
        if once:
            inside = self.out.compare("slt", first, length)
            there = self.if_so(
                inside,
                lambda: self.equal(
                    self.snapshot(self.array_element(items, self.within(first, most))), value
                ),
            )
            self.when(there, lambda: None, lambda: self._insert(place, items, first, value))
        else:
            self._insert(place, items, first, value)

    def as_element(self, items: Value, value: Value) -> Value:
        """Return a record as one of those in an array of the state, with all of its parts."""
        assert isinstance(items.type, Ref)
        wanted = self.module.schema.value(Ref(f"{items.type.form}[]"))
        value = self.snapshot(value)
        if isinstance(wanted, Record) and isinstance(value.type, Record):
            missing = [name for name, _ in wanted.fields if value.type.field(name) is None]
            if missing:
                raise UnsupportedError(f"a record that is made without {missing[0]}")
        return value

    def _position(self, items: Value, length: Leaf, value: Value, most: int) -> Leaf:
        """Return where a record belongs: after all that come before it."""
        place = self.out.variable()
        self.out.emit(f"store i64 0, ptr {place}")
        with self.rounds(length, max(most, 1)) as index:
            element = self.snapshot(self.array_element(items, index))
            before = self.less(element, value)
            known = self.out.value(f"load i64, ptr {place}")
            more = self.out.value(f"add i64 {known}, {self.out.number(before)}")
            self.out.emit(f"store i64 {more}, ptr {place}")
        return Register(self.out.value(f"load i64, ptr {place}"), (0, most), int)

    def _insert(self, place: Value, items: Value, index: Leaf, value: Value) -> None:
        most, length = len(self.node(place).items), self.length_of(place)
        self.out.fail_if(self.out.value(f"icmp uge i64 {self.out.number(length)}, {most}"))
        for number in range(most - 1, 0, -1):
            moves = self.both(
                [
                    self.out.compare("sgt", Constant(number), index),
                    self.out.compare("sle", Constant(number), length),
                ]
            )
            self.when(moves, partial(self._move, items, number - 1, number))
        if most:
            self.put_element(items, self.within(index, most), value)
        self.write_hidden(
            place, "length", self.within(self.out.arithmetic("add", length, ONE), most + 1)
        )

    def take_out(self, place: Value, index: Leaf) -> None:
        """Emit the removal of an element with an index that is within a sequence or a set."""
        items, length = self.hidden(place, "items"), self.length_of(place)
        most = len(self.node(place).items)
        left = self.out.arithmetic("sub", length, ONE)
        for number in range(most):
            here = Constant(number)
            if number + 1 < most:
                moves = self.both(
                    [self.out.compare("sge", here, index), self.out.compare("slt", here, left)]
                )
                self.when(moves, partial(self._move, items, number + 1, number))
            beyond = self.out.compare("sge", here, left)
            self.when(beyond, partial(self.blank, place, items, here))
        self.write_hidden(place, "length", self.within(left, most + 1))

    def _move(self, items: Value, source: int, target: int) -> None:
        """Emit that an element of an array has the values of another one."""
        self.put_element(items, Constant(target), self.array_element(items, Constant(source)))

    def drop_first(self, place: Value) -> None:
        """Emit the removal of the first element of a sequence that has one."""
        items, most = self.hidden(place, "items"), len(self.node(place).items)
        for number in range(most - 1):
            self._move(items, number + 1, number)
        if most:
            self.blank(place, items, Constant(most - 1))
        left = self.out.arithmetic("sub", self.length_of(place), ONE)
        self.write_hidden(place, "length", self.within(left, most + 1))

    def drop_last(self, place: Value) -> None:
        """Emit the removal of the last element of a sequence that has one."""
        items, most = self.hidden(place, "items"), len(self.node(place).items)
        left = self.within(self.out.arithmetic("sub", self.length_of(place), ONE), most + 1)
        self.write_hidden(place, "length", left)
        if most:
            self.blank(place, items, self.within(left, most))
