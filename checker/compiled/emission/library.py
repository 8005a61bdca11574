"""The functions of Python's library, as the table of the language has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....language import form
from ....language.types import (
    Mapping,
    Members,
    Never,
    Number,
    Optional,
    Ref,
    Sequence,
    Tuple,
)
from ..arithmetic import exact
from ..values import Constant, Truth, UnsupportedError
from ..values import Number as Register
from .layouts import Leaf, is_mask, room
from .memory import ONE, ZERO, Value
from .tables import Tables


class Library(Tables):
    """Emits calls of these functions."""

    def library(self, one: form.Apply) -> Value:
        """Return what a function of the library gives."""
        rule: Callable[[form.Apply], Value] | None = getattr(self, f"_apply_{one.name}", None)
        if rule is None:
            raise UnsupportedError(f"the function {one.name} of Python")
        return rule(one)

    def _apply_operation(self, one: form.Apply) -> Value:
        function, *arguments = one.arguments
        assert isinstance(function, form.Constant)
        emit = self.module.unit.operations[function.value]
        leaf = emit(self.out, [self.number(argument) for argument in arguments])
        return Value(one.type, (leaf,) if isinstance(one.type, Number) else ())

    def _apply_is(self, one: form.Apply) -> Value:
        left, right = map(self.value, one.arguments)
        if isinstance(left.type, Ref) and isinstance(right.type, Ref):
            same = self.both(
                [
                    self.out.compare("eq", a, b)
                    for a, b in zip(left.leaves, right.leaves, strict=True)
                ]
            )
        else:
            same = self.equal(left, right)
        return Value(one.type, (same,))

    def _apply_same(self, one: form.Apply) -> Value:
        left, right = map(self.value, one.arguments)
        return Value(one.type, (self.equal(left, right),))

    def _apply_abs(self, one: form.Apply) -> Value:
        leaf = self.number(one.arguments[0])
        return Value(one.type, (self.out.extreme("max", leaf, exact(self.out, "sub", ZERO, leaf)),))

    def _apply_bit_count(self, one: form.Apply) -> Value:
        number = self.out.number(self.number(one.arguments[0]))
        self.out.fail_if(self.out.value(f"icmp slt i64 {number}, 0"))
        count = self.out.value(f"call i64 @llvm.ctpop.i64(i64 {number})")
        return Value(one.type, (Register(count, (0, 64), int),))

    def _apply_member(self, one: form.Apply) -> Value:
        leaf = self.number(one.arguments[0])
        kind: Any = one.arguments[1]
        members = [int(member) for member in kind.value]
        low, high = min(members), max(members)
        number = self.out.number(leaf)
        known: Leaf = Constant(False)
        for member in members:
            known = self.either([known, self.out.compare("eq", Register(number), Constant(member))])
        self.out.fail_if(self.out.truth(self.opposite(known)))
        return Value(one.type, (Register(number, (low, high), kind.value),))

    def _apply_held(self, one: form.Apply) -> Value:
        kind = one.type
        if isinstance(kind, Members) and is_mask(kind):
            return Value(kind, (self.mask_of(one.arguments[0], 0),))
        if isinstance(kind, Members):
            return self.kept(self.convert(self.gathered_set(one.arguments[0], kind), kind))
        if isinstance(kind, Mapping):
            value = self.snapshot(self.value(one.arguments[0]))
            if isinstance(value.type, Mapping):
                return self.kept(self.convert(value, kind))
            counted = Value(kind, address=self.block(kind))
            self.clear(kind, counted.address)
            one_more = Value(Number(), (ONE,))
            self.elements(value, lambda key: self.put_entry(counted, kind, key, one_more, "add"))
            return counted
        assert isinstance(kind, Sequence)
        return self._listed(one.arguments[0], kind)

    def _listed(self, one: form.Expression, kind: Sequence) -> Value:
        """Return all that something yields as a list."""
        address = self.block(kind)
        self.clear(kind, address)
        self.each(one, lambda v: self.append(address, kind, self.held(v, kind.element)))
        return Value(kind, address=address)

    def _apply_sum(self, one: form.Apply) -> Value:
        return self._folded(one, "add", self.number(one.arguments[1]))

    def _apply_prod(self, one: form.Apply) -> Value:
        return self._folded(one, "mul", self.number(one.arguments[1]))

    def _folded(self, one: form.Apply, operator: str, start: Leaf) -> Value:
        total = self.out.variable()
        self.out.emit(f"store i64 {self.out.number(start)}, ptr {total}")

        def each(value: Value) -> None:
            known = Register(self.out.value(f"load i64, ptr {total}"))
            inner = self.certain(value)
            leaf = inner.leaves[0] if inner.leaves else ZERO
            self.out.emit(
                f"store i64 {self.out.number(exact(self.out, operator, known, leaf))}, ptr {total}"
            )

        self.each(one.arguments[0], each)
        kind = one.type
        known = (kind.low, kind.high) if isinstance(kind, Number) else None
        return Value(kind, (Register(self.out.value(f"load i64, ptr {total}"), known, int),))

    def _apply_concatenated(self, one: form.Apply) -> Value:
        kind = one.type
        assert isinstance(kind, Sequence)
        address = self.block(kind)
        self.clear(kind, address)

        def add(value: Value) -> None:
            self.append(address, kind, self.held(value, kind.element))

        self.each(one.arguments[1], add)

        def inner(value: Value) -> None:
            self.elements(value, add)

        self.each(one.arguments[0], inner)
        return Value(kind, address=address)

    def _apply_min(self, one: form.Apply) -> Value:
        return self._extreme(one, lambda new, best: self.less(new, best))

    def _apply_max(self, one: form.Apply) -> Value:
        return self._extreme(one, lambda new, best: self.less(best, new))

    def _extreme(self, one: form.Apply, better: Callable[[Value, Value], Leaf]) -> Value:
        named, out, kind = dict(one.named), self.out, one.type
        key: Any = named.get("key")
        default = self.kept(self.value(named["default"])) if "default" in named else None
        element = kind if default is None else self._element_kind(one.arguments[0], kind)
        best, some = self.block(element), out.variable()
        measured = key.type if key is not None else element
        measure = self.block(measured)
        out.emit(f"store i64 0, ptr {some}")

        def each(value: Value) -> None:
            value = self.held(value, element)
            mine = value if key is None else self.kept(self.called(key, [value]))
            first = out.compare("eq", Register(out.value(f"load i64, ptr {some}")), ZERO)
            known = self.load(measured, measure)
            if isinstance(measured, Optional):
                none = self.either([self.is_none(mine), self.is_none(known)])
                out.fail_if(out.truth(self.both([self.opposite(first), none])))
            now = better(self.certain(mine, check=False), self.certain(known, check=False))

            def take() -> None:
                self.store(value, element, best)
                self.store(mine, measured, measure)
                out.emit(f"store i64 1, ptr {some}")

            self.when(self.either([first, now]), take)

        self.each(one.arguments[0], each)
        result = Truth(out.value(f"icmp ne i64 {out.value(f'load i64, ptr {some}')}, 0"))
        if default is None:
            out.fail_if(out.truth(self.opposite(result)))
            return self.load(kind, best)
        target = self.block(kind)
        self.when(
            result,
            lambda: self.store(self.load(element, best), kind, target),
            lambda: self.store(default, kind, target),
        )
        return self.load(kind, target)

    def _element_kind(self, over: form.Expression, kind: Any) -> Any:
        """Return the type of what something yields, as far as the result has it."""
        element = getattr(over.type, "element", None)
        if isinstance(over.type, Ref):
            element = self.module.schema.element(over.type)
        if isinstance(over.type, Mapping):
            element = over.type.key
        if isinstance(over.type, Tuple):
            element = None
        return kind if element is None or isinstance(element, Never) else element

    def _apply_sorted(self, one: form.Apply) -> Value:
        named, kind = dict(one.named), one.type
        assert isinstance(kind, Sequence)
        key: Any = named.get("key")
        reverse = self.truth(named["reverse"]) if "reverse" in named else Constant(False)
        address = self.block(kind)
        self.clear(kind, address)

        def add(value: Value) -> None:
            self.insert_sorted(address, kind, self.held(value, kind.element), key, reverse)

        self.each(one.arguments[0], add)
        return Value(kind, address=address)

    def _apply_reduce(self, one: form.Apply) -> Value:
        supplied: Any = one.arguments[0]
        kind, out = one.type, self.out
        target, some = self.block(kind), out.variable()
        out.emit(f"store i64 0, ptr {some}")
        begins_before = len(one.arguments) > 2
        if begins_before:
            self.store(self.value(one.arguments[2]), kind, target)
            out.emit(f"store i64 1, ptr {some}")

        def each(value: Value) -> None:
            if begins_before:
                value, known = self.kept(value), self.kept(self.load(kind, target))
                self.store(self.called(supplied, [known, value]), kind, target)
                return
            value = self.kept(self.held(value, kind))
            begun = Truth(out.value(f"icmp ne i64 {out.value(f'load i64, ptr {some}')}, 0"))

            def on() -> None:
                known = self.kept(self.load(kind, target))
                self.store(self.called(supplied, [known, value]), kind, target)

            def begin() -> None:
                self.store(value, kind, target)
                out.emit(f"store i64 1, ptr {some}")

            self.when(begun, on, begin)

        self.each(one.arguments[1], each)
        out.fail_if(out.value(f"icmp eq i64 {out.value(f'load i64, ptr {some}')}, 0"))
        return self.load(kind, target)

    def _apply_index(self, one: form.Apply) -> Value:
        place, count = self._place_of(one)
        self.out.fail_if(self.out.truth(self.out.compare("sge", place, count)))
        return Value(one.type, (place,))

    def _place_of(self, one: form.Apply) -> tuple[Leaf, Leaf]:
        indexed = self.indexed(one.arguments[0])
        item = self.kept(self.snapshot(self.value(one.arguments[1])))
        assert indexed is not None
        count = indexed.length()
        return self.find(
            count, max(indexed.most, 1), lambda i: self.equal(indexed.at(i), item)
        ), count

    def _apply_count(self, one: form.Apply) -> Value:
        indexed = self.rows_of(one.arguments[0])
        owner = Value(Never()) if indexed else self.snapshot(self.value(one.arguments[0]))
        item = self.kept(self.snapshot(self.value(one.arguments[1])))
        if isinstance(owner.type, Mapping):
            kind = owner.type
            place = self.find_key(owner, item)
            result = self.out.compare("slt", place, self.length_at(owner.address, kind))
            count = self.entry(owner.address, kind, self.within(place, room(kind)))[1].leaves[0]
            return Value(one.type, (self.out.select(result, count, ZERO, None),))
        total = self.out.variable()
        self.out.emit(f"store i64 0, ptr {total}")
        indexed = indexed or self.by_number(owner)
        assert indexed is not None

        def each(value: Value) -> None:
            same = self.out.number(self.equal(value, item))
            known = self.out.value(f"load i64, ptr {total}")
            self.out.emit(f"store i64 {self.out.value(f'add i64 {known}, {same}')}, ptr {total}")

        self.by_index(indexed, each)
        return Value(
            one.type, (Register(self.out.value(f"load i64, ptr {total}"), (0, 1 << 20), int),)
        )

    def _apply_unpacked(self, one: form.Apply) -> Value:
        kind = one.type
        assert isinstance(kind, Tuple)
        length, at = self._all_of(one.arguments[0])
        self.out.fail_if(self.out.truth(self.out.compare("ne", length, Constant(len(kind.items)))))
        return self.made(
            kind,
            [self.kept(self._fitting(at(Constant(n)), part)) for n, part in enumerate(kind.items)],
        )

    def _fitting(self, value: Value, kind: Any) -> Value:
        if isinstance(value.type, Optional) and not isinstance(kind, Optional):
            return self.certain(value)
        return self.zero(kind) if isinstance(value.type, Never) else value

    def _all_of(self, one: form.Expression) -> tuple[Leaf, Callable[[Leaf], Value]]:
        """Return the length of something, and what reads the element with an index."""
        indexed = self.indexed(one)
        assert indexed is not None
        most = max(indexed.most, 1)
        return (
            indexed.length(),
            lambda index: (
                indexed.at(self.within(index, most)) if indexed.most else self.zero(Never())
            ),
        )

    def _apply_starred_apart(self, one: form.Apply) -> Value:
        kind = one.type
        assert isinstance(kind, Tuple)
        before, after = (self.number(part) for part in one.arguments[1:])
        assert isinstance(before, Constant)
        assert isinstance(after, Constant)
        length, at = self._all_of(one.arguments[0])
        least = Constant(before.value + after.value)
        self.out.fail_if(self.out.truth(self.out.compare("slt", length, least)))
        end = self.out.arithmetic("sub", length, after)
        parts = [self.kept(at(Constant(n))) for n in range(before.value)]
        rest = kind.items[before.value]
        assert isinstance(rest, Sequence)
        address = self.block(rest)
        self.clear(rest, address)
        with self.rounds(end, room(rest), Constant(before.value)) as index:
            self.append(address, rest, at(index))
        parts.append(Value(rest, address=address))
        parts += [
            self.kept(at(self.out.arithmetic("add", end, Constant(number))))
            for number in range(after.value)
        ]
        return self.made(kind, parts)

    def _apply_backwards(self, one: form.Apply) -> Value:
        kind = one.type
        assert isinstance(kind, Sequence)
        length, at = self._all_of(one.arguments[0])
        address = self.block(kind)
        self.clear(kind, address)
        with self.rounds(length, room(kind)) as index:
            last = self.out.arithmetic("sub", self.out.arithmetic("sub", length, ONE), index)
            self.append(address, kind, self.held(at(last), kind.element))
        return Value(kind, address=address)

    def _apply_of_mask(self, one: form.Apply) -> Value:
        leaf = self.number(one.arguments[0])
        self.out.fail_if(self.out.truth(self.out.compare("slt", leaf, ZERO)))
        return Value(one.type, (leaf,))

    def _apply_members(self, one: form.Apply) -> Value:
        kind = one.type
        assert isinstance(kind, Sequence)
        address = self.block(kind)
        self.clear(kind, address)
        self._each_members(one, lambda value: self.append(address, kind, value))
        return Value(kind, address=address)

    def _apply_total(self, one: form.Apply) -> Value:
        owner = self.value(one.arguments[0])
        kind = owner.type
        assert isinstance(kind, Mapping)
        total = self.out.variable()
        self.out.emit(f"store i64 0, ptr {total}")
        with self.rounds(self.length_at(owner.address, kind), room(kind)) as index:
            value = self.entry(owner.address, kind, index)[1]
            known = Register(self.out.value(f"load i64, ptr {total}"))
            more = exact(self.out, "add", known, value.leaves[0])
            self.out.emit(f"store i64 {more.register}, ptr {total}")
        return Value(one.type, (Register(self.out.value(f"load i64, ptr {total}")),))
