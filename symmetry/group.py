"""The permutations of the participants, and which operations on their numbers they do not disturb.

As there are few participants, an operation is tried on all that its operands may be in the two
runs: it treats them alike if what it returns is related, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from ..core.fields import NONE, Array, Field
from ..core.symmetry import Permutation, Symmetry, renamed
from .refusals import NotShownError
from .relations import (
    TRUTH,
    Never,
    Nothing,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    Shifted,
    Thinned,
    exactly,
)
from .words import described, why_not_computed

FEW = 16
"""The most possible values of a number that are tracked."""

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv,
    "mod": operator.mod, "and_": operator.and_, "or_": operator.or_, "xor": operator.xor,
    "lshift": operator.lshift, "rshift": operator.rshift, "min": min, "max": max,
}  # fmt: skip
OF_BITS = ("and_", "or_", "xor")
RENAMED = (Replica, ReplicaSet, Thinned, Shifted)
_TRIED = (Same, *RENAMED)
_WIDEST = 64


class Group:
    """The participants, and the permutations that rename them.

    Attributes
    ----------
    generators
        By kind of participants that change places at all: what some permutations do to its members.
        They generate all that permutations do to them, so that what each of these keeps, all keep.
    permutations
        Permutations of all kinds that generate the others.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        self._kinds = symmetry.kinds
        self.permutations = _generators(symmetry.group)
        self.generators: dict[str, list[Permutation]] = {}
        for kind in self._kinds.members:
            each = {self._within(p, kind) for p in self.permutations}
            if moving := sorted(p for p in each if p != tuple(range(len(p)))):
                self.generators[kind] = moving
        self._result: Callable[[str, Relation, Relation], Any] = cache(self._tried)

    def _within(self, permutation: Permutation, kind: str) -> Permutation:
        """Return what a permutation of all kinds does to the members of one."""
        return self._kinds.within(permutation, kind)

    def named(self, declared: Field) -> str | None:
        """Return the kind of the participants that a variable names; None if it names none.

        The numbers of participants that do not change places are plain ones.
        """
        return self._permuted(declared.of) if declared.names else None

    def index(self, declared: Array) -> str | None:
        """Return the kind of the participants that index an array; None if plain numbers do."""
        return self._permuted(declared.by) if declared.by_replica else None

    def _permuted(self, kind: str) -> str | None:
        kind = self._kinds.resolved(kind)
        return kind if kind in self.generators else None

    def count(self, kind: str) -> int:
        """Return the number of participants of a kind."""
        return len(self._kinds.members[kind])

    def is_fixed(self, numbers: Collection[int]) -> bool:
        """Whether every permutation leaves numbers alone, be they those of participants or not."""
        every = [p for of_kind in self.generators.values() for p in of_kind]
        return all(renamed(n, p) == n for p in every for n in numbers)

    def is_closed(self, numbers: Collection[int], kind: str) -> bool:
        """Whether numbers are a set of participants that every permutation maps onto itself."""
        chosen = set(numbers)
        return chosen <= set(range(self.count(kind))) and all(
            {p[n] for n in chosen} == chosen for p in self.generators[kind]
        )

    def _is(self, made: Replica | ReplicaSet, value: Same) -> bool:
        """Whether a plain number is a participant, or a set, that every permutation keeps."""
        fixed = product(self.generators[made.kind], value.numbers or ())
        return value.numbers is not None and all(self._relates(made, p, n, n) for p, n in fixed)

    def as_replica(self, value: Relation, kind: str) -> Replica | None:
        """Return a value as the number of a participant or NONE, if it can be one."""
        if isinstance(value, Replica):
            return value if value.kind == kind else None
        made = Replica(kind, isinstance(value, Same) and NONE in (value.numbers or ()))
        return made if isinstance(value, Same) and self._is(made, value) else None

    def as_set(self, value: Relation, kind: str) -> ReplicaSet | None:
        """Return a value as a set of participants, if it can be one."""
        if isinstance(value, ReplicaSet):
            return value if value.kind == kind else None
        masks = (isinstance(value, Same) and value.numbers) or ()
        made = ReplicaSet(kind, any(mask >> self.count(kind) for mask in masks))
        return made if isinstance(value, Same) and self._is(made, value) else None

    def _relates(self, value: Relation, p: Permutation, one: int, other: int) -> bool:
        """Whether a value may be these numbers in the two runs."""
        if isinstance(value, Replica):
            return -value.may_be_none <= one < len(p) and renamed(one, p) == other
        if isinstance(value, ReplicaSet):
            return (value.wide or not one >> len(p)) and renamed_set(one, p) == other
        return one & 1 == other & 1 if isinstance(value, Shifted) else one == other

    def renamed(self, value: Relation, permutation: Permutation, number: Any) -> Any:
        """Return what a number becomes, if that kind of value is it."""
        if isinstance(value, Replica):
            return renamed(number, self._within(permutation, value.kind))
        if isinstance(value, ReplicaSet):
            return renamed_set(number, self._within(permutation, value.kind))
        return number

    def may_be(self, value: Replica | ReplicaSet, numbers: Collection[Any]) -> bool:
        """Whether values may be of a kind, and permutations give such values again."""
        return all(isinstance(number, int) for number in numbers) and all(
            (new := self.renamed(value, p, number)) in numbers
            and self._relates(value, self._within(p, value.kind), number, new)
            for p in self.permutations
            for number in set(numbers)
        )

    def computed(self, name: str, left: Relation, right: Relation) -> Relation:
        """Return the result of an operator or a comparison of numbers.

        Raises
        ------
        NotShownError
            If it tells participants apart.
        """
        if isinstance(left, Never) or isinstance(right, Never):
            return Never()
        if isinstance(left, Same) and isinstance(right, Same):
            return _of_numbers(name, left, right)
        result = None
        if isinstance(left, _TRIED) and isinstance(right, _TRIED):
            result = self._result(name, _bare(left), _bare(right))
        if result is None:
            raise NotShownError(why_not_computed(name, left, right))
        return result  # type: ignore[no-any-return]  # cached

    def _tried(self, name: str, left: Relation, right: Relation) -> Relation | None:
        """Return the kind of an operation's result, tried on all that its operands may be."""
        operands, compares = (left, right), name in COMPARISONS
        wide = any(map(is_wide, operands))
        by_bits = name in OF_BITS or (name == "rshift" and not isinstance(right, ReplicaSet))
        unknown = any(isinstance(v, Same) and v.numbers is None for v in operands)
        shifted = any(isinstance(v, Shifted) for v in operands)
        compute = COMPARISONS.get(name) or OPERATORS.get(name)
        far = name == "lshift" and isinstance(right, Same) and max(right.numbers or (0,)) > _WIDEST
        of = {v.kind for v in operands if isinstance(v, RENAMED)}
        if (
            len(of) != 1
            or unknown
            or (shifted and name != "and_")
            or far
            or not compute
            or not (compares or by_bits or not wide)
        ):
            return None
        [kind] = of
        results = self._results(compute, operands, kind, compares)
        if results is None:
            return None
        # The truth of a comparison is asked: that it is renamed like a participant is not enough.
        kinds: list[Relation] = [TRUTH if compares or shifted else Same()]
        if not compares:
            sets = [ReplicaSet(kind), ReplicaSet(kind, True)]
            alone = [Replica(kind, False), Replica(kind, True)]
            joins = name in OF_BITS and any(isinstance(v, ReplicaSet) for v in operands)
            kinds = [*sets, *kinds] if joins else [*kinds, *alone, *sets]
        kinds += [Shifted(kind)] if name == "rshift" else []
        return next((one for one in kinds if all(self._relates(one, *r) for r in results)), None)

    def _results(
        self,
        compute: Callable[[Any, Any], Any],
        operands: tuple[Relation, Relation],
        kind: str,
        compares: bool,
    ) -> set[tuple[Permutation, int, int]] | None:
        """Return what an operation gives in the two runs; None if it fails in one of them alone."""
        # Bits beyond the participants are the same in both runs; each of them matters alone, and
        # an order is decided by the sign of a difference.
        highs = {0}
        for value in operands:
            if compares and isinstance(value, Same):
                limits = product(value.numbers or (), (-1, 0, 1))
                highs |= {(limit >> self.count(kind)) + more for limit, more in limits}
        results: set[tuple[Permutation, int, int]] = set()
        for p in self.generators[kind]:
            for a, b in product(*(_pairs(value, p, highs) for value in operands)):
                one, other = (_outcome(compute, *each) for each in zip(a, b, strict=True))
                if one is None and other is None:
                    continue
                if one is None or other is None:
                    return None
                results.add((p, one, other))
        return results

    def truth(self, value: Relation) -> bool | None:
        """Return whether a value is true; None if that is unknown, but the same in both runs.

        Raises
        ------
        NotShownError
            If it may differ between the runs.
        """
        if isinstance(value, Never):
            return None
        if isinstance(value, Nothing):
            return False
        if isinstance(value, RENAMED) and not isinstance(value, Shifted):
            value = self.computed("ne", value, exactly(0))
        if not isinstance(value, Same):
            raise NotShownError(f"tests whether {described(value)} is true")
        return bool(min(value.numbers)) if value.numbers and len(value.numbers) == 1 else None


