"""What a value may be where two ways meet, and what may be stored as which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from .group import FEW, RENAMED, Group, is_wide
from .relations import (
    NEVER,
    NOTHING,
    Alternatives,
    Bunch,
    Carried,
    Data,
    Indexed,
    Listed,
    Made,
    Maybe,
    Never,
    Nothing,
    Picked,
    Place,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Table,
    Thinned,
    Unclear,
    known_number,
)
from .words import described

LISTS = (Several, Listed, Indexed, Bunch)
LAST = Unclear("is that of the replica that the loop visited last")


def wrapped(value: object) -> Relation:
    """Return a constant; one level of it, if it holds others.

    >>> wrapped((None, 2)).items[1].numbers
    frozenset({2})
    """
    if value is None:
        return NOTHING
    if isinstance(value, int):
        return Same(frozenset((int(value),)))
    if isinstance(value, tuple) or (isinstance(value, range) and len(value) <= FEW):
        return Several(tuple(map(wrapped, value)))
    if isinstance(value, range):
        return Listed(Same())
    return Data(value) if isinstance(value, (list, set, frozenset, dict)) else Same()


class Joining:
    """Joins the relations of values on several ways.

    Parameters
    ----------
    group
        The participants, and the permutations of them.
    """

    def __init__(self, group: Group) -> None:
        self.group = group

    def all(self, values: Iterable[Relation]) -> Relation:
        """Return what any of some values may be."""
        start: Relation = NEVER
        return reduce(self.joined, values, start)

    def joined(self, one: Relation, other: Relation) -> Relation:
        """Return what a value may be that is one of two; `Unclear` if that is nothing known."""
        if one == other or isinstance(other, Never):
            return one
        if isinstance(one, Never):
            return other
        for value in (one, other):
            if isinstance(value, Unclear):
                return value
        if isinstance(one, Carried) or isinstance(other, Carried):
            return self.rounds(one, other)
        if isinstance(one, Data) or isinstance(other, Data):
            return self.joined(*self.alike(one, other))
        return self._related(one, other) or Unclear(
            f"is {described(one)} or {described(other)}, as the case may be"
        )

    def _related(self, one: Relation, other: Relation) -> Relation | None:
        result = None
        if isinstance(one, (Nothing, Maybe)) or isinstance(other, (Nothing, Maybe)):
            result = self._optional(one, other)
        elif isinstance(one, Picked) or isinstance(other, Picked):
            result = Picked()
        elif isinstance(one, Same) and isinstance(other, Same):
            known = one.numbers and other.numbers and one.numbers | other.numbers
            result = Same(known if known and len(known) <= FEW else None)
        elif isinstance(one, LISTS) and isinstance(other, LISTS):
            result = self._lists(one, other)
        elif isinstance(one, SetOf) and isinstance(other, SetOf):
            result = self._of(SetOf, one.element, other.element)
        elif isinstance(one, Table) and isinstance(other, Table):
            key, value = self.joined(one.key, other.key), self.joined(one.value, other.value)
            ordered = one.ordered and other.ordered
            result = self._clear(Table(key, value, ordered), key, value)
        elif isinstance(one, Made) and isinstance(other, Made):
            result = self._records(one, other)
        elif isinstance(one, (Place, Alternatives)) and isinstance(other, (Place, Alternatives)):
            result = _places(one, other)
        else:
            result = self._renamed(one, other)
        return result

    def _clear(self, made: Relation, *parts: Relation) -> Relation:
        return next((one for one in parts if isinstance(one, Unclear)), made)

    def _of(self, kind: Any, one: Relation, other: Relation) -> Relation:
        element = self.joined(one, other)
        return self._clear(kind(element), element)

    def _optional(self, one: Relation, other: Relation) -> Relation:
        inner = self.joined(_certain(one), _certain(other))
        if isinstance(inner, (Same, Picked)):
            return Same() if isinstance(inner, Same) else inner
        return self._clear(Maybe(inner), inner)

    def _lists(self, one: Relation, other: Relation) -> Relation:
        tuples = isinstance(one, Several) and isinstance(other, Several)
        if tuples and len(elements(one)) == len(elements(other)):
            items = tuple(map(self.joined, elements(one), elements(other)))
            return self._clear(Several(items), *items)
        for kind in (Indexed, Bunch):
            if isinstance(one, kind) or isinstance(other, kind):
                return self._as_one(kind, one, other)
        element = self.all([*elements(one), *elements(other)])
        return self._clear(Listed(element), element)

    def _as_one(self, kind: Any, one: Relation, other: Relation) -> Relation:
        """Return a list in any order, or by the numbers of participants, as both of two are."""
        if kind is Bunch:
            element = self.all([*elements(one), *elements(other)])
            return self._clear(Bunch(element), element)
        by = next(value.kind for value in (one, other) if isinstance(value, Indexed))
        first, second = self.as_indexed(one, by), self.as_indexed(other, by)
        if first is None or second is None:
            return Unclear(f"is {described(one)} or {described(other)}, as the case may be")
        element = self.joined(first.element, second.element)
        return self._clear(Indexed(by, element), element)

    def as_indexed(self, value: Relation, kind: str) -> Indexed | None:
        """Return a list that has an element for each participant; None if it is not one."""
        if isinstance(value, Data):
            value = self.opened(value)
        if isinstance(value, Indexed):
            return value if value.kind == kind else None
        if isinstance(value, Several) and len(value.items) == self.group.count(kind):
            first = value.items[0]
            same = known_number(first) is not None or isinstance(first, Nothing)
            return Indexed(kind, first) if same and set(value.items) == {first} else None
        return None

    def _records(self, one: Made, other: Made) -> Relation | None:
        if one.declaration is not other.declaration:
            return None
        others = dict(other.parts)
        parts = tuple((n, self.joined(v, others[n])) for n, v in one.parts if n in others)
        return self._clear(Made(one.declaration, parts), *(value for _, value in parts))

    def _renamed(self, one: Relation, other: Relation) -> Relation | None:
        """Return what two numbers are if both may be participants, or sets of them."""
        kinds = [value.kind for value in (one, other) if isinstance(value, RENAMED)]
        if not kinds:
            return None
        kind = kinds[0]
        if isinstance(one, Replica) or isinstance(other, Replica):
            first, second = self.group.as_replica(one, kind), self.group.as_replica(other, kind)
            if first is None or second is None:
                return None
            symbol = first.symbol if first.symbol == second.symbol else 0
            return Replica(kind, first.may_be_none or second.may_be_none, symbol)
        sets = [v if v == Thinned(kind) else self.group.as_set(v, kind) for v in (one, other)]
        if None in sets:
            return None
        if Thinned(kind) in sets:
            return Thinned(kind)
        return ReplicaSet(kind, any(value is not None and is_wide(value) for value in sets))

    def rounds(self, one: Relation, other: Relation) -> Relation:
        """Return what a round of a loop leaves of a name, in one way or another."""
        first, second = carried(one), carried(other)
        if first is None or second is None or (first.how and second.how not in ("", first.how)):
            return LAST
        value = self.joined(first.value, second.value)
        return Carried(first.how or second.how, value)

    def flows(
        self, one: Mapping[str, Relation], other: Mapping[str, Relation]
    ) -> dict[str, Relation]:
        """Return the relations of all names where two ways meet."""
        result = {**one, **other}
        for name in one.keys() & other.keys():
            if one[name] is not other[name]:
                result[name] = self.joined(one[name], other[name])
        return result

    def opened(self, value: Relation) -> Relation:
        """Return a constant with the relations of what is in it; anything else unchanged."""
        if not isinstance(value, Data):
            return value
        held = value.value
        if isinstance(held, dict):
            values = self.all(self.opened(wrapped(one)) for one in held.values())
            keys = self.all(self.opened(wrapped(one)) for one in held)
            return Table(keys, values, ordered=True)
        assert isinstance(held, (list, set, frozenset))
        items = tuple(self.opened(wrapped(one)) for one in held)
        return Several(items) if isinstance(held, list) else SetOf(self.all(items))

    def alike(self, one: Relation, other: Relation) -> tuple[Relation, Relation]:
        """Return two values of which a constant is opened as what the other one is."""
        pair = one, other
        kind = next((k for value in pair if (k := _members_of(value)) is not None), None)
        first, second = (self._as_members(value, kind) or self.opened(value) for value in pair)
        return first, second

    def _as_members(self, value: Relation, kind: str | None) -> SetOf | None:
        """Return a constant set of participants that every permutation keeps; None if it is not."""
        held = value.value if isinstance(value, Data) else None
        if kind is None or not isinstance(held, (set, frozenset)):
            return None
        plain = all(type(number) is int for number in held)
        closed = plain and self.group.is_closed(held, kind)
        return SetOf(Replica(kind)) if closed else None

    def fits(self, value: Relation, declared: Relation) -> bool:
        """Whether a declared variable may get a value, in both runs alike."""
        value, _ = self.alike(value, declared)
        if isinstance(value, Never):
            return True
        if isinstance(declared, Same):
            return isinstance(value, Same)
        if isinstance(declared, Replica):
            return self.group.as_replica(value, declared.kind) is not None
        if isinstance(declared, ReplicaSet):
            return self.group.as_set(value, declared.kind) is not None
        if isinstance(declared, Indexed):
            indexed = self.as_indexed(value, declared.kind)
            return indexed is not None and self.fits(indexed.element, declared.element)
        if isinstance(declared, Listed) and isinstance(value, (Several, Listed)):
            return all(self.fits(one, declared.element) for one in elements(value))
        if isinstance(declared, SetOf) and isinstance(value, SetOf):
            return self.fits(value.element, declared.element)
        if isinstance(declared, Table) and isinstance(value, Table):
            return self.fits(value.key, declared.key) and self.fits(value.value, declared.value)
        if isinstance(declared, Made) and isinstance(value, Made):
            parts = dict(declared.parts)
            return all(name in parts and self.fits(one, parts[name]) for name, one in value.parts)
        return False


def _members_of(value: Relation) -> str | None:
    """Return the kind of participants in a set; None for anything else."""
    held = value.element if isinstance(value, SetOf) else None
    return held.kind if isinstance(held, Replica) else None


def _certain(value: Relation) -> Relation:
    if isinstance(value, Nothing):
        return NEVER
    return value.of if isinstance(value, Maybe) else value


def _places(one: Place | Alternatives, other: Place | Alternatives) -> Relation:
    """Return one of several places: of one form, they differ in the indices alone."""
    merged: dict[str, Place] = {}
    for value in (one, other):
        for place in value.places if isinstance(value, Alternatives) else (value,):
            known = merged.get(place.form, place)
            pairs = zip(known.indices, place.indices, strict=True)
            merged[place.form] = Place(place.form, tuple(a if a == b else 0 for a, b in pairs))
    places = tuple(merged.values())
    return places[0] if len(places) == 1 else Alternatives(places)


def elements(value: Relation) -> Sequence[Relation]:
    """Return relations of which every element of a list has one."""
    if isinstance(value, Several):
        return value.items
    assert isinstance(value, (Listed, Indexed, Bunch))
    return (value.element,)


def carried(value: Relation) -> Carried | None:
    """Return what a round leaves of a name, if it is the same in every round that changes it."""
    if isinstance(value, Carried):
        return value
    if isinstance(value, Nothing):
        return Carried("=None", value)
    number = known_number(value)
    return None if number is None else Carried(f"={number}", value)
