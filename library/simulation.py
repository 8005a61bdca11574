"""Random walks, for bounds too large to search: taken by several processes, and shortened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any

from ..checker.broken_assumptions import stopped_by as stopped_by_assumption
from ..checker.simulate import CHOICES, Tally, Walk, refuse_undecidable, walk
from ..core.interrupts import Alarm, LimitReachedError, Stop, Stopped, reason
from ..core.options import option, time_limit
from ..core.result import Load, Result, Verdict
from ..core.spec import Outcome, Property, Trace, TransitionSystem
from .pool import processes
from .shortening import shortened

BATCH = 20
"""Walks that a process takes before it reports; the result does not depend on it."""


@dataclass(frozen=True)
class Walks:
    """Which walks are taken, and how."""

    walks: int = option(1000, "Number of walks.", low=1)
    steps: int = option(100, "Maximum number of steps of a walk.", low=1, high=100_000)
    seed: int = option(0, "Equal seeds give equal walks.", low=0, high=2**64 - 1)
    choose: str = option(
        "uniform",
        "Choose uniformly among the enabled steps, or prefer actions that are rare on the walk.",
        choices=tuple(CHOICES),
    )
    time_limit: float | None = time_limit(
        None, "Start no more walks after TIME; the number of walks then varies."
    )
    keep_going: bool = option(
        False,
        "Take all walks and report the first violation of every property.",
        flags=("--continue",),
    )
    jobs: int = option(
        os.cpu_count() or 1,
        "Number of processes; the result does not depend on it.",
        low=1,
        unset="cores",
    )


@dataclass(frozen=True)
class Simulation:
    """Walks that were taken.

    Parameters
    ----------
    result
        The verdicts, in the form of a search's result: violated, or incomplete.
    originals
        For each violated property the number of the walk that violates it, and its steps before
        it was shortened.
    """

    result: Result
    tally: Tally
    seed: int
    choice: str
    originals: dict[str, tuple[int, int]]


def simulate(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    load: Load | None,
    how: Walks,
    endless: Sequence[Property] = (),
) -> Simulation:
    """Take walks and shorten what they found.

    Parameters
    ----------
    load
        Makes the system and the properties in another process; without it all walks are taken in
        this one.
    endless
        Properties that only an infinite behavior violates, so that none of them is decided.
    """
    refuse_undecidable(properties)
    started = perf_counter()
    tally = Tally()
    stopped_by = Stopped(Stop.WALKS)
    broken: dict[str, Trace] = {}
    looked = started
    try:
        for taken in _walks(system, properties, load, how, started):
            tally.add(system, taken)
            broken = taken.broken
            if broken or (taken.violated and not how.keep_going):
                break
            looked = perf_counter()
    except (KeyboardInterrupt, MemoryError) as error:
        stopped_by = reason(error, perf_counter() - looked)
    verdicts, originals = _verdicts(system, properties, tally, endless)
    violated = [verdict for verdict in verdicts if verdict.trace is not None]
    assumption = _broken(system, broken)
    if assumption is not None:
        stopped_by = stopped_by_assumption(assumption)
    result = Result(
        outcome=Outcome.VIOLATED if violated else Outcome.INCOMPLETE,
        complete=False,
        distinct_states=tally.distinct_states,
        generated_states=tally.steps,
        depth=tally.depth,
        seconds=perf_counter() - started,
        engine="simulation",
        taken={action.name: tally.taken[action.name] for action in system.actions},
        verdicts=verdicts,
        first=min(violated, key=lambda v: originals[v.property.name][0], default=None),
        stopped_by=stopped_by,
        broken_assumption=assumption,
    )
    return Simulation(result, tally, how.seed, how.choose, originals)


def _verdicts(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    tally: Tally,
    endless: Sequence[Property],
) -> tuple[list[Verdict], dict[str, tuple[int, int]]]:
    """Return the verdicts, and of each violation its walk and how many steps that had."""
    verdicts: list[Verdict] = []
    originals: dict[str, tuple[int, int]] = {}
    for prop in properties:
        first = tally.first.get(prop.name)
        if first is None:
            verdicts.append(Verdict(prop, Outcome.INCOMPLETE))
        else:
            trace = first.violated[prop.name]
            originals[prop.name] = (first.number, len(trace.steps))
            shorter = shortened(system, prop, trace)
            verdicts.append(Verdict(prop, Outcome.VIOLATED, shorter, steps=len(shorter.steps)))
    verdicts += [
        Verdict(prop, Outcome.INCOMPLETE, reason="no walk is infinite") for prop in endless
    ]
    return verdicts, originals


def _broken(system: TransitionSystem[Any, Any], broken: dict[str, Trace]) -> Verdict | None:
    """Return the verdict on the assumption that a walk has broken; None for none."""
    for prop in system.assumptions:
        if prop.name in broken:
            trace = shortened(system, prop, broken[prop.name])
            return Verdict(prop, Outcome.VIOLATED, trace, steps=len(trace.steps))
    return None


def _walks(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    load: Load | None,
    how: Walks,
    started: float,
) -> Iterator[Walk]:
    """Yield the walks in the order of their numbers, whichever process takes them.

    Raises
    ------
    KeyboardInterrupt
        Where the time is up, or the user interrupts.
    """
    if how.jobs == 1 or load is None:
        yield from _taken(system, properties, how, started, range(how.walks))
        return
    parts = (range(start, min(start + BATCH, how.walks)) for start in range(0, how.walks, BATCH))
    with processes(how.jobs) as workers:
        batches = ((load, system.debug, how, started, part) for part in parts)
        for walks, stopped in workers.in_order(_batch, batches):
            yield from walks
            if stopped is not None:
                raise stopped


def _taken(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    how: Walks,
    started: float,
    numbers: Iterable[int],
) -> Iterator[Walk]:
    """Take some walks, until the time is up."""
    with Alarm(how.time_limit, started) as watch:
        for number in numbers:
            if watch.stopped_by:
                raise LimitReachedError(watch.stopped_by)
            yield walk(system, properties, how.seed, number, how.steps, how.choose)


@cache
def _loaded(load: Load) -> tuple[TransitionSystem[Any, Any], Sequence[Property]]:
    """Make a system and properties, once in each process."""
    return load()


def _batch(
    work: tuple[Load, bool, Walks, float, range],
) -> tuple[list[Walk], LimitReachedError | None]:
    """Take some walks, and say what ended them early; the system is named, to cross processes."""
    load, watched, how, started, numbers = work
    system, properties = _loaded(load)
    system.debug = watched
    walks: list[Walk] = []
    try:
        for walk in _taken(system, properties, how, started, numbers):
            walks.append(walk)  # noqa: PERF402 - walks taken before the time was up count
    except LimitReachedError as error:
        return walks, error
    return walks, None
