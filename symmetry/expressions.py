"""Follows expressions in two runs that differ by a permutation of the participants."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar

from ..core.containers import Bag
from ..core.fields import NONE, Array
from ..language import form
from ..language.lowering.effects import adds_entry, is_simple
from ..language.types import Mapping as MappingType
from ..language.types import Members, Nothing, Number, Optional, Places, Ref, Stream
from ..language.types import Record as RecordType
from .flow import OWN, Flow, Location
from .functions import Functions
from .group import FEW, RENAMED
from .joining import LISTS, elements, wrapped
from .refusals import NotShownError
from .relations import (
    ORDER,
    TRUTH,
    Alternatives,
    Bunch,
    Carried,
    Data,
    Indexed,
    Listed,
    Made,
    Maybe,
    Never,
    Picked,
    Place,
    Position,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Table,
    Thinned,
    Unclear,
    exactly,
    known_number,
)
from .relations import Nothing as NoneInBoth
from .words import described

Rule = Callable[[Any, Any], Relation]
"""What an expression has, of what follows it and the expression."""

SCALARS = (Same, *RENAMED)


class UnreachedError(Exception):
    """Nothing gets here: what comes before always fails, or has not happened yet."""


class Expressions:
    """Follows the expressions of one function.

    Attributes
    ----------
    flow
        Where it has got to.
    shared_out
        The slots of lists and dictionaries with an element for each participant, of which a loop
        over participants that is followed now changes single elements.
    """

    rules: ClassVar[Mapping[type, Rule]]
    """How each kind of expression is followed."""

    def __init__(self, functions: Functions) -> None:
        self.functions, self.places = functions, functions.places
        self.group, self.joining = functions.places.group, functions.places.joining
        self.flow = Flow()
        self.shared_out: frozenset[str] = frozenset()

    def value(self, node: form.Expression) -> Relation:
        """Return what an expression has in the two runs.

        Raises
        ------
        NotShownError
            If that is not known, or it tells participants apart.
        """
        self.functions.steps += 1
        try:
            value = self.raw(node)
            if isinstance(value, Place) and not isinstance(node.type, (Ref, Places)):
                value = self.places.load(value, self.flow.effects)
            if isinstance(value, Unclear):
                raise NotShownError(value.why)
            if isinstance(value, Carried):
                raise NotShownError(ORDER)
            if isinstance(value, Never) or not self.flow.alive:
                raise UnreachedError
            return self._refined(value, node)
        except NotShownError as refused:
            refused.at(node)
            raise

    def raw(self, node: form.Expression) -> Relation:
        """Return what an expression has, or the place of the state where that lies."""
        return self.rules[type(node)](self, node)

    def _refined(self, value: Relation, node: form.Expression) -> Relation:
        """Return the relation of a value, which its type may narrow."""
        kind = node.type
        if isinstance(value, Maybe) and not isinstance(kind, (Optional, Nothing)):
            value = value.of
        if isinstance(value, Same) and isinstance(kind, Number):
            few = _numbers(kind)
            return few if few.numbers and not _is_within(value, few) else value
        if isinstance(value, Replica) and isinstance(kind, Number) and kind.low >= 0:
            return replace(value, may_be_none=False)
        if isinstance(value, Alternatives) and isinstance(kind, Ref):
            return self._chosen(value, kind)
        return value

    def _chosen(self, value: Alternatives, kind: Ref) -> Place:
        """Return which of several parts of the state a name stands for, by its type here."""
        for one in value.places:
            if one.form == kind.form:
                return one
        raise NotShownError(f"takes {described(value)} for another one")

    def truth(self, node: form.Expression) -> bool | None:
        """Return whether a condition holds, which is the same in both runs; None if unknown."""
        value = self.value(node)
        try:
            return self.group.truth(value)
        except NotShownError as refused:
            refused.at(node)
            raise

    def values(self, nodes: Iterable[form.Expression]) -> list[Relation]:
        """Return what some expressions have, one after the other."""
        return [self.value(one) for one in nodes]

    # --- what has a name or lies in something

    def _constant(self, node: form.Constant) -> Relation:
        return wrapped(node.value)

    def _local(self, node: form.Local) -> Relation:
        if self.is_shared(node):
            self.flow.effects.reads.add(own(node.name, 0))
        return self.flow.local.get(node.name, Never())

    def _part(self, node: form.Part) -> Relation:
        owner = self.raw(node.of)
        if isinstance(owner, Alternatives):
            kind = node.of.type
            assert isinstance(kind, Ref)
            owner = self._chosen(owner, kind)
        if isinstance(owner, Place):
            return self.places.part(owner, node.name)
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        owner = self._refined(owner, node.of)
        part = owner.part(node.name) if isinstance(owner, Made) else None
        if part is None:
            raise NotShownError(f"takes {node.name} of {described(owner)}")
        return part

    def _element(self, node: form.Element) -> Relation:
        owner = self.holder(node.of)
        index = self.value(node.index)
        if isinstance(owner, Place):
            return self.places.element(owner, index)
        owner = self.joining.opened(self._refined(owner, node.of))
        if isinstance(owner, Indexed) or isinstance(index, Replica):
            return self._by_replica(owner, index, node)
        if not isinstance(index, Same) or not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes an element of {described(owner)}")
        if isinstance(owner, Listed):
            return owner.element
        numbers = index.numbers or range(len(owner.items))
        chosen = [owner.items[n] for n in numbers if -len(owner.items) <= n < len(owner.items)]
        return self.joining.all(chosen)

    def _by_replica(self, owner: Relation, index: Relation, node: form.Element) -> Relation:
        """Return the element of a list of the function's own at the number of a participant."""
        indexed = None
        if isinstance(index, Replica):
            indexed = self.joining.as_indexed(owner, index.kind)
        if indexed is None:
            what = "uses the number of a replica as an index of"
            if isinstance(owner, Indexed):
                what = f"uses {described(index)} as an index of"
            raise NotShownError(f"{what} {described(owner)}")
        if isinstance(index, Replica) and index.may_be_none and node.from_end:
            why = "may use NONE, which is -1, as an index, and so refer to the last replica"
            raise NotShownError(why)
        if at := self.entry_of(node.of, index):
            self.flow.effects.reads.add(at)
        return indexed.element

    def _item(self, node: form.Item) -> Relation:
        owner = self.joining.opened(self.value(node.of))
        if isinstance(owner, Several):
            return owner.items[node.number]
        if isinstance(owner, Listed):
            return owner.element
        raise NotShownError(f"takes an item of {described(owner)}")

    def _lookup(self, node: form.Lookup) -> Relation:
        shared = self.is_shared(node.of)
        owner = self.holder(node.of) if shared else self.loaded(node.of)
        key = self.loaded(node.key)
        if at := self.entry_of(node.of, key):
            self.flow.effects.reads.add(at)
        value = self.joining.joined(self.entry(owner, key), self._missing(node.of.type))
        if node.default is not None:
            return self.joining.joined(value, self.value(node.default))
        if adds_entry(node):
            self.assign(node, value)
        return value

    def holder(self, node: form.Expression) -> Relation:
        """Return what has an element or an entry, of which alone the rest is about."""
        if isinstance(node, form.Local) and self.is_shared(node):
            return self.flow.local[node.name]
        return self.raw(node)

    def is_shared(self, node: form.Expression) -> bool:
        """Whether a loop over participants changes what has this name entry by entry."""
        return isinstance(node, form.Local) and node.name in self.shared_out

    def entry_of(self, node: form.Expression, index: Relation) -> Location | None:
        """Return which entry is meant of what a loop changes one by one; None of anything else."""
        if not isinstance(node, form.Local) or not self.is_shared(node):
            return None
        alone = isinstance(index, Replica) and not index.may_be_none
        return own(node.name, index.symbol if alone else 0)  # type: ignore[attr-defined]

    def assign(self, path: form.Expression, value: Relation) -> None:
        """Note that what the function has itself lies at a path from a name now."""
        raise NotImplementedError

    def _missing(self, kind: object) -> Relation:
        """Return what a dictionary gives for a key that it lacks; `Never` if that fails."""
        if not isinstance(kind, (MappingType, Ref)):
            return Never()
        if isinstance(kind, MappingType) and kind.kind is defaultdict:
            return self.joining.opened(wrapped(kind.factory() if kind.factory else None))
        counts = isinstance(kind, Ref) or kind.kind in (Counter, Bag)
        return exactly(0) if counts else Never()

    def entry(self, owner: Relation, key: Relation) -> Relation:
        """Return what a dictionary has for a key."""
        known = owner
        if isinstance(owner, Data):
            if isinstance(owner.value, dict) and isinstance(key, Same) and key.numbers:
                entries = [owner.value[one] for one in key.numbers if one in owner.value]
                return self.joining.all(map(wrapped, entries))
            owner = self.joining.opened(owner)
        if not isinstance(owner, Table):
            raise NotShownError(f"looks up {described(key)} in {described(owner)}")
        try:
            self.compared(owner.key, key)
        except NotShownError:
            raise NotShownError(f"looks up {described(key)} in {described(known)}") from None
        return owner.value

    # --- numbers and truth values

    def _arithmetic(self, node: form.Arithmetic) -> Relation:
        if node.operator == "and_":
            for one, other in ((node.left, node.right), (node.right, node.left)):
                value = self.value(one) if is_one_less(other, one) else None
                if isinstance(value, (ReplicaSet, Thinned)):
                    return Thinned(value.kind)
        left, right = self.value(node.left), self.value(node.right)
        return self.group.computed(node.operator, left, right)

    def _compare(self, node: form.Compare) -> Relation:
        left, right = (self.loaded(one) for one in (node.left, node.right))
        if isinstance(left, Position) and isinstance(node.right, form.Length):
            return TRUTH
        if node.operator in ("eq", "ne"):
            self.compared(left, right)
            if isinstance(left, Same) and isinstance(right, Same):
                return self.group.computed(node.operator, left, right)
        else:
            self.ordered(node.operator, left, right)
        return TRUTH

    def loaded(self, node: form.Expression) -> Relation:
        """Return what an expression has; of a part of the state, what lies there."""
        return self.read(self.value(node))

    def read(self, value: Relation) -> Relation:
        """Return a value; of a part of the state, what lies there."""
        if isinstance(value, Place):
            return self.places.load(value, self.flow.effects)
        return value

    def compared(self, left: Relation, right: Relation) -> None:
        """Refuse to ask whether two values are equal that no permutation renames alike."""
        left, right = self.joining.alike(left, right)
        if isinstance(left, SCALARS) and isinstance(right, SCALARS):
            self.group.computed("eq", left, right)
            return
        pair = (left, right)
        if any(isinstance(one, (NoneInBoth, Never)) for one in pair):
            return
        if Picked() in pair and exactly(NONE) in pair:
            return
        if isinstance(left, Maybe) or isinstance(right, Maybe):
            self.compared(*(one.of if isinstance(one, Maybe) else one for one in pair))
            return
        if isinstance(left, Several) and isinstance(right, Several):
            for one, other in zip(left.items, right.items, strict=False):
                self.compared(one, other)
            return
        if isinstance(left, Made) and isinstance(right, Made):
            others = dict(right.parts)
            for name, one in left.parts:
                if name in others:
                    self.compared(one, others[name])
            return
        if not self._compare_as_a_whole(left, right):
            raise NotShownError(f"compares {described(left)} and {described(right)}")

    def _compare_as_a_whole(self, left: Relation, right: Relation) -> bool:
        """Refuse to compare what two containers hold; return whether they are of one kind."""
        lists = (Several, Listed)
        if isinstance(left, lists) and isinstance(right, lists):
            for one in elements(left):
                for other in elements(right):
                    self.compared(one, other)
            return True
        if isinstance(left, Indexed) or isinstance(right, Indexed):
            kind = next(one.kind for one in (left, right) if isinstance(one, Indexed))
            first, second = (self.joining.as_indexed(one, kind) for one in (left, right))
            if first is None or second is None:
                return False
            self.compared(first.element, second.element)
            return True
        if isinstance(left, SetOf) and isinstance(right, SetOf):
            self.compared(left.element, right.element)
            return True
        if isinstance(left, Table) and isinstance(right, Table):
            self.compared(left.key, right.key)
            self.compared(left.value, right.value)
            return True
        return False

    def ordered(self, operator: str, left: Relation, right: Relation) -> None:
        """Refuse to ask for the order of values that a permutation changes."""
        left, right = self.joining.alike(left, right)
        if isinstance(left, SCALARS) and isinstance(right, SCALARS):
            self.group.computed(operator, left, right)
        elif isinstance(left, SetOf) and isinstance(right, SetOf):
            self.compared(left.element, right.element)
        else:
            for value in (left, right):
                if not is_plain(value):
                    raise NotShownError(f"orders {described(value)}")

    def _not(self, node: form.Not) -> Relation:
        known = self.truth(node.of)
        return TRUTH if known is None else exactly(not known)

    def _each_truth(self, node: form.All | form.AnyOf) -> Relation:
        """Follow operands of which none is asked after one that decides."""
        if self._is_any_of_all(node):
            return TRUTH
        decides = isinstance(node, form.AnyOf)
        ends: list[dict[str, Relation]] = []
        result = exactly(not decides)
        for part in node.parts:
            try:
                known = self.truth(part)
            except UnreachedError:
                if not ends:
                    raise
                break
            if known is not (not decides):
                ends.append(dict(self.flow.local))
                result = TRUTH if known is None or len(ends) > 1 else exactly(decides)
            if known is decides:
                break
        else:
            ends.append(self.flow.local)
        self.flow.local, self.flow.alive = reduce(self.joining.flows, ends), True
        return result

    def _is_any_of_all(self, node: form.All | form.AnyOf) -> bool:
        """Whether it is asked if a participant is one of some whom every permutation keeps."""
        pairs = [(one.left, one.right) for one in node.parts if isinstance(one, form.Compare)]
        signs = {one.operator for one in node.parts if isinstance(one, form.Compare)}
        expected = {"eq"} if isinstance(node, form.AnyOf) else {"ne"}
        if len(pairs) < len(node.parts) or signs != expected:
            return False
        if any(one != pairs[0][0] for one, _ in pairs) or not all(map(is_simple, node.parts)):
            return False
        item = self.value(pairs[0][0])
        numbers = [known_number(self.value(other)) for _, other in pairs]
        return isinstance(item, Replica) and None not in numbers and self._keeps(item, numbers)

    def _keeps(self, item: Replica, numbers: Iterable[int | None]) -> bool:
        """Whether every permutation keeps the participants among some numbers."""
        # NONE, and what is the number of no participant, is the same in both runs.
        here = {n for n in numbers if n is not None and 0 <= n < self.group.count(item.kind)}
        return self.group.is_closed(here, item.kind)

    def _choose(self, node: form.Choose) -> Relation:
        known = self.truth(node.test)
        if known is not None:
            return self.raw(node.yes if known else node.no)
        begun, ends, values = self.flow.local, [], list[Relation]()
        for one in (node.yes, node.no):
            self.flow.local = dict(begun)
            try:
                values.append(self.value(one))
                ends.append(self.flow.local)
            except UnreachedError:
                self.flow.alive = True
        if not ends:
            raise UnreachedError
        self.flow.local = reduce(self.joining.flows, ends)
        return self.joining.all(values)

    def _is_none(self, node: form.IsNone) -> Relation:
        value = self.raw(node.of)
        if isinstance(value, (Unclear, Carried)):
            raise NotShownError(value.why if isinstance(value, Unclear) else ORDER)
        return TRUTH

    def _which(self, node: form.Which) -> Relation:
        self.value(node.of)
        return _numbers(node.type) if isinstance(node.type, Number) else Same()

    def _certain(self, node: form.Certain) -> Relation:
        value = self.raw(node.of)
        if isinstance(value, NoneInBoth):
            return Never()
        return value.of if isinstance(value, Maybe) else value

    def _after(self, node: form.After) -> Relation:
        self.block(node.body)
        if not self.flow.alive:
            raise UnreachedError
        return self.raw(node.value)

    def block(self, body: Iterable[form.Statement]) -> None:
        """Follow statements."""
        raise NotImplementedError

    # --- values of several others

    def _make(self, node: form.Make) -> Relation:
        kind, parts = node.type, [self.loaded(one) for one in node.parts]
        if isinstance(kind, RecordType):
            names = [name for name, _ in kind.fields]
            return Made(kind.declaration, tuple(zip(names, parts, strict=True)))
        if isinstance(kind, Members):
            numbers = [known_number(one) for one in parts]
            if parts and None not in numbers:
                return Data(frozenset(numbers))
            return self.clear(SetOf, self.joining.all(parts))
        if isinstance(kind, MappingType):
            key, value = self.joining.all(parts[::2]), self.joining.all(parts[1::2])
            return self.clear(lambda one: Table(one, value, ordered=True), key, value)
        return Several(tuple(parts)) if parts else Listed(Never())

    def clear(self, make: Callable[[Any], Relation], *parts: Relation) -> Relation:
        """Return a value with the first of some parts, if all are known."""
        for part in parts:
            if isinstance(part, Unclear):
                raise NotShownError(held_by(part))
        return make(parts[0])

    def _copy(self, node: form.Copy) -> Relation:
        return self.loaded(node.of)

    def _contains(self, node: form.Contains) -> Relation:
        item = self.loaded(node.item)
        owner = (
            self.listed(node.of, stops=True)
            if isinstance(node.of.type, Stream)
            else self.loaded(node.of)
        )
        if isinstance(owner, Data) and isinstance(item, Same):
            return TRUTH
        numbers = self.known_numbers(owner)
        if isinstance(item, Replica) and numbers is not None and self._keeps(item, numbers):
            return TRUTH
        held = self.joining.opened(owner)
        if isinstance(held, LISTS):
            each = list(elements(held))
        elif isinstance(held, (SetOf, Table)):
            each = [held.element if isinstance(held, SetOf) else held.key]
        else:
            each = []
        looks = f"looks for {described(item)} in {described(owner)}"
        if not isinstance(held, (*LISTS, SetOf, Table)):
            raise NotShownError(looks)
        for one in each:
            try:
                self.compared(item, one)
            except NotShownError as refused:
                plain = isinstance(item, SCALARS) and isinstance(one, SCALARS)
                raise refused if plain else NotShownError(looks) from None
        return TRUTH

    def listed(self, node: form.Expression, stops: bool = False) -> Relation:
        """Return what something yields as a list: `stops` is whether it may end before its last."""
        raise NotImplementedError

    def known_numbers(self, value: Relation) -> list[int] | None:
        """Return the numbers of a list or a set; None if there may be anything else."""
        if isinstance(value, Data):
            held = value.value
            if not isinstance(held, (list, set, frozenset)):
                return None
            return list(held) if all(type(number) is int for number in held) else None
        items = [known_number(one) for one in value.items] if isinstance(value, Several) else [None]
        return None if None in items else [one for one in items if one is not None]

    def _length(self, node: form.Length) -> Relation:
        value = self.raw(node.of)
        if isinstance(value, Place):
            if not isinstance(self.places.declared(value.form), Array):
                self.places.load(value, self.flow.effects)
            return Same()
        value = self.value(node.of)
        held = self.joining.opened(value)
        return exactly(len(held.items)) if isinstance(held, Several) else Same()

    def _slice(self, node: form.Slice) -> Relation:
        owner = self.joining.opened(self.loaded(node.of))
        for bound in (node.first, node.last):
            if bound is not None and not isinstance(value := self.value(bound), Same):
                raise NotShownError(f"counts from or up to {described(value)}")
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes a slice of {described(owner)}")
        return self.clear(Listed, self.joining.all(elements(owner)))

    def _combine(self, node: form.Combine) -> Relation:
        left, right = self.joining.alike(self.loaded(node.left), self.loaded(node.right))
        if node.operator == "mul":
            return self._times(left, right)
        if isinstance(left, SetOf) and isinstance(right, SetOf):
            return self.combined(node.operator, left, right)
        if not isinstance(left, LISTS) or not isinstance(right, LISTS):
            raise NotShownError(f"computes with {described(left)} and {described(right)}")
        return self.together(left, right)

    def together(self, left: Relation, right: Relation) -> Relation:
        """Return two lists, one after the other."""
        if isinstance(left, Several) and isinstance(right, Several):
            return Several((*left.items, *right.items))
        kind = Bunch if isinstance(left, Bunch) or isinstance(right, Bunch) else Listed
        if kind is Listed and (isinstance(left, Indexed) or isinstance(right, Indexed)):
            kind = Bunch
        return self.clear(kind, self.joining.all([*elements(left), *elements(right)]))

    def combined(self, operator: str, left: SetOf, right: SetOf) -> Relation:
        """Return what an operator makes of two sets."""
        if operator in ("and_", "sub"):
            self.compared(left.element, right.element)
            return left
        return self.clear(SetOf, self.joining.joined(left.element, right.element))

    def _times(self, left: Relation, times: Relation) -> Relation:
        """Return a list, several times."""
        number = known_number(times)
        if not isinstance(times, Same) or not isinstance(left, (Several, Listed)):
            raise NotShownError(f"repeats {described(left)}")
        if number is not None and isinstance(left, Several) and 0 < number <= FEW:
            return Several(left.items * number)
        return self.clear(Listed, self.joining.all(elements(left)))

    def _range(self, node: form.Range) -> Relation:
        bounds = self.values((node.start, node.stop, node.step))
        for bound in bounds:
            if not isinstance(bound, Same):
                raise NotShownError(f"counts from or up to {described(bound)}")
        known = [number for one in bounds if (number := known_number(one)) is not None]
        if len(known) == len(bounds) and known[2]:
            numbers = range(*known)
            if len(numbers) <= FEW:
                return Several(tuple(map(exactly, numbers))) if numbers else Listed(Never())
        return Listed(Same())


