"""From a plain Python function to LLVM: its statements.

The subset is what an action, a rule or a predicate of a model needs: integers and truth values,
parts of the state, ``if``, ``for`` over a range or an array, ``while``, and calls of functions like
itself.  A function can be asked for in four ways: whole; whether its result is None; only the
guards at its beginning; or only what follows these (its effect).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...layout import members
from .calls import Calls
from .emitter import Emitter
from .syntax import assignments, first_effect
from .unit import Compiled, Mode, Unit, received
from .values import (
    Items,
    Number,
    Place,
    Static,
    Truth,
    UnsupportedError,
    Value,
    span,
)

UNROLLED = 16
"""Rounds of a loop up to which it is written out."""


class Translation(Calls):
    """One function, translated for one kind of arguments."""

    def __init__(
        self,
        unit: Unit,
        function: Callable[..., Any],
        tree: ast.FunctionDef,
        arguments: list[Value],
        compiled: Compiled,
        mode: Mode,
    ) -> None:
        self.declared, inside = received(arguments)
        names = [argument.arg for argument in tree.args.args]
        super().__init__(unit, function, dict(zip(names, inside, strict=True)), Emitter())
        self.tree = tree
        self.compiled = compiled
        self.mode = mode
        self._assigned = assignments(tree)
        self._loops: list[tuple[str, str]] = []

    def text(self) -> str:
        """Return the function as LLVM text."""
        try:
            self._body()
        except UnsupportedError as error:
            if "(in " in str(error):
                raise
            raise UnsupportedError(f"{error} (in {self.where()})") from None
        out = self.out
        if not out.terminated:
            self._fall_off()
        head = (
            f"define internal {self.compiled.returns} @{_quoted(self.compiled.name)}"
            f"({', '.join(self.declared)}) alwaysinline nounwind {{\nentry:"
        )
        return "\n".join([head, *out.prologue, *out.lines, "}"])

    def where(self) -> str:
        """Return the function's name and place."""
        code = self.function.__code__
        return f"{self.function.__name__}, {code.co_filename}:{code.co_firstlineno}"

    def _body(self) -> None:
        for name in [n for n in self.local if len(self._assigned[n]) > 1]:
            value = self.local.pop(name)
            self._assign_local(name, value, self.tree)
        body = self.tree.body
        if self.mode is Mode.GUARDS:
            body = body[: first_effect(body)]
        elif self.mode is Mode.EFFECT:
            first = first_effect(body)
            body = [node for node in body[:first] if not isinstance(node, ast.If)] + body[first:]
        self.block(body)

    def _fall_off(self) -> None:
        """End a function behind its last statement."""
        if self.mode is Mode.GUARDS or self.mode is Mode.IS_NONE:
            self.out.emit("ret i1 true")
        elif self.compiled.returns == "void":
            self.out.emit("ret void")
        else:
            self.out.emit("unreachable")

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in order; none behind a jump."""
        for statement in statements:
            if self.out.terminated:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise UnsupportedError(f"{type(statement).__name__.lower()} statements")
            method(statement)

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign_to(node.target, self.expression(node.value), node)

    def _assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self._assign_to(target, value, node)

    def _assign_to(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self._assign_local(target.id, value, node)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, Items) or len(value.items) != len(target.elts):
                raise UnsupportedError("a tuple is taken apart that is none of that length")
            for part, item in zip(target.elts, value.items, strict=True):
                self._assign_to(part, item, node)
        else:
            if self.pure:
                raise UnsupportedError(f"a guard that writes {ast.unparse(target)}")
            place = self.expression_place(target)
            if place is not None:
                self.unit.places.store(self.out, place, value)

    def _assign_local(self, name: str, value: Value, node: ast.stmt) -> None:
        """Give a local name its value: in a register if it is its only one, else in memory."""
        plain = isinstance(value, (Number, Truth)) or (
            isinstance(value, Static) and isinstance(value.value, int)
        )
        if len(self._assigned.get(name, ())) == 1:
            self.local[name] = value
        elif not plain:
            raise UnsupportedError(f"{name} is given more than one record in turn")
        else:
            address = self.variables.get(name)
            if address is None:
                address = self.variables[name] = self.out.variable()
            self.out.emit(f"store i64 {self.out.number(value)}, ptr {address}")

    def _augassign(self, node: ast.AugAssign) -> None:
        read = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
        self._assign_to(node.target, self.expression(read), node)

    def _return(self, node: ast.Return) -> None:
        out, returns = self.out, self.compiled.returns
        if self.mode is Mode.IS_NONE:
            if isinstance(node.value, ast.Call):
                raise UnsupportedError("a call whose result may be None is returned")
            none = node.value is None or (
                isinstance(node.value, ast.Constant) and node.value.value is None
            )
            out.emit(f"ret i1 {'true' if none else 'false'}")
        elif node.value is None or returns == "void":
            if node.value is not None:
                self.expression(node.value)
            out.emit("ret void")
        elif returns == "i1":
            out.emit(f"ret i1 {out.truth(self.condition(node.value))}")
        else:
            self._return_numbers(self.expression(node.value))
        out.terminated = True

    def _return_numbers(self, value: Value) -> None:
        """Emit the return of a number, or of several."""
        out, returns = self.out, self.compiled.returns
        items = value.items if isinstance(value, Items) else (value,)
        if len(items) != self.compiled.count:
            raise UnsupportedError("another number of values is returned than declared")
        self.compiled.ranges.append(span(value))
        if self.compiled.count == 1:
            out.emit(f"ret i64 {out.number(value)}")
            return
        whole = "undef"
        for number, item in enumerate(items):
            whole = out.value(f"insertvalue {returns} {whole}, i64 {out.number(item)}, {number}")
        out.emit(f"ret {returns} {whole}")

    def _if(self, node: ast.If) -> None:
        out = self.out
        test = self.condition(node.test)
        if isinstance(test, Static):
            self.block(node.body if test.value else node.orelse)
            return
        yes, no, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, yes, no)
        out.place_label(yes)
        self.block(node.body)
        if not node.orelse:
            out.place_label(no)
            return
        goes_on = not out.terminated
        if goes_on:
            out.jump(end)
        out.place_label(no)
        self.block(node.orelse)
        if goes_on or not out.terminated:
            out.place_label(end)

    def _while(self, node: ast.While) -> None:
        out = self.out
        head, body, end = out.label("while"), out.label("do"), out.label("end")
        out.place_label(head)
        out.branch(self.condition(node.test), body, end)
        out.place_label(body)
        self._round(node.body, head, end)
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def _round(self, body: list[ast.stmt], following: str, end: str) -> None:
        """Translate the body of a loop; `continue` goes to `following`, `break` to `end`."""
        self._loops.append((following, end))
        self.block(body)
        self._loops.pop()

    def _break(self, node: ast.Break) -> None:
        self.out.jump(self._loops[-1][1])

    def _continue(self, node: ast.Continue) -> None:
        self.out.jump(self._loops[-1][0])

    def _for(self, node: ast.For) -> None:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise UnsupportedError("a for loop with an else, or with more than one variable")
        name = node.target.id

        def body(element: Value, following: str, end: str) -> None:
            if len(self._assigned[name]) == 1:
                self.local[name] = element
            else:
                self._assign_local(name, element, node)
            self._round(node.body, following, end)

        self.loop(node.iter, body)

    def loop(self, iterated: ast.expr, body: Callable[[Value, str, str], None]) -> None:
        """Translate a loop over what is iterated; `body` emits one round."""
        bounds = self.range_of(iterated)
        if bounds is not None:
            self._loop_range(*bounds, body)
            return
        if isinstance(iterated, ast.Call) and self.expression(iterated.func) == Static(members):
            self._loop_members(self.expression(iterated.args[0]), body)
            return
        whole = self.expression(iterated)
        if isinstance(whole, Place) and isinstance(whole.sample, list):
            parts = [self.element(whole, Static(i)) for i in range(len(whole.sample))]
            elements: list[Value] = [part for part in parts if part is not None]
        elif isinstance(whole, Static) and isinstance(whole.value, (tuple, list, range)):
            elements = [Static(value) for value in whole.value]
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
        if len(numbers) > UNROLLED:
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


def _loaded(target: ast.expr) -> ast.expr:
    """Return a target as an expression that reads it."""
    read = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(read, target)


def _quoted(name: str) -> str:
    return f'"{name}"'
