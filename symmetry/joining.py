"""What a value may be where two ways meet, and what may be stored as which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from .group import FEW, RENAMED, Group
from .relations import (
    NEVER,
    NOTHING,
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
    Unclear,
    is_renamed,
    known_number,
    rebuilt,
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
            return self.joined(self.opened(one), self.opened(other))
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
            result = made_of(SetOf, self.joined(one.element, other.element))
        elif isinstance(one, Made) and isinstance(other, Made):
            result = self._records(one, other)
        elif isinstance(one, Place) and isinstance(other, Place) and one.form == other.form:
            # They differ in the indices alone.
            pairs = zip(one.indices, other.indices, strict=True)
            result = Place(one.form, tuple(a if a == b else 0 for a, b in pairs))
        else:
            result = self._renamed(one, other)
        return result

    def _optional(self, one: Relation, other: Relation) -> Relation:
        inner = self.joined(_certain(one), _certain(other))
        if isinstance(inner, (Same, Picked)):
            return Same() if isinstance(inner, Same) else inner
        return made_of(Maybe, inner)

    def _lists(self, one: Relation, other: Relation) -> Relation | None:
        tuples = isinstance(one, Several) and isinstance(other, Several)
        if tuples and len(elements(one)) == len(elements(other)):
            items = tuple(map(self.joined, elements(one), elements(other)))
            return made_of(lambda _: Several(items), *items)
        by = next((value.kind for value in (one, other) if isinstance(value, Indexed)), None)
        if by is not None:
            first, second = self.as_indexed(one, by), self.as_indexed(other, by)
            if first is None or second is None:
                return None
            element = self.joined(first.element, second.element)
            return made_of(lambda of: Indexed(by, of), element)
        kind = Bunch if isinstance(one, Bunch) or isinstance(other, Bunch) else Listed
        return made_of(kind, self.all([*elements(one), *elements(other)]))

    def as_indexed(self, value: Relation, kind: str) -> Indexed | None:
        """Return a list that has an element for each participant; None if it is not one."""
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
        return made_of(lambda _: Made(one.declaration, parts), *(value for _, value in parts))

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
        sets = [self.group.as_set(value, kind) for value in (one, other)]
        if None in sets:
            return None
        return ReplicaSet(kind, any(value is not None and value.wide for value in sets))

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
        assert isinstance(held, (list, set, frozenset, dict))
        items = tuple(self.opened(wrapped(one)) for one in held)
        return Several(items) if isinstance(held, list) else SetOf(self.all(items))

    def fits(self, value: Relation, declared: Relation) -> bool:
        """Whether a declared variable may get a value, in both runs alike.

        What is out of its range ends the search in both runs.
        """
        both = self.joined(declared, value)
        return is_renamed(both) and rebuilt(both, _loosely) == rebuilt(declared, _loosely)


def _loosely(value: Relation) -> Relation:
    """Return a number of the same kind with any range."""
    if isinstance(value, Same):
        return Same()
    if isinstance(value, Replica):
        return Replica(value.kind, may_be_none=True)
    return ReplicaSet(value.kind, wide=True) if isinstance(value, ReplicaSet) else value


def _certain(value: Relation) -> Relation:
    if isinstance(value, Nothing):
        return NEVER
    return value.of if isinstance(value, Maybe) else value


def made_of(make: Callable[[Relation], Relation], *parts: Relation) -> Relation:
    """Make a value of the first of some parts; `Unclear` if any of them is."""
    return next((one for one in parts if isinstance(one, Unclear)), None) or make(parts[0])


def elements(value: Relation) -> Sequence[Relation]:
    """Return relations of which every element of a list or a set has one."""
    if isinstance(value, Several):
        return value.items
    assert isinstance(value, (Listed, Indexed, Bunch, SetOf))
    return (value.element,)


def carried(value: Relation) -> Carried | None:
    """Return what a round leaves of a name, if it is the same in every round that changes it."""
    if isinstance(value, Carried):
        return value
    if isinstance(value, Nothing):
        return Carried("=None", value)
    number = known_number(value)
    return None if number is None else Carried(f"={number}", value)
