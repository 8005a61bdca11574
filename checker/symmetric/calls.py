"""Evaluates the calls of a function: of the model's functions, and of a few built-in ones."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.containers import RecordSeq, Seq, Set
from ...core.fields import Array, declared_parts, members
from .expressions import Expressions, wrapped
from .names import FEW, described, may_be_none_at
from .operations import truth
from .values import (
    NOTHING,
    Bound,
    Constant,
    Each,
    Effects,
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

if TYPE_CHECKING:
    from .analysis import Analysis

Attempt = Callable[[], Any]

Element = Callable[[], tuple[Value, int | None]]
"""Makes an element of an iteration: its value, and the symbol of its replica or None."""

_NARROW = "join it by & with the set of all replicas"

SUBSET = "write it in plain steps on whole numbers, with loops over range, arrays or members"


class Calls(Expressions):
    """Evaluates calls, also any() and all().

    Parameters
    ----------
    analysis
        Has the functions analysed before.
    """

    def __init__(self, analysis: Analysis, function: Callable[..., Any]) -> None:
        super().__init__(analysis.names, analysis.constants, function)
        self.analysis = analysis

    def _call(self, node: ast.Call) -> Value:
        callee = self.expression(node.func)
        called = callee.value if isinstance(callee, Constant) else None
        if isinstance(callee, Bound):
            passed = [callee.owner, *(self.expression(argument) for argument in node.args)]
            named = {part.arg: self.expression(part.value) for part in node.keywords}
            return self._invoked_method(callee.function, passed, named, node)
        if called in (any, all):
            return self._quantified(node)
        if any(isinstance(part, ast.Starred) for part in node.args):
            raise NotShownError(node, "is not analysed", SUBSET)
        arguments = [self.expression(argument) for argument in node.args]
        if called is members and len(arguments) == 1 and not node.keywords:
            return self._members(arguments[0], node)
        if isinstance(called, FunctionType):
            named = {part.arg: self.expression(part.value) for part in node.keywords}
            return self._invoked(called, arguments, named, node)
        if called is range and not node.keywords:
            return self._range(arguments, node)
        if called in (min, max) and len(arguments) > 1 and not node.keywords:
            return self._extreme(called, arguments, node)
        if called in (bool, int, len, abs) and len(arguments) == 1 and not node.keywords:
            return self._converted(called, arguments[0], node)
        raise NotShownError(node, f"calls {ast.unparse(node.func)}, which is not analysed", SUBSET)

    def _members(self, mask: Value, node: ast.expr) -> Each:
        """Return the members of a set of replicas or of other numbers."""
        if isinstance(mask, ReplicaSet) and mask.wide:
            raise NotShownError(node, "lists the members of a set that may be negative", _NARROW)
        if isinstance(mask, ReplicaSet):
            return Each(of_set=True)
        if isinstance(mask, Number):
            known = mask.values
            single = known is not None and len(known) == 1 and 0 <= min(known) < 1 << 64
            return Each(tuple(members(min(known)))) if known and single else Each()
        raise NotShownError(node, f"lists the members of {described(mask)}")

    def _range(self, arguments: list[Value], node: ast.Call) -> Each:
        plain = [argument for argument in arguments if isinstance(argument, Number)]
        if len(plain) != len(arguments) or not 1 <= len(plain) <= 3:
            other = next((a for a in arguments if not isinstance(a, Number)), NOTHING)
            raise NotShownError(
                node,
                f"counts from or up to {described(other)}",
                "go over all replicas, and leave out by != those that do not count",
            )
        known = [n.values for n in plain if n.values is not None and len(n.values) == 1]
        bounds = [min(values) for values in known]
        if len(bounds) != len(plain) or (len(bounds) == 3 and bounds[2] == 0):
            return Each()
        each = wrapped(range(*bounds))
        assert isinstance(each, Each)
        return each

    def _extreme(self, which: Any, arguments: list[Value], node: ast.Call) -> Number:
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
            known = truth(self.names, value, node)
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
                return number(length(self.constants) if callable(length) else length)
        if which is abs and isinstance(value, Number):
            return Number()
        raise NotShownError(node, f"computes with {described(value)}")

    def _quantified(self, node: ast.Call) -> Value:
        """Return any() or all() of one generator."""
        generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
            raise NotShownError(node, "is not analysed", SUBSET)
        [clause] = generator.generators
        if not isinstance(clause.target, ast.Name) or clause.is_async:
            raise NotShownError(node, "is not analysed", SUBSET)
        name = clause.target.id
        what = self.expression(clause.iter)
        if isinstance(what, Several):
            for item in what.items:
                self._each(name, item, clause.ifs, generator.elt)
            return truth_value()
        self.attempted(
            [
                partial(self._each_made, make, name, clause.ifs, generator.elt)
                for make in self.elements(what, clause.iter)
            ]
        )
        return truth_value()

    def _each_made(
        self, make: Element, name: str, conditions: list[ast.expr], test: ast.expr
    ) -> None:
        """Make an element, and evaluate the test of any() or all() on it."""
        self._each(name, make()[0], conditions, test)

    def _each(self, name: str, element: Value, conditions: list[ast.expr], test: ast.expr) -> None:
        """Evaluate the test of any() or all() on an element, in a scope of its own."""
        before, effects = self.flow, self.effects
        self.flow, self.effects = before.copy(), Effects()
        self.flow.local[name] = element
        for condition in conditions:
            yes, _ = self.split(condition)
            if yes is None:
                break
            self.flow = yes
        else:
            self.split(test)
        if self.effects.writes or self.effects.unknown:
            raise NotShownError(test, "may write to the state where it only asks")
        effects.add(self.effects)
        self.flow, self.effects = before, effects

    def elements(self, what: Value, node: ast.expr) -> list[Element]:
        """Return the possible interpretations of the elements of an iteration."""
        what = self._contents(what, node)
        if isinstance(what, Part) and isinstance(what.declared, Array):
            return [lambda: self._element_of(what)]
        if isinstance(what, Each):
            return self._numbers(what)
        if isinstance(what, Several):
            items = [item.values or () for item in what.items if isinstance(item, Number)]
            known = [number for values in items if len(values) == 1 for number in values]
            return self._numbers(Each(tuple(known)))[:-1] if len(known) == len(what.items) else []
        raise NotShownError(node, f"goes over {described(what)}", SUBSET)

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
        raise NotShownError(node, "goes over a record that iterates itself", SUBSET)

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
        named: dict[str | None, Value],
        node: ast.expr,
    ) -> Value:
        """Return the result of a method; an error in a container is reported at the call."""
        try:
            return self._invoked(method, positional, named, node)
        except NotShownError as refused:
            if method.__module__ not in (Set.__module__, Seq.__module__):
                raise
            raise NotShownError(node, refused.why, refused.repair, refused.mistaken) from None

    def _element_of(self, array: Part) -> tuple[Value, int | None]:
        """Return an element of an array, and the symbol of its replica."""
        assert isinstance(array.declared, Array)
        symbol = fresh()
        place = Part(array.declared, f"{array.form}[]", (*array.indices, symbol))
        element = self._loaded(array.declared.element, place)
        return element, symbol if array.declared.by_replica else None

    def _numbers(self, what: Each) -> list[Element]:
        """Return how numbers can be interpreted: as replicas if they are all of them, or plain."""

        def replica() -> tuple[Value, int | None]:
            one = Replica(may_be_none=False)
            return one, one.symbol

        def plain() -> tuple[Value, int | None]:
            few = known is not None and 0 < len(known) <= FEW
            return Number(frozenset(known or ()) if few else None), None

        known = what.numbers
        if what.of_set:
            return [replica]
        is_closed = known and self.names.is_closed(known) and len(set(known)) == len(known)
        return [replica, plain] if is_closed else [plain]

    def attempted(self, attempts: list[Attempt]) -> Any:
        """Return the result of the first attempt that is not refused.

        Raises
        ------
        NotShownError
            If all are refused: the most informative refusal.
        """
        refusals: list[NotShownError] = []
        for attempt in attempts:
            kept, begun = self.kept(), self.progress
            try:
                return attempt()
            except NotShownError as refused:
                refused.progress = self.progress - begun
                refusals.append(refused)
                self.restore(kept)
        raise max(refusals, key=lambda refused: refused.rank)

    def kept(self) -> tuple[Any, ...]:
        """Return what has to be restored after a failed attempt."""
        effects = Effects(set(self.effects.reads), set(self.effects.writes), self.effects.unknown)
        return self.flow.copy(), self.flow, self.effects, effects

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Undo a failed attempt."""
        self.flow, _, self.effects, effects = kept
        self.effects.reads = effects.reads
        self.effects.writes = effects.writes
        self.effects.unknown = effects.unknown

    def _invoked(
        self,
        called: FunctionType,
        positional: list[Value],
        named: dict[str | None, Value],
        node: ast.expr,
    ) -> Value:
        """Return the result of a function of the model, and record its effects."""
        arguments = _in_order(called, positional, named, node)
        renaming = _Renaming(self.flow)
        inside = tuple(renaming.inwards(argument) for argument in arguments)
        try:
            summary = self.analysis.summary(called, inside, node)
        except NotShownError as refused:
            self.progress += refused.progress
            raise
        self.progress += summary.progress
        for read in summary.effects.reads:
            self.effects.reads.add((read[0], renaming.outwards(read[1])))
        for write in summary.effects.writes:
            form, indices = write.location
            self.flow.forget(form)
            self.effects.writes.add(Write((form, renaming.outwards(indices)), write.how))
        if summary.effects.unknown:
            self.effects.unknown = summary.effects.unknown
            self.flow.loaded.clear()
        return renaming.result(summary.result)


