"""Operators and comparisons: their results, and which of them tell replicas apart."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.fields import NONE
from .names import FEW, Names, described
from .values import (
    NOTHING,
    Constant,
    Each,
    NotShownError,
    Number,
    Picked,
    Replica,
    ReplicaSet,
    Several,
    Shifted,
    Thinned,
    Value,
    truth_value,
)

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
OF_SETS = (ast.BitAnd, ast.BitOr, ast.BitXor)
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
IMMUTABLE = (int, float, str, bytes, frozenset, tuple, type(None), range)
_WIDEST = 64

NAMES_ONLY = "compare replicas with == and != alone"


def truth(names: Names, value: Value, node: ast.AST) -> bool | None:
    """Return whether a value is true; None if that is unknown, but the same in both runs.

    Raises
    ------
    NotShownError
        If it may differ between the runs.
    """
    if isinstance(value, Number):
        known = {bool(number) for number in value.values} if value.values else set()
        return known.pop() if len(known) == 1 else None
    if isinstance(value, ReplicaSet | Thinned) or value == Picked(plain=True):
        return None
    if isinstance(value, Constant) and isinstance(value.value, IMMUTABLE):
        return bool(value.value)
    if isinstance(value, Replica):
        if names.tells_apart(bool):
            raise NotShownError(node, "tests whether the number of a replica is 0", NAMES_ONLY)
        return None
    raise NotShownError(node, f"tests whether {described(value)} is true")


def computed(names: Names, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """Return the result of an operator on two values."""
    if isinstance(left, Number) and isinstance(right, Number):
        return _of_numbers(op, left, right)
    if isinstance(op, ast.BitAnd) and _is_bit(left, right):
        return truth_value()
    sets = names.as_set(left), names.as_set(right)
    if isinstance(op, OF_SETS) and sets[0] and sets[1]:
        both = (sets[0].wide, sets[1].wide)
        return ReplicaSet(all(both) if isinstance(op, ast.BitAnd) else any(both))
    if isinstance(op, ast.LShift) and isinstance(right, Replica) and _is_one(left):
        return ReplicaSet()
    if isinstance(op, ast.RShift) and sets[0] and names.as_replica(right):
        return Shifted()
    repair = ""
    if isinstance(op, ast.Sub) and isinstance(left, ReplicaSet):
        repair = "take members out of a set by & ~"
    raise NotShownError(node, _why_not(op, left, right), repair)


def _of_numbers(op: ast.operator, left: Number, right: Number) -> Number:
    """Return a plain number, with its possible values if they are few."""
    if left.values is None or right.values is None or type(op) not in OPERATORS:
        return Number()
    if len(left.values) * len(right.values) > FEW:
        return Number()
    if isinstance(op, ast.LShift) and max(right.values) > _WIDEST:
        return Number()
    compute = OPERATORS[type(op)]
    try:
        return Number(frozenset(compute(a, b) for a in left.values for b in right.values))
    except (ArithmeticError, ValueError):  # Such as a shift by a negative number.
        return Number()


def _is_one(value: Value) -> bool:
    return isinstance(value, Number) and value.values == frozenset((1,))


def _is_bit(left: Value, right: Value) -> bool:
    """Whether the operands of & select the lowest bit of a shifted set."""
    return (isinstance(left, Shifted) and _is_one(right)) or (
        isinstance(right, Shifted) and _is_one(left)
    )


def _why_not(op: ast.operator, left: Value, right: Value) -> str:
    operands = (left, right)
    if any(isinstance(value, Replica) for value in operands):
        return f"computes with the number of a replica and {described(_other(left, right))}"
    if any(isinstance(value, ReplicaSet) for value in operands) and isinstance(op, OF_SETS):
        other = _other(left, right, ReplicaSet)
        return f"joins a set of replicas with {described(other)}, which tells replicas apart"
    return f"computes with {described(left)} and {described(right)}"


def _other(left: Value, right: Value, kind: type = Replica) -> Value:
    return right if isinstance(left, kind) else left


def inverted(value: Value, node: ast.AST) -> Value:
    """Return the result of ~ on a value."""
    if isinstance(value, ReplicaSet):
        return ReplicaSet(wide=True)
    return _of_one(value, operator.invert, node)


def negated(value: Value, sign: ast.unaryop, node: ast.AST) -> Value:
    """Return the result of - or + on a value."""
    return _of_one(value, operator.neg if isinstance(sign, ast.USub) else operator.pos, node)


def _of_one(value: Value, compute: Callable[[int], int], node: ast.AST) -> Number:
    if not isinstance(value, Number):
        raise NotShownError(node, f"computes with {described(value)}", NAMES_ONLY)
    return Number(value.values and frozenset(map(compute, value.values)))


def compared(names: Names, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Number:
    """Return whether a comparison holds."""
    if isinstance(op, ast.In | ast.NotIn):
        return _among(names, left, right, isinstance(op, ast.NotIn), node)
    if type(op) not in COMPARISONS:
        raise NotShownError(node, "compares by identity")
    compare = COMPARISONS[type(op)]
    if isinstance(left, Number) and isinstance(right, Number):
        return _compared_numbers(compare, left, right)
    if _is_plain(left) and _is_plain(right):
        return truth_value()
    equality = isinstance(op, ast.Eq | ast.NotEq)
    if equality and _same_kind(names, left, right):
        return truth_value()
    for value, other, test in (
        (left, right, lambda number, bound: compare(number, bound)),
        (right, left, lambda number, bound: compare(bound, number)),
    ):
        if isinstance(other, Number) and other.values and _alike(names, value, other, test):
            return truth_value()
    raise NotShownError(node, _why_not_compared(left, right, equality), NAMES_ONLY)


def _is_plain(value: Value) -> bool:
    """Whether a value is the same in both runs, and cannot change."""
    if isinstance(value, Constant):
        return isinstance(value.value, IMMUTABLE)
    return isinstance(value, Number)


def _compared_numbers(compare: Callable[[int, int], bool], left: Number, right: Number) -> Number:
    if left.values and right.values and len(left.values) * len(right.values) <= FEW:
        return Number(frozenset(int(compare(a, b)) for a in left.values for b in right.values))
    return truth_value()


def _same_kind(names: Names, left: Value, right: Value) -> bool:
    """Whether two values are both replicas, or both sets of them."""
    return bool(
        (names.as_replica(left) and names.as_replica(right))
        or (names.as_set(left) and names.as_set(right))
    )


def _alike(names: Names, value: Value, constant: Number, test: Callable[[int, int], bool]) -> bool:
    """Whether a comparison with a constant has the same result for all replicas."""
    bounds = constant.values or ()
    if isinstance(value, Replica):
        return not any(names.tells_apart(partial(_swapped, test, bound)) for bound in bounds)
    if isinstance(value, ReplicaSet):
        return all(0 <= bound < 1 << names.count for bound in bounds) and not any(
            names.tells_sets_apart(partial(_swapped, test, bound)) for bound in bounds
        )
    if isinstance(value, Thinned):
        return constant.values == frozenset((0,))
    return isinstance(value, Picked) and constant.values == frozenset((NONE,))


def _swapped(test: Callable[[int, int], bool], bound: int, value: int) -> bool:
    """Return a test of a value against a bound, with the two swapped for ``partial``."""
    return test(value, bound)


def _why_not_compared(left: Value, right: Value, equality: bool) -> str:
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Replica):
            if isinstance(other, Number) and equality and other.values:
                return f"tells {described(other)} from the replicas that it may change places with"
            verb = "compares" if equality else "orders"
            return f"{verb} the number of a replica and {described(other)}"
    return f"compares {described(left)} with {described(right)}"


def _among(names: Names, left: Value, right: Value, negated: bool, node: ast.AST) -> Number:
    """Return whether a value is one of several."""
    if isinstance(right, Several):
        for item in right.items:
            compared(names, ast.Eq(), left, item, node)
        if isinstance(left, Number) and all(isinstance(item, Number) for item in right.items):
            return _among_numbers(left, right.items, negated)
        return truth_value()
    if isinstance(right, Each) and right.of_set and names.as_replica(left):
        return truth_value()
    if isinstance(right, Each) and not right.of_set and isinstance(left, Number):
        return truth_value()
    if isinstance(right, Each) and right.numbers is not None and isinstance(left, Replica):
        numbers = right.numbers
        if not names.tells_apart(lambda r: r in numbers):
            return truth_value()
    if isinstance(right, Constant) and isinstance(right.value, IMMUTABLE):
        plain = left.items if isinstance(left, Several) else (left,)
        if all(_is_plain(value) for value in plain):
            return truth_value()
    raise NotShownError(node, f"looks for {described(left)} in {_container(right)}", NAMES_ONLY)


def _among_numbers(left: Number, items: tuple[Value, ...], negated: bool) -> Number:
    """Return whether a number is one of several, as far as that is known."""
    equal = [_compared_numbers(operator.eq, left, i) for i in items if isinstance(i, Number)]
    if any(result.values == frozenset((1,)) for result in equal):
        return Number(frozenset((int(not negated),)))
    if all(result.values == frozenset((0,)) for result in equal):
        return Number(frozenset((int(negated),)))
    return truth_value()


def _container(value: Value) -> str:
    return "numbers" if isinstance(value, Each) else described(value)


def is_nothing(value: Value, node: ast.AST) -> Number:
    """Return whether a value is None."""
    if isinstance(value, Picked):
        return truth_value()
    if value == NOTHING or isinstance(value, Constant | Number | Replica | ReplicaSet | Several):
        return Number(frozenset((int(value == NOTHING),)))
    raise NotShownError(node, f"asks whether {described(value)} is None")
