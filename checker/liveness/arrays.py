"""Decides a liveness property on arrays: finds the nearest fair component that violates it.

States are numbers here, and a set of states is an array of truth values.  Tests compare the answers
with a reference of their own, on graphs of networkx.

Source: Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy their
linear specification" (1985), 3; Emerson and Lei, "Modalities for model checking" (1987), for strong
fairness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import State
from ...core.spec import Kind, Property, TransitionSystem
from ..graph import StateGraph
from ..llvm import unloaded
from .formulas import Demands, predicates_of, premise_of, visit
from .lasso import Decided, Stem, Witness

Numbers = NDArray[np.signedinteger[Any]]
Truths = NDArray[np.bool_]
Words = NDArray[np.uint64]

WORD = 64


def packed(mask: int, words: int) -> Words:
    """Return a set of demands, given as the bits of a number, in that many words."""
    pieces = (mask >> WORD * word & (1 << WORD) - 1 for word in range(words))
    return np.fromiter(pieces, np.uint64, words)


def demand_words(demands: Demands) -> int:
    """Return how many words a set of demands takes."""
    return max(1, -(-len(demands.listed) // WORD))


def fingerprints(states: Words) -> Words:
    """Return the fingerprint of each state, given by its words, as ``Layout.fingerprint`` does."""
    hashed = np.full(len(states), states.shape[1], np.uint64)
    for word in range(states.shape[1]):
        hashed = hashed ^ states[:, word]
        hashed += np.uint64(0x9E3779B97F4A7C15)
        hashed = (hashed ^ hashed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        hashed = (hashed ^ hashed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        hashed ^= hashed >> np.uint64(31)
    return hashed


@dataclass(frozen=True)
class Visits:
    """The role of each state in behaviors that violate a property: see ``formulas.Visit``.

    It is ``vacuous`` if the property has a premise that holds in no state.
    """

    begins: Truths
    stays: Truths
    recurs: Truths
    vacuous: bool = False


def visits_of(
    prop: Property, properties: Sequence[Property], marks: Words, there: Truths, initial: Truths
) -> Visits:
    """Return the role of each state in behaviors that violate `prop`.

    Parameters
    ----------
    marks
        For each state a bit for each of ``predicates_of(properties)``: whether it holds there.
    there, initial
        Which numbers belong to states, and which to initial ones.
    """
    names = [each.name for _, each in predicates_of(properties)]
    violates = there & (marks >> np.uint64(names.index(prop.name)) & np.uint64(1) == 0)
    if prop.kind is Kind.EVENTUALLY:
        return Visits(violates & initial, violates, violates)
    if prop.kind is Kind.ALWAYS_EVENTUALLY:
        return Visits(violates, violates, violates)
    if prop.kind is Kind.EVENTUALLY_ALWAYS:
        return Visits(there, there, violates)
    premise = np.uint64(names.index(f"the premise of {prop.name}"))
    met = there & (marks >> premise & np.uint64(1) == 1)
    return Visits(violates & met, violates, violates, not met.any())


@dataclass(frozen=True)
class Steps:
    """Steps that change the state, an element each: source, target and instance.

    States are numbers of one signed type; machine code's instances have 16 bits.
    """

    source: NDArray[Any]
    target: NDArray[Any]
    instance: NDArray[Any]

    def __getitem__(self, which: Truths) -> Steps:
        return Steps(self.source[which], self.target[which], self.instance[which])

    def between(self, states: Truths) -> Steps:
        """Return the steps whose source and target are among some states."""
        inner = states[self.source]
        inner &= states[self.target]
        return self if inner.all() else self[inner]

    def within(self, component: Numbers) -> Steps:
        """Return the steps inside a component of several states."""
        source = component[self.source]
        inner = source == component[self.target]
        inner &= source >= 0
        return self[inner]


@dataclass(frozen=True)
class StateArrays:
    """The part of the state graph of a finished search in which violations can stay.

    Parameters
    ----------
    state
        Returns a state by its number; some numbers may have none.
    fingerprints
        Returns the fingerprints of states, given an array of their numbers.
    levels
        The numbers of the states, by their distance from an initial state.
    visits
        Returns the roles of the states for a property.
    steps
        The steps between states in which a violation of some property can stay.
    enabled
        For each of these states the enabled demands, in ``demand_words`` words.
    """

    system: TransitionSystem[Any, Any]
    demands: Demands
    state: Callable[[int], State]
    fingerprints: Callable[[Numbers], Words]
    levels: Sequence[Numbers]
    visits: Callable[[Property], Visits]
    steps: Steps
    enabled: Words

    def decided(self, prop: Property) -> Decided:
        """Decide a property: find the stem to a fair component that violates it."""
        visits = self.visits(prop)
        return Decided(prop, self._violation(visits), visits.vacuous)

    def owing(self, bits: int) -> StateArrays:
        """Return the same graph with only some demands, given as the bits of a number."""
        demands = self.demands
        left = replace(demands, weak=demands.weak & bits, strong=demands.strong & bits)
        return replace(
            self, demands=left, enabled=self.enabled & packed(bits, self.enabled.shape[1])
        )

    def _violation(self, visits: Visits) -> Witness | None:
        steps = self.steps.between(visits.stays)
        component = self._fair_components(visits, steps)
        ends = (component >= 0) & visits.recurs
        if not ends.any():
            return None
        stem = self._nearest_stem(visits, steps, ends)
        return None if stem is None else self._witness(stem, component)

    def _witness(self, stem: tuple[int, list[int]], component: Numbers) -> Witness:
        depth, chain = stem
        members = np.flatnonzero(component == component[chain[-1]])
        states = tuple(map(self.state, chain))
        known = Members(self.system.layout.fingerprint, np.sort(self.fingerprints(members)))
        return Witness(Stem(depth, states), known)

    def _fair_components(self, visits: Visits, steps: Steps) -> Numbers:
        """Return for each state the number of its fair component, or -1."""
        fair = np.full(len(self.enabled), -1, steps.source.dtype)
        demands = self.demands
        weak, strong = (
            packed(bits, self.enabled.shape[1]) for bits in (demands.weak, demands.strong)
        )
        idle = visits.recurs & ~self.enabled.any(axis=1)
        left, accepted = visits.stays, 0
        while left.any():
            component = _strong_components(left, steps)
            # A single state is fair if a behavior can stutter there for ever.
            alone = np.flatnonzero(left & idle & (component < 0))
            fair[alone] = np.arange(accepted, accepted + len(alone))
            accepted += len(alone)
            where = np.flatnonzero(component >= 0)
            if not len(where):
                break
            numbers, enabled = component[where], self.enabled[where]
            count = int(numbers.max()) + 1
            inner = steps.within(component)
            met = self._met(component, inner, count)
            groups = Groups.of(numbers)
            unmet = (weak & groups.reduced(np.bitwise_and, enabled) & ~met).any(axis=1)
            ignored = strong & ~met
            ignored &= groups.reduced(np.bitwise_or, enabled) if ignored.any() else np.uint64(0)
            recurring = np.zeros(count, np.bool_)
            recurring[numbers[visits.recurs[where]]] = True
            possible = recurring & ~unmet
            final = possible & ~ignored.any(axis=1)
            fair[where[final[numbers]]] = numbers[final[numbers]] + accepted
            accepted += count
            # A behavior that ignores SF of a step is fair only if that step is never enabled.
            again = (possible & ~final)[numbers] & ~(enabled & ignored[numbers]).any(axis=1)
            left = np.zeros(len(self.enabled), np.bool_)
            left[where[again]] = True
            steps = inner.between(left)
        return fair

    def _met(self, component: Numbers, inner: Steps, count: int) -> Words:
        """Return for each component the demands that its steps meet."""
        size = self.enabled.shape[1]
        met = np.zeros((count, size), np.uint64)
        # Sixteen bits, which machine code's instances have, are sorted without comparing.
        order = np.argsort(inner.instance, kind="stable")
        ordered = inner.instance[order]
        for instance, mask in enumerate(self.demands.of_instance):
            first, last = np.searchsorted(ordered, [instance, instance + 1])
            met[component[inner.source[order[first:last]]]] |= packed(mask, size)
        return met

    def _nearest_stem(
        self, visits: Visits, steps: Steps, ends: Truths
    ) -> tuple[int, list[int]] | None:
        """Return the shortest path to one of `ends`, and the depth at which its violation begins.

        A state in which the violation can begin is reached first on the shortest path to it.
        """
        continuing = visits.stays & ~visits.begins
        successors = (
            Successors.of(len(self.enabled), steps.source, steps.target)
            if continuing.any()
            else None
        )
        known = np.zeros(len(self.enabled), np.bool_)
        reached: list[Numbers] = []
        while len(reached) < len(self.levels) or len(reached[-1]):
            depth = len(reached)
            level = self.levels[depth] if depth < len(self.levels) else np.zeros(0, np.int64)
            frontier = level[visits.begins[level]]
            if reached and successors is not None:
                following = successors.of_all(reached[-1])
                new = continuing[following] & ~known[following]
                frontier = np.concatenate([frontier, following[new]])
            known[frontier] = True
            reached.append(frontier)
            if len(at_end := frontier[ends[frontier]]):
                return self._back(visits, steps, reached, self._least(at_end))
        return None

    def _back(
        self, visits: Visits, steps: Steps, reached: Sequence[Numbers], end: int
    ) -> tuple[int, list[int]]:
        """Return the path to a state of the last of `reached`, by the least parents."""
        chain, depth = [end], len(reached) - 1
        order = np.argsort(steps.target, kind="stable")
        targets = steps.target[order]
        while not visits.begins[chain[-1]]:
            depth -= 1
            first, last = np.searchsorted(targets, [chain[-1], chain[-1] + 1])
            parents = steps.source[order[first:last]]
            chain.append(self._least(parents[np.isin(parents, reached[depth])]))
        return depth, chain[::-1]

    def _least(self, numbers: Numbers) -> int:
        """Return the state with the least fingerprint."""
        return int(numbers[np.argmin(self.fingerprints(numbers))])


def arrays_of(graph: StateGraph) -> StateArrays:
    """Return a state graph as arrays that decide any liveness property."""
    system, demands, size = graph.system, Demands.of(graph.system), len(graph.states)
    words = demand_words(demands)
    every = Steps(*graph.columns())
    steps = every[every.source != every.target]
    listed = [packed(mask, words) for mask in demands.of_instance]
    masks = np.array(listed, np.uint64).reshape(-1, words)
    enabled = np.zeros((size, words), np.uint64)
    np.bitwise_or.at(enabled, steps.source, masks[steps.instance])

    inside = np.ones(size, np.bool_)
    inside[[*graph.outside]] = False

    def fingerprints(numbers: Numbers) -> Words:
        wanted = (system.layout.fingerprint(graph.states[number]) for number in numbers)
        return np.fromiter(wanted, np.uint64, len(numbers))

    @cache
    def visits(prop: Property) -> Visits:
        numbered = zip(graph.states, graph.depths, strict=True)
        roles = [visit(system, prop, state, not depth) for state, depth in numbered]
        begins, stays, recurs = np.array(roles, np.bool_).T
        # No behavior is followed where it leaves the constraint.
        begins, stays, recurs = begins & inside, stays & inside, recurs & inside
        vacuous = prop.kind is Kind.LEADS_TO and not begins.any()
        if vacuous:
            vacuous = not any(graph.satisfying(premise_of(prop)))
        return Visits(begins, stays, recurs, vacuous)

    # A breadth-first search numbers the states by their distance.
    levels = np.split(np.arange(size), np.flatnonzero(np.diff(np.asarray(graph.depths))) + 1)
    state = graph.states.__getitem__
    return StateArrays(system, demands, state, fingerprints, levels, visits, steps, enabled)


@dataclass(frozen=True)
class Members:
    """A set of states, by their fingerprints in ascending order.

    A false positive is possible, and harmless: a lasso is replayed.
    """

    fingerprint: Callable[[State], int]
    members: Words

    def __contains__(self, state: object) -> bool:
        wanted = np.uint64(self.fingerprint(state))  # type: ignore[arg-type]
        place = np.searchsorted(self.members, wanted)
        return bool(place < len(self.members) and self.members[place] == wanted)


@dataclass(frozen=True)
class Groups:
    """Rows by the group that each belongs to; no group is empty."""

    order: Numbers
    begins: Numbers

    @classmethod
    def of(cls, numbers: Numbers) -> Groups:
        """Return the groups, given for each row the number of its group."""
        order = np.argsort(numbers, kind="stable")
        return cls(order, np.flatnonzero(np.diff(numbers[order], prepend=-1)))

    def reduced(self, operation: np.ufunc, rows: Words) -> Words:
        """Return the result of an operation over the rows of each group."""
        made: Words = operation.reduceat(rows[self.order], self.begins, axis=0)
        return made


@dataclass(frozen=True)
class Successors:
    """The targets of the edges from each state, one after another."""

    begins: Numbers
    targets: Numbers

    @classmethod
    def of(cls, size: int, source: Numbers, target: Numbers) -> Successors:
        """Return the edges of so many states, given by their ends."""
        counts = np.bincount(source, minlength=size)
        order = np.argsort(source, kind="stable")
        return cls(np.concatenate([[0], np.cumsum(counts)]), target[order])

    def of_all(self, states: Numbers) -> Numbers:
        """Return the targets of the edges from some states, each once, in ascending order."""
        first, last = self.begins[states], self.begins[states + 1]
        lengths = last - first
        starts = np.repeat(first - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        return np.unique(self.targets[np.arange(lengths.sum()) + starts])


def _strong_components(states: Truths, steps: Steps) -> Numbers:
    """Return for each state the number of its strongly connected component.

    It is -1 for a state that is alone in its component, and for any other number.
    """
    place = np.cumsum(states) - 1
    labels = _labels(int(states.sum()), place[steps.source], place[steps.target])
    several = np.bincount(labels) > 1
    component = np.full(len(states), -1, steps.source.dtype)
    component[states] = np.where(several, np.cumsum(several) - 1, -1)[labels]
    return component


def _labels(states: int, source: Numbers, target: Numbers) -> Numbers:
    """Return for each state the label of its strongly connected component.

    Machine code finds them in arrays; where LLVM cannot be loaded, networkx does, which takes more.
    """
    if not unloaded():
        from ..compiled.components import components

        return components(states, source, target)
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(states))
    graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    labels = np.zeros(states, np.int64)
    for label, members in enumerate(nx.strongly_connected_components(graph)):
        labels[[*members]] = label
    return labels
