"""From a plain Python function to LLVM: its calls, and generator expressions in calls."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from enum import EnumType
from functools import reduce
from typing import TYPE_CHECKING, Any

from ...core.fields import Record, copy_into
from .function import Mode, Scope
from .loops import Loops
from .sequences import OF_SEQUENCES, is_ours, is_value
from .values import (
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
    ask,
    integer_of,
    kind_of,
    span,
    union,
)

if TYPE_CHECKING:
    from .expressions import Expressions

CALLED = (all, any, bool, int, isinstance, len, max, min, range, sum)
"""What is translated although its code is not Python's."""


def is_never_called(callee: object) -> bool:
    """Whether no call of a function or a class is translated, whatever its arguments are."""
    if isinstance(callee, type):
        return callee not in CALLED and not issubclass(callee, Record)
    return isinstance(callee, types.BuiltinFunctionType) and callee not in CALLED


def _is_subclass(kind: type, other: Any) -> bool:
    """Whether values of a type are instances of another one."""
    if type(other) not in (type, EnumType):
        raise UnsupportedError(f"isinstance() of {other!r}, which is no plain class,")
    return issubclass(kind, other)


class Calls:
    """Translates calls of the model's functions and of a few built-in ones."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.scope, self.unit, self.out = scope, scope.unit, scope.out
        self.expressions, self.records = expressions, expressions.records
        self.sequences = expressions.sequences
        self.known = expressions.known
        self.loops = Loops(scope, expressions, self)

    def called(self, node: ast.Call, mode: Mode) -> Value:
        """Return the value of a call."""
        callee = self.expressions.expression(node.func)
        if isinstance(callee, Method):
            if callee.function in OF_SEQUENCES:
                return self.sequences.sequence_call(callee, node)
            return self._method_called(callee, node)
        if not isinstance(callee, Constant):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if callee.value is any or callee.value is all:
            return self._quantified(node, callee.value is any)
        if isinstance(next(iter(node.args), None), ast.GeneratorExp) and any(
            callee.value is which for which in (sum, min, max)
        ):
            return self._folded(node, callee.value)
        if isinstance(callee.value, type) and issubclass(callee.value, Record):
            return self.sequences.made(callee.value, node)
        if callee.value is len and len(node.args) == 1 and not node.keywords:
            return self._converted(len, self.known(node.args[0]), node)
        arguments = [self.expressions.value(argument) for argument in node.args]
        if callee.value is copy_into:
            return self.sequences.copied_into(arguments[0], arguments[1])
        if type(callee.value) is types.FunctionType:
            if callee.value in self.unit.intrinsics:
                return self.unit.intrinsics[callee.value](self.out, arguments)
            named = {str(part.arg): self.expressions.value(part.value) for part in node.keywords}
            return self.invoke(callee.value, self.in_order(callee.value, arguments, named), mode)
        if not node.keywords:
            if callee.value is isinstance and len(arguments) == 2:
                return self._is_instance(arguments[0], arguments[1], node)
            if (callee.value is min or callee.value is max) and len(arguments) > 1:
                return self._extreme(callee.value, arguments)
            if (callee.value is bool or callee.value is int) and len(arguments) == 1:
                return self._converted(callee.value, arguments[0], node)
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _method_called(self, method: Method, node: ast.Call) -> Value:
        """Return the value of the call of a method."""
        owner = method.owner
        of_element = is_value(owner)
        if of_element and not is_ours(method):
            # To a method of the model, `self` is a name for the element, and so a value.
            fixed, of_element = self.sequences.fixed(method), self.scope.pure
            assert isinstance(fixed, Method)
            method = fixed
        with self.scope.reading(of_element):
            arguments = [self.expressions.value(argument) for argument in node.args]
            named = {str(part.arg): self.expressions.value(part.value) for part in node.keywords}
        return self.call(method, arguments, named)

    def _converted(self, which: Any, value: Value, node: ast.Call) -> Value:
        """Translate bool(), int() or len() of one value."""
        value = self.filled(value) if which is bool else value
        if isinstance(value, Constant):
            return Constant(ask(which, value.value))
        if which is bool:
            return Truth(self.out.truth(value))
        if which is int and isinstance(value, (Number, Truth)):
            return Number(self.out.number(value), span(value), int)
        if which is len and isinstance(value, StateRef) and isinstance(value.sample, (list, tuple)):
            return Constant(len(value.sample))
        if which is len and isinstance(value, Made) and isinstance(value.sample, (list, tuple)):
            return Constant(len(value.sample))
        if which is len and isinstance(value, Span):
            return self.out.arithmetic("sub", value.last, value.first)
        if which is len and isinstance(value, Elements):
            return value.count
        if (
            which is len
            and isinstance(value, (StateRef, Made))
            and (own := self.records.method(value, "__len__"))
        ):
            return self.asked(own, [])
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _is_instance(self, value: Value, classes: Value, node: ast.Call) -> Value:
        """Translate isinstance() of a number whose type in Python is known."""
        if isinstance(classes, Items):
            answers = [self._is_instance(value, one, node) for one in classes.items]
            return Constant(any(isinstance(one, Constant) and one.value for one in answers))
        kind = kind_of(value)
        if kind is None or not isinstance(classes, Constant):
            raise UnsupportedError(f"the call {ast.unparse(node)}, of a value of unknown type")
        known = _is_subclass(kind, classes.value)
        if kind is int and not known and not isinstance(value, Constant):
            # A truth value that was written to a whole number reads as 1 only in the next state.
            raise UnsupportedError(f"the call {ast.unparse(node)}, of a whole number")
        return Constant(known)

    def call(
        self, method: Method, arguments: list[Value], named: dict[str, Value] | None = None
    ) -> Value:
        """Return the value of the call of a method."""
        function = method.function
        arguments = self.in_order(function, [method.owner, *arguments], named or {})
        return self.invoke(function, arguments, Mode.WHOLE)

    def asked(self, method: Method, arguments: list[Value]) -> Value:
        """Return the value of a method that an operator calls, which must not write."""
        with self.scope.reading():
            return self.call(method, arguments)

    def invoke(self, function: Callable[..., Any], arguments: list[Value], mode: Mode) -> Value:
        """Emit the call of a function of the model or of the search."""
        compiled = self.unit.function(function, arguments, mode, self.scope.pure)
        self.out.loops.extend(compiled.loops)
        self.scope.compiled.elements.update(compiled.elements)
        self.scope.compiled.reads.update(compiled.reads)
        passed = ", ".join(compiled.passed(arguments))
        call = f'call {compiled.returns} @"{compiled.name}"({passed})'
        if compiled.returns == "void":
            self.out.emit(call)
            return Constant(None)
        result = self.out.value(call)
        if compiled.returns == "i1":
            kinds = compiled.result_kinds
            return Truth(result, compiled.truth_only[0] if compiled.truth_only else "", *kinds)
        if compiled.count == 1:
            return Number(result, compiled.results[0], compiled.result_kinds[0])
        return Items(
            tuple(
                Number(
                    self.out.value(f"extractvalue {compiled.returns} {result}, {number}"),
                    known,
                    compiled.result_kinds[number],
                )
                for number, known in enumerate(compiled.results)
            )
        )

    def _extreme(self, which: Any, arguments: list[Value]) -> Value:
        result = arguments[0]
        for other in arguments[1:]:
            if isinstance(result, Constant) and isinstance(other, Constant):
                result = Constant(ask(which, result.value, other.value))
            else:
                result = self.out.extreme(which.__name__, result, other)
        return result

    def _quantified(self, node: ast.Call, wanted: bool) -> Value:
        """Translate any() or all() over a range or an array, as a loop that may end early."""
        generator = self._generator(node)
        if node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        out = self.out
        result = out.variable()
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")

        def body(following: str, end: str) -> None:
            hit = out.label("found")
            test = self.expressions.decision(generator.elt)
            out.branch(test, *((hit, following) if wanted else (following, hit)))
            out.place_label(hit)
            out.emit(f"store i64 {1 if wanted else 0}, ptr {result}")
            out.jump(end)

        self._each(generator, body)
        loaded = out.value(f"load i64, ptr {result}")
        return Truth(out.value(f"icmp ne i64 {loaded}, 0"))

    def _folded(self, node: ast.Call, which: Any) -> Value:
        """Translate sum(), min() or max() over a range, an array or a container."""
        generator, out = self._generator(node), self.out
        named = {part.arg: part.value for part in node.keywords}
        if set(named) - ({"default"} if which is not sum else set()):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        default = self.known(named["default"]) if named else None
        result, begun = out.variable(), out.variable()
        out.emit(f"store i64 0, ptr {result}")
        out.emit(f"store i64 0, ptr {begun}")
        ranges: list[Range] = []

        def body(following: str, end: str) -> None:
            value = self.known(generator.elt)
            ranges.append(span(value))
            before = Number(out.value(f"load i64, ptr {result}"), None)
            if which is sum:
                after = self.expressions.computed(ast.Add(), before, value)
            else:
                first = out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0")
                extreme = out.extreme(which.__name__, before, value)
                after = out.select(Truth(first), value, extreme, None)
            out.emit(f"store i64 {out.number(after)}, ptr {result}")
            out.emit(f"store i64 1, ptr {begun}")
            out.jump(following)

        self._each(generator, body)
        loaded = out.value(f"load i64, ptr {result}")
        if which is sum:
            return Number(loaded)
        none = Truth(out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0"))
        if default is None:
            out.fail_if(none.register)
            return Number(loaded, reduce(union, ranges) if ranges else None)
        known = reduce(union, ranges, span(default))
        return out.select(none, default, Number(loaded), known)

    @staticmethod
    def _generator(node: ast.Call) -> ast.GeneratorExp:
        """Return the generator that is the only argument of a call."""
        generator = node.args[0] if len(node.args) == 1 else None
        if isinstance(generator, ast.GeneratorExp) and len(generator.generators) == 1:
            [clause] = generator.generators
            if isinstance(clause.target, ast.Name) and not clause.is_async:
                return generator
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _each(self, generator: ast.GeneratorExp, body: Callable[[str, str], None]) -> None:
        """Translate a generator; `body` emits the code for one element."""
        [clause] = generator.generators
        assert isinstance(clause.target, ast.Name)
        name, out = clause.target.id, self.out
        scope = self.scope
        outer = scope.local, scope.variables, scope.assigned

        def inside(element: Value, following: str, end: str) -> None:
            # The name is local to the generator.
            scope.local = {**outer[0], name: element}
            scope.variables = {n: at for n, at in outer[1].items() if n != name}
            scope.assigned = {n: where for n, where in outer[2].items() if n != name}
            for condition in clause.ifs:
                chosen = out.label("if")
                out.branch(self.expressions.decision(condition), chosen, following)
                out.place_label(chosen)
            body(following, end)
            scope.local, scope.variables, scope.assigned = outer

        self.loops.loop(clause.iter, inside)

    def range_of(self, node: ast.expr) -> tuple[Value, Value, int] | None:
        """Return (start, stop, step) if an expression is a call of range, else None."""
        if not (isinstance(node, ast.Call) and self.is_known(node.func, range)):
            return None
        values = [self.known(argument) for argument in node.args]
        if len(values) == 1:
            return Constant(0), values[0], 1
        if len(values) == 2:
            return values[0], values[1], 1
        if len(values) != 3 or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        step = integer_of(values[2].value) if isinstance(values[2], Constant) else None
        if step is None:
            raise UnsupportedError("a range whose step is not known")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        return values[0], values[1], step

    def is_known(self, node: ast.expr, what: object) -> bool:
        """Whether an expression is known, and is this very object."""
        value = self.expressions.expression(node)
        return isinstance(value, Constant) and value.value is what

    def in_order(
        self, function: Callable[..., Any], positional: list[Value], named: dict[str, Value]
    ) -> list[Value]:
        """Return the arguments of a call in the order of the function's parameters."""
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        passed = dict(zip(names, positional, strict=False))
        misplaced = set(named) - set(names[code.co_posonlyargcount :]) | set(named) & set(passed)
        passed |= named
        missing = [name for name in names if name not in passed]
        defaults = function.__defaults__ or ()
        optional = dict(zip(reversed(names), reversed(defaults), strict=False))
        if len(positional) > len(names) or misplaced or not optional.keys() >= set(missing):
            raise UnsupportedError(
                f"a call of {function.__name__} that does not fit its parameters"
            )
        return [passed[name] if name in passed else Constant(optional[name]) for name in names]

    def filled(self, value: Value) -> Value:
        """Return a value for its truth: for a set or a sequence, whether it has elements."""
        if isinstance(value, (StateRef, Made)):
            method = self.records.method(value, "__bool__")
            return value if method is None else self.asked(method, [])
        return value
