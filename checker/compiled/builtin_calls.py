"""From a plain Python function to LLVM: calls of Python's own functions and classes."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import math
import operator
import types
from collections import deque
from collections.abc import Callable
from enum import Enum, EnumType
from typing import TYPE_CHECKING, Any

from ...core.errors import printed
from ...core.fields import members
from ...core.layout import WORD_BITS
from ...core.values import members_of
from .containers import constant_of
from .distinct import is_member
from .function import Scope
from .values import (
    Backwards,
    Bits,
    Cells,
    Choice,
    Constant,
    Dictionary,
    Distinct,
    Elements,
    Entries,
    Items,
    Made,
    Mapped,
    Neighbours,
    Number,
    Numbers,
    Orders,
    Places,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    View,
    Zipped,
    ask,
    integer_of,
    kind_of,
    span,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

Handler = Callable[[ast.Call], Value]

LARGEST_POWER = 64
"""The most factors of a power that are multiplied one by one."""

_FOLDED_MODULES = frozenset({"builtins", "itertools", "math", "operator", "_operator"})

_NOT_FOLDED = (
    breakpoint, compile, eval, exec, globals, hash, id, input, locals, open, print, setattr, vars,
)  # fmt: skip
"""Built-in functions that are more than their results."""


class Builtins:
    """Translates calls of what Python brings along."""

    def __init__(self, scope: Scope, expressions: Expressions, calls: Calls) -> None:
        self.scope, self.out, self.expressions, self.calls = scope, scope.out, expressions, calls
        self.records = expressions.records
        over = calls.comprehensions
        self._handlers: dict[Any, Handler] = {
            functools.reduce: over.reduced, copy.copy: self._copied, copy.deepcopy: self._copied,
            any: lambda node: over.quantified(node, True),
            all: lambda node: over.quantified(node, False),
            sum: over.total, sorted: over.ordered, next: over.first,
            min: lambda node: self._extreme(node, min),
            max: lambda node: self._extreme(node, max),
            len: self._length, range: self._range, enumerate: self._enumerated,
            zip: self._zipped, reversed: self._reversed, members: self._members,
            abs: self._absolute, divmod: self._divided, pow: self._powered,
            bool: self._truth, int: self._integer, isinstance: self._is_instance,
            list: lambda node: self._listed(node, list),
            tuple: lambda node: self._listed(node, tuple),
            itertools.permutations: self._permuted,
            itertools.pairwise: self._neighbours, itertools.chain: self._chained,
            deque: self._queue, dict.fromkeys: lambda node: calls.growing.from_keys(node),
            set: self._set, frozenset: self._set, map: self._mapped, filter: self._filtered,
        }  # fmt: skip

    def has_own(self, function: Callable[..., Any]) -> bool:
        """Whether there is a translation of a function of Python's that is written in Python."""
        return function in self._handlers

    def called(self, callee: Any, node: ast.Call) -> Value | None:
        """Return the value of a call; None if the function is none of Python's that is known."""
        try:
            handler = self._handlers.get(callee)
        except TypeError:
            return None
        if handler is None and isinstance(callee, EnumType) and issubclass(callee, int):
            return self._member(callee, node)
        if not _is_pythons(callee) and handler is None:
            return None
        folded = self._folded(callee, node)
        if folded is not None:
            return folded
        return handler(node) if handler else None

    def _folded(self, callee: Any, node: ast.Call) -> Value | None:
        """Return the result of a call whose arguments are all known; None if it cannot be."""
        simple = (ast.GeneratorExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.Starred)
        nodes = [*node.args, *(part.value for part in node.keywords)]
        if (
            any(isinstance(part, simple) for part in nodes)
            or callee is deque
            or (callee in (set, list) and not nodes)
        ):
            return None
        if not all(self._may_be_known(part) for part in nodes):
            return None
        with self.out.aside() as aside:
            values = [self.expressions.expression(part) for part in nodes]
        if getattr(callee, "__module__", None) == itertools.__name__:
            values = list(map(constant_of, values))
        if aside.lines or not all(isinstance(value, Constant) for value in values):
            return None
        known = [value.value for value in values if isinstance(value, Constant)]
        if any(isinstance(part, types.FunctionType) for part in known):
            return None
        names = [str(part.arg) for part in node.keywords]
        named = dict(zip(names, known[len(node.args) :], strict=True))

        def result(*_: Any) -> Any:
            made = callee(*known[: len(node.args)], **named)
            # The elements of an iterator must be there each time.
            return tuple(made) if isinstance(made, _ITERATORS) else made  # type: ignore[arg-type]

        return Constant(ask(result, *known))

    def _may_be_known(self, node: ast.expr) -> bool:
        """Whether all names in an expression have values that are known while translating."""
        scope = self.scope
        own = scope.local.keys() | scope.assigned.keys() | scope.hidden
        for part in ast.walk(node):
            if isinstance(part, (ast.NamedExpr, ast.GeneratorExp, ast.ListComp, ast.SetComp)):
                return False
            name = part.id if isinstance(part, ast.Name) else ""
            if name in own and not isinstance(scope.local.get(name), Constant):
                return False
        return True

    def _only(self, node: ast.Call, count: int = 1) -> list[Value]:
        if len(node.args) != count or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return [self.expressions.value(part) for part in node.args]

    def _range(self, node: ast.Call) -> Value:
        values = [self.expressions.known(argument) for argument in node.args]
        if not 1 <= len(values) <= 3 or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if len(values) == 1:
            return Numbers(Constant(0), values[0])
        if len(values) == 2:
            return Numbers(values[0], values[1])
        step = integer_of(values[2].value) if isinstance(values[2], Constant) else None
        if step is None:
            raise UnsupportedError("a range whose step is not known")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        return Numbers(values[0], values[1], step)

    def _enumerated(self, node: ast.Call) -> Value:
        named = {part.arg: part.value for part in node.keywords}
        if len(node.args) not in (1, 2) or named.keys() - {"start"}:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        start = node.args[1] if len(node.args) == 2 else named.get("start")
        self.calls.comprehensions.refuse_order(node.args[0], start)
        first = self.expressions.known(start) if start else Constant(0)
        return Zipped((Numbers(first, None), self._iterable(node.args[0])))

    def _zipped(self, node: ast.Call) -> Value:
        named = {part.arg for part in node.keywords}
        parts = [self._iterable(part) for part in node.args]
        if named and not (named == {"strict"} and self._same_length(parts)):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return Zipped(tuple(parts)) if parts else Constant(())

    def _same_length(self, parts: list[Value]) -> bool:
        lengths = [self.calls.loops.indexed(part, _SOME).length() for part in parts]
        return all(isinstance(one, Constant) and one == lengths[0] for one in lengths)

    def _iterable(self, node: ast.expr) -> Value:
        """Return the iterable; a generator is a list, which nothing else can see."""
        if isinstance(node, ast.GeneratorExp):
            self.calls.comprehensions.refuse_lazy(node)
            return self.calls.comprehensions.collected(node, list)
        return self.expressions.value(node)

    def _mapped(self, node: ast.Call) -> Value:
        if len(node.args) < 2 or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        function = self.expressions.value(node.args[0])
        iterated = self._iterables(node.args[1:])
        if len(iterated) == 1:
            return Mapped(function, iterated[0], node)
        return Mapped(function, Zipped(tuple(iterated)), node, several=True)

    def _neighbours(self, node: ast.Call) -> Value:
        [of] = self._only(node)
        self.calls.comprehensions.refuse_lazy(node, own=isinstance(of, Cells))
        return Neighbours(of)

    def _chained(self, node: ast.Call) -> Value:
        if node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        values = self._iterables(node.args)
        own = any(isinstance(value, Cells) for value in values)
        self.calls.comprehensions.refuse_lazy(node, own)
        joined, certain = self.scope.lists.new(), self.expressions.certain
        append = self.scope.lists.append
        for part, value in zip(node.args, values, strict=True):
            self.calls.loops.over(part, value, lambda one, f, e: append(joined, certain(one)))
        return joined

    def _copied(self, node: ast.Call) -> Value:
        """Return a copy of a record with its present values."""
        [value] = self._only(node)
        if not isinstance(value, (Made, StateRef)) or not is_member(value):
            raise UnsupportedError(f"the call {ast.unparse(node)}, of what is not a record,")
        contents = self.expressions.sequences.contents(value)
        return Made(tuple(contents), tuple(contents.values()), value.sample)

    def _iterables(self, nodes: list[ast.expr]) -> list[Value]:
        if any(isinstance(part, ast.Starred) for part in nodes):
            raise UnsupportedError(f"{', '.join(map(ast.unparse, nodes))}, of unknown length,")
        return list(map(self._iterable, nodes))

    def _filtered(self, node: ast.Call) -> Value:
        self.calls.comprehensions.refuse_lazy(node)
        function, iterated = self._only(node, 2)
        cells, out = self.scope.lists.new(), self.out
        truth = self.expressions.truth_of

        def take(element: Value, following: str, end: str) -> None:
            chosen = out.label("chosen")
            kept = function == Constant(None)
            test = element if kept else self.calls.called_with(function, [element], node)
            out.branch(truth(test), chosen, following)
            out.place_label(chosen)
            self.scope.lists.append(cells, element)

        self.calls.loops.over(node.args[1], iterated, take)
        return cells

    def _reversed(self, node: ast.Call) -> Value:
        return Backwards(self._only(node)[0])

    def _members(self, node: ast.Call) -> Value:
        [mask] = self._only(node)
        return Bits(mask, ordered=True)

    def _listed(self, node: ast.Call, kind: type) -> Value:
        if not node.args and not node.keywords:
            return Items((), kind)
        [argument] = node.args
        if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            return self.calls.comprehensions.collected(argument, kind)
        with self.calls.comprehensions.consuming():
            value = self.expressions.value(argument)
        if isinstance(value, Orders):
            return value
        chosen = None if isinstance(value, Bits) else self.calls.loops.indexed(value, argument)
        length = chosen.length() if chosen else None
        if chosen and isinstance(length, Constant):
            return Items(tuple(chosen.at(Constant(i)) for i in range(length.value)), kind)
        cells = self.scope.lists.new(kind)
        append = self.scope.lists.append
        self.calls.loops.over(argument, value, lambda element, f, e: append(cells, element))
        return cells

    def _queue(self, node: ast.Call) -> Value:
        """Return a deque: a list that Python does not iterate while it changes."""
        if node.keywords or len(node.args) > 1:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        cells = self.scope.lists.new(deque)
        if node.args:
            self.calls.collections.extend(cells, node.args[0])
        return cells

    def _permuted(self, node: ast.Call) -> Value:
        return self.calls.loops.permutations.of(self._only(node)[0])

    def _set(self, node: ast.Call) -> Value:
        if not node.args:
            return Bits(Constant(0))
        [argument] = node.args
        return self.calls.comprehensions.members(argument)

    def _length(self, node: ast.Call) -> Value:
        [value] = self._only(node)
        return self.length(self.expressions.certain(value), node)

    def length(self, value: Value, node: ast.expr) -> Value:
        """Return how many elements a value has."""
        out = self.out
        if isinstance(value, Places):
            each, known = self.expressions.each_place, self.expressions.known
            return each(value, node, lambda name: self.length(known(name), node))
        if isinstance(value, Bits):
            mask = self.scope.lists.mask(value)
            count = out.value(f"call i64 @llvm.ctpop.i64(i64 {out.number(mask)})")
            return Number(count, (0, WORD_BITS), int)
        if isinstance(value, Distinct):
            return self.scope.lists.length(value.cells)
        if isinstance(value, Orders):
            return self.calls.loops.permutations.length(value)
        if isinstance(value, Choice):
            return self.scope.tables.mapped(value, len)
        if isinstance(value, Dictionary):
            return Constant(len(value.keys))
        if isinstance(value, (Entries, View)):
            entries = value.entries if isinstance(value, View) else value
            return self.scope.lists.length(entries.cells)
        if isinstance(value, Constant):
            return Constant(ask(len, value.value))
        if isinstance(value, Span):
            return out.arithmetic("sub", value.last, value.first)
        if isinstance(value, Elements):
            return value.count
        if isinstance(value, (Items, Cells, Numbers)):
            return self.calls.loops.indexed(value, node).length()
        if isinstance(value, (StateRef, Made)):
            if isinstance(value.sample, (list, tuple)):
                return Constant(len(value.sample))
            if own := self.records.method(value, "__len__"):
                return self.calls.asked(own, [])
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _truth(self, node: ast.Call) -> Value:
        [argument] = node.args or [ast.Constant(False)]
        value = self.calls.filled(self.expressions.expression(argument))
        if isinstance(value, Constant):
            return Constant(ask(bool, value.value))
        return Truth(self.out.truth(self.expressions.truth_of(value)))

    def _integer(self, node: ast.Call) -> Value:
        [value] = self._only(node)
        value = self.expressions.certain(value)
        if isinstance(value, Constant):
            return Constant(ask(int, value.value))
        if isinstance(value, (Number, Truth)):
            return Number(self.out.number(value), span(value), int)
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _absolute(self, node: ast.Call) -> Value:
        [argument] = self._only(node)
        value = self.expressions.certain(argument)
        opposite = self.expressions.computed(ast.Sub(), Constant(0), value)
        return self.out.extreme("max", value, opposite)

    def _divided(self, node: ast.Call) -> Value:
        left, right = map(self.expressions.certain, self._only(node, 2))
        quotient = self.expressions.computed(ast.FloorDiv(), left, right)
        return Items((quotient, self.expressions.computed(ast.Mod(), left, right)))

    def _powered(self, node: ast.Call) -> Value:
        if len(node.args) == 3:
            base, exponent, modulus = map(self.expressions.certain, self._only(node, 3))
            return self.expressions.computed(ast.Mod(), self.power(node, base, exponent), modulus)
        left, right = map(self.expressions.certain, self._only(node, 2))
        return self.power(node, left, right)

    def power(self, node: ast.expr, base: Value, exponent: Value) -> Value:
        """Return a power whose exponent is not negative, as a product."""
        if isinstance(base, Constant) and isinstance(exponent, Constant):
            power = ask(operator.pow, base.value, exponent.value)
            if not isinstance(power, int):
                raise UnsupportedError(f"{ast.unparse(node)}, which is not a whole number,")
            return Constant(power)
        known, out = span(exponent), self.out
        if known is None or known[0] < 0 or known[1] > LARGEST_POWER:
            out.fail_if(out.value(f"icmp ugt i64 {out.number(exponent)}, {LARGEST_POWER}"))
            known = 0, LARGEST_POWER
        if base == Constant(2):
            return self.expressions.computed(ast.LShift(), Constant(1), exponent)
        result, end = out.variable(), out.label("end")
        out.emit(f"store i64 1, ptr {result}")
        for number in range(known[1]):
            on = out.label("factor")
            out.branch(out.compare("sgt", exponent, Constant(number)), on, end)
            out.place_label(on)
            before = Number(out.value(f"load i64, ptr {result}"))
            product = self.expressions.computed(ast.Mult(), before, base)
            out.emit(f"store i64 {out.number(product)}, ptr {result}")
        out.place_label(end)
        return Number(out.value(f"load i64, ptr {result}"), None, int)

    def _extreme(self, node: ast.Call, which: Any) -> Value:
        spread = [part for part in node.args if isinstance(part, ast.Starred)]
        if len(node.args) == 1 and spread:
            node = ast.copy_location(ast.Call(node.func, [spread[0].value], node.keywords), node)
        elif len(node.args) > 1 and [part.arg for part in node.keywords] == ["key"]:
            several = ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
            return self.calls.comprehensions.extreme(node, which, several)
        if len(node.args) == 1:
            return self.calls.comprehensions.extreme(node, which)
        values = [self.expressions.certain(part) for part in self.expressions.items_of(node.args)]
        if node.keywords or not values:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        result = values[0]
        for other in values[1:]:
            if isinstance(result, Constant) and isinstance(other, Constant):
                result = Constant(ask(which, result.value, other.value))
            elif isinstance(result, Items) or isinstance(other, Items):
                wins = ast.Lt() if which is min else ast.Gt()
                better = self.expressions.compared(wins, other, result)
                result = self.expressions.either(better, other, result)
            else:
                result = self.out.extreme(which.__name__, result, other)
        return result

    def _member(self, kind: type, node: ast.Call) -> Value:
        """Translate the call of an enumeration, which finds a member by its number."""
        [argument] = self._only(node)
        value = self.expressions.certain(argument)
        if isinstance(value, Constant):
            return Constant(ask(kind, value.value))
        if not isinstance(value, (Number, Truth)) or not issubclass(kind, Enum):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        numbers = sorted(integer_of(member) or 0 for member in members_of(kind))
        out, number = self.out, self.out.number(value)
        low, high = numbers[0], numbers[-1]
        known = span(value)
        if numbers == list(range(low, high + 1)):
            if not (known and known[0] >= low and known[1] <= high):
                out.fail_if(out.value(f"icmp slt i64 {number}, {low}"))
                out.fail_if(out.value(f"icmp sgt i64 {number}, {high}"))
        else:
            is_member = "false"
            for one in numbers:
                same = out.value(f"icmp eq i64 {number}, {one}")
                is_member = out.value(f"or i1 {is_member}, {same}")
            out.fail_unless(is_member)
        return Number(number, (low, high), kind)

    def _is_instance(self, node: ast.Call) -> Value:
        value, classes = self._only(node, 2)
        return self._instance(value, classes, node)

    def _instance(self, value: Value, classes: Value, node: ast.Call) -> Value:
        """Translate isinstance() of a number whose type in Python is known."""
        if isinstance(classes, Items):
            answers = [self._instance(value, one, node) for one in classes.items]
            return Constant(any(isinstance(one, Constant) and one.value for one in answers))
        kind = kind_of(value)
        if kind is None or not isinstance(classes, Constant):
            raise UnsupportedError(f"the call {ast.unparse(node)}, of a value of unknown type")
        known = _is_subclass(kind, classes.value)
        if kind is int and not known and not isinstance(value, Constant):
            # A truth value that was written to a whole number reads as 1 only in the next state.
            raise UnsupportedError(f"the call {ast.unparse(node)}, of a whole number")
        return Constant(known)


