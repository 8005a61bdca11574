"""Which property notices each mutant: all mutants are searched at the smallest bounds first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import inf
from time import perf_counter

from ..core.bounds import unknown
from ..core.errors import SelectionError
from ..core.interrupts import Alarm, LimitReachedError, Stop
from ..core.result import Limits, Result
from ..core.spec import ModelError, Outcome, Property
from ..library.mutants import Mutant, mutants
from ..library.names import find_protocol
from ..library.pool import processes
from ..library.properties import system_for
from ..model.protocol import Protocol
from .fates import Attempt, Fate, Mutated, UndecidedError
from .searches import (
    INTERPRETED,
    killing_properties,
    original_takes_long,
    refuse_failing,
    searched,
    violates,
)
from .without_fairness import Original, all_hold, original_of

SURVIVED, UNDECIDED, UNTRIED = "survived", "undecided", "not tried"
"""What becomes of mutants that are not killed: nothing notices them, what notices them was not
searched to its end, or they are their original within all bounds."""


@dataclass(frozen=True)
class Covered:
    """The progress of the searches: mutants decided, and those to search at the present bounds."""

    killed: int
    total: int
    bounds: str
    searched: int
    alive: int


@dataclass(frozen=True)
class _Work:
    """The search of one mutant, given by names and numbers, which can cross processes.

    Parameters
    ----------
    protocol, number
        The protocol, and the number of the mutant.
    share, left
        Seconds for this mutant, and for all that is left; None without a limit.
    """

    protocol: str
    number: int
    properties: tuple[str, ...]
    bounds: str
    share: float | None
    left: float | None


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
            protocol.within(settings.split())
        self._protocol = protocol
        self._names = tuple(prop.name for prop in properties)
        self._ladder = tuple(ladder)
        judged = {
            live: bool(killing_properties(protocol, self._names, live)) for live in (False, True)
        }
        every = list(mutants(protocol))
        if protocol.mutates_conditions:
            # Kafka's families explain the survivors of several protocols together.
            names = [mutant.name for mutant in every]
            for name in protocol.model.survivors:
                if name not in names:
                    raise SelectionError(unknown("mutant in survivors=", name, names))
        self._mutants = {
            number: Mutated(mutant.name)
            for number, mutant in enumerate(every)
            if judged[mutant.unfair]
        }

    def run(
        self,
        seconds: float | None,
        jobs: int,
        report: Callable[[Covered], object] = lambda covered: None,
    ) -> Iterator[Fate]:
        """Yield each mutant that is killed, as soon as it is.

        Every search has its share of the time that is left, so that a mutant with very many states
        takes no other one's.  The rest goes to those whose share was too small.

        Parameters
        ----------
        seconds
            Wall time of all searches together.
        jobs
            Searches that run at once, each in its own process.
        """
        until = inf if seconds is None else perf_counter() + seconds
        with processes(jobs) as workers:
            attempts = -1
            while attempts:
                attempts = 0
                for bounds in self._ladder:
                    chosen = self._open(bounds)
                    work = self._work(bounds, chosen, until, jobs)
                    for done, attempt in enumerate(workers.in_order(_tried, work), 1):
                        self._mutants[attempt.number].attempts[bounds] = attempt
                        if attempt.killed is not None:
                            yield attempt.killed
                        killed = sum(mutant.killed is not None for mutant in self._mutants.values())
                        report(Covered(killed, self.total, bounds, done, len(chosen)))
                        attempts += 1

    def _open(self, bounds: str) -> list[int]:
        """Return the mutants that are not decided at some bounds."""
        return [
            number
            for number, mutant in self._mutants.items()
            if bounds in mutant.undecided(self._ladder)
        ]

    def _work(self, bounds: str, chosen: Sequence[int], until: float, jobs: int) -> Iterator[_Work]:
        """Yield the searches at some bounds, each with its share of the time, until that is up."""
        following = self._ladder[self._ladder.index(bounds) + 1 :]
        later = sum(len(self._open(more)) for more in following)
        for begun, number in enumerate(chosen):
            left = until - perf_counter()
            if left <= 0:
                return
            share = left * jobs / (len(chosen) - begun + later + jobs - 1)
            before = self._mutants[number].attempts.get(bounds)
            if before is not None:
                # The same share would be too small again.
                if not 2 * before.share < left:
                    continue
                share = max(share, 2 * before.share)
            limits = (None, None) if until == inf else (min(share, left), left)
            yield _Work(self._protocol.name, number, self._names, bounds, *limits)

    @property
    def total(self) -> int:
        """How many mutants there are."""
        return len(self._mutants)

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The bounds at which not every mutant is decided."""
        return tuple(bounds for bounds in self._ladder if self._open(bounds))

    def others(self) -> dict[str, list[Fate]]:
        """Return the mutants that were not killed, in order, by what became of them."""
        notes = self._protocol.model.survivors
        called = self._protocol.declared or self._protocol.name
        others: dict[str, list[Fate]] = {SURVIVED: [], UNDECIDED: [], UNTRIED: []}
        for mutant in self._mutants.values():
            if mutant.killed:
                continue
            status, note = UNDECIDED, ""
            if not mutant.undecided(self._ladder):
                status, note = UNTRIED, f"within these bounds there is no {mutant.action}"
                if not mutant.is_untried:
                    # A note may be about this protocol's mutant only.
                    own = notes.get(f"{called}: {mutant.name}")
                    status, note = SURVIVED, own or notes.get(mutant.name, "")
            others[status].append(mutant.fate(self._ladder, note))
        return others


