"""What the state of a system is made of, by the paths of its parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.containers import Bag, Ordered, RecordBag, RecordSet, Set, Sorted
from ..core.fields import NONE, Field, Record, declaration_of, declared_parts, part_names
from ..core.layout import Layout
from ..core.record import Variable, unnumbered
from .types import BOOL, NEVER, Members, Number, Ref, Sequence, Type
from .types import Mapping as Counts
from .types import Record as RecordType


class Schema:
    """The parts of a laid-out state.

    Parameters
    ----------
    layout
        The state, laid out for some bounds.
    """

    root = Ref("")

    def __init__(self, layout: Layout[Any]) -> None:
        self._nodes: dict[str, Any] = {"": layout.record}
        self._variables: dict[str, Variable] = {}
        for variable in layout.variables:
            self._variables.setdefault(unnumbered(variable.path), variable)

    def node(self, place: Ref) -> Any:
        """Return a record, an array or a container that lies at a place, which shows its form."""
        if place.form not in self._nodes:
            form = place.form
            if form.endswith("[]"):
                owner = self.node(Ref(form[:-2]))
                self._nodes[form] = next(iter(owner)) if len(owner) else None
            else:
                owner, _, name = form.rpartition(".")
                self._nodes[form] = getattr(self.node(Ref(owner)), name)
        return self._nodes[place.form]

    def declaration(self, place: Ref) -> type | None:
        """Return the class of the record or the container at a place; None of an array."""
        node = self.node(place)
        return declaration_of(node) if isinstance(node, Record) else None

    def part(self, place: Ref, name: str) -> Type | None:
        """Return the type of a part of a record; None if it has none of this name."""
        node = self.node(place)
        if not isinstance(node, Record) or name not in part_names(node):
            return None
        return self.at(f"{place.form}.{name}" if place.form else name)

    def element(self, place: Ref) -> Type:
        """Return the type of an element of an array, or of a member of a container.

        An element of a sequence and a member of a set are values.
        """
        node = self.node(place)
        if isinstance(node, Set):
            high = self._variables[f"{place.form}.mask"].high
            return Number(0, max(high.bit_length() - 1, 0)) if high else NEVER
        if isinstance(node, Bag):
            return Number(0, max(len(node.counts) - 1, 0)) if node.counts else NEVER
        if isinstance(node, Ordered):
            inner = self.at(f"{place.form}.items[]") if len(node.items) else NEVER
            return self.value(inner) if isinstance(inner, Ref) else inner
        return self.at(f"{place.form}[]") if len(node) else NEVER

    def at(self, form: str) -> Type:
        """Return the type of what has a path: a number, if it is a variable, or a place."""
        variable = self._variables.get(form)
        if variable is None or isinstance(self.node(Ref(form)), (Record, list, tuple)):
            return Ref(form)
        optional = variable.field.low == NONE
        return Number(variable.low, variable.high, variable.kind, optional)

    def most(self, place: Ref) -> int:
        """Return how many elements an array has, or a container may have."""
        node = self.node(place)
        if isinstance(node, Set):
            return int(self._variables[f"{place.form}.mask"].high.bit_length())
        if isinstance(node, Bag):
            return len(node.counts)
        return len(node.items if isinstance(node, Ordered) else node)

    def value(self, place: Ref) -> Type:
        """Return the type of a copy of what lies at a place."""
        node = self.node(place)
        if isinstance(node, Set):
            return Members(self.element(place), ordered=True)
        if isinstance(node, RecordSet):
            return Members(self.element(place))
        if isinstance(node, (Bag, RecordBag)):
            return Counts(self.element(place), Number(0, self.most(place)), Bag)
        if not isinstance(node, Record) or isinstance(node, Ordered):
            element = self.element(place)
            return Sequence(self.value(element) if isinstance(element, Ref) else element)
        fields = ((name, self.part(place, name)) for name in part_names(node))
        own = ((name, self._value_of(kind)) for name, kind in fields if kind is not None)
        return RecordType(declaration_of(node), tuple(own), own=False)

    def _value_of(self, kind: Type) -> Type:
        return self.value(kind) if isinstance(kind, Ref) else kind

    def is_container(self, place: Ref) -> bool:
        """Whether a set, a bag or a sequence lies at a place."""
        return isinstance(self.node(place), (Set, Bag, Ordered))

    def is_array(self, place: Ref) -> bool:
        """Whether an array lies at a place."""
        return not isinstance(self.node(place), Record)

    def is_set(self, place: Ref) -> bool:
        """Whether a set lies at a place, of numbers or of records."""
        return isinstance(self.node(place), (Set, RecordSet))

    def is_sequence(self, place: Ref) -> bool:
        """Whether an array or a sequence lies at a place: what has elements by number."""
        node = self.node(place)
        return self.is_array(place) or (isinstance(node, Ordered) and not isinstance(node, Sorted))

    def is_bag(self, place: Ref) -> bool:
        """Whether a bag lies at a place, of numbers or of records."""
        return isinstance(self.node(place), (Bag, RecordBag))

    def made(self, declaration: type) -> dict[str, Type]:
        """Return the types of the parts of a record that is made by name, as it holds them.

        A part that is a sequence or an array is a list in it; one that is a set is a set.
        """
        return {name: self._declared(part) for name, part in declared_parts(declaration).items()}

    def _declared(self, part: Any) -> Type:
        if isinstance(part, Field):
            low = part.low if isinstance(part.low, int) else None
            high = part.high if isinstance(part.high, int) else None
            if part.kind is bool:
                return BOOL
            known = Number(kind=part.kind, optional=low == NONE)
            if low is None or high is None:
                return known
            return replace(known, low=low, high=high)
        if not isinstance(part, type):
            return Sequence(self._declared(part.element))
        if issubclass(part, Set):
            return Members(Number(0, 62), ordered=True)
        if issubclass(part, Ordered):
            items: Any = vars(part)["items"]
            element = self._declared(items.element)
            if issubclass(part, RecordSet):
                return Members(element)
            if issubclass(part, RecordBag):
                return Counts(element, Number(), Bag)
            return Sequence(element)
        if issubclass(part, Bag):
            return Counts(Number(), Number(), Bag)
        return RecordType(part, tuple(self.made(part).items()))
