"""The permutations of the participants, and which operations on their numbers keep them alike."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
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
RENAMED = (Replica, ReplicaSet, Shifted)
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
        self._kinds, self._within = symmetry.kinds, symmetry.kinds.within
        self.permutations = _generators(symmetry.group)
        self.generators: dict[str, list[Permutation]] = {}
        for kind in self._kinds.members:
            each = {self._within(p, kind) for p in self.permutations}
            if moving := sorted(p for p in each if p != tuple(range(len(p)))):
                self.generators[kind] = moving

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

    def _is_kept(self, kind: str, rename: Callable[[int, Permutation], int], value: Same) -> bool:
        """Whether a plain value is known to be what no permutation renames."""
        every = self.generators[kind]
        return value.numbers is not None and all(
            rename(n, p) == n for n in value.numbers for p in every
        )

    def as_replica(self, value: Relation, kind: str) -> Replica | None:
        """Return a value as the number of a participant or NONE, if it can be one."""
        if isinstance(value, Replica):
            return value if value.kind == kind else None
        if not isinstance(value, Same) or not self._is_kept(kind, renamed, value):
            return None
        numbers = value.numbers or frozenset()
        here = all(NONE <= n < self.count(kind) for n in numbers)
        return Replica(kind, NONE in numbers) if here else None

    def as_set(self, value: Relation, kind: str) -> ReplicaSet | None:
        """Return a value as a set of participants, if it can be one."""
        if isinstance(value, ReplicaSet):
            return value if value.kind == kind else None
        if not isinstance(value, Same) or not self._is_kept(kind, renamed_set, value):
            return None
        return ReplicaSet(kind, any(mask >> self.count(kind) for mask in value.numbers or ()))

    def renamed(self, value: Relation, permutation: Permutation, number: Any) -> Any:
        """Return what a number becomes, if that kind of value is it."""
        if isinstance(value, Replica):
            return renamed(number, self._within(permutation, value.kind))
        if isinstance(value, ReplicaSet):
            return renamed_set(number, self._within(permutation, value.kind))
        return number

    def may_be(self, value: Replica | ReplicaSet, numbers: Collection[Any]) -> bool:
        """Whether values may be of a kind, and permutations give such values again."""
        count = self.count(value.kind)
        high = 1 << count if isinstance(value, ReplicaSet) else count
        low = NONE if isinstance(value, Replica) and value.may_be_none else 0
        return all(isinstance(n, int) and low <= n < high for n in numbers) and all(
            self.renamed(value, p, n) in numbers for p in self.permutations for n in set(numbers)
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
        kinds = {one.kind for one in (left, right) if isinstance(one, RENAMED)}
        result = self._of_kind(name, left, right, kinds.pop()) if len(kinds) == 1 else None
        if result is None:
            raise NotShownError(why_not_computed(name, left, right))
        return result

    def _of_kind(self, name: str, left: Relation, right: Relation, kind: str) -> Relation | None:
        """Return the result of an operation on participants, or sets of them; None if unknown."""
        if name in COMPARISONS and isinstance(left, Replica) and isinstance(right, Same):
            return self._with_plain(COMPARISONS[name], kind, right)
        if name in COMPARISONS and isinstance(left, Same) and isinstance(right, Replica):
            compare = COMPARISONS[name]
            return self._with_plain(lambda replica, n: compare(n, replica), kind, left)
        if isinstance(left, Replica) and isinstance(right, Replica):
            return TRUTH if name in ("eq", "ne") else None
        if name == "lshift":
            return ReplicaSet(kind) if left == exactly(1) and isinstance(right, Replica) else None
        one, other = self.as_set(left, kind), self.as_set(right, kind)
        if name == "rshift":
            return Shifted(kind) if one is not None and self.as_replica(right, kind) else None
        if name == "and_" and Shifted(kind) in (left, right) and exactly(1) in (left, right):
            return TRUTH
        if one is None or other is None:
            return None
        if name in OF_BITS:
            every = all if name == "and_" else any
            return ReplicaSet(kind, every((one.wide, other.wide)))
        return TRUTH if name in ("eq", "ne") else None

    def _with_plain(
        self, compare: Callable[[int, int], bool], kind: str, plain: Same
    ) -> Relation | None:
        """Return the truth of a comparison with a plain number, if no renaming changes that."""
        pairs = [(n, new) for p in self.generators[kind] for n, new in enumerate(p)]
        alike = plain.numbers is not None and all(
            compare(one, n) == compare(other, n) for one, other in pairs for n in plain.numbers
        )
        return TRUTH if alike else None

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
