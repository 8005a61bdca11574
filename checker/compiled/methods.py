"""Methods of records of the state, and what Python's operators make of those that have any."""

from __future__ import annotations

import ast
import types

from ...core.containers import Seq
from .arithmetic import COMPARISONS, FOLDED
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
    """

    def __init__(self, unit: Functions, out: Emitter) -> None:
        super().__init__(out)
        self.unit = unit

    def method(self, owner: StateRef, name: str) -> Method | None:
        """Return a method of a record of the state; None where that has none of the name."""
        kind = type(owner.sample)
        if not isinstance(vars(kind).get(name), types.FunctionType):
            return None
        return Method(self.unit.reads.ask("attribute", kind, name), owner)

    def getter(self, owner: StateRef) -> Method | None:
        """Return the method by which a record gives an element; of a sequence also a record."""
        method = self.method(owner, "__getitem__")
        if method is not None and method.function is Seq.__getitem__:
            return self.method(owner, "at")
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

    def records_compared(self, comparison: ast.cmpop, left: StateRef, right: Value) -> Value:
        """Return how a record compares with another value by a method of its own."""
        differs = isinstance(comparison, ast.NotEq)
        name = "eq" if differs else FOLDED[type(comparison)].__name__
        method = self.method(left, f"__{name}__")
        if method is None or not isinstance(right, StateRef):
            return self.out.compare(COMPARISONS[type(comparison)], left, right)
        compared = self.call(method, [right])
        return self.negation(compared) if differs else compared

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
