"""``tidegate simulate``: random walks, for bounds too large to search exhaustively."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..analysis.named import find_protocol
from ..analysis.pool import processes
from ..analysis.properties import find_of_states, find_violable
from ..analysis.selection import assemble
from ..analysis.shorten import shortened
from ..checker.interrupts import LimitReachedError, alarm, reason
from ..checker.result import Result, Verdict
from ..checker.simulate import CHOICES, Tally, Walk, refuse_undecidable, walk
from ..checker.stop import Stop, Stopped
from ..core.spec import Outcome, Property, TransitionSystem
from ..render.output import Reports
from ..render.terminal import make_console, write_json
from .parameters import model_options, output_options, protocol_argument, time_limit_option
from .saved import counterexample_page
from .status import EXIT_STATUS, Ended, deciding, ended, exit_status

if TYPE_CHECKING:
    from ..render.simulated import Simulation

BATCH = 20
"""Walks that a process takes before it reports; the result does not depend on it."""


@click.command(
    name="simulate",
    epilog=EXIT_STATUS,
)
@protocol_argument()
@model_options("Judge this property")
@click.option("--walks", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option(
    "--steps",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    help="Maximum number of steps of a walk.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True)
@click.option(
    "--choose",
    type=click.Choice(list(CHOICES)),
    default="uniform",
    show_default=True,
    help="Choose uniformly among the enabled steps, or prefer actions that are rare on the walk.",
)
@time_limit_option("Start no more walks after TIME; the number of walks then varies.")
@click.option(
    "--continue",
    "keep_going",
    is_flag=True,
    help="Take all walks and report the first violation of every property.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count(),
    show_default="cores",
    help="Number of processes; the result does not depend on it.",
)
@output_options
def simulate(**options: Any) -> Ended:
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

    system, properties = assemble(
        options["protocol"], options["settings"], options["names"], find_of_states
    )
    refuse_undecidable(properties)
    files = {"--json": options["json_file"], "--html": options["html_file"]}
    with deciding() as decided, Reports(files) as reports:
        done = _simulate(system, properties, options)
        decided.append(exit_status(done.result))
        done.result.verdicts += _not_judged(properties, options)
        report = simulation_report(system, done)
        with reports.after():
            if options["json_file"] != "-":
                print_simulation(
                    make_console(),
                    system,
                    done,
                    full=options["full"],
                    quiet=options["quiet"],
                    every=options["keep_going"],
                )
        reports.write("--json", lambda target: write_json(target, report))
        first, settings, full = done.result.first, options["settings"], options["full"]
        reports.write(
            "--html",
            lambda target: target.write(counterexample_page(system, first, settings, report, full)),
        )
    return ended(exit_status(done.result), reports)


def _not_judged(properties: Sequence[Property], options: dict[str, Any]) -> list[Verdict]:
    """Return that the liveness properties are not decided which the user did not name."""
    judged = {prop.name for prop in properties}
    chosen = find_violable(find_protocol(options["protocol"]), options["names"])
    return [
        Verdict(prop, Outcome.INCOMPLETE, reason="no walk is infinite")
        for prop in chosen
        if prop.name not in judged
    ]


def _simulate(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], options: dict[str, Any]
) -> Simulation:
    """Take the walks and shorten what they found."""
    from ..render.simulated import Simulation

    started = perf_counter()
    tally = Tally()
    stopped_by = Stopped(Stop.WALKS)
    looked = started
    try:
        for taken in _walks(system, properties, options, started):
            tally.add(system, taken)
            if taken.violated and not options["keep_going"]:
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
    return Simulation(result, tally, options["seed"], options["choose"], originals)


def _walks(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    options: dict[str, Any],
    started: float,
) -> Iterator[Walk]:
    """Yield the walks in the order of their numbers, whichever process takes them.

    Raises
    ------
    KeyboardInterrupt
        Where the time is up, or the user interrupts.
    """
    names = tuple(prop.name for prop in properties)
    chosen = options["protocol"], options["settings"], names
    how = _How(options["seed"], options["steps"], options["choose"], options["time_limit"], started)
    if options["jobs"] == 1:
        yield from _taken(system, properties, how, range(options["walks"]))
        return
    last = options["walks"]
    batches = (range(start, min(start + BATCH, last)) for start in range(0, last, BATCH))
    with processes(options["jobs"]) as workers:
        for walks, stopped in workers.in_order(_batch, ((*chosen, how, part) for part in batches)):
            yield from walks
            if stopped is not None:
                raise stopped


@dataclass(frozen=True)
class _How:
    """How walks are taken; ``limit`` is the time limit in seconds since ``started``, if any."""

    seed: int
    longest: int
    choice: str
    limit: float | None
    started: float


def _taken(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    how: _How,
    numbers: Iterable[int],
) -> Iterator[Walk]:
    """Take some walks, until the time is up."""
    with alarm(how.limit, how.started) as watch:
        for number in numbers:
            if watch.stopped_by:
                raise LimitReachedError(watch.stopped_by)
            yield walk(system, properties, how.seed, number, how.longest, how.choice)


_assembled: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Any] = {}
"""What this process has put together so far."""


def _batch(
    work: tuple[str, tuple[str, ...], tuple[str, ...], _How, range],
) -> tuple[list[Walk], LimitReachedError | None]:
    """Take some walks, and say what ended them early; the system is named, to cross processes."""
    protocol, settings, names, how, numbers = work
    key = (protocol, settings, names)
    if key not in _assembled:
        _assembled[key] = assemble(protocol, settings, names or ("none",))
    walks: list[Walk] = []
    try:
        system, properties = _assembled[key]
        for walk in _taken(system, properties, how, numbers):
            walks.append(walk)  # noqa: PERF402 - what was taken before the time was up counts
    except LimitReachedError as error:
        return walks, error
    return walks, None
