"""Random walks, for bounds at which a search of every state would not end.

A walk begins in an initial state and takes enabled steps until its state violates something, no
step is left, or it is long enough.  It stays inside the constraint, as those of TLC do: a state
outside is judged where a step of the walk could lead to it, and never chosen.  Walk number ``n`` of
a seed is the same on every machine and in every process: it depends only on the model, the seed and
``n``.

Source: SimulationWorker.java of tlaplus/tlaplus.

A simulation may miss violations; it never says that a property holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..core.layout import State
from ..core.spec import Kind, Property, TidegateError, Trace, TransitionSystem


class SimulationError(TidegateError):
    """A property that random walks cannot decide."""


@dataclass(frozen=True)
class Walk:
    """One walk: the states it was in, all of them inside the constraint, and the instances it took.

    ``violated`` has, for each property that was seen violated, the behavior that shows it: the
    walk, or its beginning with a step to a state outside the constraint.  ``broken`` has the same
    for the first broken assumption, and nothing that comes after that is in ``violated``.
    ``enabled`` counts for each action the states of the walk in which it was enabled.
    """

    number: int
    states: tuple[State, ...]
    instances: tuple[int, ...]
    violated: dict[str, Trace]
    broken: dict[str, Trace]
    enabled: dict[str, int]


def uniform(
    enabled: Sequence[int], names: Sequence[str], taken: Counter[str], chance: float
) -> int:
    """Choose among the enabled steps with equal probability."""
    return enabled[int(chance * len(enabled))]


def rare(enabled: Sequence[int], names: Sequence[str], taken: Counter[str], chance: float) -> int:
    """Choose an action, preferring those that this walk took less often, then one of its steps."""
    by_action: dict[str, list[int]] = {}
    for index in enabled:
        by_action.setdefault(names[index], []).append(index)
    weights = [1 / (1 + taken[name]) for name in by_action]
    chance *= sum(weights)
    for weight, steps in zip(weights, by_action.values(), strict=True):
        if chance < weight:
            return steps[min(int(chance / weight * len(steps)), len(steps) - 1)]
        chance -= weight
    return enabled[-1]


CHOICES: dict[str, Callable[[Sequence[int], Sequence[str], Counter[str], float], int]] = {
    "uniform": uniform,
    "rare": rare,
}
"""How a walk chooses its steps."""


def refuse_undecidable(properties: Sequence[Property]) -> None:
    """Refuse properties that depend on all behaviors from a state.

    Raises
    ------
    SimulationError
        If there is one.
    """
    for prop in properties:
        if prop.kind.needs_graph:
            raise SimulationError(
                f"{prop.name} depends on all behaviors from a state, which walks never see; "
                "use 'tidegate check' for it"
            )


def walk(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    seed: int,
    number: int,
    longest: int,
    choice: str = "uniform",
) -> Walk:
    """Take a walk.

    Parameters
    ----------
    longest
        The most steps.
    choice
        A name in ``CHOICES``.
    """
    # A text is hashed to a seed by SHA-512, and random() gives the same numbers everywhere.
    chances = Random(f"tidegate {seed} {number}")
    choose, names = CHOICES[choice], [instance.action.name for instance in system.instances]
    system.asserts = system.asserts or any(one.kind is Kind.ASSERTION for one in properties)
    so_far = _Behavior(system, [*properties, *system.assumptions])
    taken: Counter[str] = Counter()
    possible: Counter[str] = Counter()
    inside, outside = _parted(system, enumerate(system.initial_states()))
    for state in outside.values():
        so_far.judge(state)
    if inside:
        so_far.states.append(list(inside.values())[int(chances.random() * len(inside))])
    while inside:
        inside, outside = _parted(system, system.successors(so_far.states[-1]))
        possible.update({names[index] for index in (*inside, *outside)})
        failed = bool(system.failed)
        violates = so_far.judge(deadlocked=not (inside or outside or failed), failed=failed)
        if len(so_far.instances) == longest:
            break
        for index, state in outside.items():
            so_far.judge(state, by=index)
        if violates or not inside:
            break
        index = choose(list(inside), names, taken, chances.random())
        taken[names[index]] += 1
        so_far.instances.append(index)
        so_far.states.append(inside[index])
    violated, broken = _settled(system, so_far.violated)
    states, instances = tuple(so_far.states), tuple(so_far.instances)
    return Walk(number, states, instances, violated, broken, dict(possible))


def _settled(
    system: TransitionSystem[Any, Any], violated: dict[str, Trace]
) -> tuple[dict[str, Trace], dict[str, Trace]]:
    """Part what a walk violates into properties and the first broken assumption, if there is one.

    What comes after that is in neither.
    """
    assumed = {one.name for one in system.assumptions}
    broken = {name: trace for name, trace in violated.items() if name in assumed}
    if not broken:
        return violated, {}
    first = min(broken, key=lambda name: len(broken[name].steps))
    last = len(broken[first].steps)
    before = {
        name: trace
        for name, trace in violated.items()
        if name not in assumed and len(trace.steps) <= last
    }
    return before, {first: broken[first]}


def _parted(
    system: TransitionSystem[Any, Any], states: Iterable[tuple[int, State]]
) -> tuple[dict[int, State], dict[int, State]]:
    """Part states into those inside the constraint and those outside, by their numbers."""
    inside: dict[int, State] = {}
    outside: dict[int, State] = {}
    for number, state in states:
        (inside if system.inside() else outside)[number] = state
    return inside, outside


class _Behavior:
    """The states and instances of a walk so far, and the violations."""

    def __init__(self, system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> None:
        self.states: list[State] = []
        self.instances: list[int] = []
        self.violated: dict[str, Trace] = {}
        self._system, self._judge = system, system.judge(properties)
        self._of_steps = {prop.kind: prop.name for prop in properties if prop.kind.is_of_steps}

    def judge(
        self,
        *beyond: State,
        by: int | None = None,
        deadlocked: bool = False,
        failed: bool = False,
    ) -> bool:
        """Return whether the last state violates anything, or one that follows it.

        Parameters
        ----------
        failed
            Whether an assertion fails in a step from there.
        """
        self._system.layout.load((*self.states[-1:], *beyond)[-1])
        broken = {Kind.DEADLOCK: deadlocked, Kind.ASSERTION: failed}
        violated = [prop.name for prop in self._judge()]
        violated += [name for kind, name in self._of_steps.items() if broken[kind]]
        for name in violated:
            if name not in self.violated:
                indices = self.instances if by is None else [*self.instances, by]
                steps = tuple(self._system.instances[index].step for index in indices)
                self.violated[name] = Trace((*self.states, *beyond), steps)
        return bool(violated)


@dataclass
class Tally:
    """The sums over walks, which do not depend on the processes that took them.

    Attributes
    ----------
    walks
        How many walks there were.
    depth
        The most states of a walk.
    taken, enabled
        For each action: how often it was taken, and in how many visited states it was enabled.
    first
        For each violated property the walk of the least number that violates it.
    """

    walks: int = 0
    steps: int = 0
    depth: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    enabled: Counter[str] = field(default_factory=Counter)
    first: dict[str, Walk] = field(default_factory=dict)
    _met: dict[State, int] = field(default_factory=dict)

    def add(self, system: TransitionSystem[Any, Any], walk: Walk) -> None:
        """Count a walk; walks must be added in the order of their numbers."""
        self.walks += 1
        self.steps += len(walk.instances)
        self.depth = max(self.depth, len(walk.states))
        self.taken.update(system.instances[index].action.name for index in walk.instances)
        self.enabled.update(walk.enabled)
        for name in walk.violated:
            self.first.setdefault(name, walk)
        for state in set(walk.states):
            self._met[state] = self._met.get(state, 0) + 1

    @property
    def distinct_states(self) -> int:
        """How many distinct states were visited."""
        return len(self._met)

    def estimate(self) -> Estimate:
        """Return which share of the states that walks can reach was visited."""
        if not self._met:
            return Estimate(states=0, share=0.0, again=0.0)
        met = Counter(self._met.values())
        once, twice, visits = met[1], met[2], sum(self._met.values())
        # Chao's estimator of species richness from incidences, bias-corrected (Chao2).
        unseen = (self.walks - 1) / self.walks * once * (once - 1) / (2 * (twice + 1))
        return Estimate(
            states=self.distinct_states + round(unseen),
            share=self.distinct_states / (self.distinct_states + unseen),
            again=1 - once / visits,
        )


@dataclass(frozen=True)
class Estimate:
    """An estimate of which share of the states that walks can reach was visited.

    Parameters
    ----------
    states
        A lower bound of the distinct states: Chao's, from the numbers of states visited by exactly
        one walk and by exactly two (Chao, Biometrics 43, 1987), with walks as the samples.
    share
        The share of these that was visited; the true share is at most about that.
    again
        The probability that a state visited by a further walk is known already (Good and Turing:
        Good, Biometrika 40, 1953).
    """

    states: int
    share: float
    again: float
