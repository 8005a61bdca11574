"""What permutations of the replicas do to values, and which operations tell replicas apart.

A kind of value is a relation between what two runs have there.  As there are few replicas, an
operation is tried on all that its operands may be in the two runs: it treats replicas alike if what
it returns is related, too.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from inspect import isroutine
from itertools import product
from typing import Any, cast

from ...core.errors import printed
from ...core.fields import NONE, Array, Field
from ...core.symmetry import Permutation, Symmetry, renamed
from .values import (
    NOTHING,
    Bound,
    Bunch,
    Carried,
    Constant,
    Each,
    Flow,
    Index,
    Listed,
    Made,
    NotShownError,
    Number,
    Own,
    Pairs,
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
    number,
    truth_value,
)

FEW = 16
"""The most possible values of a number that are tracked."""

OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
OF_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
IMMUTABLE = (int, float, str, bytes, frozenset, tuple, type(None), range)
_WIDEST = 64

LONGEST = 60
"""The longest text of a constant in a message."""

LAST = Unclear("is that of the replica that the loop visited last")


class Names:
    """The replicas, and the permutations that rename them.

    Attributes
    ----------
    generators
        By kind of replicas that change places at all: what some permutations do to its members.
        They generate all that permutations do to them, so that what each of these keeps, all keep.
    group
        Permutations of all kinds that generate the others.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        self._kinds = symmetry.kinds
        self.group = _generators(symmetry.group)
        self.generators: dict[str, list[Permutation]] = {}
        for kind in self._kinds.members:
            each = {self.within(p, kind) for p in self.group}
            if moving := sorted(p for p in each if p != tuple(range(len(p)))):
                self.generators[kind] = moving
        self._result: Callable[[type, Value, Value], Any] = cache(self._tried)

    def within(self, permutation: Permutation, kind: str) -> Permutation:
        """Return what a permutation of all kinds does to the members of one."""
        return self._kinds.within(permutation, kind)

    def named(self, declared: Field) -> str | None:
        """Return the kind of the replicas that a variable names; None if it has plain numbers.

        The numbers of replicas that do not change places are plain ones.
        """
        return self._permuted(declared.of) if declared.names else None

    def index(self, declared: Array) -> str | None:
        """Return the kind of the replicas that index an array; None if plain numbers do."""
        return self._permuted(declared.by) if declared.by_replica else None

    def _permuted(self, kind: str) -> str | None:
        kind = self._kinds.resolved(kind)
        return kind if kind in self.generators else None

    def count(self, kind: str) -> int:
        """Return the number of replicas of a kind."""
        return len(self._kinds.members[kind])

    def is_fixed(self, numbers: Collection[int]) -> bool:
        """Whether every permutation leaves numbers alone, be they those of replicas or not."""
        every = [p for of_kind in self.generators.values() for p in of_kind]
        return all(renamed(n, p) == n for p in every for n in numbers)

    def is_closed(self, numbers: Collection[int], kind: str) -> bool:
        """Whether numbers are a set of replicas that every permutation maps onto itself."""
        chosen = set(numbers)
        return chosen <= set(range(self.count(kind))) and all(
            {p[n] for n in chosen} == chosen for p in self.generators[kind]
        )

    def _as(self, value: Value, made: Replica | ReplicaSet) -> Any:
        """Return a value as a replica or a set of replicas of a kind; None if it is not one."""
        if isinstance(value, type(made)):
            return value if value.kind == made.kind else None
        if not isinstance(value, Number) or value.values is None:
            return None
        fixed = product(self.generators[made.kind], value.values)
        return made if all(self._relates(made, p, n, n) for p, n in fixed) else None

    def as_replica(self, value: Value, kind: str) -> Replica | None:
        """Return a value as the number of a replica or NONE, if it can be one."""
        none = isinstance(value, Number) and NONE in (value.values or ())
        symbol = value.symbol if isinstance(value, Number) else 0
        made: Replica | None = self._as(value, Replica(kind, none, symbol))
        return made

    def as_set(self, value: Value, kind: str) -> ReplicaSet | None:
        """Return a value as a set of replicas, if it can be one."""
        masks = (isinstance(value, Number) and value.values) or ()
        wide = any(mask >> self.count(kind) for mask in masks)
        made: ReplicaSet | None = self._as(value, ReplicaSet(kind, wide))
        return made

    def _relates(self, value: Value, p: Permutation, one: int, other: int) -> bool:
        """Whether a value may be these numbers in the two runs."""
        if isinstance(value, Replica):
            return -value.may_be_none <= one < len(p) and renamed(one, p) == other
        if isinstance(value, ReplicaSet):
            return (value.wide or not one >> len(p)) and renamed_set(one, p) == other
        return one & 1 == other & 1 if isinstance(value, Shifted) else one == other

    def renamed(self, value: Value, permutation: Permutation, number: int) -> int:
        """Return what a number becomes, if that kind of value is it."""
        if isinstance(value, Replica):
            return renamed(number, self.within(permutation, value.kind))
        if isinstance(value, ReplicaSet):
            return renamed_set(number, self.within(permutation, value.kind))
        return number

    def may_be(self, value: Replica | ReplicaSet, numbers: Collection[int]) -> bool:
        """Whether numbers may be values of a kind, and permutations give such numbers again."""
        return all(
            (new := self.renamed(value, p, number)) in numbers
            and self._relates(value, self.within(p, value.kind), number, new)
            for p in self.group
            for number in set(numbers)
        )

    def _pairs(self, value: Value, p: Permutation, highs: set[int]) -> Iterator[tuple[int, int]]:
        """Yield what a value may be in the two runs.

        Parameters
        ----------
        highs
            What the bits of a set that are not replicas may be.
        """
        masks, bits = range(1 << len(p)), (0, -2)
        if isinstance(value, Number):
            yield from ((one, one) for one in value.values or ())
        elif isinstance(value, Replica):
            yield from ((r, renamed(r, p)) for r in range(-value.may_be_none, len(p)))
        elif isinstance(value, Shifted):
            yield from ((a | low, b | low) for low in (0, 1) for a, b in product(bits, bits))
        else:
            pairs: Any = ((mask, renamed_set(mask, p)) for mask in masks)
            if isinstance(value, Thinned):
                pairs = ((a, b) for a, b in product(masks, masks) if a.bit_count() == b.bit_count())
            more = (0, -1, 1) if _is_wide(value) else ()
            for (one, other), high in product(pairs, highs.union(more)):
                yield high << len(p) | one, high << len(p) | other

    def computed(
        self, op: ast.operator | ast.cmpop, left: Value, right: Value, node: ast.AST
    ) -> Number | Replica | ReplicaSet | Shifted:
        """Return the result of an operator or a comparison.

        Raises
        ------
        NotShownError
            If it tells replicas apart.
        """
        compares = type(op) in COMPARISONS
        if isinstance(left, Number) and isinstance(right, Number):
            if isinstance(op, ast.Pow) and min(right.values or (-1,)) < 0:
                # A sum of these depends on the order in which they are added.
                raise NotShownError(node, "makes a number that is not whole")
            return _of_numbers(type(op), left, right)
        if compares and _is_plain(left) and _is_plain(right):
            return truth_value()
        picks = any(isinstance(value, Picked) for value in (left, right))
        if compares and picks and any(is_number(value, NONE) for value in (left, right)):
            return truth_value()
        result = None
        if isinstance(left, _TRIED) and isinstance(right, _TRIED):
            result = self._result(type(op), _bare(left), _bare(right))
        if result is None:
            raise NotShownError(node, _why_not(op, left, right))
        return replace(result, symbol=fresh()) if isinstance(result, Number | Replica) else result

    def _tried(self, op: type[ast.AST], left: Value, right: Value) -> Any:
        """Return the kind of an operation's result, tried on all that its operands may be."""
        operands, compares = (left, right), op in COMPARISONS
        wide = any(map(_is_wide, operands))
        by_bits = op in OF_BITS or (op is ast.RShift and not isinstance(right, ReplicaSet))
        unknown = any(isinstance(v, Number) and v.values is None for v in operands)
        shifted = any(isinstance(v, Shifted) for v in operands)
        compute = COMPARISONS.get(op) or OPERATORS.get(op)
        far = op is ast.LShift and isinstance(right, Number) and max(right.values or (0,)) > _WIDEST
        of = {v.kind for v in operands if isinstance(v, _RENAMED)}
        if (
            len(of) != 1
            or unknown
            or (shifted and op is not ast.BitAnd)
            or far
            or not compute
            or not (compares or by_bits or not wide)
        ):
            return None
        # Bits beyond the replicas are the same in both runs; each of them matters alone, and an
        # order is decided by the sign of a difference.
        [kind] = of
        highs = {0}
        for value in operands:
            if compares and isinstance(value, Number):
                limits = product(value.values or (), (-1, 0, 1))
                highs |= {(limit >> self.count(kind)) + more for limit, more in limits}
        results: set[tuple[Permutation, int, int]] = set()
        for p in self.generators[kind]:
            for a, b in product(*(self._pairs(value, p, highs) for value in operands)):
                one, other = (_outcome(compute, *each) for each in zip(a, b, strict=True))
                if one is None and other is None:
                    continue
                if one is None or other is None:
                    return None
                results.add((p, one, other))
        # The truth of a comparison is asked: that it is renamed like a replica is not enough.
        kinds: list[Value] = [truth_value() if compares or shifted else Number()]
        if not compares:
            sets = [ReplicaSet(kind), ReplicaSet(kind, True)]
            alone = [Replica(kind, False), Replica(kind, True)]
            joins = op in OF_BITS and any(isinstance(v, ReplicaSet) for v in operands)
            kinds = [*sets, *kinds] if joins else [*kinds, *alone, *sets]
        kinds += [Shifted(kind)] if op is ast.RShift else []
        return next((one for one in kinds if all(self._relates(one, *r) for r in results)), None)

    def truth(self, value: Value, node: ast.AST) -> bool | None:
        """Return whether a value is true; None if that is unknown, but the same in both runs.

        Raises
        ------
        NotShownError
            If it may differ between the runs.
        """
        if isinstance(value, Constant) and isinstance(value.value, IMMUTABLE):
            return bool(value.value)
        if isinstance(value, Several):
            return bool(value.items)
        if isinstance(value, Each | Listed | Bunch):
            return None
        if isinstance(value, Own):
            return self.truth(value.mask, node)
        if value == Picked(plain=True):
            return None
        if not isinstance(value, _TRIED) or isinstance(value, Shifted):
            raise NotShownError(node, f"tests whether {described(value)} is true")
        result = self.computed(ast.NotEq(), value, number(0), node)
        assert isinstance(result, Number)
        known = result.values
        return bool(min(known)) if known and len(known) == 1 else None

    def among(self, left: Value, right: Value, node: ast.AST) -> Number:
        """Return whether a value is one of several."""
        if isinstance(left, Replica) and (numbers := known_numbers(right)) is not None:
            # NONE, and what is the number of no replica, is the same in both runs.
            here = {n for n in numbers if 0 <= n < self.count(left.kind)}
            if self.is_closed(here, left.kind):
                return truth_value()
        if isinstance(right, Several):
            each = [self.computed(ast.Eq(), left, item, node) for item in right.items]
            if any(is_number(one, 1) for one in each):
                return number(1)
            return number(0) if all(is_number(one, 0) for one in each) else truth_value()
        if isinstance(right, Each) and right.kind is not None:
            if self.as_replica(left, right.kind):
                return truth_value()
        elif isinstance(right, Each) and isinstance(left, Number):
            return truth_value()
        if isinstance(right, Constant) and is_key(left):
            is_set = type(right.value) is set
            if is_set or is_table(right) or _is_plain(right):
                return truth_value()
        why = f"looks for {described(left)} in {described(right)}"
        if isinstance(left, Replica) and known_numbers(right):
            why += f", which has some of the {self.count(left.kind)} and not the others"
        raise NotShownError(node, why)

    def is_nothing(self, value: Value, node: ast.AST) -> Number:
        """Return whether a value is None."""
        if isinstance(value, Picked):
            return truth_value()
        if isinstance(value, Constant | Number | Replica | ReplicaSet | Several):
            return number(value == NOTHING)
        raise NotShownError(node, f"asks whether {described(value)} is None")

    def joined_flow(self, one: Flow | None, other: Flow | None) -> Flow | None:
        """Return the flow where two paths merge; None is a path that does not get there."""
        if one is None or other is None:
            return one or other
        local = {**one.local, **other.local}
        for name in one.local.keys() & other.local.keys():
            local[name] = self.joined(one.local[name], other.local[name], one, other)
        loaded = {at: value for at, value in one.loaded.items() if other.loaded.get(at) == value}
        return Flow(local, loaded, one.certain & other.certain)

    def joined(self, one: Value, other: Value, at_one: Flow, at_other: Flow) -> Value:
        """Return the join of two values, which are known at different places."""
        if one == other:
            return one
        either = one, other
        for value in either:
            if isinstance(value, Unclear):
                return value
        if isinstance(one, Carried) or isinstance(other, Carried):
            return self._joined_rounds(one, other, at_one, at_other)
        if any(value == NOTHING or isinstance(value, Picked) for value in either):
            if all(isinstance(v, _PICKED) or v == NOTHING for v in either):
                return Picked(all(map(_is_plain_or_nothing, either)))
        elif isinstance(one, Number) and isinstance(other, Number):
            known = one.values and other.values and one.values | other.values
            known = known if known and len(known) <= FEW else None
            return Number(known, member=one.member and other.member)
        elif _are_as_long(one, other):
            pairs = zip(elements(one), elements(other), strict=True)
            return Several(tuple(self.joined(a, b, at_one, at_other) for a, b in pairs))
        elif isinstance(one, Part) and isinstance(other, Part):
            if one.form == other.form:
                indices = zip(one.indices, other.indices, strict=True)
                same = tuple(a if a == b else fresh() for a, b in indices)
                copy = one.copy if one.copy == other.copy else fresh()
                return Part(one.declared, one.form, same, copy)
        elif isinstance(one, Own) and isinstance(other, Own):
            mask = self.joined(one.mask, other.mask, at_one, at_other)
            return mask if isinstance(mask, Unclear) else Own(mask)
        elif is_list(one) and is_list(other):
            is_ordered = not any(isinstance(value, Each | Bunch) for value in either)
            return self.listed([*elements(one), *elements(other)], is_ordered)
        elif isinstance(one, Made) and isinstance(other, Made):
            if one.declared is other.declared:
                both = zip(one.parts, other.parts, strict=True)
                values = [(a, self.joined(v, w, at_one, at_other)) for (a, v), (_, w) in both]
                return Made(one.declared, tuple(values))
        elif joined := self._joined_renamed(one, other, at_one, at_other):
            return joined
        return Unclear(f"is {described(one)} or {described(other)}, as the case may be")

    def listed(self, items: Sequence[Value], is_ordered: bool) -> Value:
        """Return a list of values like these, in an order that is the same in both runs or not."""
        element = items[0]
        for item in items[1:]:
            element = self.joined(element, item, Flow(), Flow())
        if isinstance(element, Unclear):
            return element
        if is_ordered:
            return Listed(element)
        if isinstance(element, Replica) and not element.may_be_none:
            return Each(kind=element.kind)
        return Bunch(element)

    def _joined_renamed(
        self, one: Value, other: Value, at_one: Flow, at_other: Flow
    ) -> Value | None:
        """Return the join of two values if both may be replicas, or sets of them."""
        kinds = [value.kind for value in (one, other) if isinstance(value, _RENAMED)]
        if not kinds:
            return None
        kind = kinds[0]
        if isinstance(one, Replica) or isinstance(other, Replica):
            first, second = self.as_replica(one, kind), self.as_replica(other, kind)
            if first and second and first.symbol == second.symbol:
                return Replica(kind, first.may_be_none or second.may_be_none, first.symbol)
            if first and second:
                none = may_be_none_at(first, at_one) or may_be_none_at(second, at_other)
                return Replica(kind, none)
            return None
        sets = [v if v == Thinned(kind) else self.as_set(v, kind) for v in (one, other)]
        if None in sets:
            return None
        if Thinned(kind) in sets:
            return Thinned(kind)
        return ReplicaSet(kind, any(one is not None and _is_wide(one) for one in sets))

    def _joined_rounds(self, one: Value, other: Value, at_one: Flow, at_other: Flow) -> Value:
        """Return what a round of a loop leaves of a variable, in one way or another."""
        first, second = carried(one), carried(other)
        if first is None or second is None or (first.how and second.how not in ("", first.how)):
            return LAST
        value = first.value or second.value
        if first.value and second.value:
            value = self.joined(first.value, second.value, at_one, at_other)
        return Carried(first.how or second.how, value)

    def after_rounds(
        self, name: str, start: Carried, rounds: Flow | None, breaks: Sequence[Flow]
    ) -> Value:
        """Return what a local variable is after a loop over replicas: `Carried` or `Unclear`.

        Parameters
        ----------
        start
            What it is when the loop begins.
        rounds, breaks
            The flow at the end of a round, and where a round ends the loop.
        """
        one = rounds.local[name] if rounds else start
        if breaks:
            # Which round is the last one matters, unless that one alone writes, a constant.
            ends = [flow.local[name] for flow in breaks]
            hows = {end.how if (end := carried(value)) else "" for value in ends}
            carries = any(isinstance(end, Carried) for end in ends)
            alone = len(hows) == 1 and hows != {""} and not carries
            if one != start or not (alone or all(end == start for end in ends)):
                return LAST
            one = ends[0]
        flow = rounds or Flow()
        return self._joined_rounds(start, one, flow, flow)


