"""Translates the functions of the search itself, which are written in a small part of Python.

They compute with whole numbers modulo 2^64 and with addresses, as the machine does; see
:mod:`intrinsics` for what stands for single instructions.  They have names, ``if``, ``while``,
``for ... in range``, tuples of numbers and calls of each other, and nothing of a model.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

from ...core.sources import as_function, source_of
from .code_size import UNROLLED, CodeSize
from .emitter import Emitter
from .intrinsics import Intrinsic
from .values import Constant, Number, Truth, Value, integer_of

_SIGN = 1 << 63

ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul), ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_), ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("shl", operator.lshift), ast.RShift: ("ashr", operator.rshift),
    ast.FloorDiv: ("udiv", operator.floordiv),
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[int, int], bool]]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("slt", operator.lt),
    ast.LtE: ("sle", operator.le), ast.Gt: ("sgt", operator.gt), ast.GtE: ("sge", operator.ge),
}  # fmt: skip
RETURNS = {
    "None": "void", "int": "i64", "bool": "i1", "tuple[int, int]": "{i64, i64}",
}  # fmt: skip


@dataclass(frozen=True)
class Translated:
    """A function of the search: its name in LLVM, and the type of what it returns."""

    name: str
    returns: str

    @staticmethod
    def passed(arguments: Sequence[Value]) -> str:
        """Return the operands of a call, with their types."""
        kinds = [(argument, "i64" if isinstance(argument, Number) else "i1")
                 for argument in arguments if isinstance(argument, (Number, Truth))]  # fmt: skip
        return ", ".join(f"{kind} {argument.register}" for argument, kind in kinds)


class KernelFunctions:
    """The functions of the search in a module, each translated once per known arguments.

    Parameters
    ----------
    intrinsics
        Functions that are emitted in place, by the Python function that represents them.
    sizes
        The sizes of the module's functions.
    """

    def __init__(self, intrinsics: dict[Any, Intrinsic], sizes: CodeSize) -> None:
        self.intrinsics, self.sizes = intrinsics, sizes
        self.bodies: list[str] = []
        self._known: dict[object, Translated] = {}

    def function(self, function: Callable[..., Any], arguments: Sequence[Value]) -> Translated:
        """Return the translation of a function for arguments of this kind."""
        kinds = (
            (type(one.value), one.value) if isinstance(one, Constant) else type(one)
            for one in arguments
        )
        assert isinstance(function, FunctionType)
        key = (function, *kinds)
        if key not in self._known:
            name = f"{function.__name__}${len(self._known)}"
            returns = RETURNS[str(function.__annotations__["return"])]
            self._known[key] = Translated(name, returns)
            self.bodies.append(_Body(self, function, returns).text(name, arguments))
        return self._known[key]


class _Body:
    """The body of one function.

    A name that is assigned once stands for its value; any other has a place in memory, which LLVM
    turns into registers.
    """

    def __init__(self, kernel: KernelFunctions, function: FunctionType, returns: str) -> None:
        self.kernel, self.function, self.returns = kernel, function, returns
        source = source_of(function)
        assert source is not None
        self.tree = as_function(source.node)
        self.out = Emitter()
        self.names: dict[str, Value] = {}
        self.variables: dict[str, str] = {}
        self.loops: list[tuple[str, str]] = []

    def text(self, name: str, arguments: Sequence[Value]) -> str:
        """Return the definition of the function."""
        parameters = [one.arg for one in self.tree.args.args]
        for one in _changed(self.tree):
            self.variables[one] = self.out.variable()
        declared = []
        for parameter, argument in zip(parameters, arguments, strict=True):
            value = argument
            if isinstance(argument, Number):
                declared.append(f"i64 %a.{parameter}")
                value = Number(f"%a.{parameter}")
            elif isinstance(argument, Truth):
                declared.append(f"i1 %a.{parameter}")
                value = Truth(f"%a.{parameter}")
            self.assign(parameter, value)
        self.statements(self.tree.body)
        if not self.out.terminated:
            self.out.emit("ret void" if self.returns == "void" else "unreachable")
        lines = [*self.out.prologue, *self.out.lines]
        how = self.kernel.sizes.attributes(name, lines)
        head = f'define internal {self.returns} @"{name}"({", ".join(declared)}) {how} nounwind'
        return "\n".join([f"{head} {{", "entry:", *lines, "}"])

    def refusal(self, node: ast.AST) -> TypeError:
        """Return the error for what this part of Python lacks."""
        return TypeError(f"{self.function.__name__}: {ast.unparse(node)}")

    # --- statements

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Emit statements, up to one after which nothing runs."""
        for statement in body:
            if self.out.terminated:
                return
            rule = getattr(self, f"_run_{type(statement).__name__.lower()}", None)
            if rule is None:
                raise self.refusal(statement)
            rule(statement)

    def _run_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _run_pass(self, node: ast.Pass) -> None:
        pass

    def _run_assign(self, node: ast.Assign) -> None:
        [target] = node.targets
        if isinstance(target, ast.Name):
            self.assign(target.id, self.value(node.value))
            return
        if not isinstance(target, ast.Tuple):
            raise self.refusal(node)
        for name, value in zip(target.elts, self.values(node.value), strict=True):
            assert isinstance(name, ast.Name)
            self.assign(name.id, value)

    def _run_augassign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.refusal(node)
        before = self.named(node.target.id)
        self.assign(node.target.id, self.arithmetic(node.op, before, self.value(node.value)))

    def assign(self, name: str, value: Value) -> None:
        """Emit that a name has a value from here on."""
        if name in self.variables:
            self.out.emit(f"store i64 {self.out.number(value)}, ptr {self.variables[name]}")
        else:
            self.names[name] = value

    def _run_return(self, node: ast.Return) -> None:
        out = self.out
        if node.value is None:
            out.emit("ret void")
        elif self.returns == "i1":
            out.emit(f"ret i1 {out.truth(self.value(node.value))}")
        elif self.returns == "i64":
            out.emit(f"ret i64 {out.number(self.value(node.value))}")
        else:
            one, other = map(out.number, self.values(node.value))
            first = out.value(f"insertvalue {self.returns} poison, i64 {one}, 0")
            both = out.value(f"insertvalue {self.returns} {first}, i64 {other}, 1")
            out.emit(f"ret {self.returns} {both}")
        out.terminated = True

    def _run_if(self, node: ast.If) -> None:
        out = self.out
        test = self.known(node.test)
        if test is not None:
            self.statements(node.body if test else node.orelse)
            return
        yes, no, end = out.label("then"), out.label("else"), out.label("end")
        self.branch(node.test, yes, no)
        ends = False
        for label, body in ((yes, node.body), (no, node.orelse)):
            out.place_label(label)
            self.statements(body)
            if not out.terminated:
                out.jump(end)
                ends = True
        if ends:
            out.place_label(end)

    def _run_while(self, node: ast.While) -> None:
        out = self.out
        head, inner, end = out.label("head"), out.label("body"), out.label("after")
        out.place_label(head)
        self.branch(node.test, inner, end)
        out.place_label(inner)
        self._round(node.body, end, head)
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def _round(self, body: Sequence[ast.stmt], end: str, again: str) -> None:
        self.loops.append((end, again))
        self.statements(body)
        self.loops.pop()

    def _run_break(self, _: ast.Break) -> None:
        self.out.jump(self.loops[-1][0])

    def _run_continue(self, _: ast.Continue) -> None:
        self.out.jump(self.loops[-1][1])

    def _run_for(self, node: ast.For) -> None:
        name, bounds = node.target, node.iter
        if not (isinstance(name, ast.Name) and isinstance(bounds, ast.Call)):
            raise self.refusal(node)
        values = [self.value(one) for one in bounds.args]
        if len(values) == 1:
            values.insert(0, Constant(0))
        start, stop, step = (*values, Constant(1))[:3]
        known = [_integer(one) for one in (start, stop, step)]
        if None not in known and len(range(*known)) <= UNROLLED:  # type: ignore[arg-type]
            self._written_out(name.id, node.body, range(*known))  # type: ignore[arg-type]
        elif _integer(step) == 1:
            self._counted(name.id, node.body, start, stop)
        else:
            raise self.refusal(node)

    def _written_out(self, name: str, body: Sequence[ast.stmt], numbers: range) -> None:
        end = self.out.label("after")
        for number in numbers:
            again = self.out.label("again")
            self.assign(name, Constant(number))
            self._round(body, end, again)
            self.out.place_label(again)
        self.out.place_label(end)

    def _counted(self, name: str, body: Sequence[ast.stmt], start: Value, stop: Value) -> None:
        out = self.out
        counter = out.variable()
        head, inner = out.label("head"), out.label("body")
        again, end = out.label("again"), out.label("after")
        out.emit(f"store i64 {out.number(start)}, ptr {counter}")
        out.place_label(head)
        number = Number(out.value(f"load i64, ptr {counter}"))
        out.branch(out.compare("slt", number, stop), inner, end)
        out.place_label(inner)
        self.assign(name, number)
        self._round(body, end, again)
        out.place_label(again)
        following = out.value(f"add nsw i64 {number.register}, 1")
        out.emit(f"store i64 {following}, ptr {counter}")
        out.jump(head)
        out.place_label(end)

    # --- conditions

    def known(self, node: ast.expr) -> bool | None:
        """Return whether a condition is known to be true or false; it is not emitted then."""
        if isinstance(node, ast.BoolOp):
            decides = isinstance(node.op, ast.Or)
            for part in map(self.known, node.values):
                if part is None or part is decides:
                    return part
            return not decides
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.known(node.operand)
            return None if inner is None else not inner
        if not _is_static(node):
            return None
        before = len(self.out.lines)
        value = self.value(node)
        del self.out.lines[before:]
        return bool(value.value) if isinstance(value, Constant) else None

    def branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Emit the jump to one label or the other."""
        if isinstance(node, ast.BoolOp):
            both = isinstance(node.op, ast.And)
            for part in node.values:
                known = self.known(part)
                if known is not None and known is not both:
                    # Python asks none after it, and what they call may not be there.
                    self.out.jump(no if both else yes)
                    return
                if known is None:
                    further = self.out.label("further")
                    self.branch(part, *((further, no) if both else (yes, further)))
                    self.out.place_label(further)
            self.out.jump(yes if both else no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch(node.operand, no, yes)
        else:
            self.out.branch(self.value(node), yes, no)

    # --- expressions

    def value(self, node: ast.expr) -> Value:
        """Emit an expression, and return its value."""
        rule = getattr(self, f"_{type(node).__name__.lower()}", None)
        if rule is None:
            raise self.refusal(node)
        result: Value = rule(node)
        return result

    def values(self, node: ast.expr) -> list[Value]:
        """Return the items of a tuple, or the numbers that a function returns."""
        if isinstance(node, ast.Tuple):
            return [self.value(one) for one in node.elts]
        register = self.value(node)
        assert isinstance(register, Number)
        pair = f"{{i64, i64}} {register.register}"
        return [Number(self.out.value(f"extractvalue {pair}, {n}")) for n in (0, 1)]

    def _constant(self, node: ast.Constant) -> Value:
        return _wrapped(node.value)

    def _name(self, node: ast.Name) -> Value:
        return self.named(node.id)

    def named(self, name: str) -> Value:
        """Return the value of a name."""
        if name in self.variables:
            return Number(self.out.value(f"load i64, ptr {self.variables[name]}"))
        if name in self.names:
            return self.names[name]
        space = self.function.__globals__
        return _wrapped(space[name] if name in space else getattr(builtins, name))

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.value(node.value)
        assert isinstance(owner, Constant)
        return Constant(getattr(owner.value, node.attr))

    def _binop(self, node: ast.BinOp) -> Value:
        return self.arithmetic(node.op, self.value(node.left), self.value(node.right))

    def arithmetic(self, which: ast.operator, left: Value, right: Value) -> Value:
        """Emit an operation modulo 2^64, or compute it if both numbers are known."""
        name, compute = ARITHMETIC[type(which)]
        one, other = _integer(left), _integer(right)
        if one is not None and other is not None:
            return _wrapped(compute(one, other))
        operands = f"{self.out.number(left)}, {self.out.number(right)}"
        return Number(self.out.value(f"{name} i64 {operands}"))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Truth(self.out.value(f"xor i1 {self.out.truth(value)}, true"))
        if isinstance(node.op, ast.USub):
            return self.arithmetic(ast.Sub(), Constant(0), value)
        return self.arithmetic(ast.BitXor(), value, Constant(-1))

    def _compare(self, node: ast.Compare) -> Value:
        [which], [right] = node.ops, node.comparators
        name, compute = COMPARISONS[type(which)]
        one, other = self.value(node.left), self.value(right)
        known = _integer(one), _integer(other)
        if known[0] is not None and known[1] is not None:
            return Constant(compute(known[0], known[1]))
        return self.out.compare(name, one, other)

    def _boolop(self, node: ast.BoolOp) -> Value:
        return self.chosen(node, Constant(1), Constant(0))

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.known(node.test)
        if test is not None:
            return self.value(node.body if test else node.orelse)
        return self.chosen(node.test, node.body, node.orelse)

    def chosen(self, test: ast.expr, yes: ast.expr | Value, no: ast.expr | Value) -> Number:
        """Emit a choice between two values, of which only one is computed."""
        out = self.out
        place = out.variable()
        labels = out.label("yes"), out.label("no")
        end = out.label("end")
        self.branch(test, *labels)
        for label, one in zip(labels, (yes, no), strict=True):
            out.place_label(label)
            value = self.value(one) if isinstance(one, ast.expr) else one
            out.emit(f"store i64 {out.number(value)}, ptr {place}")
            out.jump(end)
        out.place_label(end)
        return Number(out.value(f"load i64, ptr {place}"))

    def _call(self, node: ast.Call) -> Value:
        callee = self.value(node.func)
        assert isinstance(callee, Constant)
        called, arguments = callee.value, [self.value(one) for one in node.args]
        if called in (min, max):
            return self.out.extreme(called.__name__, *arguments)
        if called in self.kernel.intrinsics:
            return self.kernel.intrinsics[called](self.out, arguments)
        made = self.kernel.function(called, arguments)
        call = f'call {made.returns} @"{made.name}"({made.passed(arguments)})'
        if made.returns == "void":
            self.out.emit(call)
            return Constant(None)
        result = self.out.value(call)
        return Truth(result) if made.returns == "i1" else Number(result)


@cache
def _changed(tree: ast.FunctionDef) -> tuple[str, ...]:
    """Return the names of a function that have several values, one after the other."""
    stored = [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    stored += [
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    ]
    times = Counter((*stored, *({one.arg for one in tree.args.args} & set(stored))))
    return tuple(name for name, count in times.items() if count > 1)


@cache
def _is_static(node: ast.expr) -> bool:
    """Whether a condition may be known, since it asks the program alone."""
    return all(isinstance(one, _STATIC) for one in ast.walk(node))


_STATIC = (
    ast.Compare, ast.Attribute, ast.Name, ast.Constant, ast.expr_context, ast.cmpop, ast.BinOp,
    ast.operator,
)  # fmt: skip
"""What such a condition is made of."""


def _wrapped(value: Any) -> Constant:
    """Return a known value; a number is the signed one that it is modulo 2^64."""
    known = type(value) is int
    return Constant((value + _SIGN) % (2 * _SIGN) - _SIGN if known else value)


def _integer(value: Value) -> int | None:
    """Return a number that is known; None if it is not."""
    return integer_of(value.value) if isinstance(value, Constant) else None
