"""The functions of Python and of its library, as the table of the language has them."""

from __future__ import annotations

import ast
import collections
import copy
import functools
import inspect
import itertools
import math
import operator
import typing
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

from ...core import fields
from ...core.containers import free_set
from .. import defined
from ..form import (
    After,
    Apply,
    Arithmetic,
    Clause,
    Comprehension,
    Constant,
    Copy,
    Element,
    Expression,
    Fail,
    First,
    Gather,
    IsNone,
    Length,
    Local,
    Make,
    Not,
    Quantify,
    Range,
    Statement,
)
from ..types import (
    BOOL,
    CONTAINERS,
    NEVER,
    NOTHING,
    WORD,
    Closure,
    Known,
    Mapping,
    Members,
    Never,
    NoJoinError,
    Number,
    Optional,
    Record,
    Ref,
    Sequence,
    Span,
    Stream,
    Tuple,
    Type,
    contains_ref,
    join,
    join_all,
    named,
    widened,
)
from .access import element_of, element_type, part_of
from .calls import Code, called, declared_by, given
from .displays import items_of, iterable, made_tuple
from .frame import Frame, constant, is_plain, number
from .objects import refuse_computed
from .operators import (
    arithmetic,
    combined,
    comparable,
    contains,
    identical,
    negation,
    ordered,
    powered,
)
from .order import is_shown, is_unordered
from .retyping import member_type
from .rounds import is_numbered

Named = dict[str, Expression]
Rule = Callable[[Frame, list[Expression], Named, ast.AST], Expression]
RULES: dict[Any, Rule] = {}
"""How each function is lowered."""


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    """Say which functions a rule lowers."""

    def noted(lower: Rule) -> Rule:
        for function in functions:
            RULES[function] = lower
        return lower

    return noted


def _takes(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST, least: int, most: int
) -> None:
    """Refuse another number of arguments than a function takes."""
    if names or not least <= len(arguments) <= most:
        raise frame.refusal(node, f"{frame.text(node)}: so many arguments are not in the language")


def _joined(frame: Frame, kinds: list[Type], node: ast.AST) -> Type:
    try:
        return join_all(kinds)
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)} gives values of several kinds", "use one kind"
        ) from None


def operation(function: Any, result: Type) -> Rule:
    """Return how a function is lowered for which a client has code of its own."""

    def lowered(
        frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
    ) -> Expression:
        numbers = [frame.number(one, node) for one in arguments]
        return Apply(result, "operation", (constant(function), *numbers))

    return lowered


# --- numbers


@rule(abs)
def _abs(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 1, 1)
    value = frame.number(arguments[0], node)
    if isinstance(value, Constant):
        return number(abs(value.value))
    kind = value.type
    high = max(abs(kind.low), abs(kind.high)) if isinstance(kind, Number) else WORD[1]
    return Apply(Number(0, min(high, WORD[1])), "abs", (value,))


@rule(bool, operator.truth)
def _bool(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 0, 1)
    return frame.truth(arguments[0], node) if arguments else constant(False)


