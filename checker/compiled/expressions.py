"""From a plain Python function to LLVM: its expressions.

From a plain Python function to LLVM: whether two values are the same object.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace
from enum import Enum
from operator import contains

from .arithmetic import ARITHMETIC, COMPARISONS, DIVISIONS, FOLDED, UNARY, exact, folds
from .calls import Calls
from .emitter import Aside, is_cheap, is_marked
from .function import Mode, Scope
from .sequences import Records, Sequences, is_ours, is_value
from .values import (
    NOWHERE,
    PLAIN,
    Constant,
    Elements,
    Items,
    Made,
    Method,
    Number,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    ask,
    common,
    is_truth,
    kind_of,
    span,
    union,
)


class Identities:
    """Translates comparisons by ``is`` in one function."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.unit, self.out, self.expressions = scope.unit, scope.out, expressions

    def compared(self, node: ast.Compare) -> Value:
        """Return whether two values are the same object: None, a member or a truth value."""
        [right] = node.comparators
        negated = isinstance(node.ops[0], ast.IsNot)
        if isinstance(right, ast.Constant) and right.value is None:
            return self._is_none(node, negated)
        one, other = self.expressions.expression(node.left), self.expressions.expression(right)
        if one is NOWHERE or other is NOWHERE:
            return Constant(False)
        kinds = [type(v.value) if isinstance(v, Constant) else kind_of(v) for v in (one, other)]
        kind = common(*kinds)
        if kind is not bool and not (isinstance(kind, type) and issubclass(kind, Enum)):
            raise UnsupportedError(
                f"the comparison {ast.unparse(node)}, of what are not two truth values or two "
                "members of one enumeration,"
            )
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant((one.value is other.value) is not negated)
        same = self.out.compare("eq", one, other)
        return self.expressions.negation(same) if negated else same

    def _is_none(self, node: ast.Compare, negated: bool) -> Value:
        """Return whether a call returns None."""
        if isinstance(node.left, ast.Call) and self._is_function(node.left.func):
            result = self.expressions.calls.called(node.left, Mode.IS_NONE)
            assert isinstance(result, Truth)
            return Truth(self.out.value(f"xor i1 {result.register}, true")) if negated else result
        value = self.expressions.expression(node.left)
        if isinstance(value, StateRef) or (isinstance(value, Number) and value.kind):
            raise UnsupportedError(
                f"{ast.unparse(node)}, since a variable is never None: write `== NONE`,"
            )
        return Constant(is_known_none(value, node.left) != negated)

    def none(self, node: ast.expr) -> bool:
        """Return whether an expression is None, which must be known."""
        return is_known_none(self.expressions.expression(node), node)

    def _is_function(self, node: ast.expr) -> bool:
        """Return whether the callee is a plain Python function."""
        callee = self.expressions.expression(node)
        return isinstance(callee, Constant) and isinstance(callee.value, types.FunctionType)


def _has_value(kind: type) -> bool:
    """Whether the value of each member of an enumeration is its number."""
    return issubclass(kind, Enum) and not any(
        "value" in vars(part) for part in kind.__mro__ if part is not Enum
    )


def is_known_none(value: Value, node: ast.expr) -> bool:
    """Whether the value of an expression is None, which must be known."""
    if isinstance(value, Truth) and value.truth_only:
        raise UnsupportedError(f"whether {ast.unparse(node)} is None")
    return isinstance(value, Constant) and value.value is None


