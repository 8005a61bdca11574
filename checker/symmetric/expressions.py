"""Evaluates expressions in two runs that differ by a permutation of replicas."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from ...core.containers import Seq
from ...core.fields import NONE, method_of
from .names import described, may_be_none_at
from .operations import COMPARISONS, compared, computed, inverted, is_nothing, negated, truth
from .parts import Parts
from .values import (
    Bound,
    Constant,
    Each,
    Flow,
    NotShownError,
    Number,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Thinned,
    Unclear,
    Value,
    number,
    truth_value,
)

Split = tuple[Flow | None, Flow | None]
"""What is known if a condition is true, and if it is false; None if it never is."""

_METHODS: dict[type[ast.cmpop], str] = {
    ast.In: "__contains__", ast.NotIn: "__contains__", ast.Eq: "__eq__", ast.NotEq: "__eq__",
    ast.LtE: "__le__",
}  # fmt: skip
"""The methods of a container for comparisons."""


class Expressions(Parts):
    """Evaluates the expressions of one function."""

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        self.progress += 1
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotShownError(node, "is not analysed", "write it in plain steps on whole numbers")
        value: Value = method(node)
        if isinstance(value, Unclear):
            raise NotShownError(node, value.why)
        return value

    def split(self, node: ast.expr) -> Split:
        """Evaluate a condition, and return what is known if it is true and if it is not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yes, no = self.split(node.operand)
            return no, yes
        if isinstance(node, ast.BoolOp):
            return self._split_operands(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            self.progress += 1
            value, certain, otherwise = self._comparison(node)
        else:
            value, certain, otherwise = self._filled(node), frozenset(), frozenset()
        known = truth(self.names, value, node)
        yes = None if known is False else self.flow.copy(certain)
        no = None if known is True else self.flow.copy(otherwise)
        return yes, no

    def _split_operands(self, node: ast.BoolOp) -> Split:
        """Split at `and` or `or`, of which one operand decides or all are evaluated."""
        conjunction = isinstance(node.op, ast.And)
        decided: Flow | None = None
        following: Flow | None = self.flow
        for part in node.values:
            assert following is not None
            self.flow = following
            yes, no = self.split(part)
            following, ends = (yes, no) if conjunction else (no, yes)
            decided = self.names.joined_flow(decided, ends)
            if following is None:
                break
        return (following, decided) if conjunction else (decided, following)

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Return the join of the operands that may decide."""
        conjunction = isinstance(node.op, ast.And)
        result: tuple[Value, Flow] | None = None
        for part in node.values:
            before = self.flow.copy()
            value = self.expression(part)
            if part is node.values[-1]:
                return self._either(result, value)
            self.flow = before
            yes, no = self.split(part)
            following, ends = (yes, no) if conjunction else (no, yes)
            if ends is not None:
                self.flow = ends
                result = self._either(result, value), self.flow
            if following is None:
                break
            self.flow = following
        assert result is not None
        self.flow = result[1]
        return result[0]

    def _either(self, earlier: tuple[Value, Flow] | None, value: Value) -> Value:
        """Return the join of an earlier value and this one, and merge their paths."""
        if earlier is None:
            return value
        joined = self.names.joined(earlier[0], value, earlier[1], self.flow)
        self.flow = self.names.joined_flow(earlier[1], self.flow) or self.flow
        return joined

    def _ifexp(self, node: ast.IfExp) -> Value:
        yes, no = self.split(node.test)
        result: tuple[Value, Flow] | None = None
        for flow, part in ((yes, node.body), (no, node.orelse)):
            if flow is not None:
                self.flow = flow
                value = self._either(result, self.expression(part))
                result = value, self.flow
        assert result is not None
        return result[0]

    def _constant(self, node: ast.Constant) -> Value:
        return wrapped(node.value)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.flow.local:
            return self.flow.local[node.id]
        return self._looked_up(node)

    def _looked_up(self, node: ast.Name) -> Value:
        """Return the value of a name that is not local."""
        function = self.function
        code, cells = function.__code__, getattr(function, "__closure__", None)
        if cells and node.id in code.co_freevars:
            return wrapped(cells[code.co_freevars.index(node.id)].cell_contents)
        if node.id in code.co_varnames or node.id in code.co_cellvars:
            raise NotShownError(node, "has no value here")
        if node.id in function.__globals__:
            return wrapped(function.__globals__[node.id])
        if hasattr(builtins, node.id):
            return Constant(getattr(builtins, node.id))
        raise NotShownError(node, "is not known")

    def _tuple(self, node: ast.Tuple) -> Value:
        return Several(tuple(self.expression(part) for part in node.elts))

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.expression(node.value)
        if isinstance(owner, Part):
            return self.method(owner, node.attr) or self._loaded(*self._field(owner, node))
        if isinstance(owner, Constant) and hasattr(owner.value, node.attr):
            return wrapped(getattr(owner.value, node.attr))
        raise NotShownError(node, f"takes an attribute of {described(owner)}")

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.expression(node.value)
        index = self.expression(node.slice)
        if isinstance(owner, Part):
            at = self.method(owner, "__getitem__")
            if at is not None and at.function is Seq.__getitem__:
                # An element that is a record is a copy, which treats replicas as the element does.
                at = Bound(cast(FunctionType, Seq.at), owner)
            if at is not None:
                return self.bound(at, [index], node)
            return self._loaded(*self._element(owner, index, node))
        if isinstance(owner, Several) and isinstance(index, Number):
            return self._item(owner.items, index, node)
        if isinstance(index, Replica):
            raise NotShownError(
                node, f"uses the number of a replica as an index of {described(owner)}"
            )
        raise NotShownError(node, f"takes an element of {described(owner)}")

    def _item(self, items: tuple[Value, ...], index: Number, node: ast.Subscript) -> Value:
        """Return an item of a tuple."""
        numbers = index.values or range(len(items))
        chosen = [items[n] for n in numbers if -len(items) <= n < len(items)]
        if not chosen:
            raise NotShownError(node, "is beyond the tuple")
        result = chosen[0]
        for item in chosen[1:]:
            result = self.names.joined(result, item, self.flow, self.flow)
        return result

    def _binop(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.BitAnd):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if drops_the_lowest(one, other):
                    return self.thinned(self.expression(one), node)
        left, right = self.expression(node.left), self.expression(node.right)
        return computed(self.names, node.op, left, right, node)

    def thinned(self, value: Value, node: ast.AST) -> Value:
        """Return ``x & x - 1``: a set without its lowest member."""
        if isinstance(value, ReplicaSet | Thinned):
            return Thinned()
        if isinstance(value, Number):
            return Number()
        raise NotShownError(node, f"computes with {described(value)}")

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            value = self._filled(node.operand)
            known = truth(self.names, value, node.operand)
            return truth_value() if known is None else number(not known)
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Invert):
            return inverted(value, node)
        return negated(value, node.op, node)

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            return self._comparison(node)[0]
        left = self.expression(node.left)
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self.expression(operand)
            compared(self.names, op, left, right, node)
            left = right
        return truth_value()

    def _comparison(self, node: ast.Compare) -> tuple[Value, frozenset[int], frozenset[int]]:
        """Return a comparison, with the replicas that are not NONE if it holds, and if not."""
        [op], [operand] = node.ops, node.comparators
        left = self.expression(node.left)
        right = self.expression(operand)
        if isinstance(op, ast.Is | ast.IsNot):
            if not (isinstance(operand, ast.Constant) and operand.value is None):
                raise NotShownError(node, "compares by identity", "compare by == and !=")
            nothing = is_nothing(left, node)
            if isinstance(op, ast.IsNot) and nothing.values is not None:
                nothing = Number(frozenset(1 - value for value in nothing.values))
            return nothing, frozenset(), frozenset()
        own = self._compared_by_method(op, left, right, node)
        if own is not None:
            return own, frozenset(), frozenset()
        result = compared(self.names, op, left, right, node)
        yes: set[int] = set()
        no: set[int] = set()
        if type(op) in COMPARISONS:
            compare = COMPARISONS[type(op)]
            self._learn(left, right, compare, yes, no)
            self._learn(right, left, lambda a, b: compare(b, a), yes, no)
        return result, frozenset(yes), frozenset(no)

    def _compared_by_method(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare
    ) -> Value | None:
        """Return the result of a comparison by a record's own method; None if it has none."""
        inside = isinstance(op, ast.In | ast.NotIn)
        owner, other = (right, left) if inside else (left, right)
        method = self.method(owner, _METHODS.get(type(op), ""))
        if method is None:
            return None
        result = self.bound(method, [other], node)
        if not isinstance(op, ast.NotIn | ast.NotEq):
            return result
        known = truth(self.names, result, node)
        return truth_value() if known is None else number(not known)

    def method(self, owner: Value, name: str) -> Bound | None:
        """Return a method of a record of the state; None if there is none of that name."""
        if not isinstance(owner, Part) or not isinstance(owner.declared, type):
            return None
        function = method_of(owner.declared, name)
        return Bound(function, owner) if function else None

    def bound(self, method: Bound, arguments: list[Value], node: ast.expr) -> Value:
        """Return the result of a method, and record its effects."""
        raise NotImplementedError

    def _filled(self, node: ast.expr) -> Value:
        """Return the value of a condition; for a container, whether it has elements."""
        value = self.expression(node)
        method = self.method(value, "__bool__")
        return self.bound(method, [], node) if method else value

    def _learn(
        self,
        value: Value,
        other: Value,
        compare: Callable[[int, int], Any],
        yes: set[int],
        no: set[int],
    ) -> None:
        """Record on which side of a comparison a replica is not NONE."""
        if not isinstance(value, Replica):
            return
        if isinstance(other, Number) and other.values and len(other.values) == 1:
            (no if compare(NONE, min(other.values)) else yes).add(value.symbol)
        elif isinstance(other, Replica) and not may_be_none_at(other, self.flow):
            (yes if compare(0, 0) else no).add(value.symbol)


def drops_the_lowest(one: ast.expr, other: ast.expr) -> bool:
    """Whether ``one & other`` is ``x & x - 1`` for the same plain x."""
    return (
        isinstance(other, ast.BinOp)
        and isinstance(other.op, ast.Sub)
        and isinstance(other.right, ast.Constant)
        and other.right.value == 1
        and not any(isinstance(part, ast.Call) for part in ast.walk(one))
        and ast.unparse(other.left) == ast.unparse(one)
    )


def wrapped(value: object) -> Value:
    """Return a known Python object as a value."""
    if isinstance(value, int):
        return number(value)
    if isinstance(value, tuple) and type(value) is tuple:
        return Several(tuple(wrapped(item) for item in value))
    if isinstance(value, range):
        return Each(tuple(value)) if len(value) <= 1024 else Each()
    return Constant(value)
