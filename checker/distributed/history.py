"""The states of every level in the store, and their parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core.layout import State
from ...core.spec import EngineError, TransitionSystem
from .runs import Run, RunFile, record_of, stretches
from .store import Store


class History:
    """The levels of a search as they are in its store.

    Parameters
    ----------
    canonical
        Returns the representative of a state under symmetry.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        store: Store,
        canonical: Callable[[State], State],
    ) -> None:
        self.system, self.store, self.canonical = system, store, canonical
        self.words = system.layout.words

    def parent(self, child: State, run: Run | None, before: Run) -> State:
        """Return the parent with the least fingerprint of a state in a level's run, if any."""
        record = record_of(self.system.layout.pack(child))
        for file, number in self._records(run, record[0]) if run else ():
            if record_of(file.words(number)) == record:
                return self._state(before, file.parent(number), child)
        if self.system.constraint is not None:
            return self._inside(before, child)
        raise EngineError(f"a state that was found is not in {run.name if run else 'any run'}")

    def _inside(self, run: Run, child: State) -> State:
        """Return the least parent of a state outside the constraint, which no level holds."""
        parents = [
            state
            for state in self.states(run)
            for _, successor in self.system.successors(state)
            if self.canonical(successor) == child
        ]
        if not parents:
            raise EngineError(f"{run.name} does not hold the parent of a state that was found")
        return min(parents, key=self.system.layout.fingerprint)

    def _state(self, run: Run, fingerprint: int, child: State) -> State:
        """Return the state of that fingerprint that has `child` as a successor."""
        unpack = self.system.layout.unpack
        for file, number in self._records(run, fingerprint):
            state = unpack(file.words(number))
            following = (successor for _, successor in self.system.successors(state))
            if any(self.canonical(successor) == child for successor in following):
                return state
        raise EngineError(f"{run.name} does not hold the parent of a state that was found")

    def _records(self, run: Run, fingerprint: int) -> Iterator[tuple[RunFile, int]]:
        """Yield the records of a run that have a fingerprint."""
        share = fingerprint * run.shares >> 64
        with RunFile(self.store, run.file(share), self.words) as file:
            number = file.rank(fingerprint)
            while number < file.count and file.fingerprint(number) == fingerprint:
                yield file, number
                number += 1

    def first(self, run: Run, most: int) -> Iterator[State]:
        """Yield the first states of a run."""
        with RunFile(self.store, run.file(0), self.words) as file:
            for number in range(min(most, file.count)):
                yield self.system.layout.unpack(file.words(number))

    def states(self, run: Run) -> list[State]:
        """Return all states of a run."""
        return [
            self.system.layout.unpack(stretch.file.words(number))
            for stretch in stretches(self.store, run, self.words, 0, 1)
            for number in range(stretch.first, stretch.end)
        ]
