"""A readable lasso: the shortest stem to a fair cycle, and a short such cycle.

Which one is reported depends on the model alone, as with the other traces of
:mod:`..counterexample`.  Of the nearest states on a fair cycle it is the one with the least
fingerprint, and before each state of the stem the parent with the least fingerprint.  The cycle
meets the demands in the order of the actions, each by the nearest step that meets it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_, or_
from typing import Any

from ...core.layout import State
from ...core.spec import EngineError, Property, Trace, TransitionSystem
from ..counterexample import Watch, confirm_steps, unwatched
from .formulas import Demand, Demands, demands_of, visit

Taken = tuple[int, State]
"""An instance of an action and the state that it leads to."""


@dataclass(frozen=True)
class Stem:
    """The path from the beginning of a violation to its cycle.

    Parameters
    ----------
    depth
        Steps from an initial state to the state in which the violation begins.
    states
        From that state to the first one of the cycle, both included.
    """

    depth: int
    states: tuple[State, ...]


@dataclass(frozen=True)
class Witness:
    """A violation of a liveness property: a stem, and the fair component that it leads to."""

    stem: Stem
    component: Container[State]


@dataclass(frozen=True)
class Decided:
    """A liveness property that is decided.

    Parameters
    ----------
    witness
        Where it is violated; None if it holds.
    vacuous
        For the kind ``LEADS_TO``: whether the premise holds in no state.
    """

    property: Property
    witness: Witness | None
    vacuous: bool = False


class Cycle:
    """A fair cycle inside a fair component, from a state of it back to that state.

    Parameters
    ----------
    entry
        Where it begins and ends.
    component
        The states that it may visit.
    watch
        Called for each state that is examined.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        entry: State,
        component: Container[State],
        demands: Demands,
        watch: Watch = unwatched,
    ) -> None:
        self._system, self._entry, self._component = system, entry, component
        self._demands, self._watch = demands, watch
        self._known: dict[State, tuple[list[Taken], int]] = {}

    def steps(self) -> list[Taken]:
        """Return its steps; none if the behavior can stutter in `entry` for ever."""
        way: list[Taken] = []
        while True:
            here = way[-1][1] if way else self._entry
            back: list[Taken] = []
            if here != self._entry:
                back = self._way(here, lambda _, state: state == self._entry)
            unmet = self._unmet([*way, *back])
            if not unmet:
                return [*way, *back]
            way += self._way(here, partial(self._meets, unmet & -unmet))

    def _meets(self, demand: int, index: int, state: State) -> bool:
        """Whether a step meets a demand, or leads to a state in which it is not enabled (WF)."""
        idle = demand & self._demands.weak & ~self._around(state)[1]
        return bool(self._demands.of_instance[index] & demand or idle)

    def _unmet(self, way: Sequence[Taken]) -> int:
        """Return the demands that a cycle leaves unmet."""
        visited = [self._around(state)[1] for state in (self._entry, *(s for _, s in way))]
        left = ~self._demands.met_by(index for index, _ in way)
        weak = self._demands.weak & reduce(and_, visited)
        return left & (weak | self._demands.strong & reduce(or_, visited))

    def _way(self, start: State, arrives: Callable[[int, State], bool]) -> list[Taken]:
        """Return the shortest path whose last step `arrives`, by the first such steps."""
        before: dict[State, Taken] = {}
        todo = deque([start])
        while todo:
            here = todo.popleft()
            for index, successor in self._around(here)[0]:
                if arrives(index, successor):
                    way = [(index, successor)]
                    while here != start:
                        index, parent = before[here]
                        way.append((index, here))
                        here = parent
                    return way[::-1]
                if successor != start and before.setdefault(successor, (index, here))[1] is here:
                    todo.append(successor)
        raise EngineError("a component is not fair, or not strongly connected")

    def _around(self, state: State) -> tuple[list[Taken], int]:
        """Return the steps from a state to others of the component, and the enabled demands."""
        if state not in self._known:
            self._watch()
            taken = [step for step in self._system.successors(state) if step[1] != state]
            enabled = self._demands.met_by(index for index, _ in taken)
            self._known[state] = [step for step in taken if step[1] in self._component], enabled
        return self._known[state]


@dataclass(frozen=True)
class Answer:
    """How a lasso satisfies a demand of fairness.

    Parameters
    ----------
    step
        The number of a step of the cycle that meets it, from 1; None if none does.
    idle
        The number of a state of the cycle in which it is not enabled; None if there is none.
    """

    demand: Demand
    step: int | None
    idle: int | None


def answers(system: TransitionSystem[Any, Any], trace: Trace) -> list[Answer]:
    """Return how a lasso satisfies each demand of fairness, by replaying its steps."""
    assert trace.loop is not None
    numbers = range(trace.loop, len(trace.states))
    enabled = {
        number: {
            system.instances[index].step
            for index, successor in system.successors(trace.states[number])
            if successor != trace.states[number]
        }
        for number in numbers
    }
    listed = []
    for demand in demands_of(system):
        meant = {system.instances[index].step for index in demand.instances}
        changing = (
            n + 1
            for n in numbers[:-1]
            if trace.steps[n] in meant and trace.states[n] != trace.states[n + 1]
        )
        idle = [number for number in numbers if meant.isdisjoint(enabled[number])]
        # SF is satisfied without a step only if the step is enabled nowhere.
        some = idle[0] if idle and (not demand.strong or len(idle) == len(numbers)) else None
        listed.append(Answer(demand, next(changing, None), some))
    return listed


def confirm_lasso(
    system: TransitionSystem[Any, Any], prop: Property, trace: Trace, watch: Watch = unwatched
) -> None:
    """Replay a lasso, so that no engine is trusted unchecked.

    Raises
    ------
    EngineError
        If a step is not enabled, the cycle does not close, a demand of fairness is left unmet, or
        the behavior satisfies the property.
    """
    confirm_steps(system, trace, watch)
    loop = trace.loop
    if loop is None or trace.states[loop] != trace.states[-1]:
        raise EngineError("the cycle of the lasso does not close")
    for answer in answers(system, trace):
        if answer.step is None and answer.idle is None:
            raise EngineError(f"the cycle of the lasso leaves {answer.demand} unmet")
    visits = [visit(system, prop, state, number == 0) for number, state in enumerate(trace.states)]
    recurs = any(what.recurs for what in visits[loop:])
    leaving = [number for number, what in enumerate(visits) if not what.stays]
    first = leaving[-1] + 1 if leaving else 0
    begins = any(what.begins for what in visits[first : loop + 1])
    if not (recurs and begins):
        raise EngineError(f"the lasso does not violate {prop.name}")
