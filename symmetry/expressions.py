"""Follows expressions in two runs that differ by a permutation of the participants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, ClassVar

from ..core.fields import NONE, Array
from ..language import form
from ..language.types import Mapping as MappingType
from ..language.types import Members, Nothing, Number, Optional, Places, Ref, Stream
from ..language.types import Record as RecordType
from .flow import Flow
from .functions import Functions
from .group import FEW, RENAMED
from .joining import LISTS, elements, made_of, wrapped
from .refusals import NotShownError, refused_at
from .relations import (
    NOTHING,
    ORDER,
    TRUTH,
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
    Same,
    SetOf,
    Several,
    Unclear,
    exactly,
    is_renamed,
    known_number,
    parts_of,
)
from .relations import Nothing as NoneInBoth
from .words import described

MAKES = "makes a dictionary"
ANOTHER = "write a loop or a comprehension"

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
    """

    rules: ClassVar[Mapping[type, Rule]]
    """How each kind of expression is followed."""

    def __init__(self, functions: Functions) -> None:
        self.functions, self.places = functions, functions.places
        self.group, self.joining = functions.places.group, functions.places.joining
        self.flow = Flow()

    def value(self, node: form.Expression) -> Relation:
        """Return what an expression has in the two runs.

        Raises
        ------
        NotShownError
            If that is not known, or it tells participants apart.
        """
        self.functions.steps += 1
        with refused_at(node):
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

    def raw(self, node: form.Expression) -> Relation:
        """Return what an expression has, or the place of the state where that lies."""
        return self.rules[type(node)](self, node)

    def _refined(self, value: Relation, node: form.Expression) -> Relation:
        """Return the relation of a value, which its type may narrow."""
        kind = node.type
        if isinstance(value, Maybe) and not isinstance(kind, (Optional, Nothing)):
            value = value.of
        if isinstance(value, Replica) and isinstance(kind, Number) and kind.low >= 0:
            return replace(value, may_be_none=False)
        return value

    def truth(self, node: form.Expression) -> bool | None:
        """Return whether a condition holds, which is the same in both runs; None if unknown."""
        value = self.value(node)
        with refused_at(node):
            return self.group.truth(value)

    def values(self, nodes: Iterable[form.Expression]) -> list[Relation]:
        """Return what some expressions have, one after the other."""
        return [self.value(one) for one in nodes]

    # --- what has a name or lies in something

    def _constant(self, node: form.Constant) -> Relation:
        return wrapped(node.value)

    def _local(self, node: form.Local) -> Relation:
        return self.flow.local.get(node.name, Never())

    def _part(self, node: form.Part) -> Relation:
        owner = self.raw(node.of)
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        if isinstance(owner, Place):
            return self.places.part(owner, node.name)
        owner = self._refined(owner, node.of)
        part = owner.part(node.name) if isinstance(owner, Made) else None
        if part is None:
            raise NotShownError(f"takes {node.name} of {described(owner)}")
        return part

    def _element(self, node: form.Element) -> Relation:
        owner, index = self.raw(node.of), self.value(node.index)
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        if isinstance(owner, Place):
            return self.places.element(owner, index)
        owner = self.joining.opened(self._refined(owner, node.of))
        if isinstance(owner, Indexed) or isinstance(index, Replica):
            return self._by_replica(owner, index, node)
        if not isinstance(index, Same):
            raise NotShownError(f"takes an element of {described(owner)}")
        return self._taken(owner, index.numbers)

    def _taken(self, owner: Relation, numbers: Iterable[int] | None) -> Relation:
        """Return the elements with some numbers, of all if these are unknown."""
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes an element of {described(owner)}")
        if numbers is None or isinstance(owner, Listed):
            return self.joining.all(elements(owner))
        length = len(owner.items)
        return self.joining.all(owner.items[n] for n in numbers if -length <= n < length)

    def _by_replica(self, owner: Relation, index: Relation, node: form.Element) -> Relation:
        """Return the element of a list of the function's own at the number of a participant."""
        kind = index.kind if isinstance(index, Replica) else ""
        indexed = self.joining.as_indexed(owner, kind) if isinstance(index, Replica) else None
        if indexed is None:
            raise NotShownError(f"uses {described(index)} as an index of {described(owner)}")
        if index.may_be_none and node.from_end:  # type: ignore[attr-defined]
            why = "may use NONE, which is -1, as an index, and so refer to the last replica"
            raise NotShownError(why)
        return indexed.element

    def _item(self, node: form.Item) -> Relation:
        return self._taken(self.opened(node.of), (node.number,))

    def _lookup(self, node: form.Lookup) -> Relation:
        """Return what a plain dictionary has for a key, or how many of it a bag has."""
        owner, key = self.loaded(node.of), self.loaded(node.key)
        value: Relation = Same()
        if isinstance(owner, SetOf):
            self.compared(owner.element, key)
        elif not is_plain(key) or not isinstance(owner, (Same, Data)):
            raise NotShownError(f"looks up {described(key)} in {described(owner)}")
        elif isinstance(owner, Data) and isinstance(owner.value, dict):
            value = self.joining.all(map(wrapped, owner.value.values()))
        return self.joining.joined(value, self.value(node.default)) if node.default else value

    # --- numbers and truth values

    def _arithmetic(self, node: form.Arithmetic) -> Relation:
        left, right = self.value(node.left), self.value(node.right)
        return self.group.computed(node.operator, left, right)

    def _compare(self, node: form.Compare) -> Relation:
        left, right = (self.loaded(one) for one in (node.left, node.right))
        if isinstance(left, Position) and isinstance(node.right, form.Length):
            return TRUTH
        if isinstance(left, SCALARS) and isinstance(right, SCALARS):
            return self.group.computed(node.operator, left, right)
        left, right = map(self.joining.opened, (left, right))
        if node.operator in ("eq", "ne") or isinstance(left, SetOf):
            self.compared(left, right)
            return TRUTH
        for value in (left, right):
            if not is_plain(value):
                raise NotShownError(f"orders {described(value)}")
        return TRUTH

    def loaded(self, node: form.Expression) -> Relation:
        """Return what an expression has; of a part of the state, what lies there."""
        return self.read(self.value(node))

    def opened(self, node: form.Expression) -> Relation:
        """Return what an expression has; of a constant, what is in it."""
        return self.joining.opened(self.loaded(node))

    def read(self, value: Relation) -> Relation:
        """Return a value; of a part of the state, what lies there."""
        if isinstance(value, Place):
            return self.places.load(value, self.flow.effects)
        return value

    def compared(self, left: Relation, right: Relation) -> None:
        """Refuse to ask whether two values are equal that no permutation renames alike."""
        left, right = map(self.joining.opened, (left, right))
        if isinstance(left, SCALARS) and isinstance(right, SCALARS):
            self.group.computed("eq", left, right)
            return
        # None, which both runs have, equals nothing else; whether there is a witness, both know.
        if Picked() in (left, right) and {exactly(NONE), NOTHING} & {left, right}:
            return
        both = self.joining.joined(left, right)
        if not is_renamed(both) or isinstance(both, Position):
            raise NotShownError(f"compares {described(left)} and {described(right)}")

    def _not(self, node: form.Not) -> Relation:
        known = self.truth(node.of)
        return TRUTH if known is None else exactly(not known)

    def _each_truth(self, node: form.All | form.AnyOf) -> Relation:
        """Follow operands of which none is asked after one that decides."""
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
        self.meet(ends)
        return result

    def _choose(self, node: form.Choose) -> Relation:
        known = self.truth(node.test)
        ways = {None: (node.yes, node.no), True: (node.yes,), False: (node.no,)}
        values: list[Relation] = []

        def follow(one: form.Expression) -> None:
            values.append(self.value(one))

        self.branched(partial(follow, one) for one in ways[known])
        if not self.flow.alive:
            raise UnreachedError
        return self.joining.all(values)

    def branched(self, ways: Iterable[Callable[[], None]]) -> None:
        """Go one of several ways, up to where they meet."""
        begun, ends = self.flow.local, list[dict[str, Relation]]()
        for way in ways:
            self.flow.local, self.flow.alive = dict(begun), True
            try:
                way()
            except UnreachedError:
                self.flow.alive = False
            if self.flow.alive:
                ends.append(self.flow.local)
        self.meet(ends)

    def meet(self, ends: Sequence[dict[str, Relation]]) -> None:
        """Go on where several ways meet, if any gets there."""
        self.flow.alive = bool(ends)
        if ends:
            self.flow.local = reduce(self.joining.flows, ends)

    def _is_none(self, node: form.IsNone) -> Relation:
        self.value(node.of)
        return TRUTH

    def _which(self, node: form.Which) -> Relation:
        raise NotShownError("asks which part of the state it is, as the case may be")

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
        if isinstance(kind, MappingType) and not all(map(is_plain, parts)):
            raise NotShownError(MAKES)
        if isinstance(kind, MappingType):
            return Same()
        if isinstance(kind, Members):
            return made_of(SetOf, self.joining.all(parts))
        return Several(tuple(parts))

    def _copy(self, node: form.Copy) -> Relation:
        return self.loaded(node.of)

    def _contains(self, node: form.Contains) -> Relation:
        item, stream = self.loaded(node.item), isinstance(node.of.type, Stream)
        owner = self.listed(node.of, stops=True) if stream else self.loaded(node.of)
        if isinstance(owner, Data) and is_plain(item):
            return TRUTH
        held = self.joining.opened(owner)
        if not isinstance(held, (*LISTS, SetOf)):
            raise NotShownError(f"looks for {described(item)} in {described(owner)}")
        for one in elements(held):
            self.compared(item, one)
        return TRUTH

    def listed(self, node: form.Expression, stops: bool = False) -> Relation:
        """Return what something yields as a list: `stops` is whether it may end before its last."""
        raise NotImplementedError

    def _length(self, node: form.Length) -> Relation:
        value = self.raw(node.of)
        if isinstance(value, Place):
            if not isinstance(self.places.declared(value.form), Array):
                self.places.load(value, self.flow.effects)
            return Same()
        held = self.joining.opened(self.value(node.of))
        return exactly(len(held.items)) if isinstance(held, Several) else Same()

    def _slice(self, node: form.Slice) -> Relation:
        owner = self.opened(node.of)
        for bound in (node.first, node.last):
            self.plain_index(bound)
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes a slice of {described(owner)}")
        return made_of(Listed, self.joining.all(elements(owner)))

    def plain_index(self, node: form.Expression | None) -> Relation:
        """Return an index that is a plain number; 0 if it is left out."""
        value = exactly(0) if node is None else self.value(node)
        if not isinstance(value, Same):
            raise NotShownError(f"counts from or up to {described(value)}")
        return value

    def _combine(self, node: form.Combine) -> Relation:
        left, right = map(self.opened, (node.left, node.right))
        if node.operator == "mul":
            return self._times(left, right)
        if isinstance(left, SetOf) and isinstance(right, SetOf):
            if node.operator in ("and_", "sub"):
                self.compared(left, right)
                return left
            return self.joining.joined(left, right)
        if not isinstance(left, LISTS) or not isinstance(right, LISTS):
            raise NotShownError(f"computes with {described(left)} and {described(right)}")
        return self.together(left, right)

    def together(self, left: Relation, right: Relation) -> Relation:
        """Return two lists, one after the other."""
        if isinstance(left, Several) and isinstance(right, Several):
            return Several((*left.items, *right.items))
        loose = any(isinstance(one, (Bunch, Indexed)) for one in (left, right))
        element = self.joining.all([*elements(left), *elements(right)])
        return made_of(Bunch if loose else Listed, element)

    def _times(self, left: Relation, times: Relation) -> Relation:
        """Return a list, several times."""
        if not isinstance(times, Same) or not isinstance(left, (Several, Listed)):
            raise NotShownError(f"repeats {described(left)}")
        many = known_number(times) or 0
        if isinstance(left, Several) and 0 < many <= FEW:
            return Several(left.items * many)
        return made_of(Listed, self.joining.all(elements(left)))

    def _range(self, node: form.Range) -> Relation:
        bounds = [self.plain_index(one) for one in (node.start, node.stop, node.step)]
        known = [number for one in bounds if (number := known_number(one)) is not None]
        if len(known) == len(bounds) and known[2] and len(range(*known)) <= FEW:
            return Several(tuple(map(exactly, range(*known))))
        return Listed(Same())


def is_plain(value: Relation) -> bool:
    """Whether a value is the same in both runs, and made of nothing else."""
    if isinstance(value, (Same, NoneInBoth, Never)):
        return True
    made = isinstance(value, (Several, Listed, Maybe, Made))
    return made and all(map(is_plain, parts_of(value)))


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
