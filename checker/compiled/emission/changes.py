"""Containers outside of the state and in it: what their methods and operators do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from ....core.containers import Bag, Ordered, Set, Sorted
from ....language import form
from ....language.types import (
    Mapping,
    Members,
    Never,
    Nothing,
    Number,
    Ref,
    Sequence,
    Type,
)
from ..arithmetic import exact
from ..values import Constant, Truth
from ..values import Number as Register
from .layouts import Leaf, element_size, is_flat, is_mask, room
from .memory import ONE, ZERO, Value
from .streams import Streams

NONE = Value(Nothing())


BEYOND = 65
"""Numbers from here on are refused as members of sets, whose numbers have a bit each, up to 62.

Lengths may be 64, and hardly ever are: a step that adds one of the two numbers between fails.
"""


ALGEBRA = {
    "intersection_update": "and_",
    "difference_update": "sub",
    "symmetric_difference_update": "xor",
}
"""The operators of the methods that change a set by another one."""


class Changes(Streams):
    """Emits changes of containers."""

    def place(self, path: form.Expression) -> Value:
        """Return what lies at a path itself: a place of the state, or where a value lies."""
        raise NotImplementedError

    def write_back(self, path: form.Expression, value: Value) -> None:
        """Emit that what lies at a path is a value in registers from now on."""
        raise NotImplementedError

    def change(self, one: form.Change) -> Value:
        """Emit a method that changes its owner, and return what it gives."""
        if one.method == "delete":
            self._delete(one.of)
            return NONE
        owner = self.place(one.of)
        if isinstance(owner.type, Ref):
            node = self.node(owner)
            if isinstance(node, Set):
                return self._of_mask(one, owner)
            if isinstance(node, Bag):
                return self._of_bag(one, owner, node)
            if isinstance(node, Sorted):
                return self._of_sorted(one, owner)
            return self._of_sequence(one, owner)
        if isinstance(owner.type, Members):
            return self._of_set(one, owner)
        if isinstance(owner.type, Mapping):
            return self._of_mapping(one, owner, owner.type)
        assert isinstance(owner.type, Sequence)
        return self._of_list(one, owner, owner.type)

    # --- sets of numbers

    def bit(self, value: Value, least: int) -> Leaf:
        """Return the mask of a number; the step fails if no set has it."""
        value = self.certain(self.snapshot(value))
        if isinstance(value.type, Never):
            self.fail()
            return ZERO
        assert isinstance(value.type, Number)
        leaf = value.leaves[0]
        number = self.out.number(leaf)
        known = leaf.range if isinstance(leaf, Register) else None
        if known is None or known[0] < least or known[1] >= BEYOND:
            above = self.out.value(f"sub i64 {number}, {least}")
            self.out.fail_if(self.out.value(f"icmp ugt i64 {above}, {BEYOND - 1 - least}"))
        distance = self.out.value(f"and i64 {number}, 63")
        return Register(self.out.value(f"shl i64 1, {distance}"))

    def mask_of(self, one: form.Expression, least: int) -> Leaf:
        """Return a set, or all that something yields, as a bit mask."""
        if isinstance(one.type, (Ref, Members)):
            value = self.snapshot(self.value(one))
            if isinstance(value.type, Members) and is_mask(value.type):
                if least == 0 and not value.type.ordered:
                    self.refuse_negative(value)
                return value.leaves[0]
        mask = self.out.variable()
        self.out.emit(f"store i64 0, ptr {mask}")

        def add(value: Value) -> None:
            known = self.out.value(f"load i64, ptr {mask}")
            bit = self.out.number(self.bit(value, least))
            self.out.emit(f"store i64 {self.out.value(f'or i64 {known}, {bit}')}, ptr {mask}")

        self.each(one, add)
        return Register(self.out.value(f"load i64, ptr {mask}"))

    def merged(self, operator: str, one: Leaf, other: Leaf) -> Leaf:
        """Return the mask of two sets as one."""
        a, b = self.out.number(one), self.out.number(other)
        if operator in ("sub", "difference_update"):
            b, operator = self.out.value(f"xor i64 {b}, -1"), "and_"
        name = {
            "or_": "or",
            "and_": "and",
            "xor": "xor",
            "update": "or",
            "add": "or",
            "intersection_update": "and",
            "symmetric_difference_update": "xor",
        }[operator]
        return Register(self.out.value(f"{name} i64 {a}, {b}"))

    def _updated(self, one: form.Change, now: Callable[[], Leaf], least: int) -> Leaf:
        """Return the mask of a set after a method, whose arguments are evaluated before.

        `now` emits the reading of the mask.
        """
        name = one.method
        if name == "clear":
            return ZERO
        if name in ("add", "discard", "remove"):
            value = self.value(one.arguments[0])
            mask = now()
            if name != "add":
                there = self.has_bit(mask, value)
                if name == "remove":
                    self.out.fail_if(self.out.truth(self.opposite(there)))
                kept = self.merged("sub", mask, self._bit_or_nothing(value))
                return self.out.select(there, kept, mask, None)
            return self.merged("or_", mask, self.bit(value, least))
        others = [self.mask_of(other, least) for other in one.arguments]
        mask = now()
        for other_mask in others:
            mask = self.merged(name, mask, other_mask)
        return mask

    def _bit_or_nothing(self, value: Value) -> Leaf:
        value = self.certain(self.snapshot(value), check=False)
        if not isinstance(value.type, Number):
            return ZERO
        number = self.out.number(value.leaves[0])
        return Register(self.out.value(f"shl i64 1, {self.out.value(f'and i64 {number}, 63')}"))

    def _of_mask(self, one: form.Change, owner: Value) -> Value:
        after = self._updated(one, lambda: self.hidden(owner, "mask").leaves[0], 0)
        self.write_hidden(owner, "mask", after)
        return NONE

    def _of_set(self, one: form.Change, owner: Value) -> Value:
        kind = owner.type
        assert isinstance(kind, Members)
        if is_mask(kind):
            element = kind.element
            least = (
                -1 if isinstance(element, Number) and element.low < 0 and not kind.ordered else 0
            )
            result = self._updated(one, lambda: self.place(one.of).leaves[0], least)
            self.write_back(one.of, Value(kind, (result,)))
            return NONE
        name = one.method
        if name == "clear":
            self.out.emit(f"store i64 0, ptr {owner.address}")
        elif name == "add":
            self.add_member(owner.address, kind, self.value(one.arguments[0]))
        elif name in ("discard", "remove"):
            self._remove_member(owner, kind, self.value(one.arguments[0]), name == "remove")
        elif name == "update":
            for other in one.arguments:
                self.each(other, lambda v: self.add_member(owner.address, kind, v))
        else:
            for other in one.arguments:
                both = self.combined_sets(
                    ALGEBRA[name], owner, self.gathered_set(other, kind), kind
                )
                self.copy(kind, both.address, owner.address)
        return NONE

    def add_member(self, address: str, kind: Members, value: Value) -> None:
        """Emit the addition of a member to a list of members, if it has it not."""
        value = self.snapshot(value)
        inside = self.has_element(Value(kind, address=address), value)
        self.when(inside, lambda: None, lambda: self.append(address, kind, value))

    def _remove_member(self, owner: Value, kind: Members, value: Value, must: bool) -> None:
        count = self.length_at(owner.address, kind)
        place = self.find(
            count, room(kind), lambda i: self.equal(self.element(owner.address, kind, i), value)
        )
        inside = self.out.compare("slt", place, count)
        if must:
            self.out.fail_if(self.out.truth(self.opposite(inside)))
        self.when(inside, lambda: self.take_element(owner.address, kind, place))

    def gathered_set(self, one: form.Expression, kind: Members) -> Value:
        """Return all that something yields as a set."""
        if isinstance(one.type, (Ref, Members)):
            value = self.snapshot(self.value(one))
            if isinstance(value.type, Members):
                return value
        address = self.block(kind)
        self.clear(kind, address)
        self.each(one, lambda value: self.add_member(address, kind, value))
        return Value(kind, address=address)

    def combined_sets(self, operator: str, one: Value, other: Value, kind: Members) -> Value:
        """Return two sets as one."""
        one, other = self.snapshot(one), self.snapshot(other)
        assert isinstance(one.type, Members)
        assert isinstance(other.type, Members)
        if is_mask(kind) and is_mask(one.type) and is_mask(other.type):
            return Value(kind, (self.merged(operator, *self.masks(one, other)),))
        address = self.block(kind)
        self.clear(kind, address)
        pairs = [(one, other), (other, one)] if operator in ("or_", "xor") else [(one, other)]
        for source, against in pairs:
            if is_flat(source.type):
                continue
            wanted = operator == "and_"

            def keep(value: Value, against: Value = against, wanted: bool = wanted) -> None:
                if operator == "or_":
                    self.add_member(address, kind, value)
                    return
                inside = self.has_element(against, value)
                test = inside if wanted else self.opposite(inside)
                self.when(test, lambda: self.append(address, kind, value))

            self.members(source, keep)
        return Value(kind, address=address)

    # --- bags and sets of records in the state

    def _of_bag(self, one: form.Change, owner: Value, node: Any) -> Value:
        counts, most = self.hidden(owner, "counts"), len(node.counts)
        index = self.number(one.arguments[0])
        at = self.checked(index, Constant(most), most)
        count = self.array_element(counts, at).leaves[0]
        step = "add" if one.method == "add" else "sub"
        self.put_element(counts, at, Value(Number(), (self.out.arithmetic(step, count, ONE),)))
        return NONE

    def _of_sorted(self, one: form.Change, owner: Value) -> Value:
        node = self.node(owner)
        is_set = hasattr(type(node), "issubset") or self.module.schema.is_set(owner.type)  # type: ignore[arg-type]
        if one.method == "clear":
            self._cleared(owner)
        elif one.method == "add":
            self.add_sorted(owner, self.kept(self.snapshot(self.value(one.arguments[0]))), is_set)
        elif one.method in ("remove", "discard"):
            self._removed(
                owner,
                self.kept(self.snapshot(self.value(one.arguments[0]))),
                one.method == "remove",
            )
        elif one.method == "update" and is_set:
            for other in one.arguments:
                self.each(
                    other,
                    lambda value: self.add_sorted(owner, self.kept(self.snapshot(value)), True),
                )
        elif one.method in ALGEBRA and is_set:
            for other in one.arguments:
                before = self.snapshot(owner)
                assert isinstance(before.type, Members)
                against = self.gathered_set(other, before.type)
                self.fill(
                    owner, self.combined_sets(ALGEBRA[one.method], before, against, before.type)
                )
        else:
            raise AssertionError(one.method)
        return NONE

    def _cleared(self, owner: Value) -> None:
        items = self.hidden(owner, "items")
        for number in range(len(self.node(owner).items)):
            self.blank(owner, items, Constant(number))
        self.write_hidden(owner, "length", ZERO)

    def _removed(self, owner: Value, value: Value, must: bool) -> None:
        items, length = self.hidden(owner, "items"), self.length_of(owner)
        most = max(len(self.node(owner).items), 1)
        place = self.find(length, most, lambda i: self.equal(self.array_element(items, i), value))
        inside = self.out.compare("slt", place, length)
        if must:
            self.out.fail_if(self.out.truth(self.opposite(inside)))
        self.when(inside, lambda: self.take_out(owner, place))

    # --- sequences in the state

    def _of_sequence(self, one: form.Change, owner: Value) -> Value:
        name, node = one.method, self.node(owner)
        most, items = len(node.items), self.hidden(owner, "items")
        if name == "append":
            value = self.kept(self.snapshot(self.value(one.arguments[0])))
            length = self.length_of(owner)
            self.out.fail_if(self.out.value(f"icmp uge i64 {self.out.number(length)}, {most}"))
            if most:
                self.put_element(items, self.within(length, most), value)
            self.write_hidden(
                owner, "length", self.within(self.out.arithmetic("add", length, ONE), most + 1)
            )
            return NONE
        if name == "clear":
            self._cleared(owner)
            return NONE
        if name in ("pop", "popleft"):
            return self._popped(one, owner, items, most)
        if name == "truncate":
            wanted = self.out.extreme("max", self.number(one.arguments[0]), ZERO)
            for number in range(most):
                beyond = self.out.compare("sle", wanted, Constant(number))
                self.when(beyond, partial(self.blank, owner, items, Constant(number)))
            length = self.out.extreme("min", self.length_of(owner), wanted)
            self.write_hidden(owner, "length", self.within(length, most + 1))
            return NONE
        if name == "remove":
            value = self.kept(self.snapshot(self.value(one.arguments[0])))
            self._removed(owner, value, True)
            return NONE
        return self._by_copy(one, owner)

    def _popped(self, one: form.Change, owner: Value, items: Value, most: int) -> Value:
        length = self.length_of(owner)
        if one.method == "popleft":
            index: Leaf = ZERO
        elif one.arguments:
            index = self.number(one.arguments[0])
            if isinstance(one.arguments[0], form.Constant):
                index = self.from_beginning(index, length)
        else:
            index = self.out.arithmetic("sub", length, ONE)
        at = self.checked(index, length, most)
        taken = self.kept(self.snapshot(self.array_element(items, at)))
        if one.method == "popleft":
            self.drop_first(owner)
        elif one.arguments:
            self.take_out(owner, at)
        else:
            self.drop_last(owner)
        return taken

    def _by_copy(self, one: form.Change, owner: Value) -> Value:
        """Emit a method of a sequence of the state as that of a list, which is then stored."""
        copy = self.snapshot(owner)
        assert isinstance(copy.type, Sequence)
        result = self.kept(self._of_list(one, copy, copy.type))
        self.fill(owner, copy)
        return result

    # --- lists

    def _of_list(self, one: form.Change, owner: Value, kind: Sequence) -> Value:
        name, address = one.method, owner.address
        if name == "append":
            self.append(address, kind, self.held(self.value(one.arguments[0]), kind.element))
        elif name == "clear":
            self.out.emit(f"store i64 0, ptr {address}")
        elif name == "extend":
            self._extended(one.arguments[0], address, kind)
        elif name in ("pop", "popleft"):
            return self._taken(one, address, kind)
        elif name in ("insert", "appendleft"):
            at = self.number(one.arguments[0]) if name == "insert" else ZERO
            self.insert(address, kind, at, self.value(one.arguments[-1]))
        elif name == "remove":
            value = self.kept(self.snapshot(self.value(one.arguments[0])))
            count = self.length_at(address, kind)
            place = self.find(
                count, room(kind), lambda i: self.equal(self.element(address, kind, i), value)
            )
            self.out.fail_if(self.out.truth(self.out.compare("sge", place, count)))
            self.take_element(address, kind, place)
        elif name == "sort":
            self._sorted(one, address, kind)
        elif name == "reverse":
            copy = self.kept(Value(kind, address=address))
            self.out.emit(f"store i64 0, ptr {address}")
            length = self.length_at(copy.address, kind)
            with self.rounds(length, room(kind)) as index:
                last = self.out.arithmetic("sub", self.out.arithmetic("sub", length, ONE), index)
                self.append(
                    address, kind, self.element(copy.address, kind, self.within(last, room(kind)))
                )
        elif name == "rotate":
            self._rotated(one, address, kind)
        else:
            assert name == "extendleft", name
            self.each(one.arguments[0], lambda value: self.insert(address, kind, ZERO, value))
        return NONE

    def _rotated(self, one: form.Change, address: str, kind: Sequence) -> None:
        """Move each element of a deque so many places to the right, by 1 if nothing is said."""
        steps = self.number(one.arguments[0]) if one.arguments else ONE
        copy = self.kept(Value(kind, address=address))
        length = self.length_at(copy.address, kind)
        with self.rounds(length, room(kind)) as index:
            from_here = exact(self.out, "sub", index, steps)
            at = self.within(exact(self.out, "mod", from_here, length), room(kind))
            there = self.element_address(address, index, element_size(kind))
            self.store(self.element(copy.address, kind, at), kind.element, there)

    def _extended(self, one: form.Expression, address: str, kind: Sequence) -> None:
        if not isinstance(one.type, (Never,)) and isinstance(one, (form.Local, form.Part)):
            # A list may be added to itself.
            copy = self.kept(self.snapshot(self.value(one)))
            indexed = self.by_number(copy)
            if indexed is not None:
                self.by_index(
                    indexed,
                    lambda value: self.append(address, kind, self.held(value, kind.element)),
                )
                return
        self.each(one, lambda value: self.append(address, kind, self.held(value, kind.element)))

    def _taken(self, one: form.Change, address: str, kind: Sequence) -> Value:
        length = self.length_at(address, kind)
        if one.method == "popleft":
            index: Leaf = ZERO
        elif one.arguments:
            wanted = self.number(one.arguments[0])
            index = self.from_beginning(wanted, length)
        else:
            index = self.out.arithmetic("sub", length, ONE)
        at = self.checked(index, length, room(kind))
        taken = self.kept(self.element(address, kind, at))
        self.take_element(address, kind, at)
        return taken

    def take_element(self, address: str, kind: Sequence | Members | Mapping, index: Leaf) -> None:
        """Emit the removal of an element of a list, whose index is within it."""
        width, last = (
            element_size(kind),
            self.out.arithmetic("sub", self.length_at(address, kind), ONE),
        )
        with self.rounds(last, room(kind), index) as here:
            target = self.element_address(address, here, width)
            following = self.within(self.out.arithmetic("add", here, ONE), room(kind))
            source = self.element_address(address, following, width)
            self.copy_numbers(target, source, width)
        least = self.out.extreme("max", last, ZERO)
        self.out.emit(f"store i64 {self.out.number(least)}, ptr {address}")

    def insert(self, address: str, kind: Sequence, index: Leaf, value: Value) -> None:
        """Emit the addition of an element before the one at an index."""
        value = self.kept(self.held(value, kind.element))
        count = self.length_at(address, kind)
        at = self.from_beginning(index, count)
        at = self.out.extreme("max", self.out.extreme("min", at, count), ZERO)
        self.next_place(address, kind)
        width = element_size(kind)
        counter = self.out.arithmetic("sub", count, at)
        with self.rounds(counter, room(kind)) as step:
            to = self.within(self.out.arithmetic("sub", count, step), room(kind))
            source = self.within(self.out.arithmetic("sub", to, ONE), room(kind))
            beginning = self.element_address(address, source, width)
            self.copy_numbers(self.element_address(address, to, width), beginning, width)
        self.store(
            value, kind.element, self.element_address(address, self.within(at, room(kind)), width)
        )

    def _sorted(self, one: form.Change, address: str, kind: Sequence) -> None:
        key, reverse = one.arguments
        copy = self.kept(Value(kind, address=address))
        self.out.emit(f"store i64 0, ptr {address}")
        supplied = key if isinstance(key, form.Given) else None
        backwards = self.truth(reverse)
        with self.rounds(self.length_at(copy.address, kind), room(kind)) as index:
            self.insert_sorted(
                address, kind, self.element(copy.address, kind, index), supplied, backwards
            )

    def insert_sorted(
        self, address: str, kind: Sequence, value: Value, key: form.Given | None, reverse: Leaf
    ) -> None:
        """Emit the addition of an element where it belongs, behind those that are equal."""
        value = self.kept(value)
        mine = value if key is None else self.kept(self.called(key, [value]))

        def comes_later(index: Leaf) -> Leaf:
            other = self.element(address, kind, index)
            theirs = self.certain(other if key is None else self.called(key, [other]))
            new = self.certain(mine)
            if isinstance(reverse, Constant):
                return self.less(theirs, new) if reverse.value else self.less(new, theirs)
            up, down = self.less(new, theirs), self.less(theirs, new)
            ways = f"i1 {self.out.truth(down)}, i1 {self.out.truth(up)}"
            return Truth(self.out.value(f"select i1 {self.out.truth(reverse)}, {ways}"))

        count = self.length_at(address, kind)
        place = self.find(count, room(kind), comes_later)
        self.insert(address, kind, place, value)

    # --- dictionaries

    def _of_mapping(self, one: form.Change, owner: Value, kind: Mapping) -> Value:
        name, address = one.method, owner.address
        if name == "clear":
            self.out.emit(f"store i64 0, ptr {address}")
            return NONE
        if name in ("update", "subtract"):
            for other in one.arguments:
                self._update(other, owner, kind, name)
            return NONE
        key = self.kept(self.snapshot(self.value(one.arguments[0])))
        default = self.kept(self.value(one.arguments[1])) if len(one.arguments) > 1 else None
        place = self.find_key(owner, key)
        hit = self.out.compare("slt", place, self.length_at(address, kind))
        if name == "setdefault":
            supplied = default if default is not None else NONE
            self.when(hit, lambda: None, lambda: self.append_entry(address, kind, key, supplied))
            return self.entry(address, kind, self.within(place, room(kind)))[1]
        return self._key_taken(one.type, address, kind, place, hit, default)

    def _key_taken(
        self,
        result: Type,
        address: str,
        kind: Mapping,
        place: Leaf,
        hit: Leaf,
        default: Value | None,
    ) -> Value:
        if default is None:
            self.out.fail_if(self.out.truth(self.opposite(hit)))
            default = self.zero(kind.value)
        target = self.block(result)

        def take() -> None:
            at = self.within(place, room(kind))
            self.store(self.entry(address, kind, at)[1], result, target)
            self.take_element(address, kind, at)

        self.when(hit, take, lambda: self.store(default, result, target))
        return self.load(result, target)

    def _update(self, one: form.Expression, owner: Value, kind: Mapping, name: str) -> None:
        counts = kind.kind is Counter
        if isinstance(one.type, Mapping):
            other = self.value(one)
            if isinstance(other.type, Never):
                return
            assert isinstance(other.type, Mapping)
            again = other.type
            with self.rounds(self.length_at(other.address, again), room(again)) as index:
                key, value = self.entry(other.address, again, index)
                self.put_entry(owner, kind, key, value, name if counts else "")
            return
        if counts:
            step = Value(Number(), (ONE,))
            self.each(one, lambda key: self.put_entry(owner, kind, self.snapshot(key), step, name))
            return
        self.each(
            one,
            lambda pair: self.put_entry(owner, kind, self.item(pair, 0), self.item(pair, 1), ""),
        )

    # --- del

    def _delete(self, where: form.Expression) -> None:
        if isinstance(where, form.Lookup):
            owner = self.place(where.of)
            kind = owner.type
            assert isinstance(kind, Mapping)
            key = self.snapshot(self.value(where.key))
            place = self.find_key(owner, key)
            hit = self.out.compare("slt", place, self.length_at(owner.address, kind))
            if kind.kind is not Counter:
                self.out.fail_if(self.out.truth(self.opposite(hit)))
            self.when(hit, lambda: self.take_element(owner.address, kind, place))
            return
        if isinstance(where, form.Element):
            owner = self.place(where.of)
            index = self.number(where.index)
            if isinstance(owner.type, Ref):
                length, most = self.length_of(owner), len(self.node(owner).items)
                self.take_out(owner, self.checked(index, length, most))
                return
            assert isinstance(owner.type, Sequence)
            length = self.length_at(owner.address, owner.type)
            at = self.checked(self.from_beginning(index, length), length, room(owner.type))
            self.take_element(owner.address, owner.type, at)
            return
        assert isinstance(where, form.Slice)
        self.splice(where, Value(Sequence(Never()), address=self.block(Sequence(Never()))))

    def splice(self, where: form.Slice, value: Value) -> None:
        """Emit that other elements take the place of those of a slice."""
        owner = self.place(where.of)
        copy = self.snapshot(owner)
        if isinstance(owner.type, Ref) and not isinstance(self.node(owner), Ordered):
            self._splice_array(where, owner, value)
            return
        kind = copy.type
        assert isinstance(kind, Sequence)
        length = self.length_at(copy.address, kind)
        first, last = self.bounds(where, length)
        result = self.block(kind)
        self.out.emit(f"store i64 0, ptr {result}")
        with self.rounds(first, room(kind)) as index:
            self.append(result, kind, self.element(copy.address, kind, index))
        count, at = self.indexed_value(value)
        with self.rounds(count, room(kind)) as index:
            self.append(result, kind, self.held(at(index), kind.element))
        with self.rounds(length, room(kind), last) as index:
            self.append(result, kind, self.element(copy.address, kind, index))
        if isinstance(owner.type, Ref):
            self.fill(owner, Value(kind, address=result))
        else:
            self.copy(kind, result, owner.address)

    def _splice_array(self, where: form.Slice, owner: Value, value: Value) -> None:
        length = Constant(len(self.node(owner)))
        first, last = self.bounds(where, length)
        count, at = self.indexed_value(value)
        wanted = self.out.extreme("max", self.out.arithmetic("sub", last, first), ZERO)
        self.out.fail_if(self.out.truth(self.out.compare("ne", wanted, count)))
        with self.rounds(count, max(length.value, 1)) as index:
            place = self.within(self.out.arithmetic("add", first, index), max(length.value, 1))
            self.put_element(owner, place, at(index))

    def bounds(self, where: form.Slice, length: Leaf) -> tuple[Leaf, Leaf]:
        """Return the bounds of a slice, within the length; the last is not below the first."""
        in_state = isinstance(where.of.type, Ref)
        ends = []
        for end, missing in ((where.first, ZERO), (where.last, length)):
            if end is None:
                ends.append(missing)
                continue
            ends.append(self._bound(end, missing, length, in_state))
        first, last = ends
        return first, self.out.extreme("max", first, last)

    def _bound(self, end: form.Expression, missing: Leaf, length: Leaf, in_state: bool) -> Leaf:
        value = self.value(end)
        none = self.is_none(value)
        inner = self.certain(value, check=False)
        leaf = inner.leaves[0] if inner.leaves else ZERO
        written = isinstance(end, form.Constant)
        if in_state and not written:
            below = self.both([self.opposite(none), self.out.compare("slt", leaf, ZERO)])
            self.out.fail_if(self.out.truth(below))
        at = self.from_beginning(leaf, length)
        at = self.out.extreme("max", self.out.extreme("min", at, length), ZERO)
        if isinstance(none, Constant):
            return missing if none.value else at
        return self.out.select(none, missing, at, None)
