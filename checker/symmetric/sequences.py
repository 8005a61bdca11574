"""Sequences of the state and lists, and records that are copied: the same in both runs in order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from ...core.containers import Bag, Seq, Sorted
from ...core.fields import Array, Field, Record, declared_parts, limit_of
from .names import described, may_be_none_at
from .sets import Sets
from .values import (
    LOWEST,
    NOTHING,
    Bunch,
    Flow,
    Index,
    Listed,
    Made,
    NotShownError,
    Number,
    Own,
    Pairs,
    Part,
    Replica,
    Several,
    Value,
    fresh,
    number,
)

METHODS = {"pop", "insert", "extend", "remove", "copy"}
"""The methods of a sequence that are taken for what they do, without reading their code."""


def copied(value: Value) -> Value:
    """Return a value as it is now: later writes do not change it."""
    return replace(value, copy=fresh()) if isinstance(value, Part) else value


def renamed(value: Value, symbols: Callable[[int], int], flow: Flow) -> Value:
    """Return an argument or a result of a function with other symbols.

    Those of its parameters are numbered in order, so that calls which differ only in the symbols of
    their arguments share an analysis.
    """
    if isinstance(value, Number):
        return Number(value.values, symbols(value.symbol), value.member)
    if isinstance(value, Replica):
        return Replica(value.kind, may_be_none_at(value, flow), symbols(value.symbol))
    if isinstance(value, Part):
        copy = symbols(value.copy) if value.copy else 0
        return Part(value.declared, value.form, indices_as(value.indices, symbols), copy)
    if isinstance(value, Pairs):
        each = (cast(Part, renamed(array, symbols, flow)) for array in value.arrays)
        return Pairs(tuple(each), value.numbered)
    if isinstance(value, Own):
        return Own(renamed(value.mask, symbols, flow))
    if isinstance(value, Listed | Bunch):
        return type(value)(renamed(value.element, symbols, flow))
    if isinstance(value, Made):
        return Made(
            value.declared, tuple((name, renamed(v, symbols, flow)) for name, v in value.parts)
        )
    if isinstance(value, Several):
        return Several(tuple(renamed(item, symbols, flow) for item in value.items))
    return value


def indices_as(indices: tuple[Index, ...], symbols: Callable[[int], int]) -> tuple[Index, ...]:
    """Return the indices of a place with other symbols."""
    return tuple(i if isinstance(i, str) else symbols(i) for i in indices)


def another(element: Value) -> Value:
    """Return an element of a list: two of them are of one sort, and may differ."""
    symbols: dict[int, int] = {}
    return renamed(element, lambda symbol: symbols.setdefault(symbol, fresh()), Flow())


class Sequences(Sets):
    """Evaluates operations on sequences, lists and records as a whole."""

    def is_sequence(self, value: Value) -> bool:
        """Whether a value is a sequence of the state."""
        method = self.method(value, "__getitem__")
        return method is not None and method.function is Seq.__getitem__

    def items(self, sequence: Part) -> tuple[Array, Part]:
        """Return the array of a sequence."""
        assert isinstance(sequence.declared, type)
        # mypy takes the hash of an object of the class for that of the class.
        array = declared_parts(sequence.declared)["items"]
        assert isinstance(array, Array)
        return array, replace(self.part(sequence, "items"), declared=array)

    def any_element(self, sequence: Part) -> tuple[Field | Array | type, Part]:
        """Return the declaration of an element of a sequence, and the place of some element."""
        array, items = self.items(sequence)
        indices = (*items.indices, fresh())
        return array.element, Part(Record, f"{items.form}[]", indices, items.copy)

    def element_of(self, value: Value, node: ast.AST) -> Value | None:
        """Return any element of a sequence or a list as it is now; None for an empty list."""
        if isinstance(value, Listed):
            return another(value.element)
        if isinstance(value, Several):
            element = value.items[0] if value.items else None
            for item in value.items[1:]:
                assert element is not None
                element = self.names.joined(element, item, Flow(), Flow())
            return element
        if isinstance(value, Part) and self.is_sequence(value):
            return copied(self._loaded(*self.any_element(value)))
        raise NotShownError(node, f"takes {described(value)} as a sequence")

    def slice_of(self, owner: Value, chosen: ast.Slice, node: ast.AST) -> Value:
        """Return a slice of a sequence or a list, with bounds that are the same in both runs."""
        for bound in (chosen.lower, chosen.upper, chosen.step):
            if bound is not None and not isinstance(value := self.expression(bound), Number):
                raise NotShownError(node, f"counts from or up to {described(value)}")
        element = self.element_of(owner, node)
        return Several(()) if element is None else Listed(element)

    def same_lists(self, left: Value, right: Value, node: ast.AST) -> None:
        """Refuse to compare lists whose elements are not of one sort."""
        one, other = self.element_of(left, node), self.element_of(right, node)
        if one is None or other is None:
            return
        mine, others = self.variables(one), self.variables(other)
        pairs = (
            [(one, other)]
            if mine is None or others is None
            else [(value, others.get(name, NOTHING)) for name, value in mine.items()]
        )
        for first, second in pairs:
            self.names.computed(ast.Eq(), first, second, node)

    def variables(self, value: Value) -> dict[str, Value] | None:
        """Return the values of a record's variables; None if it has anything else."""
        if isinstance(value, Made):
            return dict(value.parts)
        if not isinstance(value, Part) or not isinstance(value.declared, type):
            return None
        # mypy takes the hash of an object of the class for that of the class.
        parts = declared_parts(value.declared)
        if self.method(value, "__eq__") or not parts:
            return None
        return (
            {
                name: self._loaded(declared, self.part(value, name))
                for name, declared in parts.items()
                if isinstance(declared, Field)
            }
            if all(isinstance(declared, Field) for declared in parts.values())
            else None
        )

    def copied_into(self, target: Value, source: Value, node: ast.expr) -> None:
        """Write every variable of a record, a container or an array into another one."""
        if not isinstance(target, Part):
            raise NotShownError(node, f"copies {described(source)}")
        if source == LOWEST:
            self._lowered(target, node)
        elif isinstance(target.declared, Array):
            self._copied_array(target, target.declared, source, node)
        elif place := self.mask_place(target):
            mask = self.mask(source)
            if mask is None:
                raise NotShownError(node, f"takes {described(source)} as a set")
            self.put(*place, mask, node, "")
        elif self.is_sequence(target):
            element = self.element_of(source, node)
            self.rebuilt(target, [] if element is None else [element], node)
        else:
            values = self._parts_of(source)
            # mypy takes the hash of an object of the class for that of the class.
            parts = declared_parts(target.declared)
            if values.keys() != parts.keys():
                raise NotShownError(node, f"copies {described(source)}")
            for name, declared in parts.items():
                self.fill(declared, self.part(target, name), values[name], node)

    def may_be_another(self, declared: Field | Array | type) -> bool:
        """Whether Python's object in place of a part does as the part does, for all that matters.

        A set of plain numbers has an order of its own there, and a list of records has the very
        records that are put into it.
        """
        if isinstance(declared, Field):
            return True
        if isinstance(declared, Array):
            return self.may_be_another(declared.element)
        # mypy takes the hash of an object of the class for that of the class.
        parts, place = declared_parts(declared), Part(declared, "", ())
        if isinstance(mask := parts.get("mask"), Field) and self.method(place, "__contains__"):
            return self.names.named(mask) is not None
        if self.is_sequence(place):
            items = parts["items"]
            return isinstance(items, Array) and isinstance(items.element, Field)
        return not issubclass(declared, Bag | Sorted) and all(
            map(self.may_be_another, parts.values())
        )

    def fill(
        self, declared: Field | Array | type, place: Part, value: Value, node: ast.expr
    ) -> None:
        """Write a variable, or copy what there is into another part of the state."""
        if not isinstance(declared, Field):
            self.copied_into(replace(place, declared=declared), value, node)
        elif value == LOWEST:
            low = limit_of(declared.low, self.analysis.constants)
            self.put(declared, place, number(low), node, "")
        else:
            self.put(declared, place, value, node, "")

    def _parts_of(self, record: Value) -> dict[str, Value]:
        """Return the parts of a record, by name; none of anything else."""
        if isinstance(record, Made):
            return dict(record.parts)
        if not isinstance(record, Part) or not isinstance(record.declared, type):
            return {}
        # mypy takes the hash of an object of the class for that of the class.
        return {
            name: self._loaded(declared, self.part(record, name))
            for name, declared in declared_parts(record.declared).items()
        }

    @staticmethod
    def _some(array: Part, index: int) -> Part:
        """Return the place of an element of an array."""
        return replace(array, form=f"{array.form}[]", indices=(*array.indices, index))

    def _lowered(self, target: Part, node: ast.expr) -> None:
        """Give every variable of a part its lowest value."""
        if isinstance(target.declared, Array):
            place = self._some(target, fresh())
            self.fill(target.declared.element, place, LOWEST, node)
            return
        # mypy takes the hash of an object of the class for that of the class.
        for name, declared in declared_parts(target.declared).items():
            self.fill(declared, self.part(target, name), LOWEST, node)

    def _copied_array(self, target: Part, declared: Array, source: Value, node: ast.expr) -> None:
        """Write the elements of an array to another one, each to its place."""
        index, kind = fresh(), self.names.index(declared)
        if isinstance(source, Part) and isinstance(source.declared, Array):
            if self.names.index(source.declared) != kind:
                raise NotShownError(
                    node, "copies an array to one whose indices are of another kind"
                )
            element = self._loaded(source.declared.element, self._some(source, index))
        elif kind is None and isinstance(source, Several | Listed):
            element = self.element_of(source, node) or LOWEST
        else:
            raise NotShownError(node, f"copies {described(source)} to the array {target.form}")
        self.fill(declared.element, self._some(target, index), element, node)

    def rebuilt(self, sequence: Part, added: list[Value], node: ast.expr) -> None:
        """Write elements of a sequence, or others, to places of it that are the same in both."""
        assert isinstance(sequence.declared, type)
        # mypy takes the hash of an object of the class for that of the class.
        parts = declared_parts(sequence.declared)
        element = self._loaded(*self.any_element(sequence))
        blank = self._loaded(parts["blank"], self.part(sequence, "blank"))
        for value in [copied(element), blank, *added]:
            declared, place = self.any_element(sequence)
            self.fill(declared, place, value, node)
        length = parts["length"]
        assert isinstance(length, Field)
        self.put(length, self.part(sequence, "length"), Number(), node, "")

    def sequence_method(
        self, owner: Value, name: str, arguments: list[Value], node: ast.Call
    ) -> Value:
        """Return the result of a method of a sequence, and record its effects."""
        assert isinstance(owner, Part)
        element = self.element_of(owner, node)
        assert element is not None
        if name == "copy":
            return Listed(element)
        if name == "extend":
            [values] = arguments
            added = self.element_of(values, node)
            self.rebuilt(owner, [] if added is None else [added], node)
            return NOTHING
        at = arguments[0]
        if name == "remove":
            self.same_lists(owner, Several((at,)), node)
        elif not isinstance(at, Number):
            raise NotShownError(node, f"counts by {described(at)}")
        self.rebuilt(owner, arguments[1:], node)
        return element if name == "pop" else NOTHING