class _Renaming:
    """Maps the symbols of a caller to those of a function, which are numbered in order.

    So calls that differ only in the symbols of their arguments share an analysis.
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._inner: dict[int, int] = {}
        self._outer: dict[int, int] = {}

    def inwards(self, value: Value) -> Value:
        """Return an argument with the function's symbols."""
        if isinstance(value, Number):
            return Number(value.values, self._symbol(value.symbol))
        if isinstance(value, Replica):
            return Replica(may_be_none_at(value, self._flow), self._symbol(value.symbol))
        if isinstance(value, Part):
            indices = tuple(i if isinstance(i, str) else self._symbol(i) for i in value.indices)
            return Part(value.declared, value.form, indices)
        if isinstance(value, Several):
            return Several(tuple(self.inwards(item) for item in value.items))
        return value

    def _symbol(self, symbol: int) -> int:
        inner = self._inner.setdefault(symbol, -1 - len(self._inner))
        self._outer[inner] = symbol
        return inner

    def outwards(self, indices: tuple[Index, ...]) -> tuple[Index, ...]:
        """Return a function's indices with the caller's symbols."""
        return tuple(i if isinstance(i, str) else self._outer.get(i, i) for i in indices)

    def result(self, value: Value) -> Value:
        """Return a result with the caller's symbols; other symbols are new in every call."""
        if isinstance(value, Number):
            return Number(value.values, self._outer.get(value.symbol) or fresh())
        if isinstance(value, Replica):
            return Replica(value.may_be_none, self._outer.get(value.symbol) or fresh())
        if isinstance(value, Part):
            indices = tuple(
                i if isinstance(i, str) else self._outer.get(i) or fresh() for i in value.indices
            )
            return Part(value.declared, value.form, indices)
        if isinstance(value, Several):
            return Several(tuple(self.result(item) for item in value.items))
        return value


def _in_order(
    function: FunctionType,
    positional: list[Value],
    named: dict[str | None, Value],
    node: ast.expr,
) -> list[Value]:
    """Return the arguments of a call in the order of the function's parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    filled: dict[str | None, Value] = dict(zip(names, positional, strict=False))
    if len(positional) > len(names) or set(named) & set(filled) or set(named) - set(names):
        raise NotShownError(node, "does not fit the parameters of the function")
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    arguments = {name: wrapped(value) for name, value in defaults.items()} | filled | named
    if set(names) - set(arguments):
        raise NotShownError(node, "does not fit the parameters of the function")
    return [arguments[name] for name in names]