def _pairs(value: Relation, p: Permutation, highs: set[int]) -> Iterator[tuple[int, int]]:
    """Yield what a value may be in the two runs.

    Parameters
    ----------
    highs
        What the bits of a set that are not participants may be.
    """
    masks, bits = range(1 << len(p)), (0, -2)
    if isinstance(value, Same):
        yield from ((one, one) for one in value.numbers or ())
    elif isinstance(value, Replica):
        yield from ((r, renamed(r, p)) for r in range(-value.may_be_none, len(p)))
    elif isinstance(value, Shifted):
        yield from ((a | low, b | low) for low in (0, 1) for a, b in product(bits, bits))
    else:
        pairs: Any = ((mask, renamed_set(mask, p)) for mask in masks)
        if isinstance(value, Thinned):
            pairs = ((a, b) for a, b in product(masks, masks) if a.bit_count() == b.bit_count())
        more = (0, -1, 1) if is_wide(value) else ()
        for (one, other), high in product(pairs, highs.union(more)):
            yield high << len(p) | one, high << len(p) | other


def _of_numbers(name: str, left: Same, right: Same) -> Same:
    """Return a plain number, with its possible values if they are few."""
    unknown = TRUTH if name in COMPARISONS else Same()
    compute = COMPARISONS.get(name) or OPERATORS.get(name)
    if not left.numbers or not right.numbers or not compute:
        return unknown
    far = name == "lshift" and max(right.numbers) > _WIDEST
    if far or len(left.numbers) * len(right.numbers) > FEW:
        return unknown
    results = {_outcome(compute, a, b) for a in left.numbers for b in right.numbers}
    return unknown if None in results else Same(frozenset(int(one or 0) for one in results))


def _outcome(compute: Callable[[int, int], int], left: int, right: int) -> int | None:
    """Return what Python computes; None if that fails, as a shift by a negative number does."""
    try:
        return compute(left, right)
    except (ArithmeticError, ValueError):
        return None


def _bare(value: Relation) -> Relation:
    """Return a value without the loop that it is of."""
    return Replica(value.kind, value.may_be_none) if isinstance(value, Replica) else value


def is_wide(value: Relation) -> bool:
    """Whether a set may have other bits than those of participants."""
    return isinstance(value, Thinned) or (isinstance(value, ReplicaSet) and value.wide)


def renamed_set(mask: int, permutation: Permutation) -> int:
    """Return a set of participants after renaming; other bits stay."""
    low = sum(1 << new for old, new in enumerate(permutation) if mask >> old & 1)
    return mask >> len(permutation) << len(permutation) | low


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