def _are_as_long(one: Value, other: Value) -> bool:
    """Whether values are tuples of one length."""
    tuples = isinstance(one, Several) and isinstance(other, Several)
    return tuples and len(elements(one)) == len(elements(other))


def is_list(value: Value) -> bool:
    """Whether a value is a list or a tuple, of replicas or of whatever has one order."""
    return isinstance(value, Several | Listed | Bunch) or (
        isinstance(value, Each) and value.kind is not None
    )


def elements(value: Value) -> list[Value]:
    """Return values of which every element of a list is like one."""
    if isinstance(value, Several):
        return list(value.items)
    if isinstance(value, Each) and value.kind is not None:
        return [Replica(value.kind, False)]
    assert isinstance(value, Listed | Bunch)
    return [value.element]


def carried(value: Value) -> Carried | None:
    """Return what a round leaves of a variable, if it is the same in every round that writes it."""
    if isinstance(value, Carried):
        return value
    if isinstance(value, Constant):
        return Carried(f"={id(value.value)}", value)
    if isinstance(value, Number) and value.values and len(value.values) == 1:
        return Carried(f"={min(value.values)}", number(min(value.values)))
    return None


def _of_numbers(op: type[ast.AST], left: Number, right: Number) -> Number:
    """Return a plain number, with its possible values if they are few."""
    unknown = truth_value() if op in COMPARISONS else Number()
    compute = COMPARISONS.get(op) or OPERATORS.get(op)
    if not left.values or not right.values or not compute:
        return unknown
    far = op is ast.LShift and max(right.values) > _WIDEST
    if far or len(left.values) * len(right.values) > FEW:
        return unknown
    results = {_outcome(compute, a, b) for a in left.values for b in right.values}
    return unknown if None in results else Number(frozenset(int(one or 0) for one in results))


