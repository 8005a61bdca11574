"""Reads and writes of parts of the state: records, arrays and variables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...core.fields import NONE, Array, Field, Record, declared_parts, limit_of
from .names import described, index_of, may_be_none_at
from .values import (
    Effects,
    Flow,
    NotShownError,
    Number,
    Part,
    Replica,
    ReplicaSet,
    Unclear,
    Value,
    Write,
    number,
    places,
)

if TYPE_CHECKING:
    from .analysis import Analysis


class Result(NamedTuple):
    """A result of a function, with the flow there, and the statement.

    ``is_picked`` says that a loop over replicas returns that of any of them.
    """

    value: Value
    flow: Flow
    node: ast.AST
    is_picked: bool = False


class Parts:
    """Finds, reads and writes parts of the state.

    Parameters
    ----------
    analysis
        Has the functions analysed before.
    function
        The function, in which names are looked up.

    Attributes
    ----------
    flow
        The flow at the next expression.
    over
        Whether nothing gets there.
    effects
        What has been read and written so far.
    results
        The results so far.
    """

    def __init__(self, analysis: Analysis, function: Callable[..., Any]) -> None:
        self.analysis, self.names, self.function = analysis, analysis.names, function
        self.flow = Flow()
        self.over = False
        self.effects = Effects()
        self.results: list[Result] = []

    def inside(self) -> Self:
        """Return an analysis of what follows, which changes nothing here until it is adopted."""
        inner = copy(self)
        inner.flow, inner.effects, inner.results = self.flow.copy(), Effects(), []
        return inner

    def adopt(self, inner: Self) -> None:
        """Continue where another analysis of what follows ends."""
        self.flow, self.over = inner.flow, inner.over
        self.effects.add(inner.effects)
        self.results += inner.results

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        raise NotImplementedError

    def place(self, node: ast.expr) -> Value:
        """Return the value of an expression; an element of a sequence as what may be written."""
        raise NotImplementedError

    def _field(self, owner: Part, node: ast.Attribute) -> tuple[Field | Array | type, Part]:
        """Return the declaration and the place of a part of a record."""
        if isinstance(owner.declared, Array):
            raise NotShownError(node, f"takes an attribute of the array {owner.form}")
        # mypy takes the hash of an object of the class for that of the class.
        parts = declared_parts(owner.declared)
        if node.attr not in parts:
            raise NotShownError(node, f"is not declared in {owner.declared.__name__}")
        return parts[node.attr], self.part(owner, node.attr)

    def length(self, array: Part) -> int | None:
        """Return the length of an array; None for what is none."""
        if not isinstance(array.declared, Array):
            return None
        return limit_of(array.declared.length, self.analysis.constants)

    @staticmethod
    def part(owner: Part, name: str) -> Part:
        """Return the place of a part of a record."""
        form = f"{owner.form}.{name}" if owner.form else name
        return replace(owner, form=form)

    def _element(
        self, array: Part, index: Value, node: ast.Subscript
    ) -> tuple[Field | Array | type, Part]:
        """Return the declaration and the place of an element of an array."""
        declared = array.declared
        if not isinstance(declared, Array):
            raise NotShownError(node, f"takes an element of the record {array.form}")
        kind = self.names.index(declared)
        if kind is not None:
            at: Number | Replica = self._index(array, kind, index, node)
        elif isinstance(index, Number):
            at = index
        elif isinstance(index, Replica):
            raise NotShownError(
                node,
                f"uses the number of a replica as an index of {array.form}, which is not declared "
                "by_replica",
            )
        else:
            raise NotShownError(node, f"uses {described(index)} as an index of {array.form}")
        indices = (*array.indices, index_of(at))
        place = Part(Record, f"{array.form}[]", indices, array.copy)
        return declared.element, place

    def _index(self, array: Part, kind: str, index: Value, node: ast.Subscript) -> Number | Replica:
        """Return the index of an array that is indexed by replicas of a kind."""
        replica = self.names.as_replica(index, kind)
        if replica is None:
            by = kind or "replica"
            what = f"uses {described(index)} as an index of {array.form}, which is by {by}"
            several = isinstance(index, Number) and len(index.values or ()) != 1
            raise NotShownError(node, what, mistaken=several)
        if may_be_none_at(replica, self.flow):
            raise NotShownError(
                node,
                f"may use NONE, which is {NONE}, as an index of {array.form}, and so refer to the "
                "last replica",
            )
        return index if isinstance(index, Number) else replica

    def _loaded(self, declared: Field | Array | type, place: Part) -> Value:
        """Return the part of the state at a place, or the value of its variable."""
        if not isinstance(declared, Field):
            return replace(place, declared=declared)
        location = place.form, place.indices
        self.effects.reads.add(location)
        if place.copy:
            # Knowledge of a copy stays true when the part is written.
            location = f"{place.form}@{place.copy}", place.indices
        if location not in self.flow.loaded:
            self.flow.loaded[location] = self._variable(declared)
        return self.flow.loaded[location]

    def _variable(self, declared: Field) -> Value:
        """Return the unknown value of a variable."""
        low, high = (
            limit_of(one, self.analysis.constants) for one in (declared.low, declared.high)
        )
        if low == high and not declared.names:
            return number(low)
        kind = self.names.named(declared)
        if kind is None:
            return Number(member=declared.kind is not int)
        if declared.names == "replicas":
            return ReplicaSet(kind)
        return Replica(kind, low < 0) if low >= NONE else Unclear("may be below NONE")

    def store(self, target: ast.expr, value: Value, how: str = "") -> None:
        """Write a variable of the state."""
        self.put(*self.target(target), value, target, how)

    def put(self, declared: Field, place: Part, value: Value, node: ast.expr, how: str) -> None:
        """Write a variable at a place."""
        if place.copy:
            raise NotShownError(node, f"writes to a copy of {place.form}")
        stored = self._as_declared(declared, place.form, value, node)
        location = place.form, place.indices
        self.flow.forget(place.form)
        self.flow.loaded[location] = stored
        if not how and isinstance(value, Number) and value.values and len(value.values) == 1:
            how = f"={min(value.values)}"
        self.effects.writes.add(Write(location, how))

    def replaced(self, form: str, node: ast.AST) -> None:
        """Note that another object is put for a part, for which nothing here may be a name."""
        for name, value in self.flow.local.items():
            old = [one for one in places(value) if f"{one}.".startswith((f"{form}.", f"{form}["))]
            if old:
                why = f"replaces {form}, of which {name} is the old one: use assign(...)"
                raise NotShownError(node, why)
        self.effects.replaced.add(form)

    def target(self, target: ast.expr) -> tuple[Field, Part]:
        """Return the declaration and the place of a variable that is written."""
        declared, place = self.written(target)
        if isinstance(declared, Field):
            return declared, place
        raise NotShownError(target, f"replaces {place.form}, a part of the state")

    def written(self, target: ast.expr) -> tuple[Field | Array | type, Part]:
        """Return the declaration and the place of whatever is assigned."""
        if isinstance(target, ast.Attribute | ast.Subscript):
            owner = self.place(target.value)
            if isinstance(owner, Part):
                if isinstance(target, ast.Attribute):
                    return self._field(owner, target)
                return self._element(owner, self.expression(target.slice), target)
        raise NotShownError(target, "writes to something that is not a variable of the state")

    def _as_declared(self, declared: Field, form: str, value: Value, node: ast.expr) -> Value:
        """Return a value in the form in which its variable stores it."""
        kind = self.names.named(declared)
        if kind is not None and declared.names == "replica":
            replica = self.names.as_replica(value, kind)
            if replica is not None:
                low = limit_of(declared.low, self.analysis.constants)
                if low >= 0 and may_be_none_at(replica, self.flow):
                    raise NotShownError(node, f"may write NONE to {form}, whose lowest value is 0")
                return replica
        elif kind is not None:
            chosen = self.names.as_set(value, kind)
            if chosen is not None and chosen.wide:
                raise NotShownError(node, f"may write a negative set to {form}")
            if chosen is not None:
                return chosen
        elif isinstance(value, Number):
            return value
        held: Value = Number()
        if kind is not None:
            held = Replica(kind, False) if declared.names == "replica" else ReplicaSet(kind)
        raise NotShownError(
            node, f"stores {described(value)} in {form}, declared as {described(held)}"
        )
