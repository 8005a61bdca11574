"""Which property notices each mutant: all mutants are searched at the smallest bounds first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from time import perf_counter

from ..checker.check import check
from ..checker.interrupts import LimitReachedError, alarm
from ..checker.result import Limits, Result
from ..core.bounds import parse, unknown
from ..core.spec import Kind, ModelError, Outcome, Property
from ..invariants import properties_of
from ..model.protocol import Protocol
from .changed_steps import (
    CompactGraph,
    changed_actions,
    changed_instances,
    explored,
    killer,
)
from .mutants import Mutant, mutants
from .named import SelectionError, find_protocol
from .pool import processes, share
from .properties import find_properties, system_for, with_custom
from .unfair import Regions, all_hold, regions_of

INTERPRETED = 10_000
"""The most states for which Python is faster than compiling a mutant."""


@dataclass(frozen=True)
class Fate:
    """The fate of a mutant: killed or survived.

    Parameters
    ----------
    mutant
        Its name: the missing guard, or the weaker rule.
    killed_by
        The property that the mutant violates and its original does not (or only in more steps), or
        how the mutant failed; None if it survived.
    steps
        Steps of the shortest trace that violates it, if one does.
    bounds
        The bounds that killed it; for a survivor, the last ones that were searched.
    complete
        Whether a survivor was searched at all bounds, and every search explored all states.
    note
        For a survivor: why it changes nothing, what should kill it, or that no bounds tried it.
    """

    mutant: str
    killed_by: str | None
    steps: int | None
    bounds: str
    complete: bool = True
    note: str = ""


@dataclass(frozen=True)
class Covered:
    """The progress of the searches: mutants decided, and those to search at the present bounds."""

    killed: int
    total: int
    bounds: str
    searched: int
    alive: int


@dataclass
class _Mutant:
    """What is known about a mutant: its name, how it was killed, and where it was searched."""

    name: str
    killed: Fate | None = None
    tried: bool = False
    complete: bool = True
    last: str = ""


_Work = tuple[str, int, tuple[str, ...], str, float | None]
"""Protocol, number of the mutant, properties, bounds, and seconds."""

_Answer = tuple[int, Fate | None, bool, bool]
"""Number of the mutant, how it was killed, whether it differs at these bounds, and whether the
search was complete."""


class Killing:
    """The searches that decide the mutants of a protocol.

    Parameters
    ----------
    ladder
        Bounds to search one after the other, each as on the command line.
    """

    def __init__(
        self, protocol: Protocol, properties: Sequence[Property], ladder: Sequence[str]
    ) -> None:
        for settings in ladder:
            parse(protocol.family.bounds, settings.split())
        self._protocol = protocol
        self._names = tuple(prop.name for prop in properties)
        self._ladder = tuple(ladder)
        live = {prop.kind.is_liveness for prop in properties}
        every = list(mutants(protocol))
        if protocol.family.mutates_conditions:
            # Kafka's families explain the survivors of several protocols together.
            names = [mutant.name for mutant in every]
            for name in protocol.family.survivors:
                if name not in names:
                    raise SelectionError(unknown("mutant in survivors=", name, names))
        self._mutants = {
            number: _Mutant(mutant.name)
            for number, mutant in enumerate(every)
            if mutant.unfair in live
        }
        self._finished: list[str] = []

    def run(
        self,
        seconds: float | None,
        jobs: int,
        report: Callable[[Covered], object] = lambda covered: None,
    ) -> Iterator[Fate]:
        """Yield each mutant that is killed; ``survivors`` returns the others.

        Parameters
        ----------
        seconds
            Wall time of all searches together.
        jobs
            Searches that run at once, each in its own process.
        """
        until = None if seconds is None else perf_counter() + seconds
        with processes(jobs) as workers:
            for bounds in self._ladder:
                alive = [i for i, mutant in self._mutants.items() if mutant.killed is None]
                answers = workers.in_order(_tried, self._work(alive, bounds, until))
                done = 0
                for done, answer in enumerate(answers, 1):
                    yield from self._note(bounds, answer)
                    killed = sum(mutant.killed is not None for mutant in self._mutants.values())
                    report(Covered(killed, len(self._mutants), bounds, done, len(alive)))
                if done < len(alive):
                    return
                self._finished.append(bounds)

    def _work(self, alive: Sequence[int], bounds: str, until: float | None) -> Iterator[_Work]:
        """Yield the searches at some bounds, until the time is up."""
        for number in alive:
            left = None if until is None else until - perf_counter()
            if left is not None and left <= 0:
                return
            yield self._protocol.name, number, self._names, bounds, left

    def _note(self, bounds: str, answer: _Answer) -> Iterator[Fate]:
        """Record the answer of a search; yield how the mutant was killed, if it was."""
        number, fate, differs, complete = answer
        mutant = self._mutants[number]
        mutant.tried |= differs
        mutant.complete &= complete
        mutant.last = bounds if differs else mutant.last
        mutant.killed = fate
        if fate is not None:
            yield fate

    @property
    def total(self) -> int:
        """How many mutants there are."""
        return len(self._mutants)

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The bounds at which not every survivor was searched."""
        return self._ladder[len(self._finished) :]

    def survivors(self) -> list[Fate]:
        """Return the mutants that were not killed, in order."""
        notes = self._protocol.family.survivors
        survivors = []
        for mutant in self._mutants.values():
            if mutant.killed is not None:
                continue
            own = f"{self._protocol.name}: {mutant.name}"
            note = notes.get(own) or notes.get(mutant.name, "")
            if not mutant.tried and not self.unfinished:
                action = mutant.name.partition(":")[0]
                note = f"not tried: within these bounds there is no {action}"
            complete = mutant.complete and not self.unfinished
            last = mutant.last or (self._ladder[-1] if not self.unfinished else "")
            survivors.append(Fate(mutant.name, None, None, last, complete, note))
        return survivors


