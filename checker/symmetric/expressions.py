"""Evaluates expressions in two runs that differ by a permutation of replicas."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any, TypeGuard, cast

from ...core.containers import Bag, RecordBag, RecordSet, Seq
from ...core.fields import NONE, Array, Field, getter_of
from ...language.names import MISSING, looked_up
from .names import (
    COMPARISONS,
    described,
    elements,
    is_key,
    is_list,
    is_table,
    known_numbers,
    may_be_none_at,
)
from .sequences import Sequences, another, copied, renamed
from .sets import OPERATORS
from .values import (
    Bound,
    Bunch,
    Carried,
    Constant,
    Each,
    Flow,
    Listed,
    Made,
    NotShownError,
    Number,
    Own,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Thinned,
    Unclear,
    Value,
    fresh,
    not_followed,
    number,
    truth_value,
)

Split = tuple[Flow | None, Flow | None]
"""The flow if a condition is true, and if it is false; None if it never is."""

Certain = tuple[frozenset[int], frozenset[int]]
"""The symbols of replicas that are not NONE if a condition is true, and if it is false."""

_METHODS: dict[type[ast.cmpop], str] = {
    ast.In: "__contains__", ast.NotIn: "__contains__", ast.Eq: "__eq__", ast.NotEq: "__eq__",
    ast.LtE: "__le__", ast.Lt: "__lt__", ast.GtE: "__ge__", ast.Gt: "__gt__",
}  # fmt: skip
"""The methods of a container for comparisons."""


class Expressions(Sequences):
    """Evaluates the expressions of one function."""

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        self.analysis.steps += 1
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise not_followed(node)
        value: Value = method(node)
        if isinstance(value, Unclear | Carried):
            raise NotShownError(node, value.why)
        return value

    def split(self, node: ast.expr) -> Split:
        """Evaluate a condition, and return the flow if it is true and if it is not."""
        return self._decided(node)[1]

    def _decided(self, node: ast.expr) -> tuple[Value, Split]:
        """Return the value of a condition, with the flow if it is true and if it is not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yes, no = self.split(node.operand)
            return truth_value(), (no, yes)
        if isinstance(node, ast.BoolOp):
            value, following, decided = self._operands(node, node.values)
            is_and = isinstance(node.op, ast.And)
            return value, (following, decided) if is_and else (decided, following)
        certain: Certain = frozenset(), frozenset()
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            value, certain = self._comparison(node)
        else:
            value = self._filled(node)
        known = self.names.truth(value, node)
        yes = None if known is False else self.flow.copy(certain[0])
        no = None if known is True else self.flow.copy(certain[1])
        return value, (yes, no)

    def _operands(
        self, node: ast.BoolOp, parts: list[ast.expr]
    ) -> tuple[Value, Flow | None, Flow | None]:
        """Follow operands of `and` or `or` as far as they go.

        Returns
        -------
        tuple
            Their value, and the flow after them if the next operand decides, and if not.
        """
        result: Value | None = None
        decided: Flow | None = None
        following: Flow | None = self.flow
        for part in parts:
            if following is None:
                break
            self.flow = following
            value, (yes, no) = self._decided(part)
            following, ends = (yes, no) if isinstance(node.op, ast.And) else (no, yes)
            if ends is not None or part is node.values[-1]:
                at, before = ends or self.flow, decided or self.flow
                result = self.names.joined(result, value, before, at) if result else value
            decided = self.names.joined_flow(decided, ends)
        return result or truth_value(), following, decided

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Return the join of the operands that may decide; nobody asks the truth of the last."""
        *parts, last = node.values
        result, following, decided = self._operands(node, parts)
        if following is None:
            self.flow = decided or self.flow
            return result
        self.flow = following
        value = self.expression(last)
        if decided is None:
            return value
        value = self.names.joined(result, value, decided, self.flow)
        self.flow = self.names.joined_flow(decided, self.flow) or self.flow
        return value

    def _ifexp(self, node: ast.IfExp) -> Value:
        yes, no = self.split(node.test)
        if yes is None or no is None:
            self.flow = yes or no or self.flow
            return self.expression(node.body if yes else node.orelse)
        self.flow = yes
        one, after = self.expression(node.body), self.flow
        self.flow = no
        other = self.expression(node.orelse)
        value = self.names.joined(one, other, after, self.flow)
        self.flow = self.names.joined_flow(after, self.flow) or self.flow
        return value

    def _constant(self, node: ast.Constant) -> Value:
        return wrapped(node.value)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.flow.local:
            return self.flow.local[node.id]
        return self._looked_up(node)

    def _looked_up(self, node: ast.Name) -> Value:
        """Return the value of a name that is not local."""
        value = looked_up(self.function, node.id)
        if value is MISSING:
            raise NotShownError(node, "is not known")
        return wrapped(value)

    def _tuple(self, node: ast.Tuple) -> Value:
        return Several(tuple(self.expression(part) for part in node.elts))

    _list = _tuple

    def _set(self, node: ast.Set) -> Value:
        return Own(self.united([self.expression(part) for part in node.elts], node))

    def place(self, node: ast.expr) -> Value:
        """Return the value of an expression; an element of a sequence as what may be written."""
        if isinstance(node, ast.Subscript):
            return self._subscript(node, place=True)
        if isinstance(node, ast.Attribute):
            return self.attribute(self.place(node.value), node)
        return self.expression(node)

    def _attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(self.expression(node.value), node)

    def attribute(self, owner: Value, node: ast.Attribute) -> Value:
        """Return an attribute of a value."""
        if isinstance(owner, Made) and (part := owner.part(node.attr)) is not None:
            return part
        if isinstance(owner, Part):
            record = owner.declared if isinstance(owner.declared, type) else None
            if record and (getter := getter_of(record, node.attr)):
                return self.bound(Bound(getter, owner), [], node)
            return self.method(owner, node.attr) or self._loaded(*self._field(owner, node))
        if isinstance(owner, Constant) and hasattr(owner.value, node.attr):
            return wrapped(getattr(owner.value, node.attr))
        raise NotShownError(node, f"takes an attribute of {described(owner)}")

    def _subscript(self, node: ast.Subscript, place: bool = False) -> Value:
        owner = self.place(node.value) if place else self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            return self.slice_of(owner, node.slice, node)
        index = self.expression(node.slice)
        if isinstance(owner, Part):
            at = self.method(owner, "__getitem__")
            if at is not None and at.function is Seq.__getitem__:
                element = self.bound(Bound(cast(FunctionType, Seq.at), owner), [index], node)
                return element if place else copied(element)
            if at is not None:
                return self.bound(at, [index], node)
            return self._loaded(*self._element(owner, index, node))
        if isinstance(owner, Several) and isinstance(index, Number):
            return self._item(owner.items, index, node)
        if isinstance(owner, Listed) and isinstance(index, Number):
            return another(owner.element)
        if isinstance(owner, Constant) and is_key(index):
            return self._looked_up_in(owner, index, node)
        if isinstance(index, Replica):
            raise NotShownError(
                node, f"uses the number of a replica as an index of {described(owner)}"
            )
        raise NotShownError(node, f"takes an element of {described(owner)}")

    def _looked_up_in(self, table: Constant, index: Value, node: ast.Subscript) -> Value:
        """Return an entry of a constant list or dictionary."""
        if not is_table(table):
            raise NotShownError(node, f"takes an element of {described(table)}")
        return self._item(self.entries(table, index), Number(), node)

    @staticmethod
    def entries(table: Constant, index: Value) -> tuple[Value, ...]:
        """Return the entries of a constant list or dictionary that a plain key may be of."""
        assert isinstance(table.value, dict | list)
        if isinstance(table.value, list):
            return tuple(map(wrapped, table.value))
        known = index.values if isinstance(index, Number) else None
        chosen = [one for one in known if one in table.value] if known else [*table.value]
        return tuple(wrapped(table.value[one]) for one in chosen)

    def _item(self, items: tuple[Value, ...], index: Number, node: ast.expr) -> Value:
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
        return self.operated(node.op, self.expression(node.left), self.expression(node.right), node)

    def operated(
        self, op: ast.operator, left: Value, right: Value, node: ast.AST, is_ordered: bool = True
    ) -> Value:
        """Return the result of an operator, of numbers, sets or lists.

        Parameters
        ----------
        is_ordered
            Whether this is done in the same order in both runs.
        """
        if isinstance(op, OPERATORS):
            mask, more = self.mask(left), self.mask(right)
            if mask is not None and more is not None:
                return Own(self.combined(op, mask, more, node))
        if isinstance(op, ast.Add):
            one, other = self._as_list(left, node), self._as_list(right, node)
            if is_list(one) and is_list(other):
                return self._together(one, other, node, is_ordered)
        return self.names.computed(op, left, right, node)

    def _as_list(self, value: Value, node: ast.AST) -> Value:
        """Return a sequence of the state as a list; anything else unchanged."""
        element = self.element_of(value, node) if self.is_sequence(value) else None
        return value if element is None else Listed(element)

    def _together(self, left: Value, right: Value, node: ast.AST, is_ordered: bool) -> Value:
        """Return two lists, one after the other."""
        if is_ordered and isinstance(left, Several) and isinstance(right, Several):
            return Several((*left.items, *right.items))
        # The facts about an element hold in the list, too.
        items = [
            renamed(one, lambda symbol: symbol, self.flow)
            for one in (*elements(left), *elements(right))
        ]
        if not items:
            return left
        is_ordered = is_ordered and not any(isinstance(v, Each | Bunch) for v in (left, right))
        result = self.names.listed(items, is_ordered)
        if isinstance(result, Unclear):
            raise NotShownError(node, f"makes a list of which an element {result.why}")
        return result

    def thinned(self, value: Value, node: ast.AST) -> Value:
        """Return ``x & x - 1``: a set without its lowest member."""
        if isinstance(value, ReplicaSet | Thinned):
            return Thinned(value.kind)
        if isinstance(value, Number):
            return Number()
        raise NotShownError(node, f"computes with {described(value)}")

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            known = self.names.truth(self._filled(node.operand), node.operand)
            return truth_value() if known is None else number(not known)
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Invert):
            return self.names.computed(ast.BitXor(), value, number(-1), node)
        sign = ast.Sub() if isinstance(node.op, ast.USub) else ast.Add()
        return self.names.computed(sign, number(0), value, node)

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            return self._comparison(node)[0]
        left = self.expression(node.left)
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self.expression(operand)
            self._compared(op, left, right, node)
            left = right
        return truth_value()

    def _compared(self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Value:
        """Return whether a comparison holds."""
        inside = isinstance(op, ast.In | ast.NotIn)
        owner, other = (right, left) if inside else (left, right)
        result = self._known_comparison(inside, op, left, right, node)
        method = self.method(owner, _METHODS.get(type(op), "")) if result is None else None
        if result is None and method is None and not inside:
            return self.names.computed(op, left, right, node)
        if method is not None:
            if method.function in (Seq.__eq__, RecordSet.__eq__, RecordBag.__eq__):
                method = Bound(cast(FunctionType, Seq.same), method.owner)
            elif method.function is Bag.__eq__:
                method = Bound(cast(FunctionType, Bag.same), method.owner)
            result = self.bound(method, [other], node)
        elif result is None:
            result = self.names.among(left, right, node)
        if not isinstance(op, ast.NotIn | ast.NotEq):
            return result
        known = self.names.truth(result, node)
        return truth_value() if known is None else number(not known)

    def _known_comparison(
        self, inside: bool, op: ast.cmpop, left: Value, right: Value, node: ast.Compare
    ) -> Value | None:
        """Return a comparison of sets, tuples, lists or records, or `in` one; None for another.

        That of `!=` and `not in` is the one that they negate.
        """
        same = ast.Eq() if isinstance(op, ast.NotEq) else op
        one, other = self.mask(left), self.mask(right)
        if inside and isinstance(right, Own) and isinstance(left, Number | Replica):
            bit = self.names.computed(ast.RShift(), right.mask, left, node)
            return self.names.computed(ast.BitAnd(), bit, number(1), node)
        if inside and isinstance(right, Listed | Bunch):
            self.names.computed(ast.Eq(), left, right.element, node)
            return truth_value()
        if inside and _is_array(right):
            return self._in_array(left, right, node)
        if inside:
            return None
        if one is not None and other is not None:
            return self.compared_sets(same, one, other, node)
        if isinstance(left, Several) and isinstance(right, Several):
            for mine, others in zip(left.items, right.items, strict=False):
                self.names.computed(same, mine, others, node)
            return truth_value()
        if isinstance(same, ast.Eq) and any(isinstance(v, Listed) for v in (left, right)):
            self.same_lists(left, right, node)
            return truth_value()
        if isinstance(same, ast.Eq) and _is_array(left) and _is_array(right):
            return self._arrays_compared(left, right, node)
        if isinstance(same, ast.Eq) and self.variables(left) and self.variables(right):
            return self.records_compared(same, left, right, node)
        return None

    def _in_array(self, left: Value, array: Part, node: ast.Compare) -> Number:
        """Return whether an array has an element like a value, in whatever place."""
        assert isinstance(array.declared, Array)
        if not isinstance(array.declared.element, Field):
            raise NotShownError(node, f"looks for {described(left)} among the parts of a state")
        place = replace(array, form=f"{array.form}[]", indices=(*array.indices, fresh()))
        element = self._loaded(array.declared.element, place)
        self.names.computed(ast.Eq(), left, element, node)
        return truth_value()

    def _arrays_compared(self, left: Part, right: Part, node: ast.Compare) -> Number:
        """Return whether two arrays have the same elements, each in its place."""
        one, other = left.declared, right.declared
        assert isinstance(one, Array)
        assert isinstance(other, Array)
        if (one.by_replica, one.by) != (other.by_replica, other.by):
            raise NotShownError(node, "compares arrays whose indices are of two kinds")
        index = fresh()
        mine, others = (
            self._loaded(
                declared.element,
                replace(array, form=f"{array.form}[]", indices=(*array.indices, index)),
            )
            for array, declared in ((left, one), (right, other))
        )
        if _is_array(mine) and _is_array(others):
            return self._arrays_compared(mine, others, node)
        if isinstance(one.element, Field) and isinstance(other.element, Field):
            self.names.computed(ast.Eq(), mine, others, node)
            return truth_value()
        return self.records_compared(ast.Eq(), mine, others, node)

    def records_compared(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> Number:
        """Return how two records of variables compare, variable by variable."""
        one, other = self.variables(left), self.variables(right)
        if not one or not other or one.keys() != other.keys():
            raise NotShownError(node, "compares records of different classes, or that hold others")
        for name, value in one.items():
            self.names.computed(op, value, other[name], node)
        return truth_value()

    def _comparison(self, node: ast.Compare) -> tuple[Value, Certain]:
        """Return a comparison, with the replicas that are not NONE if it holds, and if not."""
        [op], [operand] = node.ops, node.comparators
        left = self.expression(node.left)
        right = self.expression(operand)
        if isinstance(op, ast.Is | ast.IsNot):
            if (
                isinstance(left, Number)
                and isinstance(right, Number)
                and left.member
                and right.member
            ):
                # Members of an enumeration and truth values, of which each is one object.
                return truth_value(), (frozenset(), frozenset())
            if not (isinstance(operand, ast.Constant) and operand.value is None):
                raise NotShownError(node, "compares by identity")
            nothing = self.names.is_nothing(left, node)
            if isinstance(op, ast.IsNot):
                nothing = Number(frozenset(1 - value for value in nothing.values or ()))
            return nothing, (frozenset(), frozenset())
        result = self._compared(op, left, right, node)
        if type(op) in COMPARISONS:
            return result, self._certain(left, right, COMPARISONS[type(op)])
        numbers = known_numbers(right)
        items = right.items if isinstance(right, Several) else tuple(map(number, numbers or ()))
        if not items:
            return result, (frozenset(), frozenset())
        each = [self._certain(left, item, COMPARISONS[ast.Eq]) for item in items]
        among = frozenset.intersection(*(yes for yes, _ in each))
        beside = frozenset().union(*(no for _, no in each))
        return result, (among, beside) if isinstance(op, ast.In) else (beside, among)

    def bound(self, method: Bound, arguments: list[Value], node: ast.expr) -> Value:
        """Return the result of a method, and record its effects."""
        raise NotImplementedError

    def _filled(self, node: ast.expr) -> Value:
        """Return the value of a condition; for a container, whether it has elements."""
        value = self.expression(node)
        method = self.method(value, "__bool__")
        return self.bound(method, [], node) if method else value

    def _certain(self, left: Value, right: Value, compare: Callable[[int, int], Any]) -> Certain:
        """Return the replicas that are not NONE if a comparison holds, and if not."""
        yes: set[int] = set()
        no: set[int] = set()
        self._learn(left, right, compare, yes, no)
        self._learn(right, left, lambda a, b: compare(b, a), yes, no)
        return frozenset(yes), frozenset(no)

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


def named(target: ast.expr, value: Value) -> dict[str, Value]:
    """Return what the names of a loop's target stand for, which may be a tuple of them."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, Several):
        raise NotShownError(target, f"is given {described(value)}")
    if len(target.elts) != len(value.items):
        raise NotShownError(target, "unpacks a tuple that does not have that length")
    pairs = zip(target.elts, value.items, strict=True)
    return {name: one for part, item in pairs for name, one in named(part, item).items()}


def wrapped(value: object) -> Value:
    """Return a known Python object as a value."""
    if isinstance(value, int):
        return Number(frozenset((int(value),)), member=type(value) is not int)
    if isinstance(value, tuple) and type(value) is tuple:
        return Several(tuple(wrapped(item) for item in value))
    if isinstance(value, range):
        return Each(tuple(value)) if len(value) <= 1024 else Each()
    return Constant(value)


def _is_array(value: Value) -> TypeGuard[Part]:
    """Whether a value is an array of the state."""
    return isinstance(value, Part) and isinstance(value.declared, Array)