@rule(operator.not_)
def _not(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return negation(frame.truth(arguments[0], node))


@rule(int, operator.pos)
def _int(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 0, 1)
    if not arguments:
        return number(0)
    return arithmetic("add", frame.number(arguments[0], node), number(0))


@rule(operator.neg)
def _neg(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return arithmetic("sub", number(0), frame.number(arguments[0], node))


@rule(divmod)
def _divmod(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 2, 2)
    binds, parts = _again(frame, [frame.number(one, node) for one in arguments], node)
    result = made_tuple([arithmetic("floordiv", *parts), arithmetic("mod", *parts)])
    return After(result.type, tuple(binds), result) if binds else result


@rule(pow, operator.pow)
def _pow(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 2, 3)
    given_ = [frame.number(one, node) for one in arguments]
    if len(given_) == 2:
        return powered(frame, given_[0], given_[1], node)
    assert isinstance(defined.power_modulo, FunctionType)
    return frame.lowering.call(frame, defined.power_modulo, given_, {}, node)


def _in_language(function: Any, least: int, most: int) -> Rule:
    """Return how a function is lowered that the language has a function of its own for."""

    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        _takes(frame, arguments, names, node, least, most)
        given_ = [frame.number(one, node) for one in arguments]
        if all(isinstance(one, Constant) for one in given_):
            known = getattr(math, function.__name__)(*(one.value for one in given_))  # type: ignore[attr-defined]
            return number(known)
        return frame.lowering.call(frame, function, given_, {}, node)

    return lower


for _function, _least, _most in (
    (defined.gcd, 0, 8), (defined.lcm, 0, 8), (defined.comb, 2, 2), (defined.perm, 2, 2),
    (defined.isqrt, 1, 1), (defined.factorial, 1, 1),
):  # fmt: skip
    RULES[getattr(math, _function.__name__)] = _in_language(_function, _least, _most)


def _two(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> tuple[Expression, Expression]:
    """Return the operands of an operator that is called as a function."""
    _takes(frame, arguments, names, node, 2, 2)
    return arguments[0], arguments[1]


def _sign(name: str) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        return combined(frame, name, *_two(frame, arguments, names, node), node)

    return lower


def _comparison(name: str) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        return ordered(frame, name, *_two(frame, arguments, names, node), node)

    return lower


for _name in ("add", "sub", "mul", "floordiv", "mod", "lshift", "rshift", "and_", "or_", "xor"):
    RULES[getattr(operator, _name)] = _sign(_name)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    RULES[getattr(operator, _name)] = _comparison(_name)


@rule(operator.is_)
def _is(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return identical(frame, *_two(frame, arguments, names, node), node)


@rule(operator.contains)
def _contains(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return contains(frame, arguments[1], arguments[0], node)


def _again(
    frame: Frame, values: list[Expression], node: ast.AST
) -> tuple[list[Statement], list[Expression]]:
    """Return values that can be evaluated again, and what evaluates them once before."""
    binds: list[Statement] = []
    parts: list[Expression] = []
    for value in values:
        if not isinstance(value, (Constant, Local)):
            bind, value = frame.temporary(value, node)
            binds.append(bind)
        parts.append(value)
    return binds, parts


# --- what loops over something


def _quantify(every: bool) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        _takes(frame, arguments, names, node, 1, 1)
        over = iterable(frame, arguments[0], node)
        return Quantify(BOOL, every, truths(frame, over, node))

    return lower


RULES[all], RULES[any] = _quantify(True), _quantify(False)


def truths(frame: Frame, over: Expression, node: ast.AST) -> Expression:
    """Return what yields the truth of each value that something yields."""
    kind = element_type(frame, over.type)
    if isinstance(kind, Number) and kind.kind is bool:
        return over
    test = given(frame, constant(bool), [kind], node)
    return Apply(Stream(BOOL), "map", (test, over))


@rule(len)
def _len(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 1, 1)
    value = frame.certain(arguments[0])
    kind = value.type
    answer = frame.lowering.asked(frame, value, ("__len__",), node)
    if answer is not None:
        return answer
    if isinstance(kind, Tuple):
        return frame.after(value, number(len(kind.items)), node)
    refuse_computed(frame, value, ("__len__",), node)
    if isinstance(value, Constant) and hasattr(value.value, "__len__"):
        return number(len(value.value))
    if isinstance(kind, Ref) and frame.schema.is_array(kind):
        return frame.after(value, number(frame.schema.most(kind)), node)
    if isinstance(kind, (*CONTAINERS, Span, Never)):
        return Length(Number(0), value)
    if frame.is_listed(kind) and isinstance(kind, Ref):
        most = _most_elements(frame, kind)
        return Length(Number(0) if most is None else Number(0, most), value)
    raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no length")


def _sum(name: str, empty: int) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        arguments = [*arguments, *([names["start"]] if "start" in names else [])]
        over = iterable(frame, arguments[0], node)
        start = arguments[1] if len(arguments) > 1 else number(empty)
        if isinstance(start.type, (Sequence, Tuple)):
            kind = join(start.type, _as_list(frame, element_type(frame, over.type)))
            return Apply(kind, "concatenated", (over, start))
        if not isinstance(element_type(frame, over.type), (Number, Never)):
            raise frame.refusal(
                node, f"{frame.text(node)}: its values are of another kind than numbers"
            )
        return Apply(_total_of(frame, over, name), name, (over, frame.number(start, node)))

    return lower


def _total_of(frame: Frame, over: Expression, name: str) -> Number:
    kind = element_type(frame, over.type)
    low = isinstance(kind, Number) and kind.low >= 0
    return Number(0 if low and name == "sum" else WORD[0])


def _as_list(frame: Frame, kind: Type) -> Type:
    return Sequence(element_type(frame, kind)) if isinstance(kind, Ref) else kind


RULES[sum], RULES[math.prod] = _sum("sum", 0), _sum("prod", 1)


def _extreme(name: str) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        key = names.get("key")
        if len(arguments) > 1:
            return _of_several(frame, name, arguments, key, node)
        over = iterable(frame, arguments[0], node)
        element = element_type(frame, over.type)
        more: list[tuple[str, Expression]] = []
        if key is not None and not (
            isinstance(key, Constant) and key.value is None and not isinstance(key.type, Closure)
        ):
            more.append(("key", given(frame, key, [element], node)))
            if not isinstance(element, Never):
                _refuse_unordered(frame, more[0][1].type, node)
        else:
            _refuse_unordered(frame, element, node)
        kind = element
        if "default" in names:
            kind = _joined(frame, [element, names["default"].type], node)
            more.append(("default", names["default"]))
        return Apply(kind, name, (over,), tuple(more))

    return lower


def _of_several(
    frame: Frame, name: str, arguments: list[Expression], key: Expression | None, node: ast.AST
) -> Expression:
    """Return the least or the largest of several values."""
    if key is None and all(isinstance(one.type, (Number, Never)) for one in arguments):
        result = arguments[0]
        for one in arguments[1:]:
            result = _of_two(name, result, one)
        return result
    kind = _joined(frame, [one.type for one in arguments], node)
    listed = Make(Sequence(kind), tuple(arguments))
    if key is None:
        _refuse_unordered(frame, kind, node)
        return Apply(kind, name, (listed,))
    return Apply(kind, name, (listed,), (("key", given(frame, key, [kind], node)),))


def _of_two(name: str, one: Expression, other: Expression) -> Expression:
    if is_plain(one) and is_plain(other):
        chosen = {"min": min, "max": max}[name](one.value, other.value)  # type: ignore[attr-defined]
        return constant(chosen)
    a = one.type if isinstance(one.type, Number) else Number()
    b = other.type if isinstance(other.type, Number) else Number()
    pick = min if name == "min" else max
    kind = a.kind if a.kind is b.kind else None
    return Arithmetic(Number(pick(a.low, b.low), pick(a.high, b.high), kind), name, one, other)


RULES[min], RULES[max] = _extreme("min"), _extreme("max")


def _refuse_unordered(frame: Frame, kind: Type, node: ast.AST) -> None:
    """Refuse to compare what has no order."""
    if not comparable(frame, kind, kind, "lt"):
        raise frame.refusal(
            node, f"{frame.text(node)} compares {named(kind)}, which has no order", "give it a key"
        )


@rule(sorted)
def _sorted(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    over = iterable(frame, arguments[0], node)
    element = element_type(frame, over.type)
    more: list[tuple[str, Expression]] = []
    if "key" in names:
        more.append(("key", given(frame, names["key"], [element], node)))
        if not isinstance(element, Never):
            _refuse_unordered(frame, more[0][1].type, node)
    else:
        _refuse_unordered(frame, element, node)
    if "reverse" in names:
        more.append(("reverse", frame.truth(names["reverse"], node)))
    return Apply(Sequence(element), "sorted", (over,), tuple(more))


@rule(next)
def _next(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 1, 2)
    over = iterable(frame, arguments[0], node)
    if not isinstance(over.type, Stream):
        raise frame.refusal(
            node, f"{frame.text(node)}: next() takes a generator", "write next(v for v in ...)"
        )
    element = element_type(frame, over.type)
    if len(arguments) == 1:
        return First(element, over, None)
    return First(_joined(frame, [element, arguments[1].type], node), over, arguments[1])


@rule(range)
def _range(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 1, 3)
    ends = [frame.number(one, node) for one in arguments]
    if all(isinstance(one, Constant) for one in ends):
        known = range(*(one.value for one in ends))  # type: ignore[attr-defined]
        return Constant(_span(number(known.start), number(known.stop), known.step), known)
    start, stop = (number(0), ends[0]) if len(ends) == 1 else ends[:2]
    step = ends[2] if len(ends) == 3 else number(1)
    known_step = step.value if isinstance(step, Constant) else None
    return Range(_span(start, stop, known_step), start, stop, step)


def _span(start: Expression, stop: Expression, step: int | None) -> Span:
    """Return the type of a range."""
    one, other = start.type, stop.type
    if not step or not isinstance(one, Number) or not isinstance(other, Number):
        return Span(step)
    low, high = (one.low, other.high - 1) if step > 0 else (other.low + 1, one.high)
    return Span(step, Number(low, max(low, high)))


@rule(enumerate)
def _enumerate(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> Expression:
    arguments = [*arguments, *([names["start"]] if "start" in names else [])]
    over = iterable(frame, arguments[0], node)
    start = frame.number(arguments[1], node) if len(arguments) > 1 else number(0)
    kind = start.type if isinstance(start.type, Number) else Number(0, 0)
    most = _most_elements(frame, over.type)
    numbers = Number(kind.low)
    if most is not None:
        numbers = Number(kind.low, kind.high + max(most, 1) - 1)
    pair = Tuple((numbers, element_type(frame, over.type)))
    return Apply(Stream(pair), "enumerate", (over, start))


def _most_elements(frame: Frame, kind: Type) -> int | None:
    """Return the most elements of a part of the state or a tuple; None where there is no limit."""
    if isinstance(kind, Tuple):
        return len(kind.items)
    if isinstance(kind, Ref) and not frame.schema.is_bag(kind):
        return frame.schema.most(kind)
    return None


def _side_by_side(frame: Frame, overs: list[Expression], node: ast.AST) -> list[Expression]:
    """Return what is gone over side by side; each must have its elements by number."""
    for one in overs:
        # The order of a set is refused by another rule.
        if not is_numbered(one, frame.schema) and not is_unordered(one.type):
            raise frame.refusal(
                node,
                f"{frame.text(node)} puts a generator or a set beside others",
                "write list(...) around it",
            )
    return overs


def _all_of(frame: Frame, over: Expression) -> Expression:
    """Return all values before the first round takes one, with their elements by number."""
    if is_numbered(over, frame.schema):
        return over
    return Gather(Sequence(element_type(frame, over.type)), over)


@rule(zip)
def _zip(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    overs = _side_by_side(frame, [iterable(frame, one, node) for one in arguments], node)
    kind = Tuple(tuple(element_type(frame, one.type) for one in overs))
    strict = (("strict", frame.truth(names["strict"], node)),) if "strict" in names else ()
    return Apply(Stream(kind), "zip", tuple(overs), strict)


@rule(reversed)
def _reversed(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    over = iterable(frame, arguments[0], node)
    if isinstance(over.type, (Members, Stream)):
        raise frame.refusal(
            node, f"{frame.text(node)}: {named(over.type)} has no last element", "sort it first"
        )
    return Apply(Stream(element_type(frame, over.type)), "reversed", (over,))


@rule(map)
def _map(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    function, *values = arguments
    overs = [iterable(frame, one, node) for one in values]
    if len(overs) > 1:
        overs = _side_by_side(frame, overs, node)
    test = given(frame, function, [element_type(frame, one.type) for one in overs], node)
    return Apply(Stream(test.type), "map", (test, *overs))


@rule(filter)
def _filter(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 2, 2)
    over = iterable(frame, arguments[1], node)
    element = element_type(frame, over.type)
    is_none = isinstance(arguments[0].type, type(NOTHING))
    test = given(frame, constant(bool) if is_none else arguments[0], [element], node)
    return Apply(Stream(element), "filter", (test, over))


@rule(functools.reduce)
def _reduce(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 2, 3)
    over = iterable(frame, arguments[1], node)
    element = element_type(frame, over.type)
    kind = arguments[2].type if len(arguments) > 2 else element
    if isinstance(kind, Ref) and kind is element:
        what = f"{frame.text(node)} begins with a part of the state"
        raise frame.refusal(node, what, "give it a first value, as in reduce(or_, s.banks, set())")
    for _ in range(3):
        step = given(frame, arguments[0], [kind, element], node)
        result = _joined(frame, [kind, step.type], node)
        if result == kind:
            break
        kind = widened(kind, step.type)
    return Apply(kind, "reduce", (step, over, *arguments[2:]))


@rule(itertools.chain)
def _chain(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    overs = [
        _flattened(frame, list(one.arguments), {}, node)
        if isinstance(one, Apply) and one.name == "starred"
        else iterable(frame, one, node)
        for one in arguments
    ]
    kind = _joined(frame, [element_type(frame, one.type) for one in overs], node)
    return Apply(Stream(kind), "chain", tuple(overs))


@rule(itertools.chain.from_iterable)
def _flattened(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> Expression:
    over = iterable(frame, arguments[0], node)
    return Apply(Stream(element_type(frame, element_type(frame, over.type))), "flattened", (over,))


@rule(itertools.pairwise)
def _pairwise(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    [over] = _side_by_side(frame, [iterable(frame, arguments[0], node)], node)
    element = element_type(frame, over.type)
    return Apply(Stream(Tuple((element, element))), "pairwise", (over,))


def _tuples(name: str) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        over = _all_of(frame, iterable(frame, arguments[0], node))
        size = names.get("r") or (arguments[1] if len(arguments) > 1 else None)
        element = element_type(frame, over.type)
        if isinstance(size, Constant) and size.value is not None:
            kind: Type = Tuple((element,) * size.value)
        else:
            kind = Sequence(element, tuple)
        more = (frame.number(size, node),) if size is not None else ()
        return Apply(Stream(kind), name, (over, *more))

    return lower


RULES[itertools.combinations] = _tuples("combinations")


@rule(itertools.permutations)
def _permutations(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> Expression:
    _takes(frame, arguments, names, node, 1, 2)
    kind = arguments[0].type
    fixed = isinstance(kind, Tuple) or (isinstance(kind, Ref) and frame.schema.is_array(kind))
    if fixed or len(arguments) > 1:
        return _tuples("permutations")(frame, arguments, names, node)
    over = iterable(frame, arguments[0], node)
    listed = Gather(Sequence(element_type(frame, over.type)), over)
    bind, again = frame.temporary(listed, node)
    slot = frame.fresh("order")
    frame.made.slots[slot] = Number(0)
    order = Local(Number(0), slot)
    functions = defined.factorial, defined.permuted
    count, result = (
        frame.lowering.call(frame, function, given_, {}, node)  # type: ignore[arg-type]
        for function, given_ in zip(
            functions, ([Length(Number(0), again)], [again, order]), strict=True
        )
    )
    numbers = Range(_span(number(0), count, 1), number(0), count, number(1))
    clause = Clause(slot, Number(0), After(numbers.type, (bind,), numbers), (), ())
    return Comprehension(Stream(result.type), (clause,), result)


@rule(itertools.product)
def _product(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    overs = [iterable(frame, one, node) for one in arguments]
    repeat = names.get("repeat", number(1))
    elements = [element_type(frame, one.type) for one in overs]
    if isinstance(repeat, Constant):
        kind: Type = Tuple(tuple(elements) * repeat.value)
    else:
        kind = Sequence(_joined(frame, elements, node), tuple)
    return Apply(Stream(kind), "product", tuple(overs), (("repeat", frame.number(repeat, node)),))


# --- containers of one's own


def _gathered(kind: type) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        if "maxlen" in names or len(arguments) > 1:
            raise frame.refusal(
                node, f"{frame.text(node)}: a deque with a greatest length", "pop what is too much"
            )
        if not arguments:
            return empty(kind)
        over = iterable(frame, arguments[0], node)
        if kind is tuple and isinstance(over.type, Tuple):
            return over
        element = element_type(frame, over.type)
        if kind in (set, frozenset):
            element = member_type(frame, element)
            frame.refuse_unhashable(element, node)
            return Gather(Members(element, frozen=kind is frozenset), over)
        return Gather(Sequence(element, kind), over)

    return lower


def empty(kind: type) -> Expression:
    """Return a container of one's own that is empty."""
    if kind is tuple:
        return constant(())
    if kind in (set, frozenset):
        return Make(Members(NEVER, frozen=kind is frozenset), ())
    return Make(Sequence(NEVER, kind), ())


for _kind in (list, tuple, set, frozenset, collections.deque):
    RULES[_kind] = _gathered(_kind)


@rule(dict)
def _dict(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    if names:
        raise frame.refusal(node, f"{frame.text(node)}: texts as keys", "write {key: value}")
    if not arguments:
        return Make(Mapping(NEVER, NEVER), ())
    value = frame.certain(arguments[0])
    if isinstance(value.type, Mapping):
        return Gather(replace(value.type, kind=dict, factory=None), value)
    over = iterable(frame, value, node)
    pair = element_type(frame, over.type)
    if not isinstance(pair, Tuple) or len(pair.items) != 2:
        raise frame.refusal(node, f"{frame.text(node)} takes pairs of a key and a value")
    return Gather(Mapping(pair.items[0], pair.items[1]), over)


@rule(collections.Counter)
def _counter(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    kind = Mapping(NEVER, Number(0), collections.Counter)
    if not arguments:
        return Make(kind, ())
    value = frame.certain(arguments[0])
    if isinstance(value.type, Mapping):
        return Gather(replace(value.type, kind=collections.Counter, factory=None), value)
    over = iterable(frame, value, node)
    unordered = is_shown(over, frame.line)
    return Gather(replace(kind, key=element_type(frame, over.type), of_a_set=unordered), over)


@rule(collections.defaultdict)
def _defaultdict(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> Expression:
    if len(arguments) != 1:
        raise frame.refusal(
            node,
            f"{frame.text(node)}: a defaultdict takes what makes a value, and nothing else",
            "give it a name, and put the entries in by d.update(...)",
        )
    made = called(frame, arguments[0], [], {}, node)
    kind = made.type
    if isinstance(arguments[0], Constant) and not isinstance(arguments[0].type, Closure):
        factory: Any = arguments[0].value
    else:
        raise frame.refusal(
            node, f"{frame.text(node)}: a function of one's own", "write int, list or set"
        )
    return Make(Mapping(NEVER, kind, collections.defaultdict, factory), ())


def _copying(deep: bool) -> Rule:
    def lower(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
        _takes(frame, arguments, names, node, 1, 1)
        value = arguments[0]
        kind = frame.schema.value(value.type) if isinstance(value.type, Ref) else value.type
        if deep and contains_ref(kind):
            raise frame.refusal(
                node,
                f"{frame.text(node)}: there are parts of the state in it",
                "copy them one by one, as in [copy.copy(p) for p in ...]",
            )
        if isinstance(kind, Record):
            # A record copies all that it holds.
            return Copy(replace(kind, own=True), value, deep=True)
        return Copy(kind, value, deep)

    return lower


RULES[copy.copy], RULES[copy.deepcopy] = _copying(deep=False), _copying(deep=True)


@rule(free_set)
def _free_set(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return Apply(Members(Number(0, 62), ordered=True), "of_mask", tuple(arguments))


@rule(fields.members)
def _members(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    value = frame.number(arguments[0], node)
    high = value.type.high if isinstance(value.type, Number) else WORD[1]
    return Apply(Sequence(Number(0, max(high, 1).bit_length() - 1)), "members", (value,))


@rule(fields.size)
def _size(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return Apply(Number(0, 64), "bit_count", (frame.number(arguments[0], node),))


# --- functions and types


@rule(isinstance)
def _isinstance(
    frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
) -> Expression:
    _takes(frame, arguments, names, node, 2, 2)
    value, kinds = arguments
    if not isinstance(kinds, Constant):
        raise frame.refusal(node, f"{frame.text(node)}: the class is not known")
    for kind in kinds.value if isinstance(kinds.value, tuple) else (kinds.value,):
        refuse_computed(frame, constant(kind), ("__instancecheck__",), node)
    if isinstance(value.type, Optional):
        inner = _is_instance(frame, value.type.of, kinds.value, node)
        return (
            Not(BOOL, IsNone(BOOL, value)) if inner else frame.after(value, constant(False), node)
        )
    return frame.after(value, constant(_is_instance(frame, value.type, kinds.value, node)), node)


def _is_instance(frame: Frame, kind: Type, kinds: Any, node: ast.AST) -> bool:
    """Whether values of a type are instances of a class."""
    python = _class_of(frame, kind)
    if python is None:
        raise frame.refusal(
            node, f"{frame.text(node)}: whether {named(kind)} is one depends on the way"
        )
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return issubclass(python, every) if all(isinstance(one, type) for one in every) else False


def _class_of(frame: Frame, kind: Type) -> type | None:
    if isinstance(kind, Number):
        return kind.kind
    if isinstance(kind, Tuple):
        return tuple
    if isinstance(kind, (Sequence, Mapping)):
        return kind.kind
    if isinstance(kind, Members):
        return frozenset if kind.frozen else None if kind.ordered else set
    if isinstance(kind, Known):
        return type(kind.value)
    return type(None) if kind == NOTHING else declared_by(frame, kind)


@rule(typing.assert_never)
def _never(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    _takes(frame, arguments, names, node, 1, 1)
    return After(NEVER, (Fail(frame.line_of(node)),), constant(None))


@rule(inspect.unwrap)
def _unwrap(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    """Lower what Kafka's family asks to know which rule a protocol has."""
    _takes(frame, arguments, names, node, 1, 1)
    [function] = arguments
    if not isinstance(function, Constant):
        raise frame.refusal(node, f"{frame.text(node)}: the function is chosen in the step")
    return constant(inspect.unwrap(function.value))


@rule(typing.cast)
def _cast(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    return arguments[1]


@rule(functools.partial)
def _partial(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    function, *values = arguments
    binds: list[Statement] = []
    code = Code(None, frame, of=function)
    every = [*((str(n), one) for n, one in enumerate(values)), *names.items()]
    for name, value in every:
        if not isinstance(value, Constant):
            bind, value = frame.temporary(value, node)
            binds.append(bind)
            frame.kept.add(bind.name)
        code.given[name] = value
    result = Constant(Closure(code), None)
    return After(result.type, tuple(binds), result) if binds else result


def getter(function: Any) -> Rule | None:
    """Return how ``itemgetter(1)`` or ``attrgetter("x")`` is lowered; None of anything else."""
    if type(function) is operator.itemgetter:
        keys: Any = function.__reduce__()[1]

        def item(
            frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
        ) -> Expression:
            value = arguments[0]
            indices = [ast.copy_location(ast.Constant(key), node) for key in keys]
            parts = [element_of(frame, value, index, node) for index in indices]
            return parts[0] if len(parts) == 1 else made_tuple(parts)

        return item
    if type(function) is operator.attrgetter:
        paths: Any = function.__reduce__()[1]

        def attribute(
            frame: Frame, arguments: list[Expression], names: Named, node: ast.AST
        ) -> Expression:
            parts = []
            for path in paths:
                value = arguments[0]
                for name in path.split("."):
                    value = part_of(frame, value, name, node)
                parts.append(value)
            return parts[0] if len(parts) == 1 else made_tuple(parts)

        return attribute
    return None


@rule(operator.itemgetter, operator.attrgetter)
def _getter(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    if not all(isinstance(one, Constant) for one in arguments):
        raise frame.refusal(
            node, f"{frame.text(node)}: its arguments are not known", "write a lambda"
        )
    maker = node.func if isinstance(node, ast.Call) else None
    wanted = (
        operator.attrgetter if "attrgetter" in ast.unparse(maker or node) else operator.itemgetter
    )
    return constant(wanted(*(one.value for one in arguments)))  # type: ignore[attr-defined]


@rule(operator.getitem)
def _getitem(frame: Frame, arguments: list[Expression], names: Named, node: ast.AST) -> Expression:
    owner, index = _two(frame, arguments, names, node)
    if isinstance(owner.type, Tuple) and isinstance(index, Constant):
        item: int = index.value
        return items_of(owner, owner.type)[item]
    return Element(element_type(frame, owner.type), owner, frame.number(index, node), True)