_SOME = ast.Name("an iterable", ast.Load())

_ITERATORS: tuple[type, ...] = (
    zip, enumerate, reversed, map, filter, itertools.combinations, itertools.permutations,
    itertools.product, itertools.chain, itertools.combinations_with_replacement,
    itertools.accumulate, itertools.islice, type(iter(())), type(iter([])),
    type(iter(range(0))), type(reversed([])), type({}.items()), type({}.keys()),
    type({}.values()), itertools.pairwise,
)  # fmt: skip
"""Iterators that end, and views."""


def _is_subclass(kind: type, other: Any) -> bool:
    """Whether values of a type are instances of another one."""
    if type(other) not in (type, EnumType):
        raise UnsupportedError(f"isinstance() of {printed(other)}, which is not a plain class,")
    return issubclass(kind, other)


def _is_pythons(callee: Any) -> bool:
    """Whether a function is Python's own, and has no effect but its result."""
    if callee in _NOT_FOLDED or callee in (itertools.count, itertools.cycle, itertools.repeat):
        return False
    owner = getattr(callee, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return type(owner) in (tuple, dict, str, range, int, frozenset) and callee.__name__ in (
            "items", "keys", "values", "get", "index", "count", "bit_length", "bit_count", "union",
            "intersection", "difference", "issubset", "isdisjoint", "issuperset", "from_iterable",
        )  # fmt: skip
    return getattr(callee, "__module__", None) in _FOLDED_MODULES and (
        isinstance(callee, (types.BuiltinFunctionType, type)) or callee is math.gcd
    )
