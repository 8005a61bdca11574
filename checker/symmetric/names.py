"""The effect of the group's permutations on numbers, and joins of values at merging paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache

from ...core.fields import NONE
from ...core.symmetry import Permutation, renamed
from .values import (
    NOTHING,
    Bound,
    Constant,
    Each,
    Flow,
    Index,
    Number,
    Part,
    Picked,
    Replica,
    ReplicaSet,
    Several,
    Shifted,
    Thinned,
    Unclear,
    Value,
    fresh,
)

FEW = 16
"""The most possible values of a number that are tracked."""


class Names:
    """The replicas, and the permutations that rename them.

    Parameters
    ----------
    group
        All permutations of the group; element r is the new number of replica r.
    """

    def __init__(self, group: Sequence[Permutation]) -> None:
        self.group = group
        self.count = len(group[0])
        self.is_fixed = cache(self._is_fixed)
        self.is_fixed_set = cache(self._is_fixed_set)

    def _is_fixed(self, number: int) -> bool:
        """Whether every permutation fixes a number, be it a replica's or not."""
        return all(renamed(number, p) == number for p in self.group)

    def _is_fixed_set(self, mask: int) -> bool:
        """Whether every permutation fixes a bit mask."""
        return all(_renamed(mask, p) == mask for p in self.group)

    def is_closed(self, numbers: Collection[int]) -> bool:
        """Whether numbers are a set of replicas that every permutation maps onto itself."""
        chosen = set(numbers)
        return chosen <= set(range(self.count)) and all(
            {p[n] for n in chosen} == chosen for p in self.group
        )

    def tells_apart(self, test: Callable[[int], object]) -> bool:
        """Whether some renaming changes a test of a replica's number, or NONE."""
        return any(test(r) != test(p[r]) for p in self.group for r in range(self.count))

    def tells_sets_apart(self, test: Callable[[int], object]) -> bool:
        """Whether some renaming changes a test of a set of replicas."""
        masks = range(1 << self.count)
        return any(test(m) != test(_renamed(m, p)) for p in self.group for m in masks)

    def as_replica(self, value: Value) -> Replica | None:
        """Return a value as the number of a replica or NONE, if it can be one."""
        if isinstance(value, Replica):
            return value
        if isinstance(value, Number) and value.values is not None:
            known = range(NONE, self.count)
            if all(number in known and self.is_fixed(number) for number in value.values):
                return Replica(NONE in value.values, value.symbol)
        return None

    def as_set(self, value: Value) -> ReplicaSet | None:
        """Return a value as a set of replicas, if it can be one."""
        if isinstance(value, ReplicaSet):
            return value
        if isinstance(value, Number) and value.values is not None:
            wide = any(mask >> self.count for mask in value.values)
            return ReplicaSet(wide) if all(map(self.is_fixed_set, value.values)) else None
        return None

    def joined_flow(self, one: Flow | None, other: Flow | None) -> Flow | None:
        """Return what is known where two paths merge; None is a path that does not get there."""
        if one is None or other is None:
            return one or other
        local: dict[str, Value] = {}
        for name in one.local | other.local:
            if name not in one.local or name not in other.local:
                local[name] = one.local.get(name) or other.local[name]
            elif one.local[name] is other.local[name]:
                local[name] = one.local[name]
            else:
                local[name] = self.joined(one.local[name], other.local[name], one, other)
        loaded = {
            location: value
            for location, value in one.loaded.items()
            if other.loaded.get(location) == value
        }
        return Flow(local, loaded, one.certain & other.certain)

    def joined(self, one: Value, other: Value, at_one: Flow, at_other: Flow) -> Value:
        """Return the join of two values, which are known at different places."""
        if one == other:
            return one
        for value in (one, other):
            if isinstance(value, Unclear):
                return value
        if any(value == NOTHING or isinstance(value, Picked) for value in (one, other)):
            return _or_nothing(one, other)
        if isinstance(one, Number) and isinstance(other, Number):
            return _joined_numbers(one, other)
        if isinstance(one, Several) and isinstance(other, Several):
            if len(one.items) == len(other.items):
                pairs = zip(one.items, other.items, strict=True)
                return Several(tuple(self.joined(a, b, at_one, at_other) for a, b in pairs))
        elif isinstance(one, Part) and isinstance(other, Part):
            if one.form == other.form:
                pairs_of_indices = zip(one.indices, other.indices, strict=True)
                indices = tuple(a if a == b else fresh() for a, b in pairs_of_indices)
                return Part(one.declared, one.form, indices)
        elif isinstance(one, Replica) or isinstance(other, Replica):
            first, second = self.as_replica(one), self.as_replica(other)
            if first and second:
                return _joined_replicas(first, second, at_one, at_other)
        elif isinstance(one, Thinned) or isinstance(other, Thinned):
            if all(isinstance(v, Thinned) or self.as_set(v) for v in (one, other)):
                return Thinned()
        else:
            sets = self.as_set(one), self.as_set(other)
            if sets[0] and sets[1]:
                return ReplicaSet(sets[0].wide or sets[1].wide)
        return _either_of(one, other)


