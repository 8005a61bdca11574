"""From a plain Python function to LLVM: its returns and its end."""

from __future__ import annotations

import ast

from .expressions import Expressions
from .function import Mode
from .scope import Scope
from .values import Constant, Items, UnsupportedError, Value, is_none, is_truth, kind_of, span


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
