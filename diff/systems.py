"""Compares two systems: takes the steps of one in the other, and finds states of only one.

Both take their steps in one process; a behavior of each is shown and written as any trace is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..checker.counterexample import shortest_traces
from ..checker.engines import finished_search
from ..checker.reasons import Reason, lacking
from ..checker.request import SearchRequest
from ..core.asserting import Assertion
from ..core.behavior import Behavior
from ..core.layout import State
from ..core.result import Limits, Progress
from ..core.spec import Property, ReplayError, Step, Trace, TransitionSystem

Ranges = dict[str, tuple[int, int]]
"""The lowest and the highest value of each variable that has several, by its path."""

Projected = tuple[int, ...]
"""The values of some variables of a state."""


@dataclass(frozen=True)
class BlockedStep:
    """The step at which a behavior stops being possible.

    Parameters
    ----------
    step
        The first step that cannot be taken.
    exists
        Whether there is such a step at all.
    reason
        The guard that it does not pass, or the assertion that it fails; None if it passes all
        guards, and the action returns False.
    rules
        Names of the rules that this guard calls.
    """

    step: Step
    exists: bool
    reason: Reason | Assertion | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Followed:
    """A behavior as far as it can be taken.

    Parameters
    ----------
    behavior
        The steps that can be taken.
    failed
        What its model failed to say of them.
    stopped
        The step that cannot be taken; None if all were.
    judged
        Names of the properties that were judged in the last state.
    violated
        The properties among them that it violates.
    """

    behavior: Behavior
    failed: tuple[str, ...]
    stopped: BlockedStep | None
    judged: tuple[str, ...]
    violated: tuple[str, ...]


@dataclass(frozen=True)
class Divergence:
    """A step after which two behaviors that take the same steps differ.

    ``number`` counts the steps up to it; ``variables`` are those that differ for the first time.
    """

    number: int
    variables: tuple[str, ...]


def ranges(system: TransitionSystem[Any, Any]) -> Ranges:
    """Return the range of every variable, except histories and those that never change."""
    return {
        variable.path: (variable.low, variable.high)
        for variable in system.layout.stored
        if not variable.path.startswith("aux_")
    }


def follow(
    system: TransitionSystem[Any, Any], properties: Iterable[Property], steps: Sequence[Step]
) -> Followed:
    """Take steps in `system` as far as they are enabled, from the best initial state.

    That is the one from which they lead furthest, and the first of several such.
    """
    ways = [_way(system, start, steps) for start in list(system.initial_states())]
    states, stopped = max(ways, key=lambda way: len(way[0]))
    behavior = Behavior(system, Trace(tuple(states), tuple(steps[: len(states) - 1])))
    # Its pictures and sentences are made once, here.
    with system.noting() as failed:
        _ = behavior.events
    judged = {prop.name: system.violates(prop, states[-1]) for prop in properties}
    violated = tuple(name for name, violates in judged.items() if violates)
    return Followed(behavior, tuple(failed), stopped, tuple(judged), violated)


def _way(
    system: TransitionSystem[Any, Any], start: State, steps: Sequence[Step]
) -> tuple[list[State], BlockedStep | None]:
    """Return the states on the way from an initial state, and the step that is blocked."""
    states = [start]
    for step in steps:
        try:
            following = system.take(states[-1], step)
        except ReplayError:
            return states, BlockedStep(step, exists=False)
        if following is None:
            return states, _stop(system, states[-1], step)
        states.append(following)
    return states, None


def _stop(system: TransitionSystem[Any, Any], state: State, step: Step) -> BlockedStep:
    """Return a blocked step with its reason."""
    reason = lacking(system, state, step)
    rules = re.findall(r"k\.rules\.(\w+)", reason.needs) if isinstance(reason, Reason) else ()
    return BlockedStep(step, True, reason, tuple(dict.fromkeys(rules)))


def values(behavior: Behavior) -> Iterator[dict[str, object]]:
    """Yield the variables of each state as people see them, except those that never change."""
    layout, kept = behavior.system.layout, ranges(behavior.system)
    for state in behavior.trace.states:
        layout.load(state)
        yield {
            variable.path: variable.shown(value)
            for variable, value in zip(layout.variables, layout.values(), strict=True)
            if variable.path in kept
        }


@dataclass(frozen=True)
class BehaviorDiff:
    """A behavior of one system, and the same steps in the other.

    Parameters
    ----------
    of
        0 if it is the first system's, 1 if the second one's.
    here, there
        The steps taken in that system, and in the other.
    departures
        The steps after which the two differ in variables that both have.
    """

    of: int
    here: Followed
    there: Followed
    departures: tuple[Divergence, ...] = field(init=False)

    @property
    def behaviors(self) -> tuple[Behavior, Behavior]:
        """The two behaviors."""
        return self.here.behavior, self.there.behavior

    def __post_init__(self) -> None:
        known: set[str] = set()
        departures = []
        for number, (mine, theirs) in enumerate(zip(*map(values, self.behaviors), strict=False)):
            differ = [name for name in shared(mine, theirs) if mine[name] != theirs[name]]
            if new := [name for name in differ if name not in known]:
                departures.append(Divergence(number, tuple(new)))
            known.update(new)
        object.__setattr__(self, "departures", tuple(departures))


class Reached:
    """All states of a system that can be reached, without histories.

    Parameters
    ----------
    system
        Built for no property at all.
    limits
        When to stop; a search that stops cannot be compared.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        limits: Limits,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._system = system
        self._search = finished_search(
            SearchRequest(system, [], keep_going=True, limits=limits, report=report)
        )
        self.stopped_by = self._search.stopped_by
        self.distinct_states = self._search.distinct_states
        self._levels = self._search.states() if self.stopped_by is None else []
        self._project: Callable[[State], Projected] = tuple

    @property
    def states(self) -> Iterator[State]:
        """The states, level by level."""
        return (state for level in self._levels for state in level)

    @property
    def taken(self) -> dict[str, int]:
        """How often each action is enabled: states times choices of its arguments."""
        counts = dict.fromkeys((action.name for action in self._system.actions), 0)
        for instance, count in zip(self._system.instances, self._search.taken, strict=True):
            counts[instance.action.name] += count
        return counts

    def levels(self, variables: Sequence[str]) -> list[set[Projected]]:
        """Return the projections of all states to some variables, level by level."""
        places = {v.path: (i, v.low) for i, v in enumerate(self._system.layout.stored)}
        chosen = [places[path] for path in variables]

        def project(state: State) -> Projected:
            return tuple(state[index] + low for index, low in chosen)

        self._project = project
        return [set(map(project, level)) for level in self._levels]

    def behavior(self, level: int, projected: Projected) -> tuple[Step, ...]:
        """Return the steps of a shortest behavior to a state with this projection."""
        fingerprint = self._system.layout.fingerprint
        ends = (state for state in self._levels[level] if self._project(state) == projected)
        end = min(ends, key=fingerprint)
        parents = self._search.least_parents
        [(_, trace)] = shortest_traces(self._system, parents, [(level, end)])
        return trace.steps

    def close(self) -> None:
        """Release the resources of the search."""
        self._search.close()


