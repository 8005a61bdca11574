"""From a plain Python function to LLVM: records of the state, their parts and their methods."""

from __future__ import annotations

import ast
import types

from ...core.fields import Record
from ...core.sequences import Seq
from .scope import Scope
from .values import (
    NOWHERE,
    Constant,
    Items,
    Method,
    Number,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    integer_of,
)


class Records:
    """Finds the parts and the methods of records, including sets, sequences and bags."""

    def __init__(self, scope: Scope) -> None:
        self.unit, self.out = scope.unit, scope.out

    def method(self, owner: StateRef, name: str) -> Method | None:
        """Return a method of a record of the state; None if it has none of that name."""
        kind = type(owner.sample)
        own = isinstance(vars(kind).get(name), types.FunctionType)
        if not own and not (name == "assign" and isinstance(owner.sample, Record)):
            return None
        return Method(self.unit.reads.ask("attribute", kind, name), owner)

    def element_method(self, owner: StateRef, name: str) -> Method | None:
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
            length = self.unit.reads.ask("len", owner.value)
        else:
            return Constant(self.unit.reads.ask("getitem", owner.value, index.value))
        if number is None:
            raise UnsupportedError(f"an index that is no number in {ast.unparse(node)}")
        if not -length <= number < length:
            self.out.fail_if("true")
            return NOWHERE
        if isinstance(owner, Items):
            return owner.items[number]
        return Constant(self.unit.reads.ask("getitem", owner.value, index.value))

    @staticmethod
    def part(owner: StateRef, name: str) -> StateRef:
        """Return a variable, record or array of a record."""
        form = f"{owner.form}.{name}" if owner.form else name
        if not hasattr(owner.sample, name):
            raise UnsupportedError(f"the state has no {form}")
        return StateRef(owner.base, form, owner.indices, getattr(owner.sample, name))

    def loaded(self, place: StateRef | None) -> Value:
        """Return the value at a place if it is a variable, otherwise the place itself."""
        if place is None:
            return NOWHERE
        if isinstance(place.sample, int):
            return self.unit.places.load(self.out, place)
        return place

    def variable(self, owner: StateRef, name: str) -> Value:
        """Return the value of a variable of a record."""
        return self.loaded(self.part(owner, name))

    def element(self, array: StateRef, index: Value) -> StateRef | None:
        """Return an element of an array; None if the index is certainly wrong."""
        length = len(array.sample)
        if index is NOWHERE:
            self.out.fail_if("true")
            return None
        if isinstance(index, Truth):
            index = Number(self.out.number(index), (0, 1))
        if isinstance(index, Constant):
            index = Constant(integer_of(index.value))
        if not isinstance(index, (Constant, Number)) or index == Constant(None):
            raise UnsupportedError(f"an index of {array.form} that is no number")
        if (isinstance(index, Constant) and not 0 <= index.value < length) or not length:
            self.out.fail_if("true")
            return None
        if isinstance(index, Number):
            self.unit.places.beyond(self.out, index, length)
            index = index if length > 1 else Constant(0)
        sample = array.sample[index.value if isinstance(index, Constant) else 0]
        return StateRef(array.base, f"{array.form}[]", (*array.indices, index), sample)
