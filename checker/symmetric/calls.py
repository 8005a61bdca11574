"""Evaluates the calls of a function: of the model's functions, and of a few built-in ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import EnumType, IntEnum
from types import FunctionType
from typing import Any, Self, cast

from ...core.containers import Seq, Set, fitted, mask_of, precedes
from ...core.fields import (
    Array,
    Field,
    Record,
    copy_into,
    declared_parts,
    limit_of,
    members,
    value_of,
)
from ...language.calls import CallError, Parameters, defaults_of
from ...language.methods import METHODS
from . import sequences
from .element_names import index_in, length_of, still_there
from .expressions import Expressions, wrapped
from .name_uses import by_itself
from .names import FEW, described, is_key, is_table
from .own_records import replaced
from .sequences import another, copied, indices_as, renamed
from .values import (
    LOWEST,
    NOTHING,
    Bound,
    Bunch,
    Constant,
    Each,
    Flow,
    Listed,
    Made,
    NotShownError,
    Number,
    Own,
    Pairs,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Value,
    Write,
    fresh,
    not_followed,
    number,
    truth_value,
)

Reading = Part | Each | Several | Listed | Bunch | Pairs
"""What a loop may go over: an array, replicas, numbers, a tuple, a list, or arrays together."""


def arrays_of(what: Part | Each | Listed | Bunch | Pairs) -> tuple[Part, ...]:
    """Return the arrays that an iteration goes over; none for anything else."""
    if isinstance(what, Pairs):
        return what.arrays
    return (what,) if isinstance(what, Part) else ()


REDUCTIONS = (any, all, sum, min, max, len, sorted)
"""Functions of a collection whose result does not depend on its order, and of its elements."""


class Calls(Expressions):
    """Evaluates calls, also any() and all()."""

    def _call(self, node: ast.Call) -> Value:
        callee: Value
        if isinstance(node.func, ast.Attribute):
            owner = self.place(node.func.value)
            if (result := self._of_container(owner, node.func.attr, node)) is not None:
                return result
            callee = self.attribute(owner, node.func)
        else:
            callee = self.expression(node.func)
        if isinstance(callee, Bound):
            passed = [callee.owner, *(self.expression(argument) for argument in node.args)]
            return self._invoked_method(callee.function, passed, self._keywords(node), node)
        called = callee.value if isinstance(callee, Constant) else None
        if called in REDUCTIONS and len(node.args) == 1:
            return self.reduced(called, node)
        for part in node.args:
            if isinstance(part, ast.Starred):
                raise not_followed(part)
        if called in (any, all):
            raise NotShownError(node, "does not pass one collection", repair="pass one list")
        if called in (set, frozenset, list, tuple) and len(node.args) == 1:
            [each] = node.args
            if isinstance(each, ast.GeneratorExp):
                made = ast.SetComp if called in (set, frozenset) else ast.ListComp
                return self.expression(ast.copy_location(made(each.elt, each.generators), node))
        arguments = [self.expression(argument) for argument in node.args]
        if isinstance(called, FunctionType):
            return self._function(called, arguments, node)
        if isinstance(called, type) and issubclass(called, Record):
            return self._record(called, arguments, node)
        if called in (min, max) and len(arguments) > 1 and not node.keywords:
            return self.extreme(callee, arguments, node)
        if not node.keywords and (value := self._converted(called, arguments, node)) is not None:
            return value
        raise NotShownError(
            node, f"calls {ast.unparse(node.func)}, which the proof of symmetry does not know"
        )

    def reduced(self, which: Any, node: ast.Call) -> Value:
        """Return a function of one collection, whatever its order."""
        raise NotImplementedError

    def is_alone(self, node: ast.expr) -> bool:
        """Whether an expression is all that its statement evaluates before its effect."""
        raise NotImplementedError

    def _keywords(self, node: ast.Call) -> dict[str, Value]:
        return {part.arg or "**": self.expression(part.value) for part in node.keywords}

    def _of_container(self, owner: Value, name: str, node: ast.Call) -> Value | None:
        """Return the result of a method that is taken for what it does; None for another one."""
        if any(isinstance(part, ast.Starred) for part in node.args) or node.keywords:
            return None
        if name == "get" and isinstance(owner, Constant) and isinstance(owner.value, dict):
            return self._entry_or_other(owner, [self.expression(part) for part in node.args], node)
        method: Callable[[Value, str, list[Value], ast.Call], Value] | None = None
        is_set = isinstance(owner, Own | Constant) and self.mask(owner) is not None
        if name in METHODS and (is_set or self.mask_place(owner)):
            method = self.set_method
        elif name in sequences.METHODS and self.is_sequence(owner) and (node.args or name != "pop"):
            method = self.sequence_method
        elif name == "assign" and isinstance(owner, Part) and not self.method(owner, name):
            [source] = [self.expression(argument) for argument in node.args]
            self.copied_into(owner, source, node)
            return NOTHING
        if method is None:
            return None
        return method(owner, name, [self.expression(argument) for argument in node.args], node)

    def _entry_or_other(self, table: Constant, arguments: list[Value], node: ast.Call) -> Value:
        """Return what get() finds in a constant dictionary, or what it returns if that is none."""
        if not arguments:
            raise NotShownError(node, "looks for nothing")
        key, *other = arguments
        if not is_key(key) or not is_table(table):
            raise NotShownError(node, f"looks for {described(key)} in {described(table)}")
        return self._item((*self.entries(table, key), *(other or [NOTHING])), Number(), node)

    def _function(self, called: FunctionType, arguments: list[Value], node: ast.Call) -> Value:
        """Return the result of a function, of which a few are taken for what they do."""
        if called is mask_of:
            mask = self.mask(arguments[0])
            if mask is None:
                raise NotShownError(node, f"computes with {described(arguments[0])}")
            return mask
        if called is copy_into:
            self.copied_into(arguments[0], arguments[1], node)
            return NOTHING
        if called in (value_of, fitted):
            return copied(arguments[0])
        if called is precedes:
            one, other = arguments
            return self.records_compared(ast.Lt(), one, other, node)
        if called is replaced:
            return self._other_record(arguments, node)
        if called in (index_in, length_of):
            return arguments[1] if called is index_in else Number()
        if called is by_itself:
            return self._by_itself(arguments[0], node)
        if called is still_there:
            element = ast.Subscript(node.args[0], node.args[1], ast.Load())
            same = ast.Compare(element, [ast.Eq()], [node.args[3]])
            for part in (element, same):
                ast.copy_location(part, node)
            self.expression(same)
            return NOTHING
        if called is members and len(arguments) == 1 and not node.keywords:
            return self._members(arguments[0], node)
        return self._invoked(called, arguments, self._keywords(node), node)

    @staticmethod
    def _by_itself(value: Value, node: ast.Call) -> Value:
        """Return a number, which nobody can change."""
        if not isinstance(value, Number | Replica | Constant):
            raise NotShownError(node.args[0], f"names {described(value)}, which changes")
        return value

    def _record(self, declared: type[Record], unnamed: list[Value], node: ast.Call) -> Value:
        """Return a record that is made by name."""
        parts, values = declared_parts(declared), self._keywords(node)
        if unnamed or not values.keys() <= parts.keys():
            raise NotShownError(node, "names another variable than the record has")
        for name, part in parts.items():
            if name not in values:
                low = part.low if isinstance(part, Field) else None
                limit = limit_of(low, self.analysis.constants) if low is not None else None
                values[name] = LOWEST if limit is None else number(limit)
        return Made(declared, tuple((name, copied(values[name])) for name in parts))

    def _other_record(self, arguments: list[Value], node: ast.Call) -> Value:
        """Return a record of the function's own with another value of one variable."""
        record, _, value, _ = arguments
        name = node.args[1]
        if not isinstance(record, Made) or not isinstance(name, ast.Constant):
            raise NotShownError(node.args[0], f"is {described(record)}, and is written")
        part = str(name.value)
        if not isinstance(declared_parts(record.declared).get(part), Field):
            raise NotShownError(node, f"writes {part}, which is not a variable of a record")
        parts = dict(record.parts) | {part: value}
        return Made(record.declared, tuple(parts.items()))

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
            raise NotShownError(
                node, "calls a function that may be min or max", repair="call one of them by name"
            )
        for argument in arguments:
            if not isinstance(argument, Number):
                raise NotShownError(node, f"orders {described(argument)}")
        sets = [argument.values for argument in arguments if isinstance(argument, Number)]
        singles = [min(values) for values in sets if values is not None and len(values) == 1]
        return number(which(singles)) if len(singles) == len(arguments) else Number()

    def _converted(self, which: Any, values: list[Value], node: ast.Call) -> Value | None:
        """Return what a built-in function of values makes of them; None if it is unknown."""
        if which is range:
            return self._range(values, node)
        if which in (enumerate, zip) and values:
            return self._pairs(values, which is enumerate, node)
        if which in (set, frozenset) and len(values) < 2:
            return Own(self.mask_of_all(values[0], node) if values else number(0))
        if which is divmod and len(values) == 2:
            both = (ast.FloorDiv(), ast.Mod())
            return Several(
                tuple(self.names.computed(op, values[0], values[1], node) for op in both)
            )
        if which in (abs, pow, round) and values:
            others = [value for value in values if not isinstance(value, Number)]
            if others:
                raise NotShownError(node, f"computes with {described(others[0])}")
            if which is pow and len(values) == 2:
                return self.names.computed(ast.Pow(), values[0], values[1], node)
            return Number()
        if len(values) != 1:
            return None
        [value] = values
        if which in (list, tuple):
            return copied(self._contents(value, node))
        if which is iter:
            return self._contents(value, node)
        if which is bool:
            known = self.names.truth(value, node)
            return truth_value() if known is None else number(known)
        if isinstance(which, type) and issubclass(which, IntEnum) and isinstance(value, Number):
            return value
        if which is int and isinstance(value, Number | Replica | ReplicaSet):
            return value
        if which is int:
            raise NotShownError(node, f"computes with {described(value)}")
        return None

    def _pairs(self, values: list[Value], numbered: bool, node: ast.Call) -> Value:
        """Return what enumerate() or zip() makes of arrays and sequences."""
        arrays = [self._contents(value, node) for value in values]
        lists = [value.element for value in arrays if isinstance(value, Listed)]
        if len(lists) == len(values) and not (numbered and len(lists) > 1):
            return Listed(Several((Number(), *lists) if numbered else tuple(lists)))
        parts = [one for one in arrays if isinstance(one, Part) and isinstance(one.declared, Array)]
        kinds = {self.names.index(cast(Array, part.declared)) for part in parts}
        if len(parts) != len(values) or len(kinds) != 1 or (numbered and len(parts) != 1):
            repair = "write a loop over the indices: for n in range(...)"
            raise NotShownError(
                node, "takes side by side what is not arrays of the same replicas", repair=repair
            )
        return Pairs(tuple(parts), numbered)

    def readings(self, what: Value, node: ast.expr) -> list[Reading]:
        """Return what an iteration may go over: replicas if it has all of them, or else plain."""
        what = self._contents(what, node)
        if isinstance(what, Part) and isinstance(what.declared, Array):
            return [what]
        if isinstance(what, Listed | Bunch | Pairs):
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
        if isinstance(what, Listed):
            return another(what.element), None
        if isinstance(what, Bunch):
            # The same element may be there several times: no round has a place of its own.
            return another(what.element), fresh()
        assert isinstance(what, Part | Pairs)
        arrays, symbol = arrays_of(what), fresh()
        elements: list[Value] = []
        for array in arrays:
            assert isinstance(array.declared, Array)
            kind = self.names.index(array.declared)
            place = replace(array, form=f"{array.form}[]", indices=(*array.indices, symbol))
            elements.append(self._loaded(array.declared.element, place))
        if not isinstance(what, Pairs):
            return elements[0], None if kind is None else symbol
        index = Number(None, symbol) if kind is None else Replica(kind, False, symbol)
        pair = (index, *elements) if what.numbered else tuple(elements)
        return Several(pair), None if kind is None else symbol

    def _contents(self, what: Value, node: ast.expr) -> Value:
        """Return the members of a set, or the array of a sequence; anything else unchanged."""
        if isinstance(what, Constant) and isinstance(what.value, list | EnumType):
            return wrapped(tuple(cast(Iterable[object], what.value)))
        mask = self.mask(what)
        if isinstance(what, Own) and isinstance(mask, Number) and len(mask.values or ()) != 1:
            # The order of a set of Python's depends on the order in which its members came.
            return Bunch(Number())
        if mask is not None:
            return self._members(mask, node)
        method = self.method(what, "__iter__")
        if method is None:
            return what
        if self.is_sequence(what):
            element = self.element_of(what, node)
            # How many elements there are is read, too.
            self._named_part(method.owner, "length")
            return Listed(NOTHING if element is None else element)
        raise NotShownError(node, "goes over a record that iterates itself")

    def _named_part(self, owner: Part, name: str) -> Value:
        """Return a part of a record by its name."""
        assert isinstance(owner.declared, type)
        # mypy takes the hash of an object of the class for that of the class.
        return self._loaded(declared_parts(owner.declared)[name], self.part(owner, name))

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
        try:
            summary = self.analysis.summary(called, inside, node)
        except NotShownError as refused:
            raise self.analysis.called_from(refused, self.function, node) from None
        outer = {inside: symbol for symbol, inside in inner.items()}

        def outwards(symbol: int) -> int:
            return outer.setdefault(symbol, fresh())

        for form, indices in summary.effects.reads:
            self.effects.reads.add((form, indices_as(indices, outwards)))
        for write in summary.effects.writes:
            form, indices = write.location
            self.flow.forget(form)
            self.effects.writes.add(Write((form, indices_as(indices, outwards)), write.how))
        self.effects.fails = self.effects.fails or summary.effects.fails
        if summary.effects.unknown:
            self.effects.unknown = summary.effects.unknown
            self.flow.loaded.clear()
        for form in summary.effects.replaced:
            if not self.is_alone(node):
                raise NotShownError(node, f"replaces {form} within an expression: call it before")
            self.replaced(form, node)
        return renamed(summary.result, outwards, Flow())


def in_order(
    function: FunctionType, positional: Sequence[Value], named: dict[str, Value], node: ast.AST
) -> tuple[Value, ...]:
    """Return the arguments of a call in the order of the function's parameters."""
    parameters = Parameters.of_function(function)
    defaults = {name: wrapped(value) for name, value in defaults_of(function).items()}
    try:
        values = parameters.bind(positional, named, defaults).values
    except CallError:
        raise NotShownError(node, "does not fit the parameters of the function") from None
    return tuple(values[name] for name in (*parameters.positional, *parameters.named))
