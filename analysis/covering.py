"""Random walks that cover actions, and pairs of neighbouring actions, as evenly as they can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from ..core.layout import State
from ..core.spec import Step, Trace, TransitionSystem

Pair = tuple[str, str]
"""An action, and the one that comes next; the first one of a walk comes after nothing, ''."""


class CoveringWalks:
    """Walks that prefer what earlier ones have rarely taken.

    The same seed gives the same walks.

    Attributes
    ----------
    taken
        How often each pair was taken.
    possible
        The pairs that some walk could have taken.
    """

    def __init__(self, system: TransitionSystem[Any, Any], seed: int, longest: int) -> None:
        self._system = system
        self._chances = Random(f"tidegate covering {seed}")
        self._longest = longest
        self.taken: Counter[Pair] = Counter()
        self.possible: set[Pair] = set()

    def __iter__(self) -> Iterator[Trace]:
        """Yield walks without end."""
        while True:
            yield self._walk()

    def _walk(self) -> Trace:
        states = [next(iter(self._system.initial_states()))]
        steps: list[Step] = []
        before = ""
        while len(steps) < self._longest:
            following = dict(self._system.successors(states[-1]))
            if not following:
                break
            index = self._choose(before, following)
            instance = self._system.instances[index]
            steps.append(instance.step)
            states.append(following[index])
            self.taken[before, instance.action.name] += 1
            before = instance.action.name
        return Trace(tuple(states), tuple(steps))

    def _choose(self, before: str, following: dict[int, State]) -> int:
        """Return the index of a step, of a rare pair rather than of a frequent one."""
        names = {index: self._system.instances[index].action.name for index in following}
        alike = Counter(names.values())
        self.possible.update((before, name) for name in alike)
        weights = [
            1 / (alike[names[index]] * (1 + self.taken[before, names[index]]) ** 2)
            for index in following
        ]
        return self._chances.choices(list(following), weights)[0]