def _or_nothing(one: Value, other: Value) -> Value:
    """Return the join of two values of which one is None or was picked."""
    kinds = (Number, Replica, Several, Picked)
    if all(isinstance(value, kinds) or value == NOTHING for value in (one, other)):
        return Picked(all(_is_plain_or_nothing(value) for value in (one, other)))
    return _either_of(one, other)


def _either_of(one: Value, other: Value) -> Unclear:
    return Unclear(f"is {described(one)} or {described(other)}, as the case may be")


def _is_plain_or_nothing(value: Value) -> bool:
    return isinstance(value, Number) or value == NOTHING or value == Picked(plain=True)


def _joined_numbers(one: Number, other: Number) -> Number:
    values = None
    if one.values is not None and other.values is not None:
        values = one.values | other.values
    return Number(values if values is not None and len(values) <= FEW else None)


def _joined_replicas(one: Replica, other: Replica, at_one: Flow, at_other: Flow) -> Replica:
    may_be_none = may_be_none_at(one, at_one) or may_be_none_at(other, at_other)
    if one.symbol == other.symbol:
        return Replica(one.may_be_none or other.may_be_none, one.symbol)
    return Replica(may_be_none)


def may_be_none_at(replica: Replica, flow: Flow) -> bool:
    """Whether the number of a replica may be NONE at a place."""
    return replica.may_be_none and replica.symbol not in flow.certain


def _renamed(mask: int, permutation: Permutation) -> int:
    """Return a set of replicas after renaming; other bits stay."""
    low = sum(1 << new for old, new in enumerate(permutation) if mask >> old & 1)
    return mask >> len(permutation) << len(permutation) | low


def shape(flow: Flow) -> dict[str, object]:
    """Return what is known about the local variables, without the symbols, to compare it."""
    return {name: _kind(value, flow) for name, value in flow.local.items()}


def _kind(value: Value, flow: Flow) -> object:
    if isinstance(value, Number):
        return Number, value.values
    if isinstance(value, Replica):
        return Replica, may_be_none_at(value, flow)
    if isinstance(value, Several):
        return tuple(_kind(item, flow) for item in value.items)
    if isinstance(value, Part):
        return Part, value.form
    return value


def described(value: Value) -> str:
    """Return the kind of a value, in words."""
    if isinstance(value, Number):
        known = sorted(value.values or ())
        return f"the number {known[0]}" if len(known) == 1 else "a plain number"
    if isinstance(value, Constant):
        return "None" if value == NOTHING else f"{value.value!r:.60}"
    return _DESCRIBED[type(value)]


_DESCRIBED: dict[type, str] = {
    Replica: "the number of a replica",
    ReplicaSet: "a set of replicas",
    Thinned: "a set without its lowest members",
    Shifted: "a shifted set of replicas, of which only & 1 is known",
    Part: "a part of the state",
    Bound: "a method",
    Each: "a range",
    Several: "a tuple",
    Picked: "a result that depends on the order of replicas",
}


def index_of(value: Number | Replica) -> Index:
    """Return the form of a value among the indices of a variable."""
    if isinstance(value, Number) and value.values is not None and len(value.values) == 1:
        return f"={min(value.values)}"
    return value.symbol