@cache
def _mutants(name: str) -> tuple[Protocol, list[Mutant]]:
    """Return a protocol and its mutants; each process makes them once, since that takes a while."""
    protocol = find_protocol(name)
    return protocol, list(mutants(protocol))


def _tried(work: _Work) -> Attempt:
    """Search one mutant."""
    protocol, every = _mutants(work.protocol)
    number, bounds, mutant = work.number, work.bounds, every[work.number]
    if not _differs(mutant, protocol, bounds):
        return Attempt(number, differs=False)
    properties = killing_properties(protocol, work.properties, mutant.unfair)
    try:
        killed_by, steps = _decided(mutant, protocol, properties, work)
    except ModelError as error:
        refuse_failing(protocol.name, work.properties, bounds, work.left)
        failed = f"fails: {str(error).split(';')[0]}"
        return Attempt(number, Fate(mutant.name, failed, None, bounds))
    except UndecidedError as error:
        return Attempt(number, stopped=str(error), share=error.share)
    return Attempt(number, Fate(mutant.name, killed_by, steps, bounds) if killed_by else None)


def _differs(mutant: Mutant, original: Protocol, bounds: str) -> bool:
    """Whether a mutant is another system than its original within some bounds.

    It is not if these bounds leave out the changed action.
    """
    changed = {
        weaker.name
        for action, weaker in zip(original.actions, mutant.protocol.actions, strict=True)
        if action.apply is not weaker.apply or action.fairness is not weaker.fairness
    }
    return not changed or not changed.isdisjoint(_actions(original.name, bounds))


@lru_cache(maxsize=1)
def _actions(name: str, bounds: str) -> frozenset[str]:
    """Return the actions that a protocol has within some bounds."""
    system = system_for(_mutants(name)[0], bounds.split(), [])
    return frozenset(action.name for action in system.actions)


def _decided(
    mutant: Mutant, original: Protocol, properties: Sequence[Property], work: _Work
) -> tuple[str, int]:
    """Return what :func:`_search` returns; without fairness, from the original's states if it can.

    Raises
    ------
    UndecidedError
        If the time was up before.
    """
    began = perf_counter()
    if mutant.unfair:
        try:
            # All mutants use the original's states, so the time for these is not a mutant's.
            with Alarm(work.left, perf_counter(), at_once=True):
                known = _original(original.name, work.properties, work.bounds)
        except LimitReachedError:
            raise original_takes_long(original.name) from None
        began = perf_counter()
        system = system_for(mutant.protocol, work.bounds.split(), properties)
        try:
            with Alarm(work.share, began, at_once=True):
                if known is not None and all_hold(known, system):
                    return "", 0
        except LimitReachedError:
            raise UndecidedError(_time_is_up(work), work.share) from None
    return _search(mutant, original, properties, work, began)


def _time_is_up(work: _Work) -> str:
    return f"stopped after its share of the time, {work.share or 0:.1f} s,"


def _search(
    mutant: Mutant, original: Protocol, properties: Sequence[Property], work: _Work, began: float
) -> tuple[str, int]:
    """Return the (property, steps) that kills a mutant, ("", 0) if none.

    A violation kills if the original does not violate the same property in as few steps.  If it
    does, that property is left out, and the others are searched again.

    Raises
    ------
    UndecidedError
        If the search was stopped before it was decided.
    """
    remaining = list(properties)
    while remaining:
        left = None
        if work.share is not None:
            left = max(0.001, work.share - (perf_counter() - began))
        result = searched(mutant.protocol, remaining, work.bounds, Limits(seconds=left))
        violated = {v.property.name: v.steps for v in result.verdicts if v.steps is not None}
        for name, steps in violated.items():
            if not violates(original.name, name, work.bounds, steps, work.left):
                return name, steps
        if not violated:
            if result.outcome is Outcome.HOLDS:
                return "", 0
            raise _stopped(work, result)
        remaining = [prop for prop in remaining if prop.name not in violated]
    return "", 0


def _stopped(work: _Work, result: Result) -> UndecidedError:
    """Return the error that says what stopped a search, and how far it came."""
    by_time = result.stopped_by is None or result.stopped_by.by is Stop.TIME_LIMIT
    how = _time_is_up(work) if by_time else f"stopped by {result.stopped_by},"
    how += f" with {result.distinct_states:,} distinct states, depth {result.depth},"
    return UndecidedError(how, work.share if by_time else None)


@lru_cache(maxsize=1)
def _original(name: str, names: tuple[str, ...], bounds: str) -> Original | None:
    """Return what decides liveness properties of a protocol; None if it has too many states."""
    protocol, _ = _mutants(name)
    properties = killing_properties(protocol, names, live=True)
    return original_of(system_for(protocol, bounds.split(), properties), properties, INTERPRETED)
