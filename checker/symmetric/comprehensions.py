"""Comprehensions and generators, and the functions whose result does not depend on their order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Self

from .calls import Calls, Reading
from .expressions import named
from .names import described
from .sequences import renamed
from .values import (
    Bunch,
    Each,
    Flow,
    Listed,
    NotShownError,
    Number,
    Own,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Unclear,
    Value,
    number,
    truth_value,
)

Finish = Callable[[Any, bool], None]
"""What to do with an element: where, and if the elements are in the same order in both runs."""

FAILS = "may end before it comes to a member for which an assertion fails"
"""Why the order of a loop that ends early matters."""

_OPTIONS = {sum: {"start"}, min: {"default"}, max: {"default"}, sorted: {"reverse"}}


class Comprehensions(Calls):
    """Evaluates what goes over a collection within an expression."""

    def reduced(self, which: Any, node: ast.Call) -> Value:
        """Return any(), all(), sum(), min(), max() or len() of one collection."""
        options = {part.arg: self.expression(part.value) for part in node.keywords}
        if not options.keys() <= _OPTIONS.get(which, set()):
            named = ", ".join(f"{part.arg}=" for part in node.keywords)
            why = f"passes {named} to {ast.unparse(node.func)}"
            raise NotShownError(node, why, repair="leave it out, or write a loop with if")
        [argument] = node.args
        if isinstance(argument, ast.GeneratorExp | ast.ListComp | ast.SetComp):
            result = self._over(which, argument)
        else:
            result = self._of(which, self.expression(argument), node)
        for value in options.values():
            if which in (sum, sorted) and not isinstance(value, Number):
                raise NotShownError(node, f"computes with {described(value)}")
            if which in (min, max):
                result = self.names.joined(result, value, self.flow, self.flow)
        return Listed(result) if which is sorted else result

    def _over(self, which: Any, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> Value:
        """Return a function of the elements of a comprehension."""
        results: list[Value] = []

        def finish(inner: Self, _: bool) -> None:
            if which in (any, all):
                inner.split(node.elt)
            else:
                results.append(inner.combined_from(which, inner.expression(node.elt), node.elt))

        stops = node if which in (any, all) else None
        self._clauses(node.generators, finish, results, stops=stops)
        if isinstance(node, ast.SetComp) and which not in (any, all):
            # Of one sort alone it is renamed as a whole, and has as many different members.
            joined = self._joined_all(results, node)
            parts = joined.items if isinstance(joined, Several) else (joined,)
            if not all(isinstance(part, Number | Replica | ReplicaSet) for part in parts):
                raise NotShownError(node, f"collects {described(joined)}")
        if which in (any, all):
            return truth_value()
        return Number() if which is len else self._joined_all(results or [Number()], node)

    def _of(self, which: Any, value: Value, node: ast.Call) -> Value:
        """Return a function of the elements of a value."""
        length = self._length(value, node) if which is len else None
        if length is not None:
            return length
        result: list[Value] = []

        def follow(inner: Self, reading: Reading) -> None:
            items = reading.items if isinstance(reading, Several) else [inner.element(reading)[0]]
            result[:] = [inner.combined_from(which, item, node) for item in items]

        self.attempted(self.readings(value, node), follow)
        return self._joined_all(result or [Number()], node)

    def combined_from(self, which: Any, element: Value, node: ast.expr) -> Value:
        """Return what a function makes of elements like this one."""
        if which in (any, all):
            self.names.truth(element, node)
            return truth_value()
        if which is len:
            return element
        if isinstance(element, Number):
            return Number()
        if which is not sum and isinstance(element, Several):
            return Several(tuple(self.combined_from(which, one, node) for one in element.items))
        verb = "adds up" if which is sum else "orders"
        raise NotShownError(node, f"{verb} {described(element)}")

    def _length(self, value: Value, node: ast.Call) -> Value | None:
        """Return the length of a value."""
        own = self.method(value, "__len__")
        mask = self.mask(value) if own is None else None
        if own is not None:
            return self.bound(own, [], node)
        if isinstance(mask, Number) and mask.values and len(mask.values) == 1:
            return number(min(mask.values).bit_count())
        if isinstance(value, Each) and value.numbers is not None:
            return number(len(value.numbers))
        if isinstance(value, Several):
            return number(len(value.items))
        if isinstance(value, Part) and (length := self.length(value)) is not None:
            return number(length)
        if mask is not None or isinstance(value, Each | Listed | Bunch):
            return Number()
        raise NotShownError(node, f"computes with {described(value)}")

    def _joined_all(self, values: list[Value], node: ast.AST) -> Value:
        result = values[0] if values else Number()
        for value in values[1:]:
            result = self.names.joined(result, value, Flow(), Flow())
        if isinstance(result, Unclear):
            raise NotShownError(node, result.why)
        return result

    def _clauses(
        self,
        clauses: list[ast.comprehension],
        finish: Finish,
        results: list[Value],
        in_order: bool = True,
        stops: ast.expr | None = None,
    ) -> None:
        """Go over the clauses of a comprehension, and finish each element.

        Parameters
        ----------
        stops
            The expression, if it may end before the last element.
        """
        if not clauses:
            finish(self, in_order)
            return
        [clause, *rest] = clauses
        if clause.is_async:
            raise NotShownError(clause.iter, "is iterated by async for", repair="write for")
        what, mark, before = self.expression(clause.iter), len(results), self.flow

        def follow(inner: Self, reading: Reading) -> None:
            # What a reading that was refused has left does not count.
            del results[mark:]
            if isinstance(reading, Several):
                items, replica = list(reading.items), None
            else:
                element, replica = inner.element(reading)
                items = [element]
            begun = inner.flow
            for item in items:
                inner.flow = begun.copy()
                inner.flow.local |= named(clause.target, item)
                if inner.passes(clause.ifs):
                    inner._clauses(rest, finish, results, in_order and not replica, stops)
            inner.flow = begun
            if stops and replica and inner.effects.fails:
                raise NotShownError(stops, FAILS)
            if inner.effects.writes or inner.effects.unknown:
                forms = sorted({write.location[0] for write in inner.effects.writes})
                does = f"writes {forms[0]}" if forms else f"calls {inner.effects.unknown}"
                # Python gives a clause no line.
                vars(clause)["lineno"] = clause.iter.lineno
                raise NotShownError(clause, f"{does} for each element of an expression")

        self.attempted(self.readings(what, clause.iter), follow)
        # What the comprehension knows and names is its own.
        self.flow = before

    def passes(self, tests: list[ast.expr]) -> bool:
        """Follow conditions of which each is asked if those before it are true."""
        for test in tests:
            yes, _ = self.split(test)
            if yes is None:
                return False
            self.flow = yes
        return True

    def _listcomp(self, node: ast.ListComp) -> Value:
        """Return a list: in an order that is the same, or of what there is of each replica."""
        results: list[Value] = []
        orders: list[bool] = []

        def finish(inner: Self, in_order: bool) -> None:
            value = inner.expression(node.elt)
            results.append(renamed(value, lambda symbol: symbol, inner.flow))
            orders.append(in_order)

        self._clauses(node.generators, finish, results)
        if not results:
            return Several(())
        # An attempt that was refused may have left an order, which is for caution alone.
        made = self.names.listed(results, all(orders))
        if isinstance(made, Unclear):
            raise NotShownError(node, f"makes a list of which an element {made.why}")
        return made

    def _setcomp(self, node: ast.SetComp) -> Value:
        """Return a set of replicas or of plain numbers."""
        results: list[Value] = []

        def finish(inner: Self, _: bool) -> None:
            value = inner.expression(node.elt)
            if not isinstance(value, Number | Replica):
                raise NotShownError(node.elt, f"puts {described(value)} into a set")
            results.append(ReplicaSet(value.kind) if isinstance(value, Replica) else Number())

        self._clauses(node.generators, finish, results)
        return Own(self._joined_all(results or [number(0)], node))
