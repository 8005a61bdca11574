"""Evaluates the calls of a function: of the model's functions, and of a few built-in ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from inspect import signature
from types import FunctionType
from typing import Any, Self, cast

from ...core.containers import RecordSeq, Seq, Set, mask_of
from ...core.fields import Array, declared_parts, members
from .expressions import Expressions, wrapped
from .names import FEW, described, may_be_none_at
from .values import (
    NOTHING,
    Bound,
    Constant,
    Each,
    Flow,
    Index,
    NotShownError,
    Number,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Value,
    Write,
    fresh,
    number,
    truth_value,
)

Reading = Part | Each | Several
"""What a loop may go over: an array, replicas, numbers, or a tuple."""


class Calls(Expressions):
    """Evaluates calls, also any() and all()."""

    def _call(self, node: ast.Call) -> Value:
        callee = self.expression(node.func)
        called = callee.value if isinstance(callee, Constant) else None
        if isinstance(callee, Bound):
            if callee.function is Set.update and len(node.args) == 1:
                callee = Bound(cast(FunctionType, Set.unite), callee.owner)
            passed = [callee.owner, *(self.expression(argument) for argument in node.args)]
            named = {part.arg or "**": self.expression(part.value) for part in node.keywords}
            return self._invoked_method(callee.function, passed, named, node)
        if called in (any, all):
            return self._quantified(node)
        if any(isinstance(part, ast.Starred) for part in node.args):
            raise NotShownError(node, "is not analysed")
        arguments = [self.expression(argument) for argument in node.args]
        if called is mask_of:
            mask = self._mask(arguments[0])
            if mask is None:
                raise NotShownError(node, f"computes with {described(arguments[0])}")
            return mask
        if called is members and len(arguments) == 1 and not node.keywords:
            return self._members(arguments[0], node)
        if isinstance(called, FunctionType):
            named = {part.arg or "**": self.expression(part.value) for part in node.keywords}
            return self._invoked(called, arguments, named, node)
        if called is range and not node.keywords:
            return self._range(arguments, node)
        if called in (min, max) and len(arguments) > 1 and not node.keywords:
            return self.extreme(callee, arguments, node)
        if called in (bool, int, len, abs) and len(arguments) == 1 and not node.keywords:
            return self._converted(called, arguments[0], node)
        raise NotShownError(node, f"calls {ast.unparse(node.func)}, which is not analysed")

    def _mask(self, value: Value) -> Value | None:
        """Return a set of the state, or a known one of numbers, as a bit mask."""
        if isinstance(value, Constant) and isinstance(value.value, (set, frozenset)):
            return number(mask_of(value.value))
        method = self.method(value, "__contains__")
        if method is None or method.function is not Set.__contains__:
            return None
        return self._named_part(method.owner, "mask")

    def _members(self, mask: Value, node: ast.expr) -> Each:
        """Return the members of a set of replicas or of other numbers."""
        if isinstance(mask, ReplicaSet) and mask.wide:
            raise NotShownError(node, "lists the members of a set that may be negative")
        if isinstance(mask, ReplicaSet):
            return Each(kind=mask.kind)
        if isinstance(mask, Number):
            known = mask.values
            single = known is not None and len(known) == 1 and 0 <= min(known) < 1 << 64
            return Each(tuple(members(min(known)))) if known and single else Each()
        raise NotShownError(node, f"lists the members of {described(mask)}")

    def _range(self, arguments: list[Value], node: ast.Call) -> Each:
        plain = [argument for argument in arguments if isinstance(argument, Number)]
        if len(plain) != len(arguments) or not 1 <= len(plain) <= 3:
            other = next((a for a in arguments if not isinstance(a, Number)), NOTHING)
            raise NotShownError(node, f"counts from or up to {described(other)}")
        known = [n.values for n in plain if n.values is not None and len(n.values) == 1]
        bounds = [min(values) for values in known]
        if len(bounds) != len(plain) or (len(bounds) == 3 and bounds[2] == 0):
            return Each()
        each = wrapped(range(*bounds))
        assert isinstance(each, Each)
        return each

    def extreme(self, callee: Value, arguments: list[Value], node: ast.Call) -> Number:
        """Return min() or max() of numbers."""
        which = callee.value if isinstance(callee, Constant) else None
        if which not in (min, max):
            raise NotShownError(node, "is not analysed")
        for argument in arguments:
            if not isinstance(argument, Number):
                raise NotShownError(node, f"orders {described(argument)}")
        sets = [argument.values for argument in arguments if isinstance(argument, Number)]
        singles = [min(values) for values in sets if values is not None and len(values) == 1]
        return number(which(singles)) if len(singles) == len(arguments) else Number()

    def _converted(self, which: Any, value: Value, node: ast.Call) -> Value:
        """Return bool(), int(), len() or abs() of a value."""
        own = self.method(value, "__len__" if which is len else "__bool__")
        if own is not None and which in (bool, len):
            return self.bound(own, [], node)
        if which is bool:
            known = self.names.truth(value, node)
            return truth_value() if known is None else number(known)
        if which is int and isinstance(value, Number | Replica | ReplicaSet):
            return value
        if which is len:
            if isinstance(value, Each):
                return Number() if value.numbers is None else number(len(value.numbers))
            if isinstance(value, Several):
                return number(len(value.items))
            if isinstance(value, Part) and isinstance(value.declared, Array):
                length = value.declared.length
                return number(length(self.analysis.constants) if callable(length) else length)
        if which is abs and isinstance(value, Number):
            return Number()
        raise NotShownError(node, f"computes with {described(value)}")

    def _quantified(self, node: ast.Call) -> Value:
        """Return any() or all() of one generator."""
        generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
            raise NotShownError(node, "is not analysed")
        [clause] = generator.generators
        if not isinstance(clause.target, ast.Name) or clause.is_async:
            raise NotShownError(node, "is not analysed")
        name, tests = clause.target.id, [*clause.ifs, generator.elt]

        def asked(inner: Self, reading: Reading) -> None:
            several = reading.items if isinstance(reading, Several) else None
            for element in several or [inner.element(reading)[0]]:
                inner.flow.local[name] = element
                inner._asked(tests)

        what = self.expression(clause.iter)
        before = self.flow
        self.attempted(self.readings(what, clause.iter), asked)
        # What the generator knows and names is its own.
        self.flow = before
        return truth_value()

    def _asked(self, tests: list[ast.expr]) -> None:
        """Evaluate conditions of which each is asked if those before it are true."""
        before = self.flow
        for test in tests:
            yes, _ = self.split(test)
            if yes is None:
                break
            self.flow = yes
        self.flow = before
        if self.effects.writes or self.effects.unknown:
            raise NotShownError(tests[-1], "may write to the state where it only asks")

    def readings(self, what: Value, node: ast.expr) -> list[Reading]:
        """Return what an iteration may go over: replicas if it has all of them, or else plain."""
        what = self._contents(what, node)
        if isinstance(what, Part) and isinstance(what.declared, Array):
            return [what]
        if not isinstance(what, Each | Several):
            raise NotShownError(node, f"goes over {described(what)}")
        known = what.numbers if isinstance(what, Each) else None
        if isinstance(what, Several):
            items = [item.values or () for item in what.items if isinstance(item, Number)]
            known = tuple(n for values in items if len(values) == 1 for n in values)
            known = known if len(known) == len(what.items) else None
        if not known or len(set(known)) != len(known):
            return [what]
        kinds = [kind for kind in self.names.generators if self.names.is_closed(known, kind)]
        return [*(Each(kind=kind) for kind in kinds), what]

    def element(self, what: Reading) -> tuple[Value, int | None]:
        """Return an element of an iteration, and the symbol of its replica or None."""
        if isinstance(what, Each):
            if what.kind is not None:
                one = Replica(what.kind, may_be_none=False)
                return one, one.symbol
            few = what.numbers and len(what.numbers) <= FEW
            return Number(frozenset(what.numbers or ()) if few else None), None
        assert isinstance(what, Part)
        assert isinstance(what.declared, Array)
        symbol = fresh()
        place = Part(what.declared, f"{what.form}[]", (*what.indices, symbol))
        element = self._loaded(what.declared.element, place)
        return element, symbol if self.names.index(what.declared) is not None else None

    def _contents(self, what: Value, node: ast.expr) -> Value:
        """Return the members of a set, or the array of a sequence; anything else unchanged."""
        method = self.method(what, "__iter__")
        if method is None:
            return what
        parts = {name: self._named_part(method.owner, name) for name in ("mask", "length", "items")}
        if method.function is Set.__iter__ and parts["mask"] is not None:
            return self._members(parts["mask"], node)
        if method.function in (Seq.__iter__, RecordSeq.__iter__) and parts["items"] is not None:
            return parts["items"]
        raise NotShownError(node, "goes over a record that iterates itself")

    def _named_part(self, owner: Part, name: str) -> Value | None:
        """Return a part of a record by its name; None if it has none."""
        assert isinstance(owner.declared, type)
        # mypy takes the hash of an object of the class for that of the class.
        declared = declared_parts(owner.declared).get(name)
        if declared is None:
            return None
        return self._loaded(declared, Part(owner.declared, f"{owner.form}.{name}", owner.indices))

    def bound(self, method: Bound, arguments: list[Value], node: ast.expr) -> Value:
        """Return the result of a method, and record its effects."""
        return self._invoked_method(method.function, [method.owner, *arguments], {}, node)

    def _invoked_method(
        self,
        method: FunctionType,
        positional: list[Value],
        named: dict[str, Value],
        node: ast.expr,
    ) -> Value:
        """Return the result of a method; an error in a container is reported at the call."""
        try:
            return self._invoked(method, positional, named, node)
        except NotShownError as refused:
            if method.__module__ not in (Set.__module__, Seq.__module__):
                raise
            raise NotShownError(node, refused.why, refused.mistaken) from None

    def attempted(self, readings: list[Reading], follow: Callable[[Self, Reading], None]) -> None:
        """Follow the first reading that is not refused.

        Raises
        ------
        NotShownError
            If all are refused: the most informative refusal.
        """
        refusals: list[NotShownError] = []
        for reading in readings:
            inner, begun = self.inside(), self.analysis.steps
            try:
                follow(inner, reading)
            except NotShownError as refused:
                refused.progress = self.analysis.steps - begun
                refusals.append(refused)
            else:
                self.adopt(inner)
                return
        raise max(refusals, key=lambda refused: refused.rank)

    def _invoked(
        self,
        called: FunctionType,
        positional: list[Value],
        named: dict[str, Value],
        node: ast.expr,
    ) -> Value:
        """Return the result of a function of the model, and record its effects."""
        arguments = in_order(called, positional, named, node)
        inner: dict[int, int] = {}
        inside = tuple(
            renamed(argument, lambda symbol: inner.setdefault(symbol, -1 - len(inner)), self.flow)
            for argument in arguments
        )
        summary = self.analysis.summary(called, inside, node)
        outer = {inside: symbol for symbol, inside in inner.items()}

        def outwards(symbol: int) -> int:
            return outer.setdefault(symbol, fresh())

        for form, indices in summary.effects.reads:
            self.effects.reads.add((form, _indices(indices, outwards)))
        for write in summary.effects.writes:
            form, indices = write.location
            self.flow.forget(form)
            self.effects.writes.add(Write((form, _indices(indices, outwards)), write.how))
        if summary.effects.unknown:
            self.effects.unknown = summary.effects.unknown
            self.flow.loaded.clear()
        return renamed(summary.result, outwards, Flow())


def renamed(value: Value, symbols: Callable[[int], int], flow: Flow) -> Value:
    """Return an argument or a result of a function with other symbols.

    Those of its parameters are numbered in order, so that calls which differ only in the symbols of
    their arguments share an analysis.
    """
    if isinstance(value, Number):
        return Number(value.values, symbols(value.symbol))
    if isinstance(value, Replica):
        return Replica(value.kind, may_be_none_at(value, flow), symbols(value.symbol))
    if isinstance(value, Part):
        return Part(value.declared, value.form, _indices(value.indices, symbols))
    if isinstance(value, Several):
        return Several(tuple(renamed(item, symbols, flow) for item in value.items))
    return value


def _indices(indices: tuple[Index, ...], symbols: Callable[[int], int]) -> tuple[Index, ...]:
    return tuple(i if isinstance(i, str) else symbols(i) for i in indices)


def in_order(
    function: FunctionType, positional: Sequence[Value], named: dict[str, Value], node: ast.AST
) -> tuple[Value, ...]:
    """Return the arguments of a call in the order of the function's parameters."""
    try:
        bound = signature(function, follow_wrapped=False).bind(*positional, **named)
    except TypeError:
        raise NotShownError(node, "does not fit the parameters of the function") from None
    passed = set(bound.arguments)
    bound.apply_defaults()
    each = bound.arguments.items()
    return tuple(value if name in passed else wrapped(value) for name, value in each)
