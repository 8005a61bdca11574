"""From a plain Python function to LLVM: dictionaries of values of the state, by known keys."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .function import Scope
from .growing import GrowingDictionaries, is_dictionary, pairs_of
from .values import (
    NOWHERE,
    Constant,
    Dictionary,
    Entries,
    Items,
    Truth,
    UnsupportedError,
    Value,
    as_constant,
    ask,
    is_none,
)

if TYPE_CHECKING:
    from .expressions import Expressions

_MOST = 2
"""The most arguments that ``get`` takes: a key, and what it returns instead of None."""


class Dictionaries:
    """Translates what makes and reads dictionaries whose keys are known while translating.

    Such a dictionary does not change: it is the values that belong to the keys, in their order.
    """

    def __init__(
        self, scope: Scope, expressions: Expressions, growing: GrowingDictionaries
    ) -> None:
        self.scope, self.out, self.expressions = scope, scope.out, expressions
        self.growing = growing

    def displayed(self, node: ast.Dict) -> Value:
        """Return what a display of keys and values is; a constant if all of it is known."""
        made: Value | None = None
        pairs: list[tuple[Value, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                pairs.append((self.expressions.value(key), self.expressions.value(value)))
                continue
            # Later values may change what the star takes over here.
            made = self.joined(self._more(made, pairs), self.expressions.value(value))
            pairs = []
        return self._more(made, pairs) if pairs or made is None else made

    def _more(self, made: Value | None, pairs: Sequence[Sequence[Value]]) -> Value:
        """Return a dictionary with some pairs, too; a new one if there is none yet."""
        return self._with(pairs) if made is None else self.joined(made, self._with(pairs))

    def joined(self, one: Value, other: Value) -> Value:
        """Return a new dictionary with the keys of two, and the values of the second one first.

        Raises
        ------
        UnsupportedError
            If one is not a plain dictionary of the function's own.
        """
        if any(
            not is_dictionary(part) or getattr(part, "kind", dict) is not dict
            for part in (one, other)
        ):
            raise UnsupportedError("a dictionary joined with something else")
        if not isinstance(one, Entries) and not isinstance(other, Entries):
            return self._with([*pairs_of(one), *pairs_of(other)])
        made = self.growing.new()
        self.growing.update(made, one)
        self.growing.update(made, other)
        return made

    def comprehended(self, node: ast.DictComp) -> Value:
        """Return what a comprehension of keys and values is."""
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        listed = ast.copy_location(ast.ListComp(pair, node.generators), node)
        pairs = self.expressions.calls.comprehensions.collected(listed, list)
        if isinstance(pairs, Items):
            return self._with([self.expressions.taken_apart(item, 2) for item in pairs.items])
        made = self.growing.new()
        self.growing.update(made, pairs)
        return made

    def _with(self, pairs: Sequence[Sequence[Value]]) -> Value:
        """Return a dictionary of keys and values, which may grow unless all keys are known."""
        known: dict[object, Value] = {}
        for key, value in pairs:
            key = as_constant(key)
            if not isinstance(key, Constant):
                break
            ask(hash, key.value)
            known[key.value] = value
        else:
            return _made(known)
        made = self.growing.new()
        for key, value in pairs:
            self.growing.put(made, key, value)
        return made

    def element(self, owner: Dictionary, key: Value) -> Value:
        """Return the value of a key, which must be there."""
        place = self.scope.tables.looked_up(_places(owner), key)
        return NOWHERE if place is NOWHERE else self._at(owner, place)

    def method(self, owner: Dictionary, name: str, node: ast.Call) -> Value:
        """Return the value of the call of a method."""
        if name == "get" and 1 <= len(node.args) <= _MOST and not node.keywords:
            key, *rest = map(self.expressions.value, node.args)
            return self._or_default(owner, key, rest[0] if rest else Constant(None))
        if node.args or node.keywords or name not in ("keys", "values", "items"):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if name == "keys":
            return keys_of(owner)
        if name == "values":
            return Items(owner.values, list)
        pairs = zip(map(Constant, owner.keys), owner.values, strict=True)
        return Items(tuple(map(Items, pairs)), list)

    def _or_default(self, owner: Dictionary, key: Value, default: Value) -> Value:
        place = self.scope.tables.looked_up(_places(owner), key, Constant(-1))
        if isinstance(place, Constant):
            return owner.values[place.value] if place.value >= 0 else default
        there = Truth(self.out.truth(self.out.compare("sge", place, Constant(0))))
        value = self._at(owner, self.out.extreme("max", place, Constant(0)))
        if is_none(default):
            missing = Truth(self.out.value(f"xor i1 {there.register}, true"))
            return self.expressions.unless(missing, value)
        return self.expressions.either(there, value, default)

    def _at(self, owner: Dictionary, place: Value) -> Value:
        return self.expressions.calls.loops.item(owner.values, place)


def keys_of(owner: Dictionary) -> Constant:
    """Return the keys of a dictionary, over which it is iterated."""
    return Constant(owner.keys)


def _made(entries: dict[object, Value]) -> Value:
    """Return a dictionary, which is known while translating if all its values are."""
    known = {key: value.value for key, value in entries.items() if isinstance(value, Constant)}
    if len(known) == len(entries):
        return Constant(known)
    return Dictionary(tuple(entries), tuple(entries.values()))


def _places(owner: Dictionary) -> dict[object, int]:
    """Return the places of the values, by the keys."""
    return {key: place for place, key in enumerate(owner.keys)}