class Expressions:
    """Translates expressions: known ones are computed now, for others code is emitted."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.unit, self.out = scope, scope.unit, scope.out
        self.mark, self.records = scope.marks.mark, Records(scope)
        self.sequences = Sequences(scope, self)
        self.calls = Calls(scope, self)
        self.identities = Identities(scope, self)

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise UnsupportedError(f"the expression {ast.unparse(node)}")
        value: Value = method(node)
        return value

    def known(self, node: ast.expr) -> Value:
        """Return the value of an expression to compute with; 0 for an element beyond an array."""
        value = self.expression(node)
        return Constant(0) if value is NOWHERE else value

    def value(self, node: ast.expr) -> Value:
        """Return what Python keeps of an expression in a name, a tuple or an argument."""
        return self.sequences.fixed(self.known(node))

    def operand(self, node: ast.expr, following: list[ast.expr]) -> Value:
        """Return an operand that is used after others are evaluated."""
        calls = any(isinstance(part, ast.Call) for other in following for part in ast.walk(other))
        return self.value(node) if calls else self.known(node)

    def condition(self, node: ast.expr) -> Value:
        """Return the truth of an expression: a `Truth`, or `Constant`."""
        value = self.calls.filled(self.known(node))
        if isinstance(value, Constant):
            return Constant(self.true(value))
        return value if isinstance(value, Truth) else Truth(self.out.truth(value))

    def decision(self, node: ast.expr) -> Value:
        """Return the truth of an expression on which a branch depends, and mark both ways."""
        value = self.condition(node)
        if not is_marked(node):
            self.mark(value, node)
        return value

    def true(self, value: Constant) -> bool:
        """Whether a value that is known is true."""
        return bool(ask(bool, value.value))

    def _constant(self, node: ast.Constant) -> Value:
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Value:
        definite = self.out.definite
        if node.id in self.scope.assigned and definite is not None and node.id not in definite:
            raise UnsupportedError(f"{node.id}, which may have no value yet,")
        if node.id in self.scope.variables:
            known = definite[node.id] if definite is not None else None
            return Number(self.out.value(f"load i64, ptr {self.scope.variables[node.id]}"), known)
        if node.id in self.scope.local:
            return self.scope.local[node.id]
        return self.unit.lookup(self.scope.function, node.id)

    def _tuple(self, node: ast.Tuple) -> Value:
        return Items(tuple(self.sequences.fixed(self.expression(part)) for part in node.elts))

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.expression(node.value)
        if isinstance(owner, (StateRef, Made)):
            method = self.records.method(owner, node.attr)
            return method or self.records.variable(owner, node.attr)
        if owner is NOWHERE:
            return NOWHERE
        if isinstance(owner, Number) and owner.kind is not None and node.attr == "value":
            if not _has_value(owner.kind):
                raise UnsupportedError(f"the expression {ast.unparse(node)}")
            return Number(owner.register, owner.range, int)
        if not isinstance(owner, Constant):
            raise UnsupportedError(f"the expression {ast.unparse(node)}")
        return Constant(ask(getattr, owner.value, node.attr))

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.expression(node.value)
        if isinstance(node.slice, ast.Slice) and owner is not NOWHERE:
            return self.sequences.span_of(owner, node, node.slice)
        with self.scope.reading(is_value(owner)):
            index = self.sequences.index(owner, node.slice)
        if isinstance(owner, (StateRef, Made)):
            return self.sequences.element_of(owner, index)
        if owner is NOWHERE:
            return NOWHERE
        if isinstance(owner, (Items, Constant)) and isinstance(index, Constant):
            return self.records.item_of(owner, index, node)
        raise UnsupportedError(f"the expression {ast.unparse(node)}")

    def written_place(self, node: ast.expr) -> StateRef | tuple[Method, Value] | None:
        """Return the part of the state that a target names; None if that is beyond an array.

        For an element that a record sets by its own method it is that method, and the index.
        """
        self.scope.write(f"writing {ast.unparse(node)}")
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            owner = self.expression(node.value)
            if owner is NOWHERE:
                return None
            if isinstance(owner, StateRef) and isinstance(node, ast.Attribute):
                return self.records.part(owner, node.attr)
            if isinstance(owner, StateRef) and isinstance(node, ast.Subscript):
                with self.scope.reading(is_value(owner)):
                    index = self.sequences.index(owner, node.slice)
                setter = self.records.element_method(owner, "__setitem__")
                if setter and is_value(owner) and not is_ours(setter):
                    raise UnsupportedError(
                        f"{ast.unparse(node)}, a copy of an element, as a target"
                    )
                return (setter, index) if setter else self.records.element(owner, index)
        raise UnsupportedError(f"{ast.unparse(node)}, which is no part of the state, as a target")

    def _binop(self, node: ast.BinOp) -> Value:
        return self.computed(node.op, self.known(node.left), self.known(node.right))

    def computed(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Return the result of an operator on two integers, as Python computes it."""
        if type(operator) not in ARITHMETIC:
            raise UnsupportedError(f"the operator {type(operator).__name__}")
        if isinstance(left, Constant) and isinstance(right, Constant):
            if not folds(operator, right.value):
                # The model may never get there.
                self.out.fail_if("true")
                return Constant(0)
            return Constant(ask(FOLDED[type(operator)], left.value, right.value))
        name = ARITHMETIC[type(operator)]
        if self.out.wraps and name not in DIVISIONS:
            return self.out.arithmetic(name, left, right)
        return exact(self.out, name, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.negation(self.condition(node.operand))
        value = self.known(node.operand)
        if isinstance(value, Constant):
            return Constant(ask(UNARY[type(node.op)], value.value))
        if isinstance(node.op, ast.USub):
            return self.computed(ast.Sub(), Constant(0), value)
        if isinstance(node.op, ast.UAdd):
            return self.computed(ast.Add(), value, Constant(0))
        return self.computed(ast.BitXor(), value, Constant(-1))

    def negation(self, value: Value) -> Value:
        """Return the opposite of a truth value."""
        if isinstance(value, Constant):
            return Constant(not value.value)
        return Truth(self.out.value(f"xor i1 {self.out.truth(value)}, true"))

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.identities.compared(node)
        left = self.operand(node.left, node.comparators)
        if len(node.ops) == 1:
            return self._compared(node.ops[0], left, self.known(node.comparators[0]))
        return self._chained(left, node.ops, node.comparators)

    def _chained(
        self, left: Value, comparisons: list[ast.cmpop], operands: list[ast.expr]
    ) -> Value:
        """Return whether a chain of comparisons holds; it ends with the first false one."""
        right = self.operand(operands[0], operands[1:])
        truth = self._compared(comparisons[0], left, right)
        self.mark(truth, operands[0])
        if len(operands) == 1:
            return truth
        if isinstance(truth, Constant):
            if not self.true(truth):
                return truth
            return self._chained(right, comparisons[1:], operands[1:])
        with self.out.aside() as aside:
            rest = self._chained(right, comparisons[1:], operands[1:])
        return self._joined(True, truth, rest, aside)

    def _compared(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        if isinstance(comparison, (ast.In, ast.NotIn)):
            return self._among(comparison, left, right, isinstance(comparison, ast.NotIn))
        if type(comparison) not in COMPARISONS:
            raise UnsupportedError(f"the comparison {type(comparison).__name__}")
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(ask(FOLDED[type(comparison)], left.value, right.value))
        compound = (StateRef, Made, Span, Elements)
        if isinstance(left, compound) or isinstance(right, compound):
            return self.sequences.records_compared(comparison, left, right)
        return self.out.compare(COMPARISONS[type(comparison)], left, right)

    def _among(self, node: ast.cmpop, left: Value, right: Value, negated: bool) -> Value:
        """Return whether a number is one of a few."""
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(ask(contains, right.value, left.value) is not negated)
        method = None
        if isinstance(right, (StateRef, Made)):
            method = self.records.method(right, "__contains__")
        if method is not None:
            within = self.calls.asked(method, [left])
            self.mark(within, node)
            return self.negation(within) if negated else within
        if isinstance(right, Constant):
            if type(right.value) not in (tuple, list, range, set, frozenset, dict):
                raise UnsupportedError("membership in something else than a tuple")
            right = Items(tuple(map(Constant, right.value)))
        if not isinstance(right, Items):
            raise UnsupportedError("membership in something else than a tuple")
        result: Value = Constant(False)
        for number, item in enumerate(right.items):
            same = self._compared(ast.Eq(), left, item)
            self.mark(same, node, number)
            if any(isinstance(known, Constant) and self.true(known) for known in (result, same)):
                result = Constant(True)
            elif isinstance(result, Truth) and isinstance(same, Truth):
                result = Truth(self.out.value(f"or i1 {result.register}, {same.register}"))
            elif isinstance(same, Truth):
                result = same
        if isinstance(result, Constant):
            return Constant(self.true(result) is not negated)
        return (
            Truth(self.out.value(f"xor i1 {self.out.truth(result)}, true")) if negated else result
        )

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Return the truth of all, or of any, jumping only over expensive operands.

        Python returns the operand that decides; that is the same if all are truth values.
        """
        wanted = isinstance(node.op, ast.And)
        truth = self._operand(node.values[0])
        kinds = {kind_of(truth)}
        for part in node.values[1:]:
            if isinstance(truth, Constant):
                if self.true(truth) is wanted:
                    truth = self._operand(part)
                    kinds = {kind_of(truth)}
                continue
            truth = self._truth_of(truth, node)
            with self.out.aside() as aside:
                operand = self._operand(part)
                value = self._truth_of(operand, node)
            kinds.add(kind_of(operand))
            truth_only = "" if is_truth(truth) and is_truth(value) else ast.unparse(node)
            truth = self._joined(wanted, truth, value, aside)
            if truth_only:
                truth = Truth(self.out.truth(truth), truth_only)
        return truth if len(kinds) == 1 else self._of_some_kind(truth)

    def _of_some_kind(self, truth: Value) -> Value:
        """Return the result of `and` or `or`, which Python takes from operands of several types."""
        if isinstance(truth, Truth):
            return replace(truth, kind=None)
        return Constant(int(self.true(truth))) if isinstance(truth, Constant) else truth

    def _operand(self, part: ast.expr) -> Value:
        """Return the value of an operand of `and` or `or`, and mark both ways of its truth."""
        value = self.calls.filled(self.known(part))
        if self.out.points and isinstance(value, (Number, Truth)) and not is_marked(part):
            self.mark(Truth(self.out.truth(value)), part)
        return value

    def _truth_of(self, value: Value, node: ast.BoolOp) -> Value:
        """Return an operand as itself if it is known, else its truth."""
        if isinstance(value, Constant) and type(value.value) not in PLAIN:
            return Truth("true" if self.true(value) else "false", ast.unparse(node))
        if isinstance(value, (Constant, Truth)):
            return value
        return Truth(self.out.truth(value), "" if is_truth(value) else ast.unparse(node))

    def _joined(self, wanted: bool, left: Value, right: Value, aside: Aside) -> Value:
        out = self.out
        if is_cheap(aside.lines):
            out.inline(aside, out.truth(left), wanted)
            if isinstance(right, Constant):
                return left if self.true(right) is wanted else right
            name = "and" if wanted else "or"
            return Truth(out.value(f"{name} i1 {out.truth(left)}, {out.truth(right)}"))
        result = out.variable()
        inside, end = out.label("also"), out.label("end")
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")
        out.branch(left, *((inside, end) if wanted else (end, inside)))
        out.place_label(inside)
        out.append(aside)
        out.emit(f"store i64 {out.number(Truth(out.truth(right)))}, ptr {result}")
        out.place_label(end)
        loaded = out.value(f"load i64, ptr {result}")
        return Truth(out.value(f"icmp ne i64 {loaded}, 0"))

    def _ifexp(self, node: ast.IfExp) -> Value:
        out = self.out
        test = self.decision(node.test)
        if isinstance(test, Constant):
            return self.expression(node.body if test.value else node.orelse)
        with out.aside() as first:
            yes = self.expression(node.body)
        with out.aside() as second:
            no = self.expression(node.orelse)
        known, kind = union(span(yes), span(no)), common(kind_of(yes), kind_of(no))
        if is_cheap(first.lines + second.lines):
            out.inline(first, out.truth(test), True)
            out.inline(second, out.truth(test), False)
            return Number(out.number(out.select(test, yes, no, known)), known, kind)
        result = out.variable()
        one, other, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, one, other)
        for label, aside, value in ((one, first, yes), (other, second, no)):
            out.place_label(label)
            out.append(aside)
            out.emit(f"store i64 {out.number(value)}, ptr {result}")
            out.jump(end)
        out.place_label(end)
        return Number(out.value(f"load i64, ptr {result}"), known, kind)

    def _call(self, node: ast.Call) -> Value:
        return self.calls.called(node, Mode.WHOLE)
