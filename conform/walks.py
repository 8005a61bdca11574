"""Random walks that cover actions, and pairs of neighbouring actions, as evenly as they can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from random import Random
from typing import Any

from ..core.layout import State
from ..core.spec import Trace, TransitionSystem
from .shortest_ways import shortest_ways

Pair = tuple[str, str]
"""An action, and the next one; the first action of a walk comes after ''."""

GUIDED = 10
"""One walk of so many is guided to an action that the earlier walks lack."""


def by_action(pairs: Counter[Pair]) -> Counter[str]:
    """Return how often each action was taken, from the counts of pairs."""
    counted: Counter[str] = Counter()
    for (_, action), times in pairs.items():
        counted[action] += times
    return counted


class CoveringWalks:
    """Walks that prefer the pairs which earlier ones rarely took.

    The same seed gives the same walks.

    Attributes
    ----------
    longest
        The most steps of a walk.
    taken
        How often each pair was taken.
    possible
        The pairs that some walk could have taken.
    out_of_reach
        Actions that the first walks do not take, and that a search does not reach.
    """

    def __init__(self, system: TransitionSystem[Any, Any], seed: int, longest: int) -> None:
        self._system, self._seed, self.longest = system, seed, longest
        self._chances = Random(f"tidegate covering {seed}")
        self._ways: dict[str, Trace] = {}
        self._number = 0
        self.taken: Counter[Pair] = Counter()
        self.possible: set[Pair] = set()
        self.out_of_reach: list[str] = []

    def __iter__(self) -> Iterator[Trace]:
        """Yield walks for ever."""
        while True:
            self._number += 1
            yield self._walk()

    @property
    def actions(self) -> Counter[str]:
        """How often each action was taken."""
        return by_action(self.taken)

    def guide(self, count: int) -> None:
        """Search for behaviors to the actions that the first walks will lack.

        Raises
        ------
        KeyboardInterrupt
            If a signal ended the search.
        """
        if count < GUIDED:
            return
        first = CoveringWalks(self._system, self._seed, self.longest)
        for _ in islice(first, GUIDED - 1):
            pass
        lacking = [action.name for action in self._system.actions]
        lacking = [name for name in lacking if not first.actions[name]]
        ways = shortest_ways(self._system, lacking)
        self._ways = {n: way for n, way in ways.items() if len(way.steps) < self.longest}
        self.out_of_reach = [name for name in lacking if name not in self._ways]

    def _walk(self) -> Trace:
        """Return a walk, which begins with the behavior to a rare action if it is guided."""
        target = self._target() if self._number % GUIDED == 0 else ""
        if target:
            way = self._ways[target]
            states, steps = list(way.states), list(way.steps)
        else:
            states, steps = [next(iter(self._system.initial_states()))], []
        names = ["", *(step.action for step in steps)]
        self.taken.update(pairwise(names))
        self.possible.update(pairwise(names))
        before = names[-1]
        while len(steps) < self.longest:
            following = dict(self._system.successors(states[-1]))
            if not following:
                break
            index = self._choose(before, self._of(target, following))
            instance = self._system.instances[index]
            steps.append(instance.step)
            states.append(following[index])
            self.taken[before, instance.action.name] += 1
            before, target = instance.action.name, ""
        return Trace(tuple(states), tuple(steps))

    def _target(self) -> str:
        """Return the least frequent action to which a behavior is known; '' if there is none."""
        taken = self.actions
        return min(self._ways, key=lambda name: taken[name], default="")

    def _of(self, target: str, following: dict[int, State]) -> dict[int, State]:
        """Return the steps of an action, or all steps if none of it is enabled."""
        instances = self._system.instances
        own = {i: state for i, state in following.items() if instances[i].action.name == target}
        return own or following

    def _choose(self, before: str, following: dict[int, State]) -> int:
        """Return the index of a random step, preferring rare pairs."""
        names = {index: self._system.instances[index].action.name for index in following}
        alike = Counter(names.values())
        self.possible.update((before, name) for name in alike)
        weights = [
            1 / (alike[names[index]] * (1 + self.taken[before, names[index]]) ** 2)
            for index in following
        ]
        return self._chances.choices(list(following), weights)[0]
