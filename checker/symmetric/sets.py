"""Sets of the state and of Python: their operators and methods, as what these do to bit masks."""

from __future__ import annotations

import ast

from ...core.containers import Set
from ...core.fields import Field, declared_parts, method_of
from ...language.methods import COMPARISONS, OPERATIONS, UPDATES
from .names import described
from .parts import Parts
from .values import (
    Bound,
    Bunch,
    Constant,
    Each,
    Listed,
    NotShownError,
    Number,
    Own,
    Part,
    Replica,
    ReplicaSet,
    Several,
    Value,
    number,
)

OPERATORS = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)
"""The operators of two sets."""


class Sets(Parts):
    """Evaluates the operations of sets."""

    def method(self, owner: Value, name: str) -> Bound | None:
        """Return a method of a record of the state; None if there is none of that name."""
        if not isinstance(owner, Part) or not isinstance(owner.declared, type):
            return None
        function = method_of(owner.declared, name)
        return Bound(function, owner) if function else None

    def mask_place(self, value: Value) -> tuple[Field, Part] | None:
        """Return the variable that stores a set of the state; None for anything else."""
        method = self.method(value, "__contains__")
        if method is None or method.function is not Set.__contains__:
            return None
        owner = method.owner
        assert isinstance(owner.declared, type)
        # mypy takes the hash of an object of the class for that of the class.
        declared = declared_parts(owner.declared)["mask"]
        assert isinstance(declared, Field)
        return declared, self.part(owner, "mask")

    def mask(self, value: Value) -> Value | None:
        """Return a set as a bit mask; None for what is not a set."""
        if isinstance(value, Own):
            return value.mask
        if isinstance(value, Constant) and isinstance(value.value, set | frozenset):
            numbers = all(type(one) is int and one >= 0 for one in value.value)
            return number(sum(1 << one for one in value.value)) if numbers else None
        place = self.mask_place(value)
        return self._loaded(*place) if place else None

    def mask_of_all(self, value: Value, node: ast.AST) -> Value:
        """Return the members of a set or of another collection as a bit mask."""
        mask = self.mask(value)
        if mask is not None:
            return mask
        if isinstance(value, Each) and value.kind is not None:
            return ReplicaSet(value.kind)
        if isinstance(value, Each):
            known = value.numbers
            return Number() if known is None else number(sum(1 << one for one in {*known}))
        if isinstance(value, Several):
            return self.united(list(value.items), node)
        if isinstance(value, Listed | Bunch):
            mask = self.united([value.element], node)
            return Number() if isinstance(mask, Number) else mask
        raise NotShownError(node, f"takes {described(value)} as a set")

    def united(self, items: list[Value], node: ast.AST) -> Value:
        """Return the bit mask of some numbers."""
        for item in items:
            if not isinstance(item, Number | Replica):
                raise NotShownError(node, f"puts {described(item)} into a set")
        shift, unite = ast.LShift(), ast.BitOr()
        mask: Value = number(0)
        for item in items:
            bit = self.names.computed(shift, number(1), item, node)
            mask = self.names.computed(unite, mask, bit, node)
        return mask

    def combined(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Return the mask of two sets joined by an operator."""
        if isinstance(op, ast.Sub):
            right = self.names.computed(ast.BitXor(), right, number(-1), node)
            op = ast.BitAnd()
        return self.names.computed(op, left, right, node)

    def compared_sets(self, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
        """Return whether a comparison of two masks, as sets, holds."""
        if isinstance(op, ast.Eq | ast.NotEq):
            return self.names.computed(op, left, right, node)
        if isinstance(op, ast.Gt | ast.GtE):
            left, right = right, left
        beyond = self.combined(ast.Sub(), left, right, node)
        within = self.names.computed(ast.Eq(), beyond, number(0), node)
        if isinstance(op, ast.LtE | ast.GtE):
            return within
        differ = self.names.computed(ast.NotEq(), left, right, node)
        return self.names.computed(ast.BitAnd(), within, differ, node)

    def set_method(self, owner: Value, name: str, others: list[Value], node: ast.Call) -> Value:
        """Return the result of a method of a set, and record its effects."""
        masks = [self.mask_of_all(other, node) for other in others]
        mask = self.mask(owner)
        assert mask is not None
        if name in UPDATES:
            place = self.mask_place(owner)
            if place is None:
                raise NotShownError(node, "changes a set outside of the state")
            for other in masks:
                self.changed_set(*place, UPDATES[name](), other, node)
            return Constant(None)
        if name in COMPARISONS and len(masks) == 1:
            return self.compared_sets(COMPARISONS[name](), mask, masks[0], node)
        if name == "isdisjoint" and len(masks) == 1:
            both = self.combined(ast.BitAnd(), mask, masks[0], node)
            return self.names.computed(ast.Eq(), both, number(0), node)
        if name == "copy" and not masks:
            return Own(mask)
        if name not in OPERATIONS:
            raise NotShownError(node, "does not fit the parameters of the method")
        for other in masks:
            mask = self.combined(OPERATIONS[name](), mask, other, node)
        return Own(mask)

    def changed_set(
        self, declared: Field, place: Part, op: ast.operator, other: Value, node: ast.expr
    ) -> None:
        """Change a set of the state by an operator and a mask."""
        how = {ast.BitOr: "or", ast.BitXor: "xor"}.get(type(op), "and")
        # Adding to a variable does not count as reading it.
        read = set(self.effects.reads)
        before = self._loaded(declared, place)
        self.effects.reads = read
        self.put(declared, place, self.combined(op, before, other, node), node, how)
