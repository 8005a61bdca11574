"""From a plain Python function to LLVM: its statements.

The subset is what an action, a rule or a predicate of a model needs: integers and truth values,
parts of the state, ``if``, ``for`` over a range or an array, ``while``, and calls of such
functions.  A function can be translated in four modes: whole; whether its result is None; only the
guards at its beginning, up to the first loop or write; or only the statements after these (its
effect).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .emitter import FAILURE, MARKS, Emitter, Marking
from .expressions import Expressions
from .function import Compiled, Mode, Scope, received
from .sequences import is_value
from .syntax import assignments, first_effect, held, parameter_names, stored
from .values import (
    WORD,
    Constant,
    Items,
    Method,
    Number,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    WritingError,
    is_none,
    is_truth,
    kind_of,
    span,
)

if TYPE_CHECKING:
    from .unit import Unit


class Returns:
    """Translates the returns of one function."""

    def __init__(self, scope: Scope, expressions: Expressions, mode: Mode) -> None:
        self.out, self.compiled, self.function = scope.out, scope.compiled, scope.function
        self.expressions, self.mode = expressions, mode

    def emit(self, node: ast.expr | None) -> None:
        """Translate the return of the value of an expression, or of nothing."""
        out, returns = self.out, self.compiled.returns
        if self.mode is Mode.IS_NONE:
            self._none(node)
        elif returns == "void":
            if node is not None and not is_none(self.expressions.expression(node)):
                raise UnsupportedError("a value returned by a function declared to return None")
            out.emit("ret void")
        elif returns == "i1":
            value = Constant(None) if node is None else self.expressions.known(node)
            if isinstance(value, Constant) and not isinstance(value.value, int):
                # The interpreted engine refuses this, but takes a helper's None for false.
                raise UnsupportedError(f"a return of {value.value!r}, neither True nor False,")
            if not is_truth(value) and self.mode is Mode.WHOLE:
                self.compiled.truth_only.append(f"what {self.function.__name__} returns")
            self.compiled.kinds.append((kind_of(value),))
            known = Constant(self.expressions.true(value)) if isinstance(value, Constant) else value
            out.emit(f"ret i1 {out.truth(known)}")
        elif node is None:
            raise UnsupportedError("a return of None, where a number is returned elsewhere,")
        else:
            self._numbers(self.expressions.expression(node))
        out.terminated = True

    def _none(self, node: ast.expr | None) -> None:
        """Emit the return of whether a result is None."""
        if isinstance(node, (ast.Call, ast.IfExp, ast.BoolOp)):
            raise UnsupportedError(f"whether {ast.unparse(node)} is None")
        none = node is None or self.expressions.identities.none(node)
        self.out.emit(f"ret i1 {'true' if none else 'false'}")

    def _numbers(self, value: Value) -> None:
        """Emit the return of a number, or of several."""
        out, returns = self.out, self.compiled.returns
        items = value.items if isinstance(value, Items) else (value,)
        if len(items) != self.compiled.count:
            raise UnsupportedError("another number of values is returned than declared")
        self.compiled.ranges.append(tuple(span(item) for item in items))
        self.compiled.kinds.append(tuple(kind_of(item) for item in items))
        if self.compiled.count == 1:
            out.emit(f"ret i64 {out.number(value)}")
            return
        results = "undef"
        for number, item in enumerate(items):
            results = out.value(
                f"insertvalue {returns} {results}, i64 {out.number(item)}, {number}"
            )
        out.emit(f"ret {returns} {results}")

    def fall_off(self) -> None:
        """End a function after its last statement."""
        if self.mode in (Mode.GUARDS, Mode.IS_NONE):
            self.out.emit("ret i1 true")
        elif self.compiled.returns == "void":
            self.out.emit("ret void")
        elif self.out.definite is None:
            self.out.emit("unreachable")
        elif self.compiled.returns == "i1":
            raise UnsupportedError("an end without a return, where True or False is due,")
        else:
            raise UnsupportedError("an end without a return, where a number is returned elsewhere,")

    def give_up(self) -> None:
        """End a function in the middle of a failed step: its result has no meaning."""
        returns = self.compiled.returns
        self.out.terminated = True
        self.out.place_label("up")
        self.out.emit("ret void" if returns == "void" else f"ret {returns} zeroinitializer")


LIMITS: dict[type[ast.cmpop], tuple[int | None, int | None]] = {
    ast.Lt: (None, -1), ast.LtE: (None, 0), ast.Gt: (1, None), ast.GtE: (0, None),
}  # fmt: skip
"""The offsets of a number's lowest and highest value from what it is compared with."""


