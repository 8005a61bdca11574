"""Symmetry: of states that differ only by a permutation of replicas, one is searched.

Replicas are the members of every kind of participant that is declared to be interchangeable, such
as managers and acceptors.  A permutation of all of them permutes each kind by itself.  The symmetry
group has those that map the set of initial states onto itself and fix every replica that the
declaration singles out, because a variable names it in every state.  The representative of an orbit
is its least state, as stored.  The state's declaration says which variables hold numbers of
replicas or are indexed by them, and of which kind these are.

:mod:`tidegate.symmetry` proves from the code, before a search, that actions and properties
treat these replicas alike; the search checks it again on samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from math import factorial, prod
from typing import Any

from .containers import Seq, Sorted
from .fields import Array, Field, declared_parts
from .generated import run
from .layout import Layout, State
from .record import Variable, unnumbered
from .spec import Kind, ModelError, Property, TidegateError, TransitionSystem

Permutation = tuple[int, ...]
"""Element r is what replica r becomes; kinds are numbered one after the other."""


class SymmetryError(TidegateError):
    """Symmetry would be unsound here, or cannot be combined with a requested property."""


class Kinds:
    """The kinds of replicas: of participants that may change places.

    What names no kind is of the only one that is named.

    Attributes
    ----------
    members
        By kind, the numbers of its members in a permutation, one kind after the other.
    unnamed
        A variable that names no kind although there are several; None if there is none.
    """

    def __init__(self, variables: Sequence[Variable]) -> None:
        said = [(kind, v) for v in variables for kind in (*v.by, *_names(v))]
        every = list(dict.fromkeys(kind for kind, _ in said if kind))
        self._only = every[0] if len(every) == 1 else ""
        nameless = (v for kind, v in said if len(every) > 1 and not kind)
        self.unnamed = next(nameless, None)
        counts: dict[str, int] = {}
        for kind, replica in (at for v in variables for at in self.indices(v)):
            counts[kind] = max(counts.get(kind, 0), replica + 1)
        # A kind that indexes no array has as many members as a variable can name.
        others: dict[str, int] = {}
        for variable in variables:
            for kind in map(self.resolved, _names(variable)):
                if kind not in counts:
                    others[kind] = max(others.get(kind, 0), _numbers(variable).stop)
        self.members: dict[str, range] = {}
        first = 0
        for kind, count in {**counts, **others}.items():
            self.members[kind] = range(first, first + count)
            first += count

    def resolved(self, kind: str) -> str:
        """Return the kind that a declaration means, which may name none."""
        return kind or self._only

    def indices(self, variable: Variable) -> list[tuple[str, int]]:
        """Return the replicas in the path of a variable, each after its kind."""
        return list(zip(map(self.resolved, variable.by), variable.replicas, strict=True))

    def within(self, permutation: Permutation, kind: str) -> Permutation:
        """Return what a permutation does to the members of one kind, numbered from 0."""
        members = self.members[self.resolved(kind)]
        return tuple(new - members.start for new in permutation[members.start : members.stop])

    def path(self, variable: Variable, permutation: Permutation) -> str:
        """Return the path of the variable that a permutation makes of one."""
        places = self.indices(variable)
        return variable.form.format(*(self.within(permutation, kind)[r] for kind, r in places))


class Symmetry:
    """The symmetry of a transition system under permutations of its replicas.

    Parameters
    ----------
    system
        Its state's declaration says which variables refer to replicas.

    Attributes
    ----------
    kinds
        The kinds of replicas.
    group
        The permutations that map the set of initial states onto itself, the identity first.
    alone
        Why that is the identity only; empty if it is not.
    sampled
        How many states were compared with their permutations so far.
    promised
        The functions that are declared to treat replicas alike and are not shown to, with places.
    """

    def __init__(self, system: TransitionSystem[Any, Any]) -> None:
        self.system = system
        variables = system.layout.variables
        self.kinds = Kinds(variables)
        if not self.kinds.members:
            raise SymmetryError(f"{system.name} {_lacks(system)}; or search without --symmetry")
        if ordered := _ordered(system.layout):
            raise self._refused(
                ordered,
                "names a replica in a sequence or an array within a set or a bag of records: give "
                "the records variables and records alone, or declare a sequence of them",
            )
        if self.kinds.unnamed:
            raise self._refused(
                self.kinds.unnamed,
                "does not say whose numbers it has, and there are several kinds "
                f"({', '.join(filter(None, self.kinds.members))}): declare an array "
                "by_replica=True with by=..., a number or a set with of=...",
            )
        initial = set(system.initial_states())
        every = [
            (permutation, permuted(system.layout, permutation))
            for permutation in _fitting(self.kinds, variables)
        ]
        fixing = [(p, apply) for p, apply in every if {apply(s) for s in initial} == initial]
        self.group = [permutation for permutation, _ in fixing]
        self._others = [apply for _, apply in fixing[1:]]
        self.alone = self._alone(len(every)) if len(fixing) == 1 else ""
        self.sampled = 0
        self.promised: list[str] = []

    def _refused(self, variable: Variable, why: str) -> SymmetryError:
        """Return the error about a declaration, with its line."""
        error = SymmetryError(f"{variable.label} {why}; or search without --symmetry")
        error.place = self.system.layout.declared_at(variable)
        return error

    def _alone(self, fitting: int) -> str:
        """Say why replicas cannot change places, of whose permutations some fit the declaration."""
        counts = [len(members) for members in self.kinds.members.values()]
        if max(counts) < 2:
            kinds = [kind for kind in self.kinds.members if kind] or ["replica"]
            return f"there is one {' and one '.join(kinds)}"
        if fitting == 1:
            return "the declared ranges distinguish all replicas"
        ranges = "" if fitting == prod(map(factorial, counts)) else "the declared ranges and "
        return f"{ranges}the initial states distinguish all replicas"

    def canonical(self, state: State) -> State:
        """Return the representative of `state`: the least state of its orbit."""
        return min(state, *(apply(state) for apply in self._others)) if self._others else state

    def verify(self, state: State, properties: Sequence[Property]) -> None:
        """Check that steps and properties treat all permutations of `state` alike.

        Raises
        ------
        ModelError
            If they do not: the protocol distinguishes replicas, and symmetry would be unsound.
        """
        self.sampled += 1
        violated, steps = self._treatment(state, properties)
        for permutation, apply in zip(self.group[1:], self._others, strict=True):
            others, renamed_steps = self._treatment(apply(state), properties)
            if others != violated or not self._match(steps, renamed_steps, apply):
                promised = " and ".join(self.promised)
                why = f": {promised} says 'Symmetric: ...' in the docstring" if promised else ""
                raise ModelError(
                    f"symmetry is broken{why}; renaming replicas as {permutation} changes which "
                    "steps are possible or which properties hold; search without --symmetry"
                )

    def permutations_of(self, state: State) -> list[State]:
        """Return `state` under each permutation of the group."""
        return [state, *(apply(state) for apply in self._others)]

    def _treatment(
        self, state: State, properties: Sequence[Property]
    ) -> tuple[set[str | Kind], set[State] | None]:
        """Return what a state violates and its successors; None if the constraint excludes it."""
        self.system.layout.load(state)
        violated: set[str | Kind] = {prop.name for prop in self.system.judge(properties)()}
        if not self.system.inside():
            return violated, None
        successors = {successor for _, successor in self.system.successors(state)}
        return violated | {Kind.ASSERTION for _ in self.system.failed}, successors

    def _match(
        self, steps: set[State] | None, others: set[State] | None, apply: Callable[[State], State]
    ) -> bool:
        """Whether the successors of a state and of its permutation are the same up to symmetry."""
        if steps is None or others is None:
            return steps is others
        # Nearly always the successors are permuted like the state, which is cheap to see.
        return {apply(step) for step in steps} == others or (
            {self.canonical(step) for step in steps} == {self.canonical(step) for step in others}
        )


def _lacks(system: TransitionSystem[Any, Any]) -> str:
    """Say what a system lacks whose states have no array by replica."""
    if _is_by_replica(system.layout.declaration):
        return "has no replicas within these bounds: choose larger ones"
    return (
        "declares no replicas that could change places: declare arrays that they index "
        "by_replica=True, their numbers by replica_id(...), and sets of them by "
        "set_of(..., of_replicas=True)"
    )


def _is_by_replica(declared: Any) -> bool:
    """Whether a declaration has an array that replicas index, however long."""
    if isinstance(declared, Array):
        return declared.by_replica or _is_by_replica(declared.element)
    parts = {} if isinstance(declared, Field) else declared_parts(declared)
    return any(map(_is_by_replica, parts.values()))


def renamed(number: int, permutation: Permutation) -> int:
    """Return the renamed number of a replica; NONE and other numbers stay.

    >>> [renamed(number, (1, 0)) for number in (-1, 0, 1, 2)]
    [-1, 1, 0, 2]
    """
    return permutation[number] if 0 <= number < len(permutation) else number


def _names(variable: Variable) -> tuple[str, ...]:
    """Return the kind whose members a variable names, as it is declared; empty if there is none."""
    return (variable.field.of,) if variable.field.names else ()


def _numbers(variable: Variable) -> range:
    """Return the numbers that a variable of replicas can name."""
    if variable.field.names == "replicas":
        return range(variable.high.bit_length())
    return range(max(variable.low, 0), variable.high + 1)


def _fitting(kinds: Kinds, variables: Sequence[Variable]) -> Iterator[Permutation]:
    """Yield the permutations that map variables to variables of the same range."""
    closed: dict[str, set[range]] = {kind: set() for kind in kinds.members}
    lengths: dict[tuple[str, int, str], int] = {}
    for variable in variables:
        for place, (kind, replica) in enumerate(kinds.indices(variable)):
            at = variable.form, place, kind
            lengths[at] = max(lengths.get(at, 0), replica + 1)
        for kind in map(kinds.resolved, _names(variable)):
            closed[kind].add(_numbers(variable))
    for (_, _, kind), length in lengths.items():
        closed[kind].add(range(length))
    fitting = [
        [
            tuple(members.start + new for new in one)
            for one in permutations(range(len(members)))
            if all({renamed(number, one) for number in some} == set(some) for some in closed[kind])
        ]
        for kind, members in kinds.members.items()
    ]
    return (tuple(chain.from_iterable(each)) for each in product(*fitting))


class _Table(dict[int, int]):
    """The renamed value for each stored value of a variable."""

    def __init__(self, variable: Variable, becomes: Iterable[int]) -> None:
        super().__init__(enumerate(becomes))
        self._variable = variable

    def __missing__(self, stored: int) -> int:
        v = self._variable
        value = stored + v.low
        raise ModelError(
            f"{v.path} is {value}, declared {v.low}..{v.high}; --debug says since when"
        )


@dataclass(frozen=True)
class Slots:
    """A container of the state whose slots a renaming changes.

    Parameters
    ----------
    length
        The variable that has its length.
    slots
        The stored variables of each slot, in their order.
    resorts
        Whether it keeps its records in order: a set or a bag.
    """

    length: Variable
    slots: tuple[tuple[Variable, ...], ...]
    resorts: bool


def slots_of(layout: Layout[Any]) -> list[Slots]:
    """Return the containers whose slots a renaming of the replicas changes.

    It changes the order of a set or a bag of records that name replicas.  A slot beyond the length
    has the lowest values, of which it must not rename replica 0.
    """
    result = []
    for kind in (Seq, Sorted):
        forms = {unnumbered(path) for path in layout.records_of(kind)}
        for length in layout.stored:
            path = length.path.removesuffix(".length")
            if path == length.path or unnumbered(path) not in forms:
                continue
            slots = _slots(layout, path)
            named = [v for slot in slots for v in slot if v.field.names]
            if kind is Seq:
                named = [v for v in named if v.field.names == "replica" and v.low >= 0]
            if named:
                result.append(Slots(length, slots, kind is Sorted))
    return result


def _slots(layout: Layout[Any], path: str) -> tuple[tuple[Variable, ...], ...]:
    """Return the stored variables of each slot of a container."""
    slots: dict[int, list[Variable]] = {}
    prefix = f"{path}.items["
    for variable in layout.stored:
        if variable.path.startswith(prefix):
            number, _, _ = variable.path.removeprefix(prefix).partition("]")
            slots.setdefault(int(number), []).append(variable)
    return tuple(tuple(slots[number]) for number in sorted(slots))


def _ordered(layout: Layout[Any]) -> Variable | None:
    """Return a variable that names a replica, or is indexed by one, in an array within a set."""
    kept = {f"{unnumbered(path)}.items[]" for path in layout.records_of(Sorted)}
    for variable in layout.variables:
        form = unnumbered(variable.path)
        for slot in kept:
            within = form.removeprefix(slot)
            if within != form and "[" in within and (variable.field.names or variable.replicas):
                return variable
    return None


def permuted(layout: Layout[Any], permutation: Permutation) -> Callable[[State], State]:
    """Return a function that renames the replicas in a stored state.

    Replica ``permutation[r]`` gets the variables of replica r, and every occurrence of the number
    r, alone or in a set, becomes ``permutation[r]``.
    """
    places = {variable.path: index for index, variable in enumerate(layout.stored)}
    kinds, back = Kinds(layout.variables), inverse(permutation)
    tables: dict[str, object] = {}
    parts = []
    for number, variable in enumerate(layout.stored):
        source = places[kinds.path(variable, back)]
        table = _renamed(variable, kinds, permutation)
        if table is None:
            parts.append(f"state[{source}]")
        else:
            tables[f"t{number}"] = table
            parts.append(f"t{number}[state[{source}]]")
    kind = "bytes" if isinstance(layout.dump(), bytes) else ""
    tables["containers"] = [
        (
            places[one.length.path],
            [[places[v.path] for v in slot] for slot in one.slots],
            one.resorts,
        )
        for one in slots_of(layout)
    ]
    tables["settle"] = _settle
    text = f"def apply(state):\n return {kind}(({','.join(parts)},))\n"
    if tables["containers"]:
        made = f" new = [{','.join(parts)}]\n settle(new, containers)\n"
        text = f"def apply(state):\n{made} return {kind or 'tuple'}(new)\n"
    run(text, f"<permutation {permutation}>", tables)
    apply: Callable[[State], State] = tables["apply"]  # type: ignore[assignment]
    return apply


def _settle(new: list[int], containers: list[tuple[int, list[list[int]], bool]]) -> None:
    """Put the records of sets and bags in order again, and the lowest values beyond the lengths.

    Parameters
    ----------
    containers
        Of each the place of its length, those of each slot, and whether it is kept in order.
    """
    for length, slots, resorts in containers:
        count = new[length]
        rows = [[new[at] for at in slot] for slot in slots[:count]]
        if resorts:
            rows.sort()
        rows += [[0] * len(slot) for slot in slots[count:]]
        for slot, row in zip(slots, rows, strict=True):
            for at, value in zip(slot, row, strict=True):
                new[at] = value


def inverse(permutation: Permutation) -> Permutation:
    """Return the permutation that undoes another one."""
    return tuple(sorted(range(len(permutation)), key=permutation.__getitem__))


def _renamed(variable: Variable, kinds: Kinds, permutation: Permutation) -> _Table | None:
    """Return the table of renamed values of a variable; None if nothing is renamed."""
    if not variable.field.names:
        return None
    within = kinds.within(permutation, variable.field.of)
    values = range(variable.low, variable.high + 1)
    if variable.field.names == "replica":
        return _Table(variable, (renamed(value, within) - variable.low for value in values))
    bits = range(variable.high.bit_length())
    moved = [1 << renamed(bit, within) for bit in bits]
    return _Table(variable, (sum(moved[b] for b in bits if mask >> b & 1) for mask in values))


def refuse_unsound(properties: Sequence[Property]) -> None:
    """Refuse symmetry where it is not known to be sound.

    Raises
    ------
    SymmetryError
        With a property of what can follow a state: steps by which one replica recovers need not
        exist for another, and they are not followed up to renaming.
    """
    for prop in properties:
        if prop.kind.needs_graph:
            raise SymmetryError(
                f"--symmetry cannot be combined with -p {prop.name}: that property follows steps "
                "from each state on, and these are not followed up to renaming; leave one out"
            )