@cache
def _mutants(name: str) -> tuple[Protocol, list[Mutant]]:
    """Return a protocol and its mutants; each process makes them once, since that takes a while."""
    protocol = find_protocol(name)
    return protocol, list(mutants(protocol))


def _tried(work: _Work) -> _Answer:
    """Search one mutant, given by names and numbers, which can cross processes."""
    name, number, names, bounds, seconds = work
    protocol, every = _mutants(name)
    mutant = every[number]
    if not _differs(mutant, protocol, bounds):
        return number, None, False, True
    properties = _properties(protocol, names, mutant.unfair)
    try:
        result = _decided(mutant, protocol, properties, bounds, seconds)
    except ModelError as error:
        _refuse_failing(protocol.name, names, bounds, seconds)
        failed = f"fails: {str(error).split(';')[0]}"
        return number, Fate(mutant.name, failed, None, bounds), True, True
    if result is None:
        return number, None, True, False
    killer, steps = result
    return number, Fate(mutant.name, killer, steps, bounds) if killer else None, True, True


def _differs(mutant: Mutant, original: Protocol, bounds: str) -> bool:
    """Whether a mutant is another system than its original within some bounds.

    It is not if these bounds leave out the changed action.
    """
    changed = changed_actions(original, mutant.protocol)
    return not changed or not changed.isdisjoint(_actions(original.name, bounds))


@lru_cache(maxsize=1)
def _actions(name: str, bounds: str) -> frozenset[str]:
    """Return the actions that a protocol has within some bounds."""
    system = system_for(_mutants(name)[0], bounds.split(), [])
    return frozenset(action.name for action in system.actions)


def _decided(
    mutant: Mutant,
    original: Protocol,
    properties: Sequence[Property],
    bounds: str,
    seconds: float | None,
) -> tuple[str, int] | None:
    """Return what :func:`_search` returns, from the original's states if these suffice."""
    began = perf_counter()
    try:
        with alarm(seconds, began, at_once=True):
            answer = _by_original(mutant, original, properties, bounds)
    except LimitReachedError:
        return None
    except ModelError:
        # A search from scratch says in which step it fails.
        answer = None
    if answer is not None:
        return answer
    left = None if seconds is None else max(0.001, seconds - (perf_counter() - began))
    return _search(mutant, original, properties, bounds, left)