class Translation:
    """The translation of one function for one kind of arguments."""

    reading: type[Expressions] = Expressions

    def __init__(
        self,
        unit: Unit,
        function: Callable[..., Any],
        tree: ast.FunctionDef,
        arguments: list[Value],
        compiled: Compiled,
        mode: Mode,
        pure: bool = False,
    ) -> None:
        self.declared, inside = received(arguments)
        names = parameter_names(tree)
        if len(names) != len(arguments):
            raise UnsupportedError(f"{len(names)} parameters for {len(arguments)} arguments")
        self.out = Emitter(compiled.own, None if compiled.own else unit.points)
        if not compiled.own:
            self.declared[:0] = [f"ptr {FAILURE}", f"ptr {MARKS}"]
        self.out.definite = dict.fromkeys(names)
        self.out.loops, self.out.reads = compiled.loops, compiled.reads
        self.scope = Scope(
            unit=unit,
            function=function,
            compiled=compiled,
            out=self.out,
            marks=Marking(self.out),
            pure=pure or mode is Mode.GUARDS,
            local=dict(zip(names, inside, strict=True)),
            assigned=assignments(tree),
        )
        self.expressions = self.reading(self.scope)
        self.known = self.expressions.known
        self._returns = Returns(self.scope, self.expressions, mode)
        self.unit, self.function, self.compiled = unit, function, compiled
        self.tree = tree
        self.line = function.__code__.co_firstlineno
        self.mode = mode
        self._held = held(tree)
        self._loops: list[tuple[str, str]] = []

    def text(self) -> str:
        """Return the function as LLVM text."""
        try:
            self._body()
        except UnsupportedError as error:
            if "(in " in str(error):
                raise
            raise type(error)(f"{error} (in {self.where()})") from None
        out = self.out
        if not out.terminated:
            self._returns.fall_off()
        if out.gives_up:
            self._returns.give_up()
        self.compiled.elements.update(self.scope.marks.elements)
        lines = [*out.prologue, *out.lines]
        compiled, how = self.compiled, "alwaysinline"
        if not compiled.own:
            how = self.unit.sizes.attributes(compiled.name, lines)
        head = (
            f'define internal {compiled.returns} @"{compiled.name}"'
            f"({', '.join(self.declared)}) {how} nounwind {{\nentry:"
        )
        return "\n".join([head, *lines, "}"])

    def where(self) -> str:
        """Return the function's name and place."""
        code = self.function.__code__
        return f"{self.function.__name__}, {code.co_filename}:{self.line}"

    def _body(self) -> None:
        for name in [name for name in self.scope.local if name not in self._held]:
            self._assign_local(name, self.scope.local.pop(name))
        body = self.tree.body
        first = first_effect(body)
        if self.mode is Mode.GUARDS:
            self._guards(body[:first])
        elif self.mode is Mode.EFFECT:
            self._effect(body, first)
        else:
            self.block(body)

    def _guards(self, guards: list[ast.stmt]) -> None:
        """Translate statements up to the first one with a loop, or one that writes."""
        for number, statement in enumerate(guards):
            with self._on_trial(statement) as take_back:
                if self.compiled.loops:
                    self.compiled.cut.append(number)
                    take_back()
                    return

    def _effect(self, body: list[ast.stmt], first: int) -> None:
        """Translate statements, without the guards before any loop and any write."""
        for number, statement in enumerate(body):
            with self._on_trial(statement) as take_back:
                if number < first and self.compiled.loops and not self.compiled.cut:
                    self.compiled.cut.append(number)
                if number < first and not self.compiled.loops and isinstance(statement, ast.If):
                    if self.out.terminated:
                        # It always refuses, so there is no effect.
                        return
                    take_back()

    @contextmanager
    def _on_trial(self, statement: ast.stmt) -> Iterator[Callable[[], None]]:
        """Translate a statement, and yield a function that undoes that."""
        out = self.out
        lines, terminated, definite = len(out.lines), out.terminated, out.definite
        pending = list(out.pending)

        def take_back() -> None:
            del out.lines[lines:]
            out.terminated, out.definite, out.pending = terminated, definite, pending

        try:
            self.block([statement])
        except WritingError:
            # A guard that calls what writes is left to the effect, as one with a loop is.
            if self.mode is not Mode.GUARDS:
                raise
            out.loops.append(True)
        yield take_back

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in order; none after a jump."""
        for statement in statements:
            if self.out.terminated:
                return
            self.line = statement.lineno
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise UnsupportedError(f"{type(statement).__name__.lower()} statements")
            method(statement)

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expressions.expression(node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign_to(node.target, self._kept(node.value))

    def _assign(self, node: ast.Assign) -> None:
        if not self.expressions.sequences.spliced(node):
            value = self._kept(node.value)
            for target in node.targets:
                self._assign_to(target, value)

    def _kept(self, node: ast.expr) -> Value:
        """Return what Python keeps of an expression while it evaluates the targets."""
        return self.expressions.sequences.fixed(self.expressions.expression(node))

    def _assign_to(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._assign_local(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                if isinstance(part, ast.Starred):
                    text = f"{ast.unparse(part)}, which is no part of the state, as a target"
                    raise UnsupportedError(text)
            if not isinstance(value, Items) or len(value.items) != len(target.elts):
                raise UnsupportedError("a tuple is taken apart that is none of that length")
            for part, item in zip(target.elts, value.items, strict=True):
                self._assign_to(part, item)
        else:
            self._write(self.expressions.written_place(target), value)

    def _write(self, place: StateRef | tuple[Method, Value] | None, value: Value) -> None:
        if isinstance(place, tuple):
            setter, index = place
            self.expressions.calls.call(setter, [index, value])
        elif place is not None:
            self.unit.places.store(self.out, place, value)

    def _assign_local(self, name: str, value: Value) -> None:
        """Assign a local name: in a register if that is its only assignment, else in memory."""
        # The search's own numbers are meant modulo 2^64, and have no range.
        known = span(value) if not self.out.wraps or is_truth(value) else None
        self.out.settle(name, known)
        plain = isinstance(value, (Number, Truth)) or (
            isinstance(value, Constant) and isinstance(value.value, int)
        )
        if name in self._held:
            self.scope.local[name] = value
        elif not plain:
            raise UnsupportedError(
                f"{name}, which is no number, is given in one place and read in another,"
            )
        else:
            address = self.scope.variables.get(name)
            if address is None:
                address = self.scope.variables[name] = self.out.variable()
            self.out.emit(f"store i64 {self.out.number(value)}, ptr {address}")

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.expressions.sequences.delete(target)

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            before, place = self.known(name), None
        else:
            place = self.expressions.written_place(node.target)
            if isinstance(place, tuple):
                before = self.expressions.sequences.element_of(place[0].owner, place[1])
            else:
                before = Constant(0) if place is None else self.unit.places.load(self.out, place)
        written = place[0].owner if isinstance(place, tuple) else place
        with self.scope.reading(written is not None and is_value(written)):
            # Python has read the element, and would write to what is in its place.
            value = self.expressions.computed(node.op, before, self.known(node.value))
        if isinstance(node.target, ast.Name):
            self._assign_local(node.target.id, value)
        else:
            self._write(place, value)

    def _return(self, node: ast.Return) -> None:
        self._returns.emit(node.value)

    def _if(self, node: ast.If) -> None:
        out = self.out
        test = self.expressions.decision(node.test)
        if isinstance(test, Constant):
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
        if node.orelse:
            raise UnsupportedError("a while loop with an else")
        out = self.out
        head, body, end = out.label("while"), out.label("do"), out.label("end")
        out.loops.append(True)
        out.unsettle(stored([node]))
        out.place_label(head)
        out.begin_round()
        out.branch(self.expressions.decision(node.test), body, end)
        out.place_label(body)
        if not out.wraps:
            self._narrow(node.test)
        self._round(node.body, head, end)
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def _narrow(self, test: ast.expr) -> None:
        """Narrow the ranges of local variables that a true test compares."""
        tests = (
            test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        )
        for part in tests:
            if not isinstance(part, ast.Compare) or not isinstance(part.left, ast.Name):
                continue
            limits = LIMITS.get(type(part.ops[0])) if len(part.ops) == 1 else None
            if (
                limits is None
                or part.left.id not in self.scope.variables
                or self.out.definite is None
            ):
                continue
            with self.out.aside():
                low, high = span(self.known(part.comparators[0])) or WORD
            known = self.out.definite[part.left.id] or WORD
            low, high = low + (limits[0] or 0), high + (limits[1] or 0)
            low = known[0] if limits[0] is None else max(known[0], low)
            high = known[1] if limits[1] is None else min(known[1], high)
            self.out.settle(part.left.id, (low, high))

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
            self._assign_local(name, element)
            self._round(node.body, following, end)

        self.expressions.calls.loops.loop(node.iter, body, stored([node]))
