"""From a plain Python function to LLVM: its loops over numbers, arrays and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from ...core.containers import MOST_MEMBERS, Set, Sorted
from .dictionaries import keys_of
from .function import Scope
from .lists import IN_ORDER, may_have_none
from .orders import Permutations
from .sequences import ITERATIONS
from .tables import UNROLLED, Indexed, known_elements
from .values import (
    WORD,
    Backwards,
    Bits,
    Cells,
    Choice,
    Constant,
    Dictionary,
    Distinct,
    Elements,
    Entries,
    Items,
    Made,
    Mapped,
    Method,
    Neighbours,
    Number,
    Numbers,
    Orders,
    Places,
    Range,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    View,
    Zipped,
    as_numbers,
    fits,
    forms_of,
    span,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

ROOM_OF_WORD = 1 << 20
"""The most elements of a range of which nothing is known."""


class Loops:
    """Translates loops, unrolled if there are few iterations.

    Attributes
    ----------
    out_of_order
        Whether a set was iterated in another order than Python's.
    """

    def __init__(self, scope: Scope, expressions: Expressions, calls: Calls) -> None:
        self.scope, self.unit, self.out, self.mark = scope, scope.unit, scope.out, scope.marks.mark
        self.expressions, self.records = expressions, expressions.records
        self.known, self.sequences = expressions.known, expressions.sequences
        self.calls = calls
        self.out_of_order = False
        self.permutations = Permutations(scope, self)

    def loop(
        self,
        iterated: ast.expr,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str] = (),
        any_order: bool = False,
    ) -> None:
        """Translate a loop; `body` emits one iteration.

        Parameters
        ----------
        any_order
            Whether the order in which a set is iterated does not matter.
        """
        if isinstance(iterated, ast.GeneratorExp):
            self._loop_generated(iterated, body, changed, any_order)
            return
        self.over(iterated, self.expressions.known(iterated), body, changed, any_order)

    def _loop_generated(
        self,
        node: ast.GeneratorExp,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
        any_order: bool,
    ) -> None:
        """Translate a loop over a generator, each element of which is computed in its round."""
        end = self.out.label("end")

        def round_of() -> None:
            following = self.out.label("next")
            body(self.expressions.value(node.elt), following, end)
            self.out.place_label(following)

        self.calls.comprehensions.each(node.generators, round_of, tuple(changed), any_order)
        self.out.place_label(end)

    def over(
        self,
        node: ast.expr,
        iterable: Value,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str] = (),
        any_order: bool = False,
    ) -> None:
        """Translate a loop over a value."""
        with self.scope.iterating(forms_of(iterable)):
            self._over(node, iterable, body, changed, any_order)

    def _over(
        self,
        node: ast.expr,
        iterable: Value,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
        any_order: bool,
    ) -> None:
        iterable = as_numbers(self.sequences.fixed(self._members(iterable)))
        if isinstance(iterable, Places):

            def over_one(name: ast.Name) -> Value:
                self.over(node, self.known(name), body, changed, any_order)
                return Constant(None)

            self.expressions.each_place(iterable, node, over_one)
            return
        if _is_known_set(iterable):
            self._loop_known_set(node, iterable, body, changed, any_order)
        elif isinstance(iterable, Numbers) and iterable.stop is not None:
            self._loop_range(node, iterable.start, iterable.stop, iterable.step, body, changed)
        elif isinstance(iterable, Bits):
            self._loop_bits(node, iterable, body, any_order)
        elif isinstance(iterable, Distinct):
            self._loop_distinct(node, iterable, body, changed, any_order)
        elif isinstance(iterable, Span):
            self._loop_elements(node, iterable, body, changed)
        elif isinstance(iterable, (StateRef, Made)) and (
            contents := self.records.method(iterable, "__iter__")
        ):
            self._loop_contents(node, contents, body, changed)
        elif isinstance(
            iterable,
            (
                Zipped,
                Mapped,
                Neighbours,
                Backwards,
                Choice,
                Cells,
                Elements,
                Entries,
                Orders,
                View,
            ),
        ):
            self._loop_indexed(node, self.indexed(iterable, node), body, changed)
        else:
            rounds: list[tuple[Value | None, Value]] = [
                (None, element) for element in self._all_of(iterable)
            ]
            self._written_out(node, rounds, body)

    def _members(self, value: Value) -> Value:
        """Return the members of a known set, or of one of several, or the keys of a dictionary."""
        collections, bits = self.calls.collections, None
        if isinstance(value, Dictionary):
            return keys_of(value)
        if isinstance(value, Places):
            bits = collections.of_state(value)
        elif _is_known_set(value) and _are_whole_numbers(value):
            bits = collections.bits(value)
        return bits or value

    def _loop_known_set(
        self,
        node: ast.expr,
        iterable: Choice | Constant,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
        any_order: bool,
    ) -> None:
        """Translate a loop over a known set of anything, or over one of several."""
        with self._unordered(node, any_order):
            if isinstance(iterable, Constant):
                self.over(node, Constant(_listed(iterable.value)), body, changed)
            else:
                options = tuple(map(_listed, iterable.options))
                self.over(node, Choice(iterable.number, options), body, changed)

    def _all_of(self, iterable: Value) -> list[Value]:
        """Return all elements of what has as many as is known while translating."""
        if isinstance(iterable, StateRef) and isinstance(iterable.sample, (list, tuple)):
            indices = map(Constant, range(len(iterable.sample)))
            parts = [self.records.element(iterable, index) for index in indices]
            return [part for part in parts if part is not None]
        if isinstance(iterable, Constant):
            return list(map(Constant, known_elements(iterable.value)))
        if isinstance(iterable, Items):
            return list(iterable.items)
        if isinstance(iterable, Made) and isinstance(iterable.sample, (list, tuple)):
            return self.records.items(iterable)
        raise UnsupportedError("a loop over what is not a range, array, set, sequence or tuple")

    def indexed(self, value: Value, node: ast.expr) -> Indexed:
        """Return how the elements of an iterable are found by their index."""
        out, lists = self.out, self.scope.lists
        value = as_numbers(self.sequences.fixed(self._members(value)))
        if _is_known_set(value):
            raise _in_order_of_set(node)
        if isinstance(value, Numbers):
            return self._indexed_range(value)
        if isinstance(value, Zipped):
            return self._side_by_side([self.indexed(part, node) for part in value.parts])
        if isinstance(value, Mapped):
            function, inner = value.function, self.indexed(value.of, node)
            several, call = value.several, value.call

            def result(index: Value) -> Value:
                element = inner.at(index)
                parts = element.items if several and isinstance(element, Items) else (element,)
                return self.calls.called_with(function, list(parts), call)

            return replace(inner, at=result)
        if isinstance(value, Neighbours):
            return self._in_pairs(self.indexed(value.of, node), node)
        if isinstance(value, Backwards):
            return self._backwards(self.indexed(value.of, node), node)
        if isinstance(value, Cells):
            cells = value
            return Indexed(
                cells.most,
                lists.length_in_loop(cells, cells.changes),
                lambda i: lists.at(cells, out.extreme("min", i, Constant(cells.most - 1))),
            )
        if isinstance(value, (Entries, View)):
            return self.calls.growing.indexed(value)
        if isinstance(value, Orders):
            return self.permutations.indexed(value)
        if isinstance(value, Choice):
            return self.scope.tables.indexed(value)
        if isinstance(value, (StateRef, Made)) and (
            contents := self.records.method(value, "__iter__")
        ):
            if contents.function in ITERATIONS:
                return self._indexed_sequence(contents.owner)
            value = Bits(self.records.variable(contents.owner, "mask"), ordered=True)
        if isinstance(value, Bits):
            return self.indexed(self._listed(node, value), node)
        if isinstance(value, Span):
            return self._indexed_span(value)
        if isinstance(value, Elements):
            elements, count = value.items, value.count
            return Indexed(len(elements), lambda: count, lambda i: self.item(elements, i))
        if isinstance(value, (StateRef, Made)) and isinstance(value.sample, (list, tuple)):
            array = value
            count = Constant(len(value.sample))
            return Indexed(count.value, lambda: count, lambda i: self.records.item(array, i))
        items = tuple(self._all_of(value))
        return Indexed(len(items), lambda: Constant(len(items)), lambda i: self.item(items, i))

    def _backwards(self, inner: Indexed, node: ast.expr) -> Indexed:
        """Return the elements from the last one on."""
        if inner.most is None:
            raise UnsupportedError(f"{ast.unparse(node)}, which has no end,")
        out, length = self.out, inner.length()
        last = self.expressions.computed(ast.Sub(), length, Constant(1))

        def from_end(index: Value) -> Value:
            place = self._less(last, index)
            if not (self.scope.pure or isinstance(length, Constant)):
                # Where it has become shorter, Python ends; that is left to it.
                out.fail_if(out.truth(out.compare("sge", place, inner.length())))
            return inner.at(place)

        return Indexed(inner.most, lambda: length, from_end)

    def _in_pairs(self, inner: Indexed, node: ast.expr) -> Indexed:
        """Return each element with the one after it."""
        if inner.most is None:
            raise UnsupportedError(f"{ast.unparse(node)}, which has no end,")
        exactly, one = self.expressions.computed, Constant(1)

        def length() -> Value:
            count = exactly(ast.Sub(), inner.length(), one)
            if isinstance(count, Constant):
                return Constant(max(count.value, 0))
            return self.out.extreme("max", count, Constant(0))

        return Indexed(
            max(inner.most - 1, 0),
            length,
            lambda i: Items((inner.at(i), inner.at(exactly(ast.Add(), i, one)))),
        )

    def _less(self, last: Value, index: Value) -> Value:
        """Return the index from the end, of one from the beginning."""
        if isinstance(last, Constant) and isinstance(index, Constant):
            return Constant(last.value - index.value)
        difference = self.out.arithmetic("sub", last, index)
        return self.out.extreme("max", difference, Constant(0))

    def item(self, items: Sequence[Value], index: Value) -> Value:
        """Return one of several values, whose index is within them."""
        if isinstance(index, Constant):
            return items[int(index.value)]
        known = [item.value for item in items if isinstance(item, Constant)]
        if len(known) == len(items):
            return self.scope.tables.chosen(Choice(self._number(index, len(items)), tuple(known)))
        name = f"{self.out.label('item')}?"
        for number, item in enumerate(items):
            here, on = self.out.label("here"), self.out.label("on")
            if number:
                self.out.branch(self.out.compare("eq", index, Constant(number)), here, on)
                self.out.place_label(here)
            self.scope.slots.store(name, item)
            self.out.place_label(on)
        return self.scope.slots.load(name)

    def _number(self, index: Value, count: int) -> Number:
        return Number(self.out.number(index), (0, count - 1))

    def _indexed_range(self, numbers: Numbers) -> Indexed:
        start, stop, step = numbers.start, numbers.stop, numbers.step
        exactly = self.expressions.computed

        def at(index: Value) -> Value:
            far = exactly(ast.Mult(), index, Constant(step)) if step != 1 else index
            return exactly(ast.Add(), start, far)

        if stop is None:
            return Indexed(None, lambda: Constant(WORD[1]), at)
        if isinstance(start, Constant) and isinstance(stop, Constant):
            count = len(range(start.value, stop.value, step))
            return Indexed(count, lambda: Constant(count), at)
        if abs(step) != 1:
            raise UnsupportedError("a range with a step, and bounds that depend on the state")
        first, last = (start, stop) if step > 0 else (stop, start)
        low, high = span(first), span(last)
        most = max(high[1] - low[0], 0) if low and high else ROOM_OF_WORD
        distance = exactly(ast.Sub(), last, first)
        length = self.out.extreme("max", distance, Constant(0))
        return Indexed(most, lambda: length, at)

    def _side_by_side(self, parts: list[Indexed]) -> Indexed:
        """Return several iterables as one of tuples, as long as the shortest."""
        mosts = [part.most for part in parts if part.most is not None]

        def length() -> Value:
            lengths = [part.length() for part in parts if part.most is not None]
            fixed = [one.value for one in lengths if isinstance(one, Constant)]
            open_ = [one for one in lengths if not isinstance(one, Constant)]
            shortest: Value = Constant(min(fixed)) if fixed else open_.pop()
            for one in open_:
                shortest = self.out.extreme("min", shortest, one)
            return shortest

        if not mosts:
            raise UnsupportedError("a loop without an end")
        return Indexed(min(mosts), length, lambda i: Items(tuple(part.at(i) for part in parts)))

    def _indexed_sequence(self, owner: StateRef | Made) -> Indexed:
        """Return the elements of a sequence, as long as it is in each round."""
        items = self.records.variable(owner, "items")
        assert isinstance(items, (StateRef, Made))
        most = len(items.sample)

        def at(index: Value) -> Value:
            within = index
            if not isinstance(index, Constant):
                within = self.out.extreme("min", index, Constant(most - 1))
            return self.sequences.fixed(self.sequences.read(owner, within))

        return Indexed(most, self._length_of(owner), at)

    def _length_of(self, owner: StateRef | Made) -> Callable[[], Value]:
        """Return what emits the length of a sequence as of each round of a loop over it."""
        before = self.records.variable(owner, "length")

        def length() -> Value:
            now = self.records.variable(owner, "length")
            if isinstance(owner.sample, Sorted):
                # As Python does, a set refuses to be iterated when its size has changed.
                self.out.fail_if(self.out.truth(self.out.compare("ne", now, before)))
            return now

        return length

    def _indexed_span(self, chosen: Span) -> Indexed:
        sequence = self._indexed_sequence(chosen.owner)
        length = self.out.arithmetic("sub", chosen.last, chosen.first)

        def at(index: Value) -> Value:
            return sequence.at(self.expressions.computed(ast.Add(), chosen.first, index))

        return Indexed(sequence.most, lambda: length, at)

    def _listed(self, node: ast.expr, bits: Bits) -> Cells:
        """Return the members of a set as a list."""
        cells = self.scope.lists.new(most=MOST_MEMBERS)

        def body(element: Value, following: str, end: str) -> None:
            self.scope.lists.append(cells, element)

        self._loop_bits(node, bits, body, any_order=False)
        if not cells.shapes:
            self.scope.lists.put(cells, Constant(0), Constant(0))
        return cells

    def _loop_indexed(
        self,
        node: ast.expr,
        chosen: Indexed,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        """Translate a loop over what has an index; its length is asked for in each round."""
        out, most = self.out, chosen.most

        def round_of(index: Value, following: str, end: str) -> None:
            body(chosen.at(index), following, end)

        if most is None:
            raise UnsupportedError(f"a loop over {ast.unparse(node)}, which has no end,")
        if most > UNROLLED:
            self.counted(node, Constant(0), chosen.length, 1, round_of, changed)
            return
        end = out.label("end")
        for number in range(most):
            inside, following = out.label("round"), out.label("next")
            length = chosen.length()
            if not isinstance(length, Constant):
                test = out.compare("sgt", length, Constant(number))
                self.mark(test, node)
                out.branch(test, inside, end)
                out.place_label(inside)
            round_of(Constant(number), following, end)
            out.place_label(following)
        out.place_label(end)

    def _loop_bits(
        self,
        node: ast.expr,
        bits: Bits,
        body: Callable[[Value, str, str], None],
        any_order: bool,
    ) -> None:
        """Translate a loop over a set of the function's own, in Python's order if that matters."""
        known = span(bits.mask)
        # The hash of -1 is none of a number's own.
        small = known and known[0] >= 0 and known[1].bit_length() - 1 <= IN_ORDER
        in_order = bits.ordered or small
        if not in_order and not any_order:
            raise _in_order_of_set(node)
        self.out_of_order |= not in_order
        # What a round writes would show which one was the last.
        with self.scope.reading(not in_order):
            self._loop_members(node, self.scope.lists.mask(bits), body, may_have_none(bits))

    def _loop_distinct(
        self,
        node: ast.expr,
        members: Distinct,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
        any_order: bool,
    ) -> None:
        """Translate a loop over a set of tuples or records, where its order does not matter."""
        with self._unordered(node, any_order):
            if members.cells.shapes:
                self._loop_indexed(node, self.indexed(members.cells, node), body, changed)

    @contextmanager
    def _unordered(self, node: ast.expr, any_order: bool) -> Iterator[None]:
        """Translate a loop in this block that Python may take in any order."""
        if not any_order:
            raise _in_order_of_set(node)
        self.out_of_order = True
        with self.scope.reading():
            yield

    def _loop_contents(
        self,
        node: ast.expr,
        contents: Method,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        """Translate a loop over the members of a set, or the elements of a sequence."""
        if contents.function is Set.__iter__:
            self._loop_members(node, self.records.variable(contents.owner, "mask"), body)
            return
        if contents.function not in ITERATIONS:
            raise UnsupportedError(f"a loop over {ast.unparse(node)}, which iterates itself,")
        owner = contents.owner
        length = self.records.variable(owner, "length")
        if isinstance(owner, Made) or self.scope.pure:
            self._loop_elements(node, Span(owner, Constant(0), length), body, changed)
        else:
            # Each round may change it, as it may a list.
            self._loop_indexed(node, self._indexed_sequence(owner), body, changed)

    def _loop_elements(
        self,
        node: ast.expr,
        chosen: Span,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        """Translate a loop over elements of a sequence that does not change meanwhile."""

        def round_of(index: Value, following: str, end: str) -> None:
            body(self.sequences.read(chosen.owner, index), following, end)

        self._loop_range(node, chosen.first, chosen.last, 1, round_of, changed)

    def _loop_members(
        self,
        node: ast.expr,
        mask: Value,
        body: Callable[[Value, str, str], None],
        none: bool = False,
    ) -> None:
        """Translate a loop over the numbers in a set, which may have -1, too."""
        known = span(mask)
        if known is None or (known[0] < 0 and not none) or known[1].bit_length() > MOST_MEMBERS:
            raise UnsupportedError("a loop over a set that may have too many members")
        rounds: list[tuple[Value | None, Value]] = []
        for number in range(-1 if none else 0, known[1].bit_length()):
            alone = Constant(WORD[0] if number < 0 else 1 << number)
            bit = self.out.arithmetic("and", mask, alone)
            rounds.append((Truth(self.out.truth(bit)), Constant(number)))
        self._written_out(node, rounds, body)

    def _loop_range(
        self,
        node: ast.expr,
        start: Value,
        stop: Value,
        step: int,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        low, high = span(start), span(stop)
        if low is None or high is None:
            self.counted(node, start, lambda: stop, step, body, changed)
            return
        numbers = range(low[0], high[1], step) if step > 0 else range(low[1], high[0], step)
        begins_anywhere = abs(step) != 1 and not isinstance(start, Constant)
        if numbers and (numbers[UNROLLED:] or begins_anywhere):
            self.counted(node, start, lambda: stop, step, body, changed)
            return
        rounds: list[tuple[Value | None, Value]] = []
        for number in numbers:
            test: Value | None = None
            if not isinstance(start, Constant):
                test = self.out.compare("sge" if step > 0 else "sle", Constant(number), start)
            if not isinstance(stop, Constant):
                before = self.out.compare("slt" if step > 0 else "sgt", Constant(number), stop)
                if isinstance(test, Truth) and isinstance(before, Truth):
                    both = self.out.value(f"and i1 {test.register}, {before.register}")
                    test = Truth(both)
                else:
                    test = before
            rounds.append((test, Constant(number)))
        self._written_out(node, rounds, body)

    def _written_out(
        self,
        node: ast.expr,
        rounds: list[tuple[Value | None, Value]],
        body: Callable[[Value, str, str], None],
    ) -> None:
        """Translate a loop iteration by iteration; one whose test fails is skipped."""
        out = self.out
        end = out.label("end")
        for test, element in rounds:
            if out.terminated:
                break
            following = out.label("next")
            if test is not None:
                inside = out.label("round")
                self.mark(test, node)
                out.branch(test, inside, following)
                out.place_label(inside)
            if isinstance(element, StateRef):
                element = self.records.loaded(element)
            body(element, following, end)
            out.place_label(following)
        out.place_label(end)

    def counted(
        self,
        node: ast.expr,
        start: Value,
        limit: Callable[[], Value],
        step: int,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        """Translate a loop whose number of iterations is not known to be small.

        `limit` emits where it stops, as of each round.
        """
        out = self.out
        counter = out.variable()
        out.emit(f"store i64 {out.number(start)}, ptr {counter}")
        head, inside = out.label("for"), out.label("round")
        following, end = out.label("next"), out.label("end")
        out.loops.append(True)
        out.unsettle(changed)
        out.place_label(head)
        out.begin_round()
        current = out.value(f"load i64, ptr {counter}")
        order, stop = "slt" if step > 0 else "sgt", limit()
        test = Truth(out.value(f"icmp {order} i64 {current}, {out.number(stop)}"))
        self.mark(test, node)
        out.branch(test, inside, end)
        out.place_label(inside)
        low, high = span(start), span(stop)
        known: Range = None
        if not out.wraps or (low and high):
            low, high = low or WORD, high or WORD
            known = (low[0], high[1] - 1) if step > 0 else (high[0] + 1, low[1])
        element = Number(current, known)
        with self.scope.lists.second_names.block(is_loop=True):
            body(element, following, end)
        out.place_label(following)
        raised = out.arithmetic("add", element, Constant(step))
        if not out.wraps and not fits(raised.range):
            # A counter that leaves 64 bits is beyond any limit.
            self._leave_beyond(element, step, end)
        out.emit(f"store i64 {raised.register}, ptr {counter}")
        out.jump(head)
        out.place_label(end)

    def _leave_beyond(self, element: Number, step: int, end: str) -> None:
        """Emit the end of a loop whose counter cannot continue within 64 bits."""
        out = self.out
        last = WORD[1] - step if step > 0 else WORD[0] - step
        within = out.label("within")
        out.branch(out.compare("sgt" if step > 0 else "slt", element, Constant(last)), end, within)
        out.place_label(within)


def _is_known_set(value: Value) -> TypeGuard[Choice | Constant]:
    """Whether a value is a set that is known while translating, or one of several."""
    options = value.options if isinstance(value, Choice) else (getattr(value, "value", None),)
    return all(isinstance(option, (set, frozenset)) for option in options)


def _are_whole_numbers(value: Choice | Constant) -> bool:
    """Whether the members of known sets are plain numbers; one of an enumeration is more."""
    options = value.options if isinstance(value, Choice) else (value.value,)
    return all(type(member) is int for option in options for member in option)


def _listed(value: object) -> object:
    """Return the members of a set in an order that is the same in each process."""
    return tuple(sorted(value, key=repr)) if isinstance(value, (set, frozenset)) else value


def _in_order_of_set(node: ast.expr) -> UnsupportedError:
    text = ast.unparse(node)
    is_the_set = hasattr(node, "lineno") and not isinstance(node, ast.Call)
    repair = f"sorted({text})" if is_the_set else "sorted(...)"
    text = f"a loop over {text}, in the order of a set (write {repair}),"
    return UnsupportedError(text)
