"""Operators: arithmetic, comparisons, ``and`` and ``or``, conditional expressions, ``:=``."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import is_dataclass, replace
from enum import Enum, EnumMeta
from itertools import combinations
from types import FunctionType
from typing import Any

from ...core.layout import WORD_BITS
from .. import defined
from ..form import (
    After,
    Apply,
    Arithmetic,
    Choose,
    Combine,
    Compare,
    Constant,
    Contains,
    Expression,
    IsNone,
    Local,
    Make,
    Not,
    Statement,
    truth,
)
from ..forms import refusal
from ..types import (
    BOOL,
    CONTAINERS,
    WORD,
    Known,
    Mapping,
    Members,
    Never,
    NoJoinError,
    Nothing,
    Number,
    OneOf,
    Optional,
    Record,
    Ref,
    Sequence,
    Span,
    Stream,
    Text,
    Tuple,
    Type,
    is_changeable,
    join,
    named,
)
from .access import element_type
from .frame import Frame, SeveralError, constant, is_plain, met, number
from .meaning import refuse_never
from .objects import objects_of, refuse_computed

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_",
    ast.BitOr: "or_", ast.BitXor: "xor",
}  # fmt: skip
"""The names of operators, as the module ``operator`` has them."""

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


LOOP = "write a loop over what they have"


def binop(frame: Frame, node: ast.BinOp) -> Expression:
    """Lower an operator with two operands."""
    refuse_operator(frame, node)
    left, right = frame.expression(node.left), frame.expression(node.right)
    return combined(frame, OPERATORS[type(node.op)], left, right, node)


def refuse_operator(frame: Frame, node: ast.BinOp | ast.AugAssign) -> None:
    """Refuse an operator that the language lacks, as one that gives a fraction."""
    if isinstance(node.op, ast.Div):
        raise frame.refusal(node, refusal(frame.text(node), "a fraction"))
    if type(node.op) not in OPERATORS:
        raise frame.refusal(node, f"{frame.text(node)} is not in the language of models")


def combined(
    frame: Frame, name: str, left: Expression, right: Expression, node: ast.AST
) -> Expression:
    """Return what an operator gives of two values."""
    left, right = frame.certain(left), frame.certain(right)
    own = frame.lowering.asked_with(frame, name, left, right, node)
    if own is not None:
        return own
    one, other = left.type, right.type
    if isinstance(one, Never) and not isinstance(other, Number):
        return left
    if isinstance(other, Never) and not isinstance(one, Number):
        return frame.after(left, right, node)
    if name == "or_" and isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.kind is Counter:
            # Python takes the larger count of each key, or makes a plain dictionary.
            what = f"{frame.text(node)} joins Counters, which the language of models lacks"
            raise frame.refusal(node, what, LOOP)
        return Combine(
            join(one, replace(other, kind=one.kind, factory=one.factory)), name, left, right
        )
    if isinstance(one, (Number, Never)) and isinstance(other, (Number, Never)):
        if name == "pow":
            return powered(frame, left, right, node)
        return arithmetic(name, left, right)
    if is_set(frame, one) and is_set(frame, other) and name in ("or_", "and_", "sub", "xor"):
        return Combine(_set_type(frame, name, one, other), name, left, right)
    if name == "add":
        result = _joined_lists(frame, left, right)
        if result is not None:
            return result
    if name == "mul":
        for times, listed in ((left, right), (right, left)):
            if isinstance(times.type, Number) and isinstance(listed.type, (Sequence, Tuple)):
                return _repeated(frame, listed, times, node)
    if isinstance(one, Text) or isinstance(other, Text):
        raise frame.refusal(node, refusal(frame.text(node), "a text that is built"))
    raise frame.refusal(
        node,
        f"{frame.text(node)}: {named(one)} and {named(other)} have no such operator",
        "write set(...) around the generator"
        if isinstance(one, Stream) or isinstance(other, Stream)
        else LOOP,
    )


def powered(frame: Frame, left: Expression, right: Expression, node: ast.AST) -> Expression:
    """Return a power of two numbers."""
    if isinstance(right, Constant) and 0 <= right.value <= WORD_BITS:
        return arithmetic("pow", left, right)
    assert isinstance(defined.power, FunctionType)
    return frame.lowering.call(frame, defined.power, [left, right], {}, node)


def is_set(frame: Frame, kind: Type) -> bool:
    """Whether a value is a set."""
    return isinstance(kind, Members) or (isinstance(kind, Ref) and frame.schema.is_set(kind))


def is_of_state(frame: Frame, kind: Type) -> bool:
    """Whether something is a set of the state, or what its operators give."""
    if isinstance(kind, Members):
        return kind.ordered
    return isinstance(kind, Ref) and is_set(frame, kind)


def _set_type(frame: Frame, name: str, one: Type, other: Type) -> Type:
    elements = element_type(frame, one), element_type(frame, other)
    kept = elements[0] if name in ("and_", "sub") else join(*elements)
    ordered = any(
        (isinstance(kind, Members) and kind.ordered)
        or (isinstance(kind, Ref) and isinstance(element_type(frame, kind), (Number, Never)))
        for kind in (one, other)
    )
    return Members(kept, ordered, isinstance(one, Members) and one.frozen and not ordered)


def _joined_lists(frame: Frame, left: Expression, right: Expression) -> Expression | None:
    one, other = left.type, right.type
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        items = (*one.items, *other.items)
        if isinstance(left, Make) and isinstance(right, Make):
            return Make(Tuple(items), (*left.parts, *right.parts))
        return Combine(Tuple(items), "add", left, right)
    kinds = [_list_kind(frame, kind) for kind in (one, other)]
    if None in kinds:
        return None
    if kinds[0] is not kinds[1]:
        return None
    element = join(element_type(frame, one), element_type(frame, other))
    return Combine(Sequence(element, kinds[0] or list), "add", left, right)


def _list_kind(frame: Frame, kind: Type) -> type | None:
    """Return the class of a list in which a value can be joined with another one."""
    if isinstance(kind, Ref):
        return list if frame.schema.is_sequence(kind) else None
    if isinstance(kind, Tuple):
        return tuple
    return kind.kind if isinstance(kind, Sequence) else None


def _repeated(frame: Frame, listed: Expression, times: Expression, node: ast.AST) -> Expression:
    kind = listed.type
    if is_changeable(element_type(frame, kind)):
        raise frame.refusal(
            node,
            f"{frame.text(node)} has one value several times, which changes at once in each place",
            "write [... for _ in range(n)]",
        )
    if isinstance(kind, Tuple):
        if isinstance(times, Constant) and isinstance(listed, (Make, Constant)):
            kind = Tuple(kind.items * max(times.value, 0))
        else:
            kind = Sequence(element_type(frame, kind), tuple)
    return Combine(kind, "mul", listed, times)


def arithmetic(name: str, left: Expression, right: Expression) -> Expression:
    """Return a number that is computed of two numbers, at once if both are known."""
    if isinstance(left, Constant) and isinstance(right, Constant) and is_plain(left):
        value = _computed(name, left.value, right.value)
        if value is not None:
            return Constant(Number(int(value), int(value), type(value)), value)
    low, high = _range(name, left.type, right.type)
    return Arithmetic(Number(low, high, _kind(name, left.type, right.type)), name, left, right)


def _computed(name: str, left: Any, right: Any) -> int | None:
    """Return what comes of two known numbers; it may exceed 64 bits, for another one to reduce."""
    if name in ("lshift", "pow") and not abs(right) <= FURTHEST:
        return None
    try:
        value = getattr(operator, name)(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return value if type(value) in (int, bool) and abs(value) < 1 << 2 * FURTHEST else None


FURTHEST = 1 << 10
"""The most bits by which a known number is shifted before a rule runs."""


def _kind(name: str, one: Type, other: Type) -> type | None:
    """Return the class of a result: bitwise operators of truth values give a truth value."""
    if name not in ("and_", "or_", "xor"):
        return int
    kinds = [kind.kind if isinstance(kind, Number) else int for kind in (one, other)]
    if all(kind is bool for kind in kinds):
        return bool
    return None if None in kinds and all(kind in (bool, None) for kind in kinds) else int


def _range(name: str, one: Type, other: Type) -> tuple[int, int]:
    """Return the range of a result, within that of 64 bits."""
    a = (one.low, one.high) if isinstance(one, Number) else WORD
    b = (other.low, other.high) if isinstance(other, Number) else WORD
    if name == "add":
        low, high = a[0] + b[0], a[1] + b[1]
    elif name == "sub":
        low, high = a[0] - b[1], a[1] - b[0]
    elif name == "mul":
        corners = [x * y for x in a for y in b]
        low, high = min(corners), max(corners)
    elif name == "mod" and b[0] > 0:
        low, high = 0, b[1] - 1
    elif name == "floordiv" and b[0] > 0:
        corners = [x // y for x in a for y in b]
        low, high = min(corners), max(corners)
    elif name == "and_" and max(a[0], b[0]) >= 0:
        low, high = 0, min(limit[1] for limit in (a, b) if limit[0] >= 0)
    elif name in ("or_", "xor") and min(a[0], b[0]) >= 0:
        low, high = 0, (1 << max(a[1], b[1]).bit_length()) - 1
    elif name == "rshift" and b[0] >= 0:
        corners = [x >> min(y, 64) for x in a for y in b]
        low, high = min(corners), max(corners)
    else:
        low, high = WORD
    return max(low, WORD[0]), min(high, WORD[1])


def unary(frame: Frame, node: ast.UnaryOp) -> Expression:
    """Lower an operator with one operand."""
    if isinstance(node.op, ast.Not):
        return negation(truth_of(frame, node.operand))
    value = frame.expression(node.operand)
    value = frame.number(value, node.operand)
    if isinstance(node.op, ast.USub):
        return arithmetic("sub", number(0), value)
    if isinstance(node.op, ast.Invert):
        return arithmetic("xor", value, number(-1))
    return arithmetic("add", value, number(0))


def negation(value: Expression) -> Expression:
    """Return whether a truth value is false."""
    if isinstance(value, Constant):
        return truth(not value.value)
    return value.of if isinstance(value, Not) else Not(BOOL, value)


def compare(frame: Frame, node: ast.Compare) -> Expression:
    """Lower a comparison, or a chain of them whose inner operands are evaluated once."""
    at, left = node.left, frame.expression(node.left)
    parts: list[Expression] = []
    pairs = list(zip(node.ops, node.comparators, strict=True))
    before: tuple[Statement, ...] = ()
    for number_, (sign, comparator) in enumerate(pairs):
        right = frame.expression(comparator)
        binds: tuple[Statement, ...] = ()
        if number_ + 1 < len(pairs) and not isinstance(right, (Local, Constant)):
            bind, right_again = frame.temporary(right, comparator)
            binds, right = (bind,), right_again
        refuse_never(frame, sign, (at, left), (comparator, right), node)
        test = compared(frame, sign, left, right, node)
        at = comparator
        if binds:
            test = After(BOOL, binds, test)
        parts.append(test)
        left = right
    result = frame.all(parts)
    return After(BOOL, before, result) if before else result


def compared(
    frame: Frame, sign: ast.cmpop, left: Expression, right: Expression, node: ast.AST
) -> Expression:
    """Return whether two values compare so."""
    if isinstance(sign, (ast.Is, ast.IsNot)):
        same = identical(frame, left, right, node)
        return same if isinstance(sign, ast.Is) else negation(same)
    if isinstance(sign, (ast.In, ast.NotIn)):
        inside = contains(frame, left, right, node)
        return inside if isinstance(sign, ast.In) else negation(inside)
    return ordered(frame, COMPARISONS[type(sign)], left, right, node)


def ordered(
    frame: Frame, name: str, left: Expression, right: Expression, node: ast.AST
) -> Expression:
    """Return whether two values are equal, or one is less than the other."""
    own = frame.lowering.asked_with(frame, name, left, right, node)
    if own is not None:
        return frame.truth(own, node)
    _refuse_own_order(frame, name, left, right, node)
    if is_plain(left) and is_plain(right):
        try:
            return frame.compared(name, left, right)
        except TypeError as error:
            raise frame.refusal(node, f"{frame.text(node)}: {error}") from error
    if name not in ("eq", "ne"):
        left, right = frame.certain(left), frame.certain(right)
    if not comparable(frame, left.type, right.type, name):
        if name in ("eq", "ne") and _never_equal(left.type, right.type):
            return frame.after(left, frame.after(right, truth(name == "ne"), node), node)
        raise frame.refusal(
            node, f"{frame.text(node)} compares {named(left.type)} with {named(right.type)}"
        )
    return Compare(BOOL, name, left, right)


def _refuse_own_order(
    frame: Frame, name: str, left: Expression, right: Expression, node: ast.AST
) -> None:
    """Refuse the comparison of objects by a method of their own: equal is what is one object."""
    every = [*objects_of(left), *objects_of(right)]
    if all(map(is_dataclass, every)):
        for one, other in combinations(every, 2):
            if one is not other and one == other:
                what = f"{frame.text(node)} compares two objects that have the same parts"
                raise frame.refusal(node, what, "use one of them in both places")
        return
    for value in (left, right):
        refuse_computed(frame, value, (f"__{name}__", "__eq__"), node)


def comparable(frame: Frame, one: Type, other: Type, name: str) -> bool:
    """Whether the language says what a comparison of two kinds of values gives."""
    one, other = (kind.of if isinstance(kind, Optional) else kind for kind in (one, other))
    if isinstance(one, Never) or isinstance(other, Never):
        return True
    for kind in (Number, Text):
        if isinstance(one, kind) and isinstance(other, kind):
            return True
    if is_set(frame, one) and is_set(frame, other):
        return True
    if name in ("eq", "ne"):
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return True
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return True
        records = [_declared(frame, kind) for kind in (one, other)]
        if records[0] is not None and records[0] is records[1]:
            return True
        if all(isinstance(kind, (Known, OneOf)) for kind in (one, other)):
            return True
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return all(
            comparable(frame, a, b, name) for a, b in zip(one.items, other.items, strict=False)
        )
    kinds = [_list_kind(frame, kind) for kind in (one, other)]
    if kinds[0] is None or kinds[0] is not kinds[1]:
        return False
    if name not in ("eq", "ne") and any(
        isinstance(kind, Ref) and frame.schema.is_container(kind) for kind in (one, other)
    ):
        # A sequence of the state has no order, as lists of Python have.
        return False
    return comparable(frame, element_type(frame, one), element_type(frame, other), name)


def _declared(frame: Frame, kind: Type) -> type | None:
    if isinstance(kind, Record):
        return kind.declaration
    if isinstance(kind, Ref) and not frame.is_listed(kind):
        return frame.schema.declaration(kind)
    return None


def _never_equal(one: Type, other: Type) -> bool:
    """Whether no value of one kind equals one of the other, as a text and a number."""
    plain = (Number, Text, Tuple, Nothing)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return one.kind is not other.kind
    return isinstance(one, plain) and isinstance(other, plain) and type(one) is not type(other)


def identical(frame: Frame, left: Expression, right: Expression, node: ast.AST) -> Expression:
    """Return whether two values are the same object, where the language says so."""
    for value, none in ((left, right), (right, left)):
        if isinstance(none.type, Nothing):
            if isinstance(value.type, (Optional, Never)):
                return IsNone(BOOL, value)
            return frame.after(value, truth(isinstance(value.type, Nothing)), node)
    one, other = left.type, right.type
    if isinstance(one, Number) and isinstance(other, Number):
        kinds = {one.kind, other.kind}
        if None in kinds or (kinds == {int}):
            raise frame.refusal(
                node,
                f"{frame.text(node)}: whether two numbers are one object depends on Python",
                "compare by ==",
            )
        if len(kinds) > 1 and all(issubclass(kind, Enum) for kind in kinds if kind):
            what = f"{frame.text(node)} compares by object members of two enumerations"
            raise frame.refusal(node, what, "write ==")
        if len(kinds) > 1:
            return frame.after(left, frame.after(right, truth(False), node), node)
        return ordered(frame, "eq", left, right, node)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return truth(left.value is right.value)
    if isinstance(one, (Known, OneOf)) and isinstance(other, (Known, OneOf)):
        return Apply(BOOL, "is", (left, right))
    if isinstance(one, Ref) and isinstance(other, Ref):
        return Apply(BOOL, "is", (left, right)) if one == other else truth(False)
    if isinstance(one, Optional) or isinstance(other, Optional):
        inner = [kind.of if isinstance(kind, Optional) else kind for kind in (one, other)]
        if all(isinstance(kind, Number) and kind.kind not in (int, None) for kind in inner):
            return Compare(BOOL, "eq", left, right)
    raise frame.refusal(
        node,
        f"{frame.text(node)}: whether these are one object is not in the language of models",
        "compare by ==",
    )


def contains(frame: Frame, item: Expression, of: Expression, node: ast.AST) -> Expression:
    """Return whether something has an element, a member or a key."""
    of = frame.certain(of)
    if isinstance(of.type, Ref) and not frame.is_listed(of.type):
        answer = frame.lowering.method(frame, of, "__contains__", [item], node)
        if answer is not None:
            return frame.truth(answer, node)
    if isinstance(of, Constant) and isinstance(of.type, Known):
        return _in_known(frame, item, of, node)
    kind = of.type
    if not (isinstance(kind, (*CONTAINERS, Tuple, Span, Stream)) or frame.is_listed(kind)):
        raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no members")
    if isinstance(kind, Tuple) and isinstance(of, (Make, Constant)):
        return _among(frame, item, of, node)
    element = element_type(frame, kind)
    if not comparable(frame, item.type, element, "eq") and not _never_equal(item.type, element):
        raise frame.refusal(
            node, f"{frame.text(node)} looks for {named(item.type)} among {named(element)}"
        )
    return Contains(BOOL, item, of)


def _among(frame: Frame, item: Expression, of: Make | Constant, node: ast.AST) -> Expression:
    """Return whether a value is one of a few that are written out."""
    parts = of.parts if isinstance(of, Make) else tuple(map(constant, of.value))
    if is_plain(item) and all(map(is_plain, parts)):
        return truth(any(item.value == one.value for one in parts))  # type: ignore[attr-defined]
    binds: list[Statement] = []
    if not isinstance(item, (Local, Constant)):
        bind, item = frame.temporary(item, node)
        binds.append(bind)
    # Python makes the tuple first.
    simple = all(isinstance(one, (Constant, Local)) for one in parts)
    if not simple:
        bind, made = frame.temporary(of, node)
        binds.append(bind)
        result: Expression = Contains(BOOL, item, made)
    else:
        result = frame.any([ordered(frame, "eq", item, one, node) for one in parts])
    return After(BOOL, tuple(binds), result) if binds else result


def _in_known(frame: Frame, item: Expression, of: Constant, node: ast.AST) -> Expression:
    """Return whether a table of the file has a key, or an enumeration a member."""
    refuse_computed(frame, of, ("__contains__", "__iter__"), node)
    if isinstance(item, Constant) and isinstance(of.value, (Container, EnumMeta)):
        return truth(item.value in of.value)
    if isinstance(of.value, type) and isinstance(item.type, Number):
        members = frozenset(int(one) for one in of.value)  # type: ignore[attr-defined]
        return Contains(BOOL, item, constant(members))
    if isinstance(of.value, dict):
        return Contains(BOOL, item, constant(tuple(of.value)))
    if isinstance(of.value, (list, tuple, set, frozenset)) and isinstance(item.type, OneOf):
        return Contains(BOOL, item, of)
    raise frame.refusal(node, f"{frame.text(node)}: {named(of.type)} has no members")


def boolop(frame: Frame, node: ast.BoolOp) -> Expression:
    """Lower ``and`` and ``or``: a truth, or the operand that decides."""
    is_any = isinstance(node.op, ast.Or)
    values: list[Expression] = []
    scopes = []
    start = frame.scope
    for part in node.values:
        value = frame.expression(part)
        values.append(value)
        scopes.append(frame.scope)
        if isinstance(value, Constant) and bool(value.value) is is_any:
            break
    if len(scopes) > 1 and any(scope is not start for scope in scopes):
        frame.scope = met(scopes)
    if all(isinstance(v.type, Number) and v.type.kind is bool for v in values):
        return frame.any(values) if is_any else frame.all(values)
    return _deciding(frame, is_any, values, node)


def _deciding(frame: Frame, is_any: bool, values: list[Expression], node: ast.BoolOp) -> Expression:
    """Return the first operand that decides, or the last one."""
    [value, *others] = values
    if not others:
        return value
    if isinstance(value, Constant):
        decides = bool(value.value) is is_any
        return value if decides else _deciding(frame, is_any, others, node)
    binds: tuple[Statement, ...] = ()
    if not isinstance(value, Local):
        bind, again = frame.temporary(value, node)
        binds, value = (bind,), again
    test = frame.truth(value, node)
    kept: Expression = value
    if is_any and isinstance(value.type, Optional):
        kept = frame.certain(value)
    rest = _deciding(frame, is_any, others, node)
    # Of values of several kinds only the truth can be asked: NoJoinError refuses the line.
    common = join(kept.type, rest.type)
    result = Choose(common, test, *((kept, rest) if is_any else (rest, kept)))
    return After(common, binds, result) if binds else result


def truth_of(frame: Frame, node: ast.expr) -> Expression:
    """Lower a condition, of which only the truth counts."""
    if isinstance(node, ast.BoolOp):
        is_any = isinstance(node.op, ast.Or)
        parts, scopes, start = [], [], frame.scope
        for part in node.values:
            value = truth_of(frame, part)
            parts.append(value)
            scopes.append(frame.scope)
            if isinstance(value, Constant) and value.value is is_any:
                break
        if len(scopes) > 1 and any(scope is not start for scope in scopes):
            frame.scope = met(scopes)
        return frame.any(parts) if is_any else frame.all(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return negation(truth_of(frame, node.operand))
    return frame.truth(frame.expression(node), node)


def conditional(frame: Frame, node: ast.IfExp) -> Expression:
    """Lower a conditional expression."""
    test = frame.chosen.get(id(node)) or truth_of(frame, node.test)
    if isinstance(test, Constant):
        return frame.expression(node.body if test.value else node.orelse)
    yes, no = frame.branches(
        lambda: frame.expression(node.body), lambda: frame.expression(node.orelse)
    )
    try:
        common = join(yes.type, no.type)
    except NoJoinError:
        what = f"{named(yes.type)} or {named(no.type)}"
        raise SeveralError(node, test, what) from None
    return Choose(common, test, yes, no)


def walrus(frame: Frame, node: ast.NamedExpr) -> Expression:
    """Lower an assignment within an expression."""
    value = frame.expression(node.value)
    bind = frame.bind(node.target.id, value, node)
    if isinstance(value, Constant):
        return After(value.type, (bind,), value)
    return After(value.type, (bind,), Local(value.type, bind.name))


EXPRESSIONS: dict[type[ast.AST], Callable[[Frame, Any], Expression]] = {
    ast.BinOp: binop, ast.UnaryOp: unary, ast.Compare: compare, ast.BoolOp: boolop,
    ast.IfExp: conditional, ast.NamedExpr: walrus,
}  # fmt: skip
"""How each kind of expression of this module is lowered."""
