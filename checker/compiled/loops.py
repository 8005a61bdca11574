"""From a plain Python function to LLVM: its loops over numbers, arrays and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ...core.containers import MOST_MEMBERS, Set
from ...core.fields import members
from .function import Scope
from .sequences import ITERATIONS
from .values import (
    WORD,
    Constant,
    Elements,
    Items,
    Made,
    Method,
    Number,
    Range,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    fits,
    span,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

UNROLLED = 16
"""The most iterations of a loop that is unrolled."""


class Loops:
    """Translates loops, unrolled if there are few iterations."""

    def __init__(self, scope: Scope, expressions: Expressions, calls: Calls) -> None:
        self.scope, self.unit, self.out, self.mark = scope, scope.unit, scope.out, scope.marks.mark
        self.expressions, self.records = expressions, expressions.records
        self.known, self.sequences = expressions.known, expressions.sequences
        self.calls = calls

    def loop(
        self,
        iterated: ast.expr,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str] = (),
    ) -> None:
        """Translate a loop; `body` emits one iteration."""
        bounds = self.calls.range_of(iterated)
        if bounds is not None:
            self._loop_range(iterated, *bounds, body, changed)
            return
        if isinstance(iterated, ast.Call) and self.calls.is_known(iterated.func, members):
            [mask] = iterated.args
            self._loop_members(iterated, self.known(mask), body)
            return
        iterable = self.sequences.fixed(self.expressions.expression(iterated))
        if isinstance(iterable, Span):
            self._loop_elements(iterated, iterable, body, changed)
            return
        if isinstance(iterable, Elements):
            self._loop_copied(iterated, iterable, body)
            return
        if isinstance(iterable, (StateRef, Made)) and (
            contents := self.records.method(iterable, "__iter__")
        ):
            self._loop_contents(iterated, contents, body, changed)
            return
        if isinstance(iterable, StateRef) and isinstance(iterable.sample, (list, tuple)):
            parts = [
                self.records.element(iterable, Constant(i)) for i in range(len(iterable.sample))
            ]
            elements: list[Value] = [part for part in parts if part is not None]
        elif isinstance(iterable, Constant):
            if not issubclass(type(iterable.value), (tuple, list, range)):
                raise UnsupportedError("a for loop over something else than a range or an array")
            elements = list(map(Constant, iterable.value))
        elif isinstance(iterable, Items):
            elements = list(iterable.items)
        elif isinstance(iterable, Made) and isinstance(iterable.sample, (list, tuple)):
            elements = self.records.items(iterable)
        else:
            raise UnsupportedError("a for loop over something else than a range or an array")
        self._written_out(iterated, [(None, element) for element in elements], body)

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
            self._loop_growing(node, owner, body, changed)

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

    def _loop_copied(
        self, node: ast.expr, chosen: Elements, body: Callable[[Value, str, str], None]
    ) -> None:
        """Translate a loop over a slice as it was when the loop began."""
        rounds: list[tuple[Value | None, Value]] = [
            (self.out.compare("sgt", chosen.count, Constant(number)), element)
            for number, element in enumerate(chosen.items)
        ]
        self._written_out(node, rounds, body)

    def _loop_growing(
        self,
        node: ast.expr,
        owner: StateRef,
        body: Callable[[Value, str, str], None],
        changed: Iterable[str],
    ) -> None:
        """Translate a loop over a sequence that each round may change, as it may a list."""

        def round_of(index: Value, following: str, end: str) -> None:
            body(self.sequences.fixed(self.sequences.read(owner, index)), following, end)

        def length() -> Value:
            return self.records.variable(owner, "length")

        out, most = self.out, len(self.records.part(owner, "items").sample)
        if most > UNROLLED:
            self._counted(node, Constant(0), length, 1, round_of, changed)
            return
        end = out.label("end")
        for number in range(most):
            inside, following = out.label("round"), out.label("next")
            test = out.compare("sgt", length(), Constant(number))
            self.mark(test, node)
            out.branch(test, inside, end)
            out.place_label(inside)
            round_of(Constant(number), following, end)
            out.place_label(following)
        out.place_label(end)

    def _loop_members(
        self, node: ast.expr, mask: Value, body: Callable[[Value, str, str], None]
    ) -> None:
        """Translate a loop over the numbers in a set."""
        known = span(mask)
        if known is None or known[0] < 0 or known[1].bit_length() > MOST_MEMBERS:
            raise UnsupportedError("a loop over a set that may have too many members")
        rounds: list[tuple[Value | None, Value]] = []
        for number in range(known[1].bit_length()):
            bit = self.out.arithmetic("and", mask, Constant(1 << number))
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
            self._counted(node, start, lambda: stop, step, body, changed)
            return
        numbers = range(low[0], high[1], step) if step > 0 else range(low[1], high[0], step)
        begins_anywhere = abs(step) != 1 and not isinstance(start, Constant)
        if numbers and (numbers[UNROLLED:] or begins_anywhere):
            self._counted(node, start, lambda: stop, step, body, changed)
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

    def _counted(
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
