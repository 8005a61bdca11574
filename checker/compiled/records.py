"""From a plain Python function to LLVM: records, their parts and their methods."""

from __future__ import annotations

import ast
import types
from functools import reduce

from ...core.fields import Record, method_of, part_names
from ...core.sequences import RecordSeq, Seq
from .scope import Scope
from .values import (
    NOWHERE,
    Constant,
    Items,
    Made,
    Method,
    Number,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    integer_of,
    span,
    union,
)

ITERATIONS = (Seq.__iter__, RecordSeq.__iter__)
"""The methods by which sequences are iterated."""

ELEMENTS = (Seq.at, RecordSeq.at)
"""The methods by which an element of a sequence is read."""


class Records:
    """Finds the parts and the methods of records, including sets, sequences and bags."""

    def __init__(self, scope: Scope) -> None:
        self.unit, self.out = scope.unit, scope.out

    def method(self, owner: StateRef | Made, name: str) -> Method | None:
        """Return a method of a record; None if it has none of that name."""
        kind = owner.kind if isinstance(owner, Made) else type(owner.sample)
        if isinstance(owner.sample, type):
            own = method_of(kind, name) is not None
        else:
            own = isinstance(vars(kind).get(name), types.FunctionType)
        if not own and not (name == "assign" and issubclass(kind, Record)):
            return None
        return Method(self.unit.known.ask("attribute", kind, name), owner)

    def element_method(self, owner: StateRef | Made, name: str) -> Method | None:
        """Return the method by which a record reads or writes an element.

        For a sequence it is the method for an index alone, since Python's also takes slices.
        """
        method = self.method(owner, name)
        if method is not None and method.function in (Seq.__getitem__, Seq.__setitem__):
            return self.method(owner, "at" if name == "__getitem__" else "set")
        return method

    def item_of(self, owner: Items | Constant, index: Constant, node: ast.Subscript) -> Value:
        """Return an item of a tuple, or of a known value."""
        number = integer_of(index.value)
        if isinstance(owner, Items):
            length = len(owner.items)
        elif type(owner.value) in (tuple, list, range):
            length = self.unit.known.ask("len", owner.value)
        else:
            return Constant(self.unit.known.ask("getitem", owner.value, index.value))
        if number is None:
            raise UnsupportedError(f"an index that is no number in {ast.unparse(node)}")
        if not -length <= number < length:
            self.out.fail_if("true")
            return NOWHERE
        if isinstance(owner, Items):
            return owner.items[number]
        return Constant(self.unit.known.ask("getitem", owner.value, index.value))

    @staticmethod
    def part(owner: StateRef, name: str) -> StateRef:
        """Return a variable, record or array of a record."""
        form = f"{owner.form}.{name}" if owner.form else name
        if not hasattr(owner.sample, name):
            raise UnsupportedError(f"the state has no {form}")
        part = getattr(owner.sample, name)
        return StateRef(owner.base, form, owner.indices, part, owner.element)

    def loaded(self, place: StateRef | None) -> Value:
        """Return the value at a place if it is a variable, otherwise the place itself."""
        if place is None:
            return NOWHERE
        if isinstance(place.sample, int):
            return self.unit.places.load(self.out, place)
        return place

    def variable(self, owner: StateRef | Made, name: str) -> Value:
        """Return the value of a variable of a record, or a part that is no variable."""
        if isinstance(owner, StateRef):
            return self.loaded(self.part(owner, name))
        if isinstance(owner.sample, type):
            known = f".{name}" in owner.paths
        else:
            known = isinstance(owner.sample, Record) and name in part_names(owner.sample)
        if not known:
            raise UnsupportedError(f"{name} of a record that is no part of the state")
        return self._within(owner, f".{name}", getattr(owner.sample, name))

    @staticmethod
    def _within(owner: Made, step: str, sample: object) -> Value:
        """Return a part of a record or an array outside of the state."""
        inside = tuple(zip(owner.paths, owner.values, strict=True))
        values: dict[str, Value] = {
            path.removeprefix(step): value
            for path, value in inside
            if path == step or path.startswith((f"{step}.", f"{step}["))
        }
        part: Value = Made(tuple(values), tuple(values.values()), sample)
        return values.get("", part)

    def item(self, array: StateRef | Made, index: Value) -> Value:
        """Return the value of an element of an array, or the element if that is no variable."""
        if isinstance(array, StateRef):
            return self.loaded(self.element(array, index))
        known = self._checked(array, index)
        if known is None:
            return NOWHERE
        items = self.items(array)
        if isinstance(known, Constant):
            return items[int(known.value)]
        result = items[0]
        for number, other in enumerate(items[1:], 1):
            here = self.out.compare("eq", known, Constant(number))
            result = self._chosen(here, other, result)
        return result

    def items(self, array: Made) -> list[Value]:
        """Return the elements of an array outside of the state."""
        return [self._within(array, f"[{i}]", part) for i, part in enumerate(array.sample)]

    def _chosen(self, test: Value, yes: Value, no: Value) -> Value:
        """Emit a choice between two elements of an array."""
        if isinstance(yes, Made) and isinstance(no, Made):
            pairs = zip(yes.values, no.values, strict=True)
            chosen = tuple(self._chosen(test, one, other) for one, other in pairs)
            return Made(yes.paths, chosen, yes.sample)
        return self.out.select(test, yes, no, reduce(union, (span(yes), span(no))))

    def element(self, array: StateRef, index: Value) -> StateRef | None:
        """Return an element of an array; None if the index is certainly wrong."""
        known = self._checked(array, index)
        if known is None:
            return None
        sample = array.sample[known.value if isinstance(known, Constant) else 0]
        indices = (*array.indices, known)
        return StateRef(array.base, f"{array.form}[]", indices, sample, array.element)

    def _checked(self, array: StateRef | Made, index: Value) -> Constant | Number | None:
        """Return an index, and emit its check; None if it is certainly wrong."""
        length = len(array.sample)
        if index is NOWHERE:
            self.out.fail_if("true")
            return None
        if isinstance(index, Truth):
            index = Number(self.out.number(index), (0, 1))
        if isinstance(index, Constant):
            index = Constant(integer_of(index.value))
        if not isinstance(index, (Constant, Number)) or index == Constant(None):
            where = array.form if isinstance(array, StateRef) else "an array"
            raise UnsupportedError(f"an index of {where} that is no number")
        if (isinstance(index, Constant) and not 0 <= index.value < length) or not length:
            self.out.fail_if("true")
            return None
        if isinstance(index, Number):
            self.unit.places.beyond(self.out, index, length)
            return index if length > 1 else Constant(0)
        return index
