"""From a plain Python function to LLVM: its loops over numbers, arrays and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...layout import members
from .calls import Calls
from .values import Items, Number, Place, Static, Truth, UnsupportedError, Value, span

UNROLLED = 16
"""Rounds of a loop up to which it is written out."""


class Loops(Calls):
    """Translates loops, written out where their rounds are few."""

    def loop(self, iterated: ast.expr, body: Callable[[Value, str, str], None]) -> None:
        """Translate a loop over what is iterated; `body` emits one round."""
        bounds = self.range_of(iterated)
        if bounds is not None:
            self._loop_range(*bounds, body)
            return
        if isinstance(iterated, ast.Call) and self.expression(iterated.func) == Static(members):
            [mask] = iterated.args
            self._loop_members(self.known(mask), body)
            return
        whole = self.expression(iterated)
        if isinstance(whole, Place) and isinstance(whole.sample, (list, tuple)):
            parts = [self.element(whole, Static(i)) for i in range(len(whole.sample))]
            elements: list[Value] = [part for part in parts if part is not None]
        elif isinstance(whole, Static) and isinstance(whole.value, (tuple, list, range)):
            elements = [Static(value) for value in whole.value]
        elif isinstance(whole, Items):
            elements = list(whole.items)
        else:
            raise UnsupportedError("a for loop over something else than a range or an array")
        self._written_out([(None, element) for element in elements], body)

    def _loop_members(self, mask: Value, body: Callable[[Value, str, str], None]) -> None:
        """Translate a loop over the numbers in a set."""
        known = span(mask)
        if known is None or known[0] < 0 or known[1].bit_length() > UNROLLED:
            raise UnsupportedError("a loop over a set whose members are not known to be few")
        rounds: list[tuple[Value | None, Value]] = []
        for number in range(known[1].bit_length()):
            bit = self.out.arithmetic("and", mask, Static(1 << number))
            rounds.append((Truth(self.out.truth(bit)), Static(number)))
        self._written_out(rounds, body)

    def _loop_range(
        self, start: Value, stop: Value, step: int, body: Callable[[Value, str, str], None]
    ) -> None:
        low, high = span(start), span(stop)
        if low is None or high is None:
            self._counted(start, stop, step, body)
            return
        numbers = range(low[0], high[1], step) if step > 0 else range(low[1], high[0], step)
        begins_anywhere = abs(step) != 1 and not isinstance(start, Static)
        if len(numbers) > UNROLLED or begins_anywhere:
            self._counted(start, stop, step, body)
            return
        rounds: list[tuple[Value | None, Value]] = []
        for number in numbers:
            test: Value | None = None
            if not isinstance(start, Static):
                test = self.out.compare("sge" if step > 0 else "sle", Static(number), start)
            if not isinstance(stop, Static):
                before = self.out.compare("slt" if step > 0 else "sgt", Static(number), stop)
                if isinstance(test, Truth) and isinstance(before, Truth):
                    both = self.out.value(f"and i1 {test.register}, {before.register}")
                    test = Truth(both)
                else:
                    test = before
            rounds.append((test, Static(number)))
        self._written_out(rounds, body)

    def _written_out(
        self,
        rounds: list[tuple[Value | None, Value]],
        body: Callable[[Value, str, str], None],
    ) -> None:
        """Translate a loop round by round; a round whose test fails is left out."""
        out = self.out
        end = out.label("end")
        for test, element in rounds:
            if out.terminated:
                break
            following = out.label("next")
            if test is not None:
                inside = out.label("round")
                out.branch(test, inside, following)
                out.place_label(inside)
            if isinstance(element, Place):
                element = self._loaded(element)
            body(element, following, end)
            out.place_label(following)
        out.place_label(end)

    def _counted(
        self, start: Value, stop: Value, step: int, body: Callable[[Value, str, str], None]
    ) -> None:
        """Translate a loop whose number of rounds is not known to be small."""
        out = self.out
        counter = out.variable()
        out.emit(f"store i64 {out.number(start)}, ptr {counter}")
        limit = out.number(stop)
        head, inside = out.label("for"), out.label("round")
        following, end = out.label("next"), out.label("end")
        self.out.loops.append(True)
        out.place_label(head)
        current = out.value(f"load i64, ptr {counter}")
        order = "slt" if step > 0 else "sgt"
        out.branch(Truth(out.value(f"icmp {order} i64 {current}, {limit}")), inside, end)
        out.place_label(inside)
        low, high = span(start), span(stop)
        known = None
        if low is not None and high is not None:
            known = (low[0], high[1] - 1) if step > 0 else (high[0] + 1, low[1])
        body(Number(current, known), following, end)
        out.place_label(following)
        raised = out.value(f"add i64 {current}, {step}")
        out.emit(f"store i64 {raised}, ptr {counter}")
        out.jump(head)
        out.place_label(end)