def _by_original(
    mutant: Mutant, original: Protocol, properties: Sequence[Property], bounds: str
) -> tuple[str, int] | None:
    """Return what kills a mutant, from the states of its original; None if these do not suffice."""
    names = tuple(prop.name for prop in properties)
    if mutant.unfair:
        known = _regions(original.name, names, bounds)
        system = system_for(mutant.protocol, bounds.split(), properties)
        return ("", 0) if known is not None and all_hold(known, system) else None
    if original.family.mutates_conditions:
        # Without a condition that is no guard, an action may write and return "not enabled".
        return None
    graph = _graph(original.name, names, bounds)
    if graph is None:
        return None
    system = system_for(mutant.protocol, bounds.split(), properties)
    changed = changed_instances(graph, original, mutant.protocol, system)
    return None if changed is None else killer(graph, system, changed, properties)


def _search(
    mutant: Mutant,
    original: Protocol,
    properties: Sequence[Property],
    bounds: str,
    seconds: float | None,
) -> tuple[str, int] | None:
    """Return the (property, steps) that kills a mutant, ("", 0) if none, None if time ran out.

    A violation kills if the original does not violate the same property in as few steps.  If it
    does, that property is left out, and the others are searched again.
    """
    remaining = list(properties)
    while remaining:
        result = _check(mutant.protocol, remaining, bounds, Limits(seconds=seconds))
        violated = {v.property.name: len(v.trace.steps) for v in result.verdicts if v.trace}
        for name, steps in violated.items():
            if not _violates(original.name, name, bounds, steps):
                return name, steps
        if not violated:
            return ("", 0) if result.outcome is Outcome.HOLDS else None
        remaining = [prop for prop in remaining if prop.name not in violated]
    return "", 0


@lru_cache(maxsize=1)
def _graph(name: str, names: tuple[str, ...], bounds: str) -> CompactGraph | None:
    """Return the state graph of a protocol, in which its mutants are searched."""
    protocol, _ = _mutants(name)
    properties = _properties(protocol, names, live=False)
    try:
        return explored(
            protocol, properties, lambda one: system_for(one, bounds.split(), properties)
        )
    except ModelError:
        return None


@lru_cache(maxsize=1)
def _regions(name: str, names: tuple[str, ...], bounds: str) -> Regions | None:
    """Return what decides liveness properties of a protocol; None if it has too many states."""
    protocol, _ = _mutants(name)
    properties = _properties(protocol, names, live=True)
    return regions_of(system_for(protocol, bounds.split(), properties), properties, INTERPRETED)


@cache
def _refuse_failing(name: str, names: tuple[str, ...], bounds: str, seconds: float | None) -> None:
    """Raise the error with which a protocol itself fails, since it then says nothing of mutants."""
    protocol = find_protocol(name)
    properties = _properties(protocol, names, live=False)
    _check(protocol, properties, bounds, Limits(seconds=seconds))


@cache
def _violates(protocol: str, name: str, bounds: str, steps: int) -> bool:
    """Whether a protocol itself violates a property within a number of steps."""
    original = find_protocol(protocol)
    [prop] = find_properties(original, [name])
    if prop.kind.is_liveness:
        # Less fairness allows more behaviors: the original's lassos are also the mutant's.
        return _check(original, [prop], bounds, Limits()).first is not None
    return _check(original, [prop], bounds, Limits(max_depth=steps + 1)).first is not None


def _properties(protocol: Protocol, names: Sequence[str], live: bool) -> list[Property]:
    """Return the properties among the named ones that can kill a mutant."""
    kinds = (Kind.INVARIANT, Kind.TYPE)
    return [
        prop
        for prop in properties_of(with_custom(protocol, names))
        if prop.name in names and (prop.kind.is_liveness if live else prop.kind in kinds)
    ]


_large: set[str] = set()
"""Bounds at which a mutant had more states than are worth interpreting."""


def _check(
    protocol: Protocol, properties: Sequence[Property], bounds: str, limits: Limits
) -> Result:
    """Search a protocol at bounds as on the command line, compiled only if that is faster."""
    system = system_for(protocol, bounds.split(), properties)
    if bounds not in _large:
        few = replace(limits, max_states=INTERPRETED)
        interpreted = replace(share(), engine="interpreted")
        result = check(system, properties, limits=few, resources=interpreted)
        if result.outcome is not Outcome.INCOMPLETE or result.distinct_states < INTERPRETED:
            return result
        _large.add(bounds)
    return check(system, properties, limits=limits, resources=share())