def _outcome(compute: Callable[[int, int], int], left: int, right: int) -> int | None:
    """Return what Python computes; None if that fails, as a shift by a negative number does."""
    try:
        return compute(left, right)
    except (ArithmeticError, ValueError):
        return None


_RENAMED = (Replica, ReplicaSet, Thinned, Shifted)

_TRIED = (Number, *_RENAMED)

_PICKED = (Number, Replica, Several, Picked)


def _bare(value: Value) -> Value:
    """Return a value without its symbol."""
    return replace(value, symbol=0) if isinstance(value, Number | Replica) else value


def _is_wide(value: Value) -> bool:
    """Whether a set may have other bits than those of replicas."""
    return isinstance(value, Thinned) or (isinstance(value, ReplicaSet) and value.wide)


def is_number(value: Value, which: int) -> bool:
    """Whether a value is known to be this number."""
    return isinstance(value, Number) and value.values == frozenset((which,))


def is_table(value: Value) -> bool:
    """Whether a value is a dictionary or a list of the model, of which no code that is read writes.

    A class of one's own may do otherwise, even where it is only looked into.
    """
    return isinstance(value, Constant) and type(value.value) in (dict, list)


def known_numbers(value: Value) -> list[int] | None:
    """Return the numbers of a collection of the model; None if there may be anything else."""
    items: list[Any] = []
    if isinstance(value, Each) and value.numbers is not None:
        items = list(value.numbers)
    elif isinstance(value, Several):
        known = [v.values for v in value.items if isinstance(v, Number) and v.values]
        items = [min(values) if len(values) == 1 else None for values in known]
        items += [None] * (len(value.items) - len(known))
    elif isinstance(value, Constant) and type(value.value) in (set, frozenset, list):
        items = list(cast(Iterable[Any], value.value))
    else:
        return None
    # True and 1.0 are equal to 1, and so are objects that say so.
    return items if all(type(item) is int for item in items) else None


