"""Whether values are equal, and which one comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from ....language.types import (
    Known,
    Mapping,
    Members,
    Never,
    Nothing,
    Number,
    OneOf,
    Optional,
    Record,
    Sequence,
    Text,
    Tuple,
    join_all,
)
from ..arithmetic import exact
from ..values import Constant, Truth, UnsupportedError
from ..values import Number as Register
from .layouts import Leaf, element_size, is_flat, is_mask, room, size
from .memory import ZERO, Memory, Value


def _ordered(value: Value) -> Value:
    """Return a part of a record as what puts records in order: a set by its mask."""
    if isinstance(value.type, Members) and is_mask(value.type):
        return Value(Number(), value.leaves)
    return value


class Comparison(Memory):
    """Emits comparisons."""

    def snapshot(self, place: Value) -> Value:
        """Return a copy of what a place has; of a value that itself."""
        raise NotImplementedError

    def indexed_value(self, value: Value) -> tuple[Leaf, Callable[[Leaf], Value]]:
        """Return the length of a list or a tuple, and what emits the reading of an element."""
        kind = value.type
        if isinstance(kind, Tuple):
            return Constant(len(kind.items)), lambda index: self.chosen_item(value, index)
        if isinstance(kind, (Sequence, Members)) and not is_flat(kind):
            return self.length_at(value.address, kind), lambda index: self.element(
                value.address, kind, index
            )
        if isinstance(kind, Never):
            return Constant(0), lambda index: value
        raise UnsupportedError("a list in which elements are looked up by number")

    def chosen_item(self, value: Value, index: Leaf) -> Value:
        """Return the item of a tuple with a number, as one of the type that all of them have."""
        assert isinstance(value.type, Tuple)
        items = self.items(value)
        if isinstance(index, Constant):
            return items[index.value] if 0 <= index.value < len(items) else self.zero(Never())
        common = join_all(value.type.items)
        address = self.block(common)
        for number, item in enumerate(items):
            here = self.out.compare("eq", index, Constant(number))
            self.when(here, partial(self.store, item, common, address))
        return self.load(common, address)

    # --- equality

    def equal(self, one: Value, other: Value) -> Leaf:
        """Return whether two values are equal."""
        one, other = self.snapshot(one), self.snapshot(other)
        a, b = one.type, other.type
        if isinstance(a, Never) or isinstance(b, Never):
            return Constant(False)
        if isinstance(a, (Optional, Nothing)) or isinstance(b, (Optional, Nothing)):
            return self._equal_or_none(one, other)
        if isinstance(a, (Known, OneOf)) and isinstance(b, (Known, OneOf)):
            return self._identical(one, other)
        if isinstance(a, (Number, Text)) and type(a) is type(b):
            return self._same_number(one.leaves[0], other.leaves[0])
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            if len(a.items) != len(b.items):
                return Constant(False)
            pairs = [(self.item(one, n), self.item(other, n)) for n in range(len(a.items))]
            return self._all_equal(pairs)
        if isinstance(a, Record) and isinstance(b, Record):
            names = [name for name, _ in a.fields]
            if names != [name for name, _ in b.fields]:
                raise UnsupportedError("a comparison of records of which one lacks a part")
            return self._all_equal([(self.field(one, n), self.field(other, n)) for n in names])
        if isinstance(a, Members) and isinstance(b, Members):
            return self._equal_sets(one, other)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            return self._equal_mappings(one, other)
        if isinstance(a, (Sequence, Tuple)) and isinstance(b, (Sequence, Tuple)):
            return self._equal_lists(one, other)
        return Constant(False)

    def _same_number(self, one: Leaf, other: Leaf) -> Leaf:
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant(int(one.value) == int(other.value))
        return self.out.compare("eq", one, other)

    def _all_equal(self, pairs: list[tuple[Value, Value]]) -> Leaf:
        return self.both([self.equal(*pair) for pair in pairs])

    def _equal_or_none(self, one: Value, other: Value) -> Leaf:
        none, no_other = self.is_none(one), self.is_none(other)
        both = self.both([none, no_other])
        inner = [self.certain(part, check=False) for part in (one, other)]
        if any(isinstance(part.type, Nothing) for part in inner):
            return both
        same = self.both([self.opposite(none), self.opposite(no_other), self.equal(*inner)])
        return self.either([both, same])

    def _identical(self, one: Value, other: Value) -> Leaf:
        if isinstance(one.type, Known) and isinstance(other.type, Known):
            return Constant(one.type.value is other.type.value)
        first, second = (one, other) if isinstance(one.type, OneOf) else (other, one)
        assert isinstance(first.type, OneOf)
        options = first.type.options
        if isinstance(second.type, Known):
            wanted = second.type.value
            at = [n for n, option in enumerate(options) if option is wanted]
            return (
                self.out.compare("eq", first.leaves[0], Constant(at[0])) if at else Constant(False)
            )
        assert isinstance(second.type, OneOf)
        pairs = [
            self.both(
                [
                    self.out.compare("eq", first.leaves[0], Constant(n)),
                    self.out.compare("eq", second.leaves[0], Constant(m)),
                ]
            )
            for n, option in enumerate(options)
            for m, wanted in enumerate(second.type.options)
            if option is wanted
        ]
        return self.either(pairs) if pairs else Constant(False)

    def _equal_lists(self, one: Value, other: Value) -> Leaf:
        length, at = self.indexed_value(one)
        again, at_other = self.indexed_value(other)
        same = self.out.compare("eq", length, again)

        def each() -> Leaf:
            return self.for_all(
                length,
                self._most(one),
                lambda index: self.equal(
                    at(index), at_other(self.within(index, self._most(other)))
                ),
            )

        return self.if_so(same, each)

    def _most(self, value: Value) -> int:
        kind = value.type
        if isinstance(kind, Tuple):
            return max(len(kind.items), 1)
        assert isinstance(kind, (Sequence, Members, Mapping))
        return room(kind)

    def if_so(self, test: Leaf, other: Callable[[], Leaf]) -> Leaf:
        """Return whether a test holds and another one, which is evaluated only then."""
        if isinstance(test, Constant):
            return other() if test.value else Constant(False)
        result = self.out.variable()
        self.out.emit(f"store i64 0, ptr {result}")

        def then() -> None:
            self.out.emit(f"store i64 {self.out.number(other())}, ptr {result}")

        self.when(test, then)
        return Truth(self.out.value(f"icmp ne i64 {self.out.value(f'load i64, ptr {result}')}, 0"))

    def for_all(self, count: Leaf, most: int, test: Callable[[Leaf], Leaf]) -> Leaf:
        """Return whether a test holds for each number below a count."""
        result = self.out.variable()
        self.out.emit(f"store i64 1, ptr {result}")
        with self.rounds(count, most) as index:
            known = self.out.value(f"load i64, ptr {result}")
            both = self.out.value(f"and i64 {known}, {self.out.number(test(index))}")
            self.out.emit(f"store i64 {both}, ptr {result}")
        return Truth(self.out.value(f"icmp ne i64 {self.out.value(f'load i64, ptr {result}')}, 0"))

    def _equal_sets(self, one: Value, other: Value) -> Leaf:
        masks = [isinstance(v.type, Members) and is_mask(v.type) for v in (one, other)]
        if all(masks):
            return self._same_number(*self.masks(one, other))
        if any(masks):
            # One of the two has no members.
            lists = other if masks[0] else one
            assert isinstance(lists.type, Members)
            return self.out.compare("eq", self.length_at(lists.address, lists.type), Constant(0))
        assert isinstance(one.type, Members)
        assert isinstance(other.type, Members)
        count = self.length_at(one.address, one.type)
        same = self.out.compare("eq", count, self.length_at(other.address, other.type))
        return self.if_so(same, lambda: self.is_within(one, other))

    def masks(self, one: Value, other: Value) -> tuple[Leaf, Leaf]:
        """Return the masks of two sets; a set of the state takes none with a negative number."""
        assert isinstance(one.type, Members)
        assert isinstance(other.type, Members)
        if one.type.ordered != other.type.ordered:
            self.refuse_negative(other if one.type.ordered else one)
        return one.leaves[0], other.leaves[0]

    def refuse_negative(self, some: Value) -> None:
        """Emit that the step fails if a set has -1."""
        assert isinstance(some.type, Members)
        element = some.type.element
        if isinstance(element, Number) and element.low < 0:
            self.out.fail_if(self.out.value(f"icmp slt i64 {self.out.number(some.leaves[0])}, 0"))

    def is_within(self, one: Value, other: Value) -> Leaf:
        """Return whether each member of a list of members is in another one."""
        assert isinstance(one.type, Members)
        kind = one.type
        return self.for_all(
            self.length_at(one.address, kind),
            room(kind),
            lambda index: self.has_element(other, self.element(one.address, kind, index)),
        )

    def _equal_mappings(self, one: Value, other: Value) -> Leaf:
        assert isinstance(one.type, Mapping)
        assert isinstance(other.type, Mapping)
        kind, again = one.type, other.type
        if kind.kind is Counter and again.kind is Counter:
            return self.both([self._counts_as(one, other), self._counts_as(other, one)])
        count = self.length_at(one.address, kind)
        same = self.out.compare("eq", count, self.length_at(other.address, again))

        def has(index: Leaf) -> Leaf:
            key, value = self.entry(one.address, kind, index)
            there = self.find_key(other, key)
            result = self.out.compare("slt", there, self.length_at(other.address, again))

            def equal() -> Leaf:
                _, known = self.entry(other.address, again, self.within(there, room(again)))
                return self.equal(value, known)

            return self.if_so(result, equal)

        return self.if_so(same, lambda: self.for_all(count, room(kind), has))

    def _counts_as(self, one: Value, other: Value) -> Leaf:
        """Return whether a counter has as many of each of its keys as another one; it lacks none.

        A key that a counter lacks has the count 0.
        """
        assert isinstance(one.type, Mapping)
        assert isinstance(other.type, Mapping)
        kind, again = one.type, other.type

        def same(index: Leaf) -> Leaf:
            key, count = self.entry(one.address, kind, index)
            there = self.find_key(other, key)
            hit = self.out.compare("slt", there, self.length_at(other.address, again))
            known = self.entry(other.address, again, self.within(there, room(again)))[1]
            counted = self.out.select(hit, known.leaves[0], ZERO, None) if known.leaves else ZERO
            return self.out.compare("eq", count.leaves[0] if count.leaves else ZERO, counted)

        return self.for_all(self.length_at(one.address, kind), room(kind), same)

    # --- looking up

    def find(self, count: Leaf, most: int, test: Callable[[Leaf], Leaf]) -> Leaf:
        """Return the first number below a count for which a test holds; if none does, the count."""
        place = self.out.variable()
        self.out.emit(f"store i64 {self.out.number(count)}, ptr {place}")
        with self.rounds(count, most) as index:
            known = Register(self.out.value(f"load i64, ptr {place}"))
            open_ = self.out.compare("eq", known, count)
            here = self.both([open_, test(index)])
            chosen = self.out.select(here, index, known, None)
            self.out.emit(f"store i64 {self.out.number(chosen)}, ptr {place}")
        return Register(self.out.value(f"load i64, ptr {place}"), (0, most), int)

    def find_key(self, mapping: Value, key: Value) -> Leaf:
        """Return the number of a key in a dictionary; how many there are if it has none."""
        assert isinstance(mapping.type, Mapping)
        kind = mapping.type
        count = self.length_at(mapping.address, kind)
        if isinstance(kind.key, Never):
            return count
        return self.find(
            count,
            room(kind),
            lambda index: self.equal(self.entry(mapping.address, kind, index)[0], key),
        )

    def has_element(self, listed: Value, value: Value) -> Leaf:
        """Return whether a list or a list of members has a value."""
        if isinstance(listed.type, Members) and is_mask(listed.type):
            return self.has_bit(listed.leaves[0], value)
        count, at = self.indexed_value(listed)
        most = self._most(listed) if not isinstance(listed.type, Never) else 1
        result = self.find(count, most, lambda index: self.equal(at(index), value))
        return self.out.compare("slt", result, count)

    def has_bit(self, mask: Leaf, value: Value) -> Leaf:
        """Return whether a bit mask has a number."""
        value = self.snapshot(value)
        if isinstance(value.type, Optional):
            inner = self.certain(value, check=False)
            return self.both([self.opposite(self.is_none(value)), self.has_bit(mask, inner)])
        if not isinstance(value.type, Number):
            return Constant(False)
        number = self.out.number(value.leaves[0])
        above = self.out.value(f"add i64 {number}, 1")
        fits = self.out.value(f"icmp ule i64 {above}, 63")
        bit = self.out.value(f"and i64 {number}, 63")
        moved = self.out.value(f"lshr i64 {self.out.number(mask)}, {bit}")
        one = self.out.value(f"trunc i64 {moved} to i1")
        return Truth(self.out.value(f"and i1 {fits}, {one}"))

    # --- entries of dictionaries

    def put_entry(self, owner: Value, kind: Mapping, key: Value, value: Value, name: str) -> None:
        """Emit that a key has a value; of a counter that it has so many more, or fewer."""
        place = self.find_key(owner, key)
        hit = self.out.compare("slt", place, self.length_at(owner.address, kind))

        def there() -> None:
            at = self.within(place, room(kind))
            new = value
            if name:
                known = self.entry(owner.address, kind, at)[1]
                operator = "sub" if name == "subtract" else "add"
                new = Value(
                    Number(), (exact(self.out, operator, known.leaves[0], value.leaves[0]),)
                )
            self.store_entry(owner.address, kind, at, new)

        def missing() -> None:
            new = value
            if name == "subtract":
                new = Value(Number(), (exact(self.out, "sub", ZERO, value.leaves[0]),))
            self.append_entry(owner.address, kind, key, new)

        self.when(hit, there, missing)

    def store_entry(self, address: str, kind: Mapping, index: Leaf, value: Value) -> None:
        """Emit the writing of the value of a key, by its number."""
        here = self.element_address(address, index, element_size(kind))
        self.store(value, kind.value, self.at(here, size(kind.key)))

    # --- order

    def less(self, one: Value, other: Value) -> Leaf:
        """Return whether a value comes before another one: of records, field by field."""
        one, other = self.snapshot(one), self.snapshot(other)
        a, b = one.type, other.type
        if isinstance(a, Never) or isinstance(b, Never):
            return Constant(False)
        if isinstance(a, Number) and isinstance(b, Number):
            return self.out.compare("slt", one.leaves[0], other.leaves[0])
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            pairs = [
                (self.item(one, n), self.item(other, n))
                for n in range(min(len(a.items), len(b.items)))
            ]
            return self._first_less(pairs, Constant(len(a.items) < len(b.items)))
        if isinstance(a, Record) and isinstance(b, Record):
            pairs = [
                (_ordered(self.field(one, name)), _ordered(self.field(other, name)))
                for name, _ in a.fields
            ]
            return self._first_less(pairs, Constant(False))
        if isinstance(a, (Sequence, Tuple)) and isinstance(b, (Sequence, Tuple)):
            return self._less_lists(one, other)
        raise UnsupportedError("a comparison of what has no order")

    def _first_less(self, pairs: list[tuple[Value, Value]], rest: Leaf) -> Leaf:
        result = rest
        for one, other in reversed(pairs):
            same = self.both([self.equal(one, other), result])
            result = self.either([self.less(one, other), same])
        return result

    def _less_lists(self, one: Value, other: Value) -> Leaf:
        """Return whether a list comes before another one: at the first element that differs."""
        (count, at), (again, at_other) = self.indexed_value(one), self.indexed_value(other)
        shorter = self.out.extreme("min", count, again)
        differs = self.find(
            shorter,
            max(self._most(one), 1),
            lambda i: self.opposite(self.equal(at(i), at_other(self.within(i, self._most(other))))),
        )
        inside = self.out.compare("slt", differs, shorter)

        def of_elements() -> Leaf:
            first = at(self.within(differs, self._most(one)))
            return self.less(first, at_other(self.within(differs, self._most(other))))

        by_length = self.both([self.opposite(inside), self.out.compare("slt", count, again)])
        return self.either([self.if_so(inside, of_elements), by_length])
