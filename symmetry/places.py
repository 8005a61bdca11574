"""Reads and writes of parts of the state: records, arrays, containers and variables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ..core.containers import Bag, Ordered, Set, Sorted
from ..core.fields import NONE, Array, Field, declared_parts, limit_of
from ..core.spec import TransitionSystem
from .flow import Effects, Location, Write
from .group import FEW, Group
from .joining import Joining
from .refusals import NotShownError
from .relations import (
    Indexed,
    Listed,
    Made,
    Place,
    Position,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Unclear,
    has_replica,
)
from .words import described

Declared = Field | Array | type
ITEMS = ".items[]"
"""What leads from a sequence to an element."""


class Places:
    """The parts of the state of a system, and what its values are.

    Parameters
    ----------
    system
        Its state says which variables name participants, and what they index.
    """

    def __init__(self, system: TransitionSystem[Any, Any], group: Group) -> None:
        self.joining, self.group = Joining(group), group
        self._root, self._constants = system.layout.declaration, system.constants
        self.declared = cache(self._declared)
        self.value, self._located = cache(self._value), cache(self._location_of)

    def _declared(self, form: str) -> Declared:
        """Return the declaration of the part of the state with a form."""
        declared: Declared = self._root
        for step in filter(None, form.split(".")):
            name = step.partition("[")[0]
            assert isinstance(declared, type)
            # mypy takes the hash of an object of the class for that of the class.
            declared = declared_parts(declared)[name]
            for _ in range(step.count("[]")):
                assert isinstance(declared, Array)
                declared = declared.element
        return declared

    def location(self, place: Place) -> Location:
        """Return the variable there; of a container it is all of that."""
        form = self._located(place.form)
        return Location(form, place.indices[: form.count("[]")])

    def _location_of(self, form: str) -> str:
        steps = form.split(".")
        for length in range(1, len(steps)):
            owner = ".".join(steps[:length])
            if is_container(self.declared(owner)):
                return owner
        return form

    def part(self, owner: Place, name: str) -> Place:
        """Return the place of a part of a record."""
        return Place(f"{owner.form}.{name}" if owner.form else name, owner.indices)

    def element(self, owner: Place, index: Relation) -> Place:
        """Return the place of an element of an array or of a sequence.

        Raises
        ------
        NotShownError
            If the index is not of the kind that indexes it.
        """
        declared = self.declared(owner.form)
        kind = self.group.index(declared) if isinstance(declared, Array) else None
        if kind is not None:
            replica = self.group.as_replica(index, kind)
            if replica is None:
                what = f"uses {described(index)} as an index of {shown(owner.form)}, which is by "
                several = isinstance(index, Same) and len(index.numbers or ()) != 1
                raise NotShownError(what + (kind or "replica"), mistaken=several)
            return Place(f"{owner.form}[]", (*owner.indices, replica.symbol))
        moves = isinstance(declared, type) and issubclass(declared, Sorted)
        moves = moves and has_replica(self.value(declared))
        if moves and isinstance(index, Same):
            raise NotShownError(f"takes a member of {shown(owner.form)} by its number")
        if isinstance(index, Position if moves else Same):
            end = "[]" if isinstance(declared, Array) else ITEMS
            return Place(owner.form + end, (*owner.indices, 0))
        what = f"uses {described(index)} as an index of {shown(owner.form)}"
        if isinstance(index, Replica) and isinstance(declared, Array):
            what += ", which is not declared by_replica"
        # A chosen number is that of an element first.
        raise NotShownError(what, mistaken=isinstance(index, Position))

    def load(self, place: Place, effects: Effects) -> Relation:
        """Return what lies at a place, and note that it is read."""
        effects.reads.update(self._variables(place))
        return self.value(self.declared(place.form))

    def _variables(self, place: Place) -> Iterator[Location]:
        """Yield the variables and containers that lie at a place."""
        declared = self.declared(place.form)
        if isinstance(declared, type) and not is_container(declared):
            for name in declared_parts(declared):
                yield from self._variables(self.part(place, name))
        elif isinstance(declared, Array):
            yield from self._variables(Place(f"{place.form}[]", (*place.indices, 0)))
        else:
            yield self.location(place)

    def _value(self, declared: Declared) -> Relation:
        """Return what a variable, an array or a record has, by its declaration."""
        if isinstance(declared, Field):
            return self._variable(declared)
        if isinstance(declared, Array):
            kind, element = self.group.index(declared), self.value(declared.element)
            return Listed(element) if kind is None else Indexed(kind, element)
        # mypy takes the hash of an object of the class for that of the class.
        parts = declared_parts(declared)
        if issubclass(declared, Set):
            members = parts["mask"]
            assert isinstance(members, Field)
            kind = self.group.named(members)
            return SetOf(Same() if kind is None else Replica(kind))
        if issubclass(declared, Bag):
            return SetOf(Same())
        if issubclass(declared, Ordered):
            items = parts["items"]
            assert isinstance(items, Array)
            element = self.value(items.element)
            return SetOf(element) if issubclass(declared, Sorted) else Listed(element)
        return Made(declared, tuple((name, self.value(part)) for name, part in parts.items()))

    def _variable(self, declared: Field) -> Relation:
        low, high = (limit_of(one, self._constants) for one in (declared.low, declared.high))
        kind = self.group.named(declared)
        if kind is None:
            return Same(frozenset(range(low, high + 1)) if high - low < FEW else None)
        if declared.names == "replicas":
            return ReplicaSet(kind)
        return Replica(kind, low == NONE) if low >= NONE else Unclear("may be below NONE")

    def store(self, place: Place, value: Relation, effects: Effects, how: str = "") -> None:
        """Note that a value is stored at a place.

        Raises
        ------
        NotShownError
            If the place is not declared for what the value is.
        """
        declared = self.declared(place.form)
        held = self.value(declared)
        if isinstance(held, Made) and isinstance(value, Made):
            for name, one in value.parts:
                self.store(self.part(place, name), one, effects)
        if not self.joining.fits(value, held):
            what = f"stores {described(value)} in {shown(place.form)}, declared as "
            raise NotShownError(what + described(held))
        self.written(place, effects, how)

    def written(self, place: Place, effects: Effects, how: str = "") -> None:
        """Note that a place is written, with all that is in it."""
        effects.writes.update(Write(at, how) for at in self._variables(place))


def is_container(declared: Declared) -> bool:
    """Whether a set, a bag or a sequence is declared."""
    return isinstance(declared, type) and issubclass(declared, (Set, Bag, Ordered))


def shown(form: str) -> str:
    """Return the form of a place as a reader knows it.

    >>> shown("node[].log.items[].epoch")
    'node[].log[].epoch'
    """
    return form.replace(ITEMS, "[]")
