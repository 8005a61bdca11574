"""What yields values one by one: for each, some code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ....core.containers import Bag, Ordered, Set
from ....language import form
from ....language.lowering.rounds import BY_NUMBER, is_numbered, watched
from ....language.types import (
    Mapping,
    Members,
    Never,
    Number,
    Ref,
    Sequence,
    Span,
    Stream,
    Tuple,
    Type,
)
from ..arithmetic import exact
from ..code_size import UNROLLED
from ..values import Constant, Truth, UnsupportedError
from ..values import Number as Register
from .layouts import Leaf, is_mask, room
from .memory import ONE, ZERO, Value
from .places import Places

Body = Callable[[Value], None]


@dataclass(frozen=True)
class Indexed:
    """What has elements by number.

    Parameters
    ----------
    length
        Emits how many there are, each time it is asked.
    at
        Emits the reading of the one with an index.
    most
        The most there can be.
    """

    length: Callable[[], Leaf]
    at: Callable[[Leaf], Value]
    most: int


class Streams(Places):
    """Emits loops."""

    def value(self, one: form.Expression) -> Value:
        """Return the value of an expression."""
        raise NotImplementedError

    def number(self, one: form.Expression) -> Leaf:
        """Return the number that an expression gives."""
        raise NotImplementedError

    def truth(self, one: form.Expression) -> Leaf:
        """Return a truth value."""
        raise NotImplementedError

    def rows_of(self, one: form.Expression) -> Indexed | None:
        """Return the elements of a list of the file, which need no room; None of anything else."""
        raise NotImplementedError

    def listed(
        self, one: form.Constant, which: str, values: list[Any], kind: Type
    ) -> Indexed | None:
        """Return some values of a container of the file; None if they have no rows."""
        raise NotImplementedError

    def statements(self, body: tuple[form.Statement, ...]) -> None:
        """Emit statements."""
        raise NotImplementedError

    def bind(self, slot: str, value: Value) -> None:
        """Emit that a slot gets a value."""
        raise NotImplementedError

    def called(self, supplied: form.Given, values: list[Value]) -> Value:
        """Emit the call of a function that is an argument of another one."""
        raise NotImplementedError

    # --- by number

    def indexed(self, one: form.Expression) -> Indexed | None:
        """Return the elements of something by number; None of what only yields them.

        That is known before anything is evaluated, since the caller does so if it gets None.
        """
        if not is_numbered(one, self.module.schema):
            return None
        if (rows := self.rows_of(one)) is not None:
            return rows
        if isinstance(one, form.Apply) and one.name in BY_NUMBER and isinstance(one.type, Stream):
            parts = [
                self.indexed(part) for part in one.arguments[: BY_NUMBER[one.name]] or one.arguments
            ]
            return self._combined(one, [part for part in parts if part is not None])
        return self.by_number(self.value(one))

    def by_number(self, value: Value) -> Indexed | None:
        """Return the elements of a value by number; None of a set of numbers."""
        kind = value.type
        if isinstance(kind, Ref):
            return self._of_place(value)
        if isinstance(kind, Tuple):
            count = len(kind.items)
            return Indexed(lambda: Constant(count), lambda i: self.chosen_item(value, i), count)
        if isinstance(kind, Never):
            return Indexed(lambda: ZERO, lambda i: value, 0)
        if isinstance(kind, Sequence):
            return Indexed(
                lambda: self.length_at(value.address, kind),
                lambda i: self.element(value.address, kind, i),
                room(kind),
            )
        if isinstance(kind, Mapping):
            return Indexed(
                lambda: self.length_at(value.address, kind),
                lambda i: self.entry(value.address, kind, i)[0],
                room(kind),
            )
        if isinstance(kind, Span):
            return self._of_range(value)
        return None

    def _of_place(self, place: Value) -> Indexed | None:
        node = self.node(place)
        if isinstance(node, (Set, Bag)):
            return None
        if isinstance(node, Ordered):
            items = self.hidden(place, "items")
            most = len(node.items)
            return Indexed(
                lambda: self.length_of(place),
                lambda i: self.snapshot(self.array_element(items, self.within(i, max(most, 1)))),
                most,
            )
        count = len(node)
        return Indexed(
            lambda: Constant(count),
            lambda i: self.array_element(place, self.within(i, max(count, 1))),
            count,
        )

    @staticmethod
    def limits(span: Value) -> tuple[Leaf, Leaf, Leaf]:
        """Return where a range begins, where it ends, and its step."""
        assert isinstance(span.type, Span)
        start, stop, step = span.leaves
        return start, stop, step if span.type.step is None else Constant(span.type.step)

    def _of_range(self, span: Value) -> Indexed:
        start, stop, step = self.limits(span)
        count = self.range_length(start, stop, step)

        def at(index: Leaf) -> Value:
            if (
                isinstance(index, Constant)
                and isinstance(start, Constant)
                and isinstance(step, Constant)
            ):
                return Value(Number(), (Constant(start.value + index.value * step.value),))
            if step == ONE and start == ZERO:
                return Value(Number(), (index,))
            # Within the range no number leaves 64 bits.
            scaled = self.out.value(f"mul i64 {self.out.number(index)}, {self.out.number(step)}")
            number = self.out.value(f"add i64 {self.out.number(start)}, {scaled}")
            return Value(Number(), (Register(number, _between(start, stop), int),))

        if isinstance(count, Constant):
            return Indexed(lambda: count, at, count.value)
        most = count.range[1] if isinstance(count, Register) and count.range else 1 << 62
        return Indexed(lambda: count, at, most)

    def range_length(self, start: Leaf, stop: Leaf, step: Leaf) -> Leaf:
        """Return how many numbers a range has."""
        known = all(isinstance(one, Constant) for one in (start, stop, step))
        if known and step != Constant(0):
            return Constant(len(range(*(one.value for one in (start, stop, step)))))  # type: ignore[union-attr]
        if isinstance(step, Constant) and step.value == 1:
            reach = exact(self.out, "sub", stop, start)
            most = reach.range[1] if reach.range else (1 << 63) - 1
            count = self.out.extreme("max", reach, ZERO)
            return Register(self.out.number(count), (0, max(most, 0)), int)
        assert isinstance(step, Constant)
        first, last, by = (
            (start, stop, step.value) if step.value > 0 else (stop, start, -step.value)
        )
        reach = self.out.extreme("max", exact(self.out, "sub", last, first), ZERO)
        up = exact(self.out, "add", reach, Constant(by - 1))
        return exact(self.out, "floordiv", up, Constant(by))

    def _combined(self, one: form.Apply, parts: list[Indexed]) -> Indexed:
        """Return what zip, enumerate, reversed or pairwise yields, by number."""
        kind = one.type
        assert isinstance(kind, Stream)
        first = parts[0] if parts else Indexed(lambda: ZERO, lambda i: self.zero(Never()), 0)
        if one.name == "enumerate":
            start = self.number(one.arguments[1])
            pair = kind.element
            assert isinstance(pair, Tuple)

            def counted(index: Leaf) -> Value:
                number = exact(self.out, "add", index, start)
                item = first.at(index)
                return self.made(Tuple((Number(), item.type)), [Value(Number(), (number,)), item])

            return Indexed(first.length, counted, first.most)
        if one.name == "reversed":

            def backwards(index: Leaf) -> Value:
                last = self.out.arithmetic("sub", first.length(), ONE)
                at = self.out.arithmetic("sub", last, index)
                return first.at(self.within(at, max(first.most, 1)))

            return Indexed(first.length, backwards, first.most)
        if one.name == "pairwise":

            def pairs(index: Leaf) -> Value:
                following = self.within(self.out.arithmetic("add", index, ONE), max(first.most, 1))
                both = [first.at(index), first.at(following)]
                return self.made(Tuple(tuple(part.type for part in both)), both)

            return Indexed(
                lambda: self.out.extreme(
                    "max", self.out.arithmetic("sub", first.length(), ONE), ZERO
                ),
                pairs,
                first.most,
            )
        strict = any(isinstance(part, form.Constant) and part.value for _, part in one.named)

        def shortest() -> Leaf:
            length = first.length()
            for part in parts[1:]:
                other = part.length()
                if strict:
                    # Python says so at the end; a step that fails means nothing before that either.
                    self.out.fail_if(self.out.truth(self.out.compare("ne", length, other)))
                length = self.out.extreme("min", length, other)
            return length

        def side_by_side(index: Leaf) -> Value:
            items = [part.at(self.within(index, max(part.most, 1))) for part in parts]
            return self.made(Tuple(tuple(item.type for item in items)), items)

        return Indexed(shortest, side_by_side, min(part.most for part in parts) if parts else 0)

    # --- one by one

    def each(self, one: form.Expression, body: Body) -> None:
        """Emit code for each value that something yields."""
        if isinstance(one, form.Comprehension):
            self._clauses(one, 0, body)
            return
        if isinstance(one, form.After) and isinstance(one.type, Stream):
            self.statements(one.body)
            self.each(one.value, body)
            return
        if isinstance(one, form.Choose) and isinstance(one.type, Stream):
            yes, no = (partial(self.each, each, body) for each in (one.yes, one.no))
            self.when(self.condition(one.test), yes, no)
            return
        if isinstance(one, form.Apply) and isinstance(one.type, Stream):
            special = getattr(self, f"_each_{one.name}", None)
            if special is not None:
                special(one, body)
                return
        if (rows := self.rows_of(one)) is not None:
            self.by_index(rows, body)
            return
        if not isinstance(one.type, Stream):
            self.elements(self.value(one), body)
            return
        indexed = self.indexed(one)
        assert indexed is not None
        self.by_index(indexed, body)

    def elements(self, value: Value, body: Body) -> None:
        """Emit code for each element of a container."""
        indexed = self.by_number(value)
        if indexed is None:
            self.members(value, body)
        else:
            self.by_index(indexed, body)

    def by_index(self, indexed: Indexed, body: Body) -> None:
        """Emit code for each element by number; few rounds are written out."""
        if indexed.most > UNROLLED:
            with self.rounds(indexed.length, indexed.most) as index:
                body(indexed.at(index))
            return
        out = self.out
        end = out.label("end")
        for number in range(indexed.most):
            length = indexed.length()
            if isinstance(length, Constant):
                if number >= length.value:
                    break
            else:
                inside = out.label("round")
                out.branch(out.compare("sgt", length, Constant(number)), inside, end)
                out.place_label(inside)
            body(indexed.at(Constant(number)))
            if out.terminated:
                break
        out.place_label(end)

    def members(self, value: Value, body: Body) -> None:
        """Emit code for each member of a set."""
        kind = value.type
        if isinstance(kind, Ref):
            element = self.module.schema.element(kind)
            value, kind = self.snapshot(value), Members(element, ordered=True)
        if not isinstance(kind, Members):
            raise UnsupportedError("what a loop goes over")
        if not is_mask(kind):
            self.by_index(
                Indexed(
                    lambda: self.length_at(value.address, kind),
                    lambda i: self.element(value.address, kind, i),
                    room(kind),
                ),
                body,
            )
            return
        self._bits(value.leaves[0], kind, body)

    def _bits(self, mask: Leaf, kind: Members, body: Body) -> None:
        """Emit code for each number of a bit mask, in ascending order; -1 comes last."""
        out = self.out
        left = out.variable()
        out.loops.append(True)
        out.emit(f"store i64 {out.number(mask)}, ptr {left}")
        head, inner, end = (out.label(hint) for hint in ("round", "body", "end"))
        out.place_label(head)
        some = out.value(f"load i64, ptr {left}")
        out.branch(Truth(out.value(f"icmp ne i64 {some}, 0")), inner, end)
        out.place_label(inner)
        out.begin_round()
        less = out.value(f"and i64 {some}, {out.value(f'sub i64 {some}, 1')}")
        out.emit(f"store i64 {less}, ptr {left}")
        bit = out.value(f"call i64 @llvm.cttz.i64(i64 {some}, i1 false)")
        element = kind.element if isinstance(kind.element, Number) else Number(0, 62)
        number = bit
        if element.low < 0:
            last = out.value(f"icmp eq i64 {bit}, 63")
            number = out.value(f"select i1 {last}, i64 -1, i64 {bit}")
        low, high = max(element.low, -1), max(min(element.high, 62), 0)
        body(Value(element, (Register(number, (min(low, 0), high), element.kind),)))
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def watching(
        self, over: form.Expression, parts: Iterable[form.Expression | form.Statement], body: Body
    ) -> Body:
        """Return what a round runs, with a check that what it goes over is as it was.

        Python fails at the next round if a set, a dictionary or a deque has changed.

        Parameters
        ----------
        parts
            What the round runs.
        """
        parts = tuple(parts)
        gone_over = list(watched(over, parts, self.module.schema))
        if not gone_over:
            return body
        before = list(map(self._state_of, gone_over))

        def checked(value: Value) -> None:
            body(value)
            if self.out.terminated:
                return
            for one, known in zip(gone_over, before, strict=True):
                now = self._state_of(one)
                self.out.fail_if(self.out.truth(self.out.compare("ne", now, known)))

        return checked

    def _state_of(self, one: form.Expression) -> Leaf:
        """Return a number that is another one after each change that Python notices."""
        if isinstance(one, form.Apply):
            # A view of a dictionary.
            [one] = one.arguments
        value, kind = self.value(one), one.type
        if isinstance(kind, Ref):
            return self.copied(self.length_of(value))
        if isinstance(kind, Members) and is_mask(kind):
            return self.copied(value.leaves[0])
        assert isinstance(kind, (Mapping, Members, Sequence))
        return self.copied(self.length_at(value.address, kind))

    def copied(self, leaf: Leaf) -> Leaf:
        """Return a number in a register that stays as it is."""
        return leaf if isinstance(leaf, Constant) else Register(self.out.number(leaf))

    # --- comprehensions and what Python's library yields

    def _clauses(self, one: form.Comprehension, number: int, body: Body) -> None:
        if number == len(one.clauses):
            body(self.value(one.result))
            return
        clause = one.clauses[number]

        def inner(value: Value) -> None:
            self.bind(clause.slot, value)
            self.statements(clause.body)
            self._conditions(clause.conditions, lambda: self._clauses(one, number + 1, body))

        rest = replace(one, clauses=one.clauses[number + 1 :])
        parts: list[form.Expression | form.Statement] = [*clause.body, *clause.conditions, rest]
        self.each(clause.over, self.watching(clause.over, parts, inner))

    def _conditions(self, tests: tuple[form.Expression, ...], then: Callable[[], None]) -> None:
        if not tests:
            then()
            return
        self.when(self.condition(tests[0]), lambda: self._conditions(tests[1:], then))

    def condition(self, test: form.Expression) -> Leaf:
        """Return the truth of a condition, both ways of which are marked."""
        raise NotImplementedError

    def _each_map(self, one: form.Apply, body: Body) -> None:
        supplied, *overs = one.arguments
        assert isinstance(supplied, form.Given)
        if len(overs) == 1:
            self.each(overs[0], lambda value: body(self.called(supplied, [value])))
            return
        known = [part for part in map(self.indexed, overs) if part is not None]
        assert len(known) == len(overs)
        kind = Stream(Tuple(tuple(Never() for _ in known)))
        together = self._combined(form.Apply(kind, "zip", ()), known)
        self.by_index(
            together,
            lambda value: body(
                self.called(supplied, [self.item(value, n) for n in range(len(known))])
            ),
        )

    def _each_filter(self, one: form.Apply, body: Body) -> None:
        supplied, over = one.arguments
        assert isinstance(supplied, form.Given)

        def inner(value: Value) -> None:
            self.when(self.as_truth(self.called(supplied, [value])), lambda: body(value))

        self.each(over, inner)

    def as_truth(self, value: Value) -> Leaf:
        """Return the truth of a number."""
        leaf = value.leaves[0] if value.leaves else ZERO
        return leaf if isinstance(leaf, (Truth, Constant)) else Truth(self.out.truth(leaf))

    def _each_enumerate(self, one: form.Apply, body: Body) -> None:
        over, start = one.arguments
        indexed = self.indexed(one)
        if indexed is not None:
            self.by_index(indexed, body)
            return
        counter, out = self.out.variable(), self.out
        out.emit(f"store i64 {out.number(self.number(start))}, ptr {counter}")

        def counted(value: Value) -> None:
            here = Register(out.value(f"load i64, ptr {counter}"))
            following = exact(out, "add", here, ONE)
            out.emit(f"store i64 {out.number(following)}, ptr {counter}")
            body(self.made(Tuple((Number(), value.type)), [Value(Number(), (here,)), value]))

        self.each(over, counted)

    def _each_chain(self, one: form.Apply, body: Body) -> None:
        for part in one.arguments:
            self.each(part, body)

    def _each_flattened(self, one: form.Apply, body: Body) -> None:
        self.each(one.arguments[0], lambda value: self.elements(value, body))

    def _each_product(self, one: form.Apply, body: Body) -> None:
        [(_, repeat)] = one.named
        assert isinstance(repeat, form.Constant)
        self._nested(list(one.arguments) * repeat.value, [], body)

    def _nested(self, overs: list[form.Expression], before: list[Value], body: Body) -> None:
        if not overs:
            body(self.made(Tuple(tuple(one.type for one in before)), before))
            return
        self.each(
            overs[0],
            lambda value: self._nested(overs[1:], [*before, value], body),
        )

    def _each_combinations(self, one: form.Apply, body: Body) -> None:
        self._chosen(
            one,
            body,
            lambda before: (self.out.arithmetic("add", before[-1], ONE) if before else ZERO, []),
        )

    def _each_permutations(self, one: form.Apply, body: Body) -> None:
        self._chosen(one, body, lambda before: (ZERO, before))

    def _chosen(
        self,
        one: form.Apply,
        body: Body,
        rule: Callable[[list[Leaf]], tuple[Leaf, list[Leaf]]],
    ) -> None:
        """Emit loops over the elements at several indices.

        `rule` says from which index a loop begins, and which ones it leaves out.
        """
        listed = self.indexed(one.arguments[0])
        assert listed is not None
        count: Any = one.arguments[1] if len(one.arguments) > 1 else listed.length()
        wanted = int(count.value)

        def deeper(before: list[Leaf], values: list[Value]) -> None:
            if len(before) == wanted:
                body(self.made(Tuple(tuple(v.type for v in values)), values))
                return
            first, but = rule(before)
            with self.rounds(listed.length(), max(listed.most, 1), first) as index:
                differs = self.both([self.out.compare("ne", index, other) for other in but])
                self.when(differs, lambda: deeper([*before, index], [*values, listed.at(index)]))

        deeper([], [])

    def _each_keys(self, one: form.Apply, body: Body) -> None:
        self._entries(one, lambda key, value: body(key))

    def _each_values(self, one: form.Apply, body: Body) -> None:
        self._entries(one, lambda key, value: body(value))

    def _each_items(self, one: form.Apply, body: Body) -> None:
        self._entries(
            one, lambda key, value: body(self.made(Tuple((key.type, value.type)), [key, value]))
        )

    def _entries(self, one: form.Apply, body: Callable[[Value, Value], None]) -> None:
        [of] = one.arguments
        if isinstance(of, form.Constant) and isinstance(of.type, Mapping):
            pair = Tuple((of.type.key, of.type.value))
            rows = self.listed(of, "items", list(of.value.items()), pair)
            if rows is not None:
                self.by_index(rows, lambda value: body(*self.items(value)))
                return
        mapping = self.value(of)
        kind = mapping.type
        if isinstance(kind, Never):
            return
        assert isinstance(kind, Mapping)
        with self.rounds(self.length_at(mapping.address, kind), room(kind)) as index:
            body(*self.entry(mapping.address, kind, index))

    def _each_members(self, one: form.Apply, body: Body) -> None:
        self._bits(self.value(one.arguments[0]).leaves[0], Members(Number(0, 62), True), body)


def _between(start: Leaf, stop: Leaf) -> tuple[int, int] | None:
    """Return the range of the numbers of a range whose ends are known."""
    ends = []
    for one in (start, stop):
        if isinstance(one, Constant):
            ends.append((int(one.value), int(one.value)))
        elif isinstance(one, Register) and one.range is not None:
            ends.append(one.range)
        else:
            return None
    return min(low for low, _ in ends), max(high for _, high in ends)
