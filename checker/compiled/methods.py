"""Methods of records of the state, and what Python's operators make of those that have any."""

from __future__ import annotations

import ast
import types

from ...core.fields import Record
from ...core.sequences import Seq
from .emitter import Emitter
from .function import Functions
from .marking import Marking
from .values import (
    NOWHERE,
    Constant,
    Items,
    Method,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    integer_of,
)


class Methods(Marking):
    """Finds the methods of records, which sets, sequences and bags are.

    Attributes
    ----------
    unit
        The functions of the model that are translated.
    pure
        Whether nothing may be written to the state.
    """

    def __init__(self, unit: Functions, out: Emitter) -> None:
        super().__init__(out)
        self.unit = unit
        self.pure = False

    def method(self, owner: StateRef, name: str) -> Method | None:
        """Return a method of a record of the state; None where that has none of the name."""
        kind = type(owner.sample)
        own = isinstance(vars(kind).get(name), types.FunctionType)
        if not own and not (name == "assign" and isinstance(owner.sample, Record)):
            return None
        return Method(self.unit.reads.ask("attribute", kind, name), owner)

    def element_method(self, owner: StateRef, name: str) -> Method | None:
        """Return the method by which a record gives or takes an element; of a sequence one of it.

        What Python calls with an index or a slice is another method there for an index alone.
        """
        method = self.method(owner, name)
        if method is not None and method.function in (Seq.__getitem__, Seq.__setitem__):
            return self.method(owner, "at" if name == "__getitem__" else "set")
        return method

    def call(
        self, method: Method, arguments: list[Value], named: dict[str, Value] | None = None
    ) -> Value:
        """Return the value of the call of a method."""
        raise NotImplementedError

    def filled(self, value: Value) -> Value:
        """Return what is true where a value is: of a set or a sequence, whether it has elements."""
        if isinstance(value, StateRef) and (method := self.method(value, "__bool__")):
            return self.call(method, [])
        return value

    def negation(self, value: Value) -> Value:
        """Return the opposite of a truth value."""
        if isinstance(value, Constant):
            return Constant(not value.value)
        return Truth(self.out.value(f"xor i1 {self.out.truth(value)}, true"))

    def item_of(self, owner: Items | Constant, index: Constant, node: ast.Subscript) -> Value:
        """Return an item of a tuple, or of what is known."""
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