def is_key(value: Value) -> bool:
    """Whether a value is a plain one, or a tuple of such."""
    if isinstance(value, Several):
        return all(map(is_key, value.items))
    return _is_plain(value)


def _is_plain(value: Value) -> bool:
    """Whether a value is the same in both runs, and cannot change."""
    if isinstance(value, Constant):
        return isinstance(value.value, IMMUTABLE)
    return isinstance(value, Number)


def _is_plain_or_nothing(value: Value) -> bool:
    return isinstance(value, Number) or value in (NOTHING, Picked(plain=True))


def may_be_none_at(replica: Replica, flow: Flow) -> bool:
    """Whether the number of a replica may be NONE at a place."""
    return replica.may_be_none and replica.symbol not in flow.certain


def renamed_set(mask: int, permutation: Permutation) -> int:
    """Return a set of replicas after renaming; other bits stay."""
    low = sum(1 << new for old, new in enumerate(permutation) if mask >> old & 1)
    return mask >> len(permutation) << len(permutation) | low


def shape(flow: Flow) -> dict[str, object]:
    """Return the kinds of the local variables, without the symbols, to compare them."""
    return {name: kind_of(value, flow) for name, value in flow.local.items()}


def kind_of(value: Value | None, flow: Flow) -> object:
    """Return the kind of a value, without the symbols."""
    if isinstance(value, Number):
        return Number, value.values, value.member
    if isinstance(value, Replica):
        return Replica, value.kind, may_be_none_at(value, flow)
    if isinstance(value, Several):
        return tuple(kind_of(item, flow) for item in value.items)
    if isinstance(value, Carried):
        return value.how, kind_of(value.value, flow)
    if isinstance(value, Own):
        return Own, kind_of(value.mask, flow)
    if isinstance(value, Listed | Bunch):
        return type(value), kind_of(value.element, flow)
    if isinstance(value, Made):
        return value.declared, tuple(kind_of(one, flow) for _, one in value.parts)
    return (Part, value.form, bool(value.copy)) if isinstance(value, Part) else value


