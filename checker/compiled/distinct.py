"""From a plain Python function to LLVM: sets of tuples or of records outside of the state.

A set of numbers is a bit mask; one of tuples or records is a list that has each of them once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...core.containers import RecordSet
from ...language.methods import COMPARISONS, OPERATIONS
from .function import Scope
from .values import (
    Bits,
    Cells,
    Constant,
    Distinct,
    Items,
    Made,
    Number,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
)

if TYPE_CHECKING:
    from .expressions import Expressions

_SOME = ast.Name("a set of tuples or records", ast.Load())

_COMBINING = (ast.BitAnd, ast.BitOr, ast.Sub, ast.BitXor)


class DistinctSets:
    """Translates operations on sets of tuples or records."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.out, self.lists, self.expressions = scope.out, scope.lists, expressions

    def of(self, value: Value) -> Distinct | None:
        """Return a value as a set of tuples or records; None for what is none."""
        if isinstance(value, Distinct):
            return value
        if is_record_set(value):
            made = self.new()
            self._each(value, lambda member: self.lists.append(made.cells, member))
            return made
        known = value.value if isinstance(value, Constant) else None
        if type(known) not in (set, frozenset) or not known:
            return None
        if any(type(member) is not tuple for member in known):
            return None
        return self.made_of([Items(tuple(map(Constant, member))) for member in sorted(known)])

    def made_of(self, items: list[Value]) -> Distinct:
        """Return a set of these tuples or records."""
        made = self.new()
        for item in items:
            self.add(made, item)
        return made

    def new(self) -> Distinct:
        """Return an empty set."""
        return Distinct(self.lists.new(set))

    def add(self, members: Distinct, value: Value) -> None:
        """Emit the addition of a tuple or a record."""
        if not is_member(value):
            raise UnsupportedError("a set of tuples or records, and of something else,")
        if isinstance(value, StateRef) and not value.element:
            members.places.append(value)
        if isinstance(value, StateRef):
            contents = self.expressions.sequences.contents(value)
            value = Made(tuple(contents), tuple(contents.values()), value.sample)
        self.lists.expect(members.cells, value)
        new, on = self.out.label("new"), self.out.label("on")
        self.out.branch(self.has(members, value), on, new)
        self.out.place_label(new)
        self.lists.append(members.cells, value)
        self.out.place_label(on)

    def has(self, members: Distinct, value: Value) -> Value:
        """Return whether a tuple or a record is in a set."""
        cells = members.cells
        return self._any(cells, lambda one: self.expressions.compared(ast.Eq(), one, value))

    def _any(self, cells: Cells, test: Callable[[Value], Value]) -> Value:
        """Return whether something is true of a member."""
        out = self.out
        result = out.variable()
        out.emit(f"store i64 0, ptr {result}")

        def look(member: Value) -> None:
            truth = out.value(f"zext i1 {out.truth(test(member))} to i64")
            before = out.value(f"load i64, ptr {result}")
            out.emit(f"store i64 {out.value(f'or i64 {before}, {truth}')}, ptr {result}")

        self._each(cells, look)
        return Truth(out.value(f"icmp ne i64 {out.value(f'load i64, ptr {result}')}, 0"))

    def _each(self, members: Value, body: Callable[[Value], None]) -> None:
        """Emit a loop over the members; there is none in a set to which nothing is ever added."""
        if not isinstance(members, Cells) or members.shapes:
            over = self.expressions.calls.loops.over
            over(_SOME, members, lambda member, following, end: body(member))

    def length(self, members: Distinct) -> Number:
        """Return how many members a set has."""
        return self.lists.length(members.cells)

    def combined(self, operator: ast.operator, left: Value, right: Value) -> Distinct | None:
        """Return the result of an operator on two such sets; None for anything else."""
        one, other = self._both(left, right)
        if one is None or other is None or not isinstance(operator, _COMBINING):
            return None
        made = self.new()
        made.places.extend([*one.places, *other.places])
        wanted = isinstance(operator, ast.BitAnd)
        if isinstance(operator, ast.BitOr):
            self._each(one.cells, lambda member: self.add(made, member))
        else:
            self._add_those(made, one, other, wanted)
        if isinstance(operator, (ast.BitOr, ast.BitXor)):
            self._add_those(made, other, one, wanted=False)
        return made

    def _both(self, left: Value, right: Value) -> tuple[Distinct | None, Distinct | None]:
        """Return two such sets, one of which may be empty, a constant or a part of the state."""
        if not any(isinstance(one, Distinct) or is_record_set(one) for one in (left, right)):
            return None, None
        return self._or_empty(left), self._or_empty(right)

    def _or_empty(self, value: Value) -> Distinct | None:
        no_bits = isinstance(value, Bits) and not value.address and value.mask == Constant(0)
        is_empty = no_bits or value in (Constant(set()), Constant(frozenset()))
        return self.new() if is_empty else self.of(value)

    def _add_those(self, made: Distinct, one: Distinct, other: Distinct, wanted: bool) -> None:
        """Emit the addition of the members of a set that are, or are not, in another one."""

        def take(member: Value) -> None:
            there = self.has(other, member)
            chosen, on = self.out.label("chosen"), self.out.label("on")
            self.out.branch(there, *((chosen, on) if wanted else (on, chosen)))
            self.out.place_label(chosen)
            self.add(made, member)
            self.out.place_label(on)

        self._each(one.cells, take)

    def compared(self, comparison: ast.cmpop, left: Value, right: Value) -> Value | None:
        """Return how two such sets compare; None for anything else."""
        if isinstance(comparison, (ast.Eq, ast.NotEq)) and not (
            isinstance(left, Distinct) or isinstance(right, Distinct)
        ):
            # Two sets of the state are in the same order.
            return None
        one, other = self._both(left, right)
        if one is None or other is None:
            return None
        if isinstance(comparison, (ast.Gt, ast.GtE)):
            one, other = other, one
        within = self._any(one.cells, lambda member: self._not(self.has(other, member)))
        sizes = self.length(one), self.length(other)
        all_within = self.out.truth(self._not(within))
        if isinstance(comparison, (ast.LtE, ast.GtE)):
            return Truth(all_within)
        strict = isinstance(comparison, (ast.Lt, ast.Gt))
        fits = self.out.truth(self.out.compare("slt" if strict else "eq", *sizes))
        both = Truth(self.out.value(f"and i1 {all_within}, {fits}"))
        return self._not(both) if isinstance(comparison, ast.NotEq) else both

    def _not(self, value: Value) -> Value:
        return self.expressions.negation(value)

    def change(self, place: StateRef, operator: ast.operator, other: Value, node: ast.AST) -> None:
        """Emit the change of a set of records of the state for `|=` and the like."""
        after = self.combined(operator, place, other)
        if after is None:
            raise UnsupportedError(f"{ast.unparse(node)}, which does not fit a set of records,")
        self._fill(place, after)

    def replaced(self, place: StateRef, value: Value) -> None:
        """Emit the replacement of all members of a set of records of the state."""
        members = self._or_empty(value)
        if members is None:
            raise UnsupportedError(f"{place.form}, to which what is not a set is assigned,")
        self._fill(place, members)

    def _fill(self, place: StateRef, members: Distinct) -> None:
        clear, add = (self.expressions.records.method(place, name) for name in ("clear", "add"))
        assert clear is not None
        assert add is not None

        def add_one(member: Value) -> None:
            self.expressions.calls.call(add, [member])

        self.expressions.calls.call(clear, [])
        self._each(members.cells, add_one)

    def method(
        self, owner: Distinct | StateRef | Made, name: str, others: list[Value], node: ast.Call
    ) -> Value:
        """Return the value of the call of a method that changes nothing."""
        if name == "copy" and not others and (made := self.of(owner)):
            return made
        if len(others) == 1 and not node.keywords:
            [other] = others
            if name in OPERATIONS and (made := self.combined(OPERATIONS[name](), owner, other)):
                return made
            if name in COMPARISONS and (truth := self.compared(COMPARISONS[name](), owner, other)):
                return truth
            if name == "isdisjoint" and (both := self.combined(ast.BitAnd(), owner, other)):
                return self.out.compare("eq", self.length(both), Constant(0))
        raise UnsupportedError(f"the call {ast.unparse(node)}")


def is_member(value: Value) -> bool:
    """Whether a value is a tuple or a record, as such a set has."""
    if isinstance(value, Items):
        return value.kind is tuple
    is_array = isinstance(value, (Made, StateRef)) and isinstance(value.sample, (list, tuple, int))
    return isinstance(value, (Made, StateRef)) and not is_array


def is_record_set(value: Value) -> bool:
    """Whether a value is a set of records of the state, or of a record outside of it."""
    return isinstance(value, (Made, StateRef)) and isinstance(value.sample, RecordSet)
