"""``tidegate simulate``: random walks, for bounds too large to search exhaustively."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..analysis.loading import Named
from ..analysis.named import find_protocol
from ..analysis.pool import processes
from ..analysis.properties import find_of_states, find_violable
from ..analysis.selection import assemble
from ..analysis.shorten import shortened
from ..checker.interrupts import LimitReachedError, alarm, reason
from ..checker.result import Result, Verdict
from ..checker.simulate import CHOICES, Tally, Walk, refuse_undecidable, walk
from ..checker.stop import Stop, Stopped
from ..core.options import option, time_limit
from ..core.spec import Outcome, Property, TransitionSystem
from ..model import Protocol
from ..render.output import Reports
from ..render.terminal import make_console, write_json
from .parameters import TraceOutput, model_options, protocol_argument, takes
from .saved import counterexample_page
from .status import EXIT_STATUS, Ended, deciding, ended, exit_status

if TYPE_CHECKING:
    from ..render.simulated import Simulation

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


@click.command(
    name="simulate",
    epilog=EXIT_STATUS,
)
@protocol_argument()
@model_options("Judge this property")
@takes(Walks, "how")
@takes(TraceOutput, "output")
def simulate(
    protocol: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    how: Walks,
    output: TraceOutput,
) -> Ended:
    """Take random walks through PROTOCOL, and shorten those that violate a property.

    The same seed gives the same walks on every machine and with any number of processes. A
    simulation never reports HOLDS: without a violation it ends as INCOMPLETE.

    \b
    Examples:
      tidegate simulate hw -b replicas=3
      tidegate simulate kip-279 -b elections=4 -b moves --walks 20000 --seed 7
      tidegate simulate kip-320 -b replicas=5 -b records=6 --choose rare --steps 300
    """
    from ..render.simulated import print_simulation, simulation_report

    system, properties = assemble(protocol, settings, names, find_of_states)
    refuse_undecidable(properties)
    files = {"--json": output.json_file, "--html": output.html_file}
    with deciding() as decided, Reports(files) as reports:
        done = _simulate(system, properties, Named(protocol, settings, names), how)
        decided.append(exit_status(done.result))
        done.result.verdicts += _not_judged(properties, find_protocol(protocol), names)
        report = simulation_report(system, done)
        with reports.after():
            if output.json_file != "-":
                print_simulation(
                    make_console(),
                    system,
                    done,
                    full=output.full,
                    quiet=output.quiet,
                    every=how.keep_going,
                )
        reports.write("--json", lambda target: write_json(target, report))
        reports.write(
            "--html",
            lambda target: target.write(
                counterexample_page(system, done.result.first, settings, report, output.full)
            ),
        )
    return ended(exit_status(done.result), reports)


def _not_judged(
    properties: Sequence[Property], protocol: Protocol, names: Sequence[str]
) -> list[Verdict]:
    """Return that the liveness properties are not decided which the user did not name."""
    judged = {prop.name for prop in properties}
    return [
        Verdict(prop, Outcome.INCOMPLETE, reason="no walk is infinite")
        for prop in find_violable(protocol, names)
        if prop.name not in judged
    ]


def _simulate(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], load: Named, how: Walks
) -> Simulation:
    """Take the walks and shorten what they found.

    Parameters
    ----------
    load
        Makes the system and the properties in another process.
    """
    from ..render.simulated import Simulation

    started = perf_counter()
    tally = Tally()
    stopped_by = Stopped(Stop.WALKS)
    looked = started
    try:
        for taken in _walks(system, properties, load, how, started):
            tally.add(system, taken)
            if taken.violated and not how.keep_going:
                break
            looked = perf_counter()
    except (KeyboardInterrupt, MemoryError) as error:
        stopped_by = reason(error, perf_counter() - looked)
    verdicts, originals = [], {}
    for prop in properties:
        first = tally.first.get(prop.name)
        if first is None:
            verdicts.append(Verdict(prop, Outcome.INCOMPLETE))
        else:
            trace = first.violated[prop.name]
            originals[prop.name] = (first.number, len(trace.steps))
            shorter = shortened(system, prop, trace)
            verdicts.append(Verdict(prop, Outcome.VIOLATED, shorter, steps=len(shorter.steps)))
    violated = [verdict for verdict in verdicts if verdict.trace is not None]
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
    )
    return Simulation(result, tally, how.seed, how.choose, originals)


def _walks(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    load: Named,
    how: Walks,
    started: float,
) -> Iterator[Walk]:
    """Yield the walks in the order of their numbers, whichever process takes them.

    Raises
    ------
    KeyboardInterrupt
        Where the time is up, or the user interrupts.
    """
    if how.jobs == 1:
        yield from _taken(system, properties, how, started, range(how.walks))
        return
    named = replace(load, properties=tuple(prop.name for prop in properties))
    parts = (range(start, min(start + BATCH, how.walks)) for start in range(0, how.walks, BATCH))
    with processes(how.jobs) as workers:
        batches = ((named, how, started, part) for part in parts)
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
    with alarm(how.time_limit, started) as watch:
        for number in numbers:
            if watch.stopped_by:
                raise LimitReachedError(watch.stopped_by)
            yield walk(system, properties, how.seed, number, how.steps, how.choose)


_loaded = cache(Named.__call__)
"""Makes a system and properties once in each process."""


def _batch(
    work: tuple[Named, Walks, float, range],
) -> tuple[list[Walk], LimitReachedError | None]:
    """Take some walks, and say what ended them early; the system is named, to cross processes."""
    load, how, started, numbers = work
    walks: list[Walk] = []
    try:
        for walk in _taken(*_loaded(load), how, started, numbers):
            walks.append(walk)  # noqa: PERF402 - what was taken before the time was up counts
    except LimitReachedError as error:
        return walks, error
    return walks, None