def held_by(part: Unclear) -> str:
    """Say that a list, a set or a dictionary holds something unclear."""
    either = part.why.removeprefix("is ")
    return f"holds {either if either != part.why else described(part)}"


def own(slot: str, symbol: int) -> Location:
    """Return the element of a list of the function's own that a participant indexes."""
    name, _, _ = slot.partition("'")
    return Location(f"{OWN}{name}[]", (symbol,))


def _numbers(kind: Number) -> Same:
    return Same(frozenset(range(kind.low, kind.high + 1)) if kind.high - kind.low < FEW else None)


def _is_within(value: Same, other: Same) -> bool:
    return bool(value.numbers and other.numbers and value.numbers <= other.numbers)


def is_plain(value: Relation) -> bool:
    """Whether a value is the same in both runs, and made of nothing else."""
    if isinstance(value, (Same, NoneInBoth, Never)):
        return True
    if isinstance(value, (Several, Listed)):
        return all(map(is_plain, elements(value)))
    return isinstance(value, Maybe) and is_plain(value.of)


def is_one_less(node: form.Expression, than: form.Expression) -> bool:
    """Whether one expression is another one less 1, so that ``x & x - 1`` lacks the lowest bit."""
    less = isinstance(node, form.Arithmetic) and node.operator == "sub" and node.left == than
    less = less and is_simple(than)
    return less and isinstance(node.right, form.Constant) and node.right.value == 1  # type: ignore[attr-defined]


EXPRESSIONS: dict[type, Rule] = {
    form.Constant: Expressions._constant, form.Local: Expressions._local,
    form.Part: Expressions._part, form.Element: Expressions._element,
    form.Item: Expressions._item, form.Lookup: Expressions._lookup,
    form.Arithmetic: Expressions._arithmetic, form.Compare: Expressions._compare,
    form.Not: Expressions._not, form.All: Expressions._each_truth,
    form.AnyOf: Expressions._each_truth, form.Choose: Expressions._choose,
    form.IsNone: Expressions._is_none, form.Which: Expressions._which,
    form.Certain: Expressions._certain, form.After: Expressions._after,
    form.Make: Expressions._make, form.Copy: Expressions._copy,
    form.Contains: Expressions._contains, form.Length: Expressions._length,
    form.Slice: Expressions._slice, form.Combine: Expressions._combine,
    form.Range: Expressions._range,
}  # fmt: skip
