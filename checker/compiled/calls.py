"""From a plain Python function to LLVM: its calls, and what stands for loops in expressions."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from .expressions import Expressions
from .unit import Mode, parameters
from .values import Items, Number, Place, Static, Truth, UnsupportedError, Value


class Calls(Expressions):
    """Translates calls, of functions like this one and of the few that Python has built in."""

    def _called(self, node: ast.Call, mode: Mode) -> Value:
        callee = self.expression(node.func)
        if not isinstance(callee, Static):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if callee.value in (any, all):
            return self._quantified(node, callee.value is any)
        arguments = [self.known(argument) for argument in node.args]
        if isinstance(callee.value, types.FunctionType):
            if callee.value in self.unit.intrinsics:
                return self.unit.intrinsics[callee.value](self.out, arguments)
            named = {str(part.arg): self.known(part.value) for part in node.keywords}
            return self.invoke(callee.value, _in_order(callee.value, arguments, named), mode)
        if not node.keywords:
            if callee.value in (min, max) and len(arguments) > 1:
                return self._extreme(callee.value, arguments)
            if callee.value in (bool, int, len) and len(arguments) == 1:
                return self._converted(callee.value, arguments[0], node)
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _converted(self, which: Any, value: Value, node: ast.Call) -> Value:
        """Translate bool(), int() or len() of one value."""
        if isinstance(value, Static):
            return Static(which(value.value))
        if which is bool:
            return Truth(self.out.truth(value))
        if which is int and isinstance(value, (Number, Truth)):
            return value
        if which is len and isinstance(value, Place) and isinstance(value.sample, (list, tuple)):
            return Static(len(value.sample))
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def invoke(self, function: Callable[..., Any], arguments: list[Value], mode: Mode) -> Value:
        """Emit the call of a function like this one."""
        compiled = self.unit.function(function, arguments, mode, self.pure)
        self.out.loops.extend(compiled.loops)
        call = f'call {compiled.returns} @"{compiled.name}"({", ".join(parameters(arguments))})'
        if compiled.returns == "void":
            self.out.emit(call)
            return Static(None)
        result = self.out.value(call)
        if compiled.returns == "i1":
            return Truth(result, compiled.loose[0] if compiled.loose else "")
        if compiled.count == 1:
            return Number(result, compiled.range)
        taken = [
            self.out.value(f"extractvalue {compiled.returns} {result}, {number}")
            for number in range(compiled.count)
        ]
        return Items(tuple(Number(register) for register in taken))

    def _extreme(self, which: Any, arguments: list[Value]) -> Value:
        whole = arguments[0]
        for other in arguments[1:]:
            if isinstance(whole, Static) and isinstance(other, Static):
                whole = Static(which(whole.value, other.value))
            else:
                whole = self.out.extreme(which.__name__, whole, other)
        return whole

    def _quantified(self, node: ast.Call, wanted: bool) -> Value:
        """Translate any() or all() over a range or an array, as a loop that ends early."""
        generator = node.args[0] if len(node.args) == 1 else None
        if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        [clause] = generator.generators
        if not isinstance(clause.target, ast.Name):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        name, out = clause.target.id, self.out
        result = out.variable()
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")
        outer = self.local, self.variables, self.assigned

        def body(element: Value, following: str, end: str) -> None:
            # The name is the generator's own, whatever it is outside.
            self.local = {**outer[0], name: element}
            self.variables = {n: at for n, at in outer[1].items() if n != name}
            self.assigned = {n: where for n, where in outer[2].items() if n != name}
            for condition in clause.ifs:
                inside = out.label("if")
                out.branch(self.condition(condition), inside, following)
                out.place_label(inside)
            found = out.label("found")
            test = self.condition(generator.elt)
            out.branch(test, *((found, following) if wanted else (following, found)))
            out.place_label(found)
            out.emit(f"store i64 {1 if wanted else 0}, ptr {result}")
            out.jump(end)
            self.local, self.variables, self.assigned = outer

        self.loop(clause.iter, body)
        loaded = out.value(f"load i64, ptr {result}")
        return Truth(out.value(f"icmp ne i64 {loaded}, 0"))

    def loop(self, iterated: ast.expr, body: Callable[[Value, str, str], None]) -> None:
        """Translate a loop over what is iterated; `body` emits one round."""
        raise NotImplementedError

    def range_of(self, node: ast.expr) -> tuple[Value, Value, int] | None:
        """Return (start, stop, step) if an expression is a call of range, else None."""
        if not (isinstance(node, ast.Call) and self.expression(node.func) == Static(range)):
            return None
        values = [self.expression(argument) for argument in node.args]
        if len(values) == 1:
            return Static(0), values[0], 1
        if len(values) == 2:
            return values[0], values[1], 1
        if not isinstance(values[2], Static):
            raise UnsupportedError("a range whose step is not known")
        return values[0], values[1], values[2].value


def _in_order(
    function: Callable[..., Any], positional: list[Value], named: dict[str, Value]
) -> list[Value]:
    """Return the arguments of a call in the order of the function's parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    given = dict(zip(names, positional, strict=False))
    misplaced = set(named) - set(names[code.co_posonlyargcount :]) | set(named) & set(given)
    missing = set(names) - set(given) - set(named) - set(defaults)
    if len(positional) > len(names) or misplaced or missing:
        raise UnsupportedError(f"a call of {function.__name__} that does not fit its parameters")
    given |= named
    return [given[name] if name in given else Static(defaults[name]) for name in names]