def described(value: Value) -> str:
    """Return the kind of a value, in words."""
    if isinstance(value, Number):
        known = sorted(value.values or ())
        return f"the number {known[0]}" if len(known) == 1 else "a plain number"
    if isinstance(value, Constant):
        return "None" if value == NOTHING else _told(value.value)
    if isinstance(value, _RENAMED):
        kind = value.kind or "replica"
        article = "an" if kind[0] in "aeiou" else "a"
        return _OF_KIND[type(value)].format(f"{article} {kind}", f"{kind}s")
    if isinstance(value, Unclear | Carried):
        return f"what {value.why}"
    if value == Picked(plain=True):
        return "a plain number or None"
    if isinstance(value, Each) and value.kind is not None:
        return f"a list of {value.kind or 'replica'}s in any order"
    if isinstance(value, Several) and value.items:
        return f"a tuple of {' and '.join(map(described, value.items))}"
    return _DESCRIBED[type(value)]


def _told(value: object) -> str:
    """Return a constant in words: a large one is what it is, and how many entries it has."""
    if isroutine(value):
        return f"the function {value.__name__}"
    text = printed(value)
    if len(text) <= LONGEST:
        return text
    for kind, name in ((dict, "dictionary"), (list, "list"), (set | frozenset, "set")):
        if isinstance(value, kind):
            return f"a {name} of {len(value)} entries"
    return f"{text[:LONGEST]}..."


