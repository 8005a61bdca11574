"""Expressions of the typed form."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ....language import form
from ....language.types import (
    BOOL,
    CONTAINERS,
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
    Stream,
    Text,
    Tuple,
    Type,
    type_of,
)
from ..arithmetic import exact
from ..emitter import is_cheap
from ..values import Constant, Truth, UnsupportedError, integer_of
from ..values import Number as Register
from .layouts import Leaf, is_flat, is_mask, leaves, room
from .library import Library
from .memory import ONE, ZERO, Value
from .streams import Indexed

_NAMES = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "floordiv": "floordiv",
    "mod": "mod",
    "lshift": "shl",
    "rshift": "ashr",
    "and_": "and",
    "or_": "or",
    "xor": "xor",
}
_SIGNS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}


class Expressions(Library):
    """Emits expressions."""

    def value(self, one: form.Expression) -> Value:
        """Return the value of an expression."""
        rule: Callable[[Any], Value] = getattr(self, f"_{type(one).__name__.lower()}")
        return rule(one)

    def truth(self, one: form.Expression) -> Leaf:
        """Return a truth value."""
        return self.as_truth(self.value(one))

    def condition(self, test: form.Expression) -> Leaf:
        """Return the truth of a condition, both ways of which are marked."""
        leaf = self.truth(test)
        if not isinstance(test, (form.All, form.AnyOf, form.Not)):
            self.mark(leaf, test)
        return leaf

    def mark(self, leaf: Leaf, node: object) -> None:
        """Mark both ways of a truth value."""
        self.marks.mark(leaf, ("form", id(node)))
        self.module.kept.append(node)

    def number(self, one: form.Expression) -> Leaf:
        """Return the number that an expression gives; the step fails if that is None."""
        value = self.certain(self.value(one))
        return value.leaves[0] if value.leaves else ZERO

    # --- constants and names

    def _constant(self, one: form.Constant) -> Value:
        return self.constant(one.value, one.type)

    def constant(self, value: Any, kind: Type) -> Value:
        """Return a value that exists when the file is loaded."""
        if isinstance(kind, (Known, Closure, Nothing)):
            return Value(kind)
        if isinstance(kind, Number):
            number = integer_of(value)
            return Value(kind, (Constant(bool(value) if kind.kind is bool else number),))
        if isinstance(kind, Text):
            return Value(kind, (Constant(self.module.text(value)),))
        if isinstance(kind, Optional):
            inner = Value(Nothing()) if value is None else self.constant(value, kind.of)
            return self.convert(inner, kind)
        if isinstance(kind, Tuple):
            parts = [self.constant(v, t) for v, t in zip(value, kind.items, strict=True)]
            return self.made(kind, parts)
        if isinstance(kind, Span):
            return Value(kind, tuple(map(Constant, (value.start, value.stop, value.step))))
        if isinstance(kind, OneOf):
            place = next(n for n, option in enumerate(kind.options) if option is value)
            return Value(kind, (Constant(place),))
        return self._container(value, kind)

    def _container(self, value: Any, kind: Type) -> Value:
        if isinstance(kind, Members) and is_mask(kind):
            numbers = [integer_of(one) for one in value]
            if any(number is None or not -1 <= number <= 62 for number in numbers):
                # A set of the file that is more than looked into.
                self.fail()
            mask = sum(1 << (number & 63) for number in numbers if number is not None)
            return Value(kind, (Constant(mask - (1 << 64) if mask >> 63 else mask),))
        if not isinstance(kind, (Sequence, Members, Mapping)):
            raise UnsupportedError("a constant of a class of the model")
        if len(value) > room(kind):
            raise UnsupportedError(f"a table of {len(value)} elements")
        address = self.block(kind)
        self.out.emit(f"store i64 0, ptr {address}")
        if isinstance(kind, Mapping):
            for key, inner in value.items():
                self.append_entry(
                    address,
                    kind,
                    self.constant(key, type_of(key)),
                    self.constant(inner, type_of(inner)),
                )
        else:
            for inner in value:
                self.append(address, kind, self.constant(inner, type_of(inner)))
        return Value(kind, address=address)

    def _local(self, one: form.Local) -> Value:
        value = self.slot(one)
        return self._as(value, one.type)

    def slot(self, one: form.Local) -> Value:
        """Return what a slot has, as it lies there; the step fails if it has nothing."""
        raise NotImplementedError

    def _as(self, value: Value, kind: Type) -> Value:
        """Return a value that is known to be of a narrower type here than its slot."""
        if not is_flat(value.type):
            if isinstance(value.type, Optional) and not isinstance(kind, (Optional, Nothing)):
                return self.certain(value)
            return value
        if isinstance(kind, (Never, Nothing, Known)):
            return Value(kind)
        if isinstance(value.type, Places) and isinstance(kind, Ref):
            return self.place_among(value, kind)
        if isinstance(value.type, Places) and isinstance(kind, Places):
            return self.one_place(value, kind)
        if isinstance(value.type, Optional) and not isinstance(kind, Optional):
            value = self.certain(value, check=False)
        if isinstance(value.type, OneOf) and not isinstance(kind, OneOf):
            return Value(kind)
        if isinstance(value.type, (Tuple, Record)) or isinstance(kind, OneOf):
            return value
        return self._narrow(value, kind)

    def _narrow(self, value: Value, kind: Type) -> Value:
        """Return a number with the range that it has here."""
        if not isinstance(kind, Number) or not isinstance(value.type, Number):
            return value
        return Value(kind, (self._typed_as(value.leaves[0], kind),))

    def _which(self, one: form.Which) -> Value:
        return Value(one.type, (self.value(one.of).leaves[0],))

    # --- parts

    def _part(self, one: form.Part) -> Value:
        owner = self.value(one.of)
        owner = self.certain(owner)
        if isinstance(owner.type, Ref):
            return self.part_of(owner, one.name)
        if isinstance(owner.type, Never):
            return self.zero(one.type)
        if not isinstance(owner.type, Record) or owner.type.field(one.name) is None:
            raise UnsupportedError(f"a record that may lack {one.name}")
        return self.field(owner, one.name)

    def _item(self, one: form.Item) -> Value:
        owner = self.certain(self.value(one.of))
        if isinstance(owner.type, Tuple):
            return self.item(owner, one.number)
        length, at = self.indexed_value(owner)
        assert isinstance(owner.type, Sequence)
        index = self.checked(Constant(one.number), length, room(owner.type))
        return self._as(at(index), one.type)

    def _element(self, one: form.Element) -> Value:
        indexed = self.rows_of(one.of)
        if indexed is not None:
            return self._by_index(one, indexed, self.number(one.index))
        owner = self.certain(self.value(one.of))
        index = self.number(one.index)
        kind = owner.type
        if isinstance(kind, Ref):
            return self.held(self.element_of(owner, index), one.type)
        if isinstance(kind, Known):
            return self._of_table(one, kind.value, index)
        indexed = self.by_number(owner)
        assert indexed is not None
        return self._by_index(one, indexed, index)

    def _by_index(self, one: form.Element, indexed: Indexed, index: Leaf) -> Value:
        if indexed.most == 0:
            self.fail()
            return self.zero(one.type)
        length = indexed.length()
        if one.from_end:
            index = self.from_beginning(index, length)
        at = self.checked(index, length, min(indexed.most, 1 << 40))
        return indexed.at(at)

    def _of_table(self, one: form.Element, table: Any, index: Leaf) -> Value:
        """Return an entry of a table of the file by its number."""
        entries = list(table)
        at = self.from_beginning(index, Constant(len(entries)))
        at = self.checked(at, Constant(len(entries)), len(entries))
        return self._entry_of(
            one.type,
            [(Constant(n), entry) for n, entry in enumerate(entries)],
            Value(Number(), (at,)),
        )

    def _entry_of(self, kind: Type, entries: list[tuple[Leaf, Any]], at: Value) -> Value:
        if not isinstance(kind, OneOf):
            return self.zero(kind) if not is_flat(kind) else Value(kind)
        chosen: Leaf = ZERO
        for key, entry in entries:
            place = next(n for n, option in enumerate(kind.options) if option is entry)
            here = self.out.compare("eq", at.leaves[0], key)
            chosen = self.out.select(here, Constant(place), chosen, (0, len(kind.options) - 1))
        return Value(kind, (chosen,))

    def _lookup(self, one: form.Lookup) -> Value:
        if isinstance(one.of, form.Constant) and isinstance(one.of.type, Mapping):
            return self._of_constant(one, one.of, one.of.type)
        owner, key = self.certain(self.value(one.of)), self.snapshot(self.value(one.key))
        default = None if one.default is None else self.kept(self.value(one.default))
        kind = owner.type
        if isinstance(kind, Known):
            return self._of_known(one, kind.value, key, default)
        if isinstance(kind, Never):
            return self.zero(one.type) if default is None else self.convert(default, one.type)
        return self._looked_up(one, owner, key, default)

    def _looked_up(
        self, one: form.Lookup, owner: Value, key: Value, default: Value | None
    ) -> Value:
        kind = owner.type
        assert isinstance(kind, Mapping)
        place = self.find_key(owner, key)
        count = self.length_at(owner.address, kind)
        hit = self.out.compare("slt", place, count)
        return self._found(one, owner, kind, key, place, hit, default)

    def _found(
        self,
        one: form.Lookup,
        owner: Value,
        kind: Mapping,
        key: Value,
        place: Leaf,
        hit: Leaf,
        default: Value | None,
    ) -> Value:
        """Return the value of a key, if it was found, or what stands for it."""
        result = one.type
        if default is None and kind.kind is defaultdict:
            made = self._made_by(kind)
            self.when(hit, lambda: None, lambda: self.append_entry(owner.address, kind, key, made))
            return self.entry(owner.address, kind, self.within(place, room(kind)))[1]
        if default is None and kind.kind is Counter:
            default = Value(Number(), (ZERO,))
        if default is None:
            self.out.fail_if(self.out.truth(self.opposite(hit)))
            return self.entry(owner.address, kind, self.within(place, room(kind)))[1]
        target = self.block(result)

        def there() -> None:
            self.store(
                self.entry(owner.address, kind, self.within(place, room(kind)))[1], result, target
            )

        self.when(hit, there, lambda: self.store(default, result, target))
        return self.load(result, target)

    def _made_by(self, kind: Mapping) -> Value:
        """Return what a defaultdict has for a key that it lacks."""
        factory: Any = kind.factory
        if factory in (int, bool):
            return Value(Number(), (ZERO,))
        if factory in (list, set, dict, deque):
            return self.zero(kind.value)
        made = factory()
        return self.constant(made, type_of(made))

    def _of_constant(self, one: form.Lookup, of: form.Constant, kind: Mapping) -> Value:
        """Return the value of a key in a dictionary of the file."""
        key = self.kept(self.snapshot(self.value(one.key)))
        default = None if one.default is None else self.kept(self.value(one.default))
        entry = None if kind.kind is defaultdict else self.found(of, key)
        if entry is None:
            return self._looked_up(one, self.value(of), key, default)
        hit, value = entry
        if default is None and kind.kind is Counter:
            default = Value(Number(), (ZERO,))
        if default is None:
            self.out.fail_if(self.out.truth(self.opposite(hit)))
            return value
        target = self.block(one.type)
        self.when(
            hit,
            lambda: self.store(value, one.type, target),
            lambda: self.store(default, one.type, target),
        )
        return self.load(one.type, target)

    def _of_known(self, one: form.Lookup, table: Any, key: Value, default: Value | None) -> Value:
        """Return an entry of a table of functions of the file."""
        hit: Leaf = Constant(False)
        result = one.type
        inner = result.of if isinstance(result, Optional) else result
        chosen: Leaf = ZERO
        for name, entry in table.items():
            same = self.equal(key, self.constant(name, type_of(name)))
            hit = self.either([hit, same])
            if isinstance(inner, OneOf):
                place = next(n for n, option in enumerate(inner.options) if option is entry)
                chosen = self.out.select(same, Constant(place), chosen, None)
        value = Value(inner, (chosen,) if isinstance(inner, OneOf) else ())
        if default is None:
            self.out.fail_if(self.out.truth(self.opposite(hit)))
            return value
        target = self.block(result)
        self.when(
            hit,
            lambda: self.store(value, result, target),
            lambda: self.store(default, result, target),
        )
        return self.load(result, target)

    # --- operators

    def _arithmetic(self, one: form.Arithmetic) -> Value:
        left, right = self.number(one.left), self.number(one.right)
        if one.operator in ("min", "max"):
            return Value(
                one.type, (self._typed(self.out.extreme(one.operator, left, right), one.type),)
            )
        if one.operator == "pow":
            return Value(one.type, (self._power(left, right),))
        if one.operator not in _NAMES:
            raise UnsupportedError(f"the operator {one.operator}")
        leaf = exact(self.out, _NAMES[one.operator], left, right)
        return Value(one.type, (self._typed(leaf, one.type),))

    def _typed(self, leaf: Leaf, kind: Type) -> Leaf:
        """Return a number as one of its class."""
        if isinstance(kind, Number) and kind.kind is bool and isinstance(leaf, Register):
            return Truth(self.out.value(f"icmp ne i64 {leaf.register}, 0"))
        return leaf

    def _power(self, left: Leaf, right: Leaf) -> Leaf:
        assert isinstance(right, Constant)
        result: Leaf = ONE
        for _ in range(right.value):
            result = exact(self.out, "mul", result, left)
        return result

    def _compare(self, one: form.Compare) -> Value:
        left, right = self.kept_if_changed(one.left), self.value(one.right)
        return Value(BOOL, (self.compared(one.operator, left, right),))

    def kept_if_changed(self, one: form.Expression) -> Value:
        """Return the value of an operand, before the next one is evaluated."""
        value = self.value(one)
        return self.snapshot(value) if isinstance(value.type, Ref) else value

    def compared(self, operator: str, left: Value, right: Value) -> Leaf:
        """Return whether two values compare so."""
        a, b = self.snapshot(left), self.snapshot(right)
        if operator in ("eq", "ne"):
            same = self.equal(a, b)
            return same if operator == "eq" else self.opposite(same)
        a, b = self.certain(a), self.certain(b)
        if isinstance(a.type, Number) and isinstance(b.type, Number):
            one, other = a.leaves[0], b.leaves[0]
            return self.out.compare(_SIGNS[operator], one, other)
        if isinstance(a.type, Members) and isinstance(b.type, Members):
            return self._subset(operator, a, b)
        if operator in ("lt", "ge"):
            less = self.less(a, b)
            return less if operator == "lt" else self.opposite(less)
        more = self.less(b, a)
        return more if operator == "gt" else self.opposite(more)

    def _subset(self, operator: str, one: Value, other: Value) -> Leaf:
        if operator in ("gt", "ge"):
            one, other = other, one
        assert isinstance(one.type, Members)
        assert isinstance(other.type, Members)
        if is_mask(one.type) and is_mask(other.type):
            rest = self.merged("sub", *self.masks(one, other))
            inside: Leaf = self.out.compare("eq", rest, ZERO)
        elif is_mask(one.type):
            inside = Constant(True)
        else:
            inside = self.is_within(one, other)
        if operator in ("le", "ge"):
            return inside
        return self.both([inside, self.opposite(self.equal(one, other))])

    def _not(self, one: form.Not) -> Value:
        return Value(BOOL, (self.opposite(self.condition(one.of)),))

    def _all(self, one: form.All) -> Value:
        return Value(BOOL, (self._in_turn(one.parts, True),))

    def _anyof(self, one: form.AnyOf) -> Value:
        return Value(BOOL, (self._in_turn(one.parts, False),))

    def _in_turn(self, parts: tuple[form.Expression, ...], wanted: bool) -> Leaf:
        """Return whether all are true, or any is; what need not be evaluated is jumped over."""
        first = self.condition(parts[0])
        if len(parts) == 1:
            return first
        if isinstance(first, Constant):
            return self._in_turn(parts[1:], wanted) if bool(first.value) is wanted else first
        out = self.out
        with out.aside() as aside:
            rest = self._in_turn(parts[1:], wanted)
        if is_cheap(aside.lines):
            out.inline(aside, out.truth(first), wanted)
            return self.both([first, rest]) if wanted else self.either([first, rest])
        result = out.variable()
        inside, end = out.label("also"), out.label("end")
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")
        out.branch(first, *((inside, end) if wanted else (end, inside)))
        out.place_label(inside)
        out.append(aside)
        out.emit(f"store i64 {out.number(Truth(out.truth(rest)))}, ptr {result}")
        out.place_label(end)
        return Truth(out.value(f"icmp ne i64 {out.value(f'load i64, ptr {result}')}, 0"))

    def _choose(self, one: form.Choose) -> Value:
        test, out, kind = self.condition(one.test), self.out, one.type
        if isinstance(test, Constant):
            return self.value(one.yes if test.value else one.no)
        with out.aside() as first:
            yes = self.convert(self.value(one.yes), kind) if is_flat(kind) else self.value(one.yes)
        with out.aside() as second:
            no = self.convert(self.value(one.no), kind) if is_flat(kind) else self.value(one.no)
        if is_flat(kind) and is_cheap(first.lines + second.lines):
            out.inline(first, out.truth(test), True)
            out.inline(second, out.truth(test), False)
            chosen = [
                self._typed_as(out.select(test, a, b, (leaf.low, leaf.high)), leaf)
                for a, b, leaf in zip(yes.leaves, no.leaves, leaves(kind), strict=True)
            ]
            return Value(kind, tuple(chosen))
        target = self.block(kind)
        then, other, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, then, other)
        for label, aside, value in ((then, first, yes), (other, second, no)):
            out.place_label(label)
            out.append(aside)
            self.store(value, kind, target)
            out.jump(end)
        out.place_label(end)
        return self.load(kind, target)

    def _typed_as(self, leaf: Leaf, kind: Number) -> Leaf:
        """Return a number as one of another range, and of its class."""
        return self.leaf(leaf.register, kind) if isinstance(leaf, Register) else leaf

    def _isnone(self, one: form.IsNone) -> Value:
        return Value(BOOL, (self.is_none(self.value(one.of)),))

    def _certain(self, one: form.Certain) -> Value:
        return self._as(self.certain(self.value(one.of)), one.type)

    def _after(self, one: form.After) -> Value:
        self.statements(one.body)
        if self.out.terminated:
            # The step has failed; the rest of the expression is code that nothing reaches.
            self.out.place_label(self.out.label("unreachable"))
        return self.value(one.value)

    # --- containers

    def _make(self, one: form.Make) -> Value:
        kind = one.type
        parts = [self.kept(self.value(part)) for part in one.parts]
        if isinstance(kind, (Tuple, Record)):
            return self.made(
                kind, [self.held(part, own) for part, own in zip(parts, _types(kind), strict=True)]
            )
        if isinstance(kind, Members) and is_mask(kind):
            mask: Leaf = ZERO
            for part in parts:
                mask = self.merged("or_", mask, self.bit(part, -1))
            return Value(kind, (mask,))
        address = self.block(kind)
        self.clear(kind, address)
        if isinstance(kind, Mapping):
            for key, value in zip(parts[::2], parts[1::2], strict=True):
                self.put_entry(Value(kind, address=address), kind, self.snapshot(key), value, "")
        elif isinstance(kind, Members):
            for part in parts:
                self.add_member(address, kind, part)
        else:
            assert isinstance(kind, Sequence)
            for part in parts:
                self.append(address, kind, self.held(part, kind.element))
        return Value(kind, address=address)

    def _gather(self, one: form.Gather) -> Value:
        kind = one.type
        if isinstance(kind, Members) and is_mask(kind):
            return Value(kind, (self.mask_of(one.of, -1),))
        if isinstance(kind, Mapping) and isinstance(one.of.type, Mapping):
            return self.kept(self.convert(self.value(one.of), kind))
        address = self.block(kind)
        self.clear(kind, address)
        if isinstance(kind, Sequence):
            self.each(one.of, lambda v: self.append(address, kind, self.held(v, kind.element)))
        elif isinstance(kind, Members):
            self.each(one.of, lambda v: self.add_member(address, kind, v))
        else:
            assert isinstance(kind, Mapping)
            owner = Value(kind, address=address)
            step = Value(Number(), (ONE,))
            if kind.kind is Counter:
                self.each(
                    one.of, lambda key: self.put_entry(owner, kind, self.snapshot(key), step, "add")
                )
            else:
                self.each(
                    one.of,
                    lambda pair: self.put_entry(
                        owner, kind, self.item(pair, 0), self.item(pair, 1), ""
                    ),
                )
        return Value(kind, address=address)

    def _copy(self, one: form.Copy) -> Value:
        return self.kept(self.snapshot(self.value(one.of)))

    def _contains(self, one: form.Contains) -> Value:
        item = self.kept(self.snapshot(self.value(one.item)))
        return Value(BOOL, (self._has(one.of, item),))

    def _has(self, of: form.Expression, item: Value) -> Leaf:
        if isinstance(of, form.Make) and isinstance(of.type, Members):
            # All of them are evaluated before any is compared.
            parts = [self.kept(self.snapshot(self.value(part))) for part in of.parts]
            return self.either([self.equal(part, item) for part in parts])
        if isinstance(of.type, Stream):
            return self.any_of(of, lambda value: self.equal(value, item))
        if isinstance(of, form.Constant) and isinstance(of.type, CONTAINERS):
            entry = self.found(of, item)
            if entry is not None:
                return entry[0]
        value = self.certain(self.value(of))
        kind = value.type
        if isinstance(kind, Known):
            return self._in_table(kind.value, item)
        if isinstance(kind, Mapping):
            return self.out.compare(
                "slt", self.find_key(value, item), self.length_at(value.address, kind)
            )
        if isinstance(kind, Span):
            return self._in_range(value, item)
        if isinstance(kind, Members):
            return self.has_element(value, item)
        if isinstance(kind, Ref) and not self.module.schema.is_sequence(kind):
            return self._in_place(value, item)
        if isinstance(kind, Tuple):
            items = [self.snapshot(self.item(value, place)) for place in range(len(kind.items))]
            return self.either([self.equal(one, self.snapshot(item)) for one in items])
        indexed = self.by_number(value)
        if indexed is None:
            return self.has_element(self.snapshot(value), item)
        if indexed.most == 0:
            return Constant(False)
        count = indexed.length()
        hit = self.find(
            count, min(indexed.most, 1 << 40), lambda i: self.equal(indexed.at(i), item)
        )
        return self.out.compare("slt", hit, count)

    def _in_place(self, place: Value, item: Value) -> Leaf:
        """Return whether a set or a bag of the state has a member."""
        copy = self.snapshot(place)
        if isinstance(copy.type, Mapping):
            return self.out.compare(
                "slt", self.find_key(copy, item), self.length_at(copy.address, copy.type)
            )
        return self.has_element(copy, item)

    def _in_table(self, table: Any, item: Value) -> Leaf:
        if not isinstance(item.type, (OneOf, Known)):
            raise UnsupportedError("membership in a table of the file")
        options = item.type.options if isinstance(item.type, OneOf) else (item.type.value,)
        tests = [self.equal(item, Value(Known(option))) for option in options if option in table]
        return self.either(tests) if tests else Constant(False)

    def _in_range(self, span: Value, item: Value) -> Leaf:
        start, stop, step = self.limits(span)
        inner = self.certain(item)
        assert isinstance(step, Constant)
        leaf = inner.leaves[0]
        first, last = ("sge", "slt") if step.value > 0 else ("sle", "sgt")
        inside = [self.out.compare(first, leaf, start), self.out.compare(last, leaf, stop)]
        if abs(step.value) > 1:
            # Between its ends no difference leaves 64 bits.
            distance = self.out.value(f"sub i64 {self.out.number(leaf)}, {self.out.number(start)}")
            rest = self.out.value(f"srem i64 {distance}, {abs(step.value)}")
            inside.append(self.out.compare("eq", Register(rest), ZERO))
        return self.both(inside)

    def _length(self, one: form.Length) -> Value:
        if isinstance(one.of, form.Constant) and isinstance(one.of.type, CONTAINERS):
            return Value(Number(0), (Constant(len(one.of.value)),))
        value = self.certain(self.value(one.of))
        return Value(Number(0), (self.length(value),))

    def length(self, value: Value) -> Leaf:
        """Return how many elements, members or keys something has."""
        kind = value.type
        if isinstance(kind, Ref):
            return self.length_of(value)
        if isinstance(kind, Members) and is_mask(kind):
            mask = self.out.number(value.leaves[0])
            return Register(self.out.value(f"call i64 @llvm.ctpop.i64(i64 {mask})"), (0, 64), int)
        indexed = self.by_number(value)
        if indexed is not None:
            return indexed.length()
        assert isinstance(kind, Members)
        return self.length_at(value.address, kind)

    def _slice(self, one: form.Slice) -> Value:
        indexed = self.rows_of(one.of) or self.by_number(self.certain(self.value(one.of)))
        kind = one.type
        assert indexed is not None
        assert isinstance(kind, Sequence)
        first, last = self.bounds(one, indexed.length())
        address = self.block(kind)
        self.clear(kind, address)
        with self.rounds(last, min(max(indexed.most, 1), 1 << 40), first) as index:
            self.append(address, kind, self.held(indexed.at(index), kind.element))
        return Value(kind, address=address)

    def _combine(self, one: form.Combine) -> Value:
        kind = one.type
        if isinstance(kind, Members):
            left, right = self.snapshot(self.value(one.left)), self.snapshot(self.value(one.right))
            return self.combined_sets(one.operator, left, right, kind)
        if isinstance(kind, Mapping):
            left = self.kept(self.convert(self.value(one.left), kind))
            self._update(one.right, left, kind, "")
            return left
        address = self.block(kind)
        self.clear(kind, address)
        if isinstance(kind, Tuple):
            left, right = self.certain(self.value(one.left)), self.certain(self.value(one.right))
            parts = [item for side in (left, right) for item in self.items(side)]
            return self.made(kind, parts)
        assert isinstance(kind, Sequence)
        if one.operator == "mul":
            return self._repeated(one, kind, address)
        for side in (one.left, one.right):
            self.each(side, lambda v: self.append(address, kind, self.held(v, kind.element)))
        return Value(kind, address=address)

    def _repeated(self, one: form.Combine, kind: Sequence, address: str) -> Value:
        listed, count = self.kept(self.value(one.left)), self.number(one.right)
        length, at = self.indexed_value(listed)
        with self.rounds(count, room(kind) + 1), self.rounds(length, self._most(listed)) as index:
            self.append(address, kind, at(index))
        return Value(kind, address=address)

    def _range(self, one: form.Range) -> Value:
        ends = tuple(self.number(end) for end in (one.start, one.stop, one.step))
        if isinstance(ends[2], Constant) and ends[2].value == 0:
            self.fail()
        return Value(one.type, ends)

    def _comprehension(self, one: form.Comprehension) -> Value:
        raise UnsupportedError("a generator that has a name")

    def _quantify(self, one: form.Quantify) -> Value:
        if one.every:
            return Value(
                BOOL,
                (
                    self.opposite(
                        self.any_of(one.of, lambda v: self.opposite(self.as_truth(v)), one)
                    ),
                ),
            )
        return Value(BOOL, (self.any_of(one.of, self.as_truth, one),))

    def any_of(
        self, of: form.Expression, test: Callable[[Value], Leaf], node: object = None
    ) -> Leaf:
        """Return whether a test holds for anything that something yields; it asks none after it."""
        out = self.out
        result, end = out.variable(), out.label("known")
        out.emit(f"store i64 0, ptr {result}")

        def each(value: Value) -> None:
            here = test(value)
            if node is not None:
                self.mark(here, node)

            def found() -> None:
                out.emit(f"store i64 1, ptr {result}")
                out.jump(end)

            self.when(here, found)

        self.each(of, each)
        out.place_label(end)
        return Truth(out.value(f"icmp ne i64 {out.value(f'load i64, ptr {result}')}, 0"))

    def _first(self, one: form.First) -> Value:
        out, kind = self.out, one.type
        default = None if one.default is None else self.kept(self.value(one.default))
        target, hit, end = self.block(kind), out.variable(), out.label("known")
        out.emit(f"store i64 0, ptr {hit}")

        def each(value: Value) -> None:
            self.store(self.held(value, kind), kind, target)
            out.emit(f"store i64 1, ptr {hit}")
            out.jump(end)

        self.each(one.of, each)
        if default is not None:
            self.store(default, kind, target)
        else:
            self.fail()
        out.place_label(end)
        return self.load(kind, target)

    def _change(self, one: form.Change) -> Value:
        self.out.loops.append(True)
        return self.change(one)

    def _apply(self, one: form.Apply) -> Value:
        return self.library(one)

    def _given(self, one: form.Given) -> Value:
        return Value(Known(one))

    def _call(self, one: form.Call) -> Value:
        raise NotImplementedError


def _types(kind: Tuple | Record) -> tuple[Type, ...]:
    return kind.items if isinstance(kind, Tuple) else tuple(part for _, part in kind.fields)