@dataclass(frozen=True)
class Alone:
    """What one of two systems reaches and the other does not.

    Parameters
    ----------
    count
        The number of such states, by the compared variables.
    nearest
        The first level with such a state, and the least of these; None if there is none.
    """

    count: int
    nearest: tuple[int, Projected] | None


def alone(mine: Sequence[set[Projected]], theirs: Sequence[set[Projected]]) -> Alone:
    """Return the states that are on some level of `mine` and on none of `theirs`.

    >>> alone([{(0,)}, {(1,), (2,)}], [{(0,)}, {(1,)}])
    Alone(count=1, nearest=(1, (2,)))
    """
    known: set[Projected] = set().union(*theirs)
    missing = set().union(*mine) - known
    for number, level in enumerate(mine):
        if nearest := level & missing:
            return Alone(len(missing), (number, min(nearest)))
    return Alone(0, None)


def begun_apart(
    mine: Sequence[set[Projected]], theirs: Sequence[set[Projected]], variables: Sequence[str]
) -> list[str]:
    """Return the variables whose values in the initial states differ.

    >>> begun_apart([{(0, 5)}, {(1, 5)}], [{(0, 6)}], ["at", "cache"])
    ['cache']
    """
    both = mine[0], theirs[0]
    return [
        name
        for index, name in enumerate(variables)
        if len({frozenset(values[index] for values in initial) for initial in both}) > 1
    ]


def shared(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Return the variables that two systems have, in order."""
    return [name for name in new if name in old]