_OF_KIND: dict[type, str] = {
    Replica: "the number of {0}",
    ReplicaSet: "a set of {1}",
    Thinned: "a set without its lowest members",
    Shifted: "a shifted set of {1}, of which only & 1 is known",
}


_DESCRIBED: dict[type, str] = {
    Part: "a part of the state",
    Own: "a set",
    Made: "a record",
    Listed: "a list",
    Bunch: "a list in any order",
    Pairs: "arrays together",
    Bound: "a method",
    Each: "numbers",
    Several: "a tuple",
    Picked: "a result that depends on the order of replicas",
}


def _why_not(op: ast.AST, left: Value, right: Value) -> str:
    """Say why the result of an operation is not known to be renamed with its operands."""
    compares = type(op) in COMPARISONS
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Replica):
            if isinstance(op, ast.Eq | ast.NotEq) and isinstance(other, Number) and other.values:
                known = sorted(other.values)
                which = f"{value.kind or 'replica'} {known[0]}" if len(known) == 1 else "some"
                return f"tells {which} from the others"
            verb = "orders" if compares else "computes with"
            verb = "compares" if isinstance(op, ast.Eq | ast.NotEq) else verb
            return f"{verb} {described(value)} and {described(other)}"
    verb = "compares" if compares else "computes with"
    return f"{verb} {described(left)} and {described(right)}"


def index_of(value: Number | Replica) -> Index:
    """Return the form of a value among the indices of a variable."""
    if isinstance(value, Number) and value.values is not None and len(value.values) == 1:
        return f"={min(value.values)}"
    return value.symbol


def _generators(group: Sequence[Permutation]) -> list[Permutation]:
    """Return generators of a group of permutations."""
    made, generators = {tuple(range(len(group[0])))}, []
    for permutation in group:
        if permutation not in made:
            generators.append(permutation)
            todo = list(made)
            while todo:
                one = todo.pop()
                new = {tuple(p[r] for r in one) for p in generators} - made
                made |= new
                todo += new
    return generators
