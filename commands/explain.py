"""``tidegate explain``: a trace in Kafka's words, and which faults and elections it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..analysis.selection import SelectionError, assemble, find_protocol
from ..checker.check import check
from ..checker.interrupts import (
    INTERRUPT,
    Interrupted,
    LimitReachedError,
    alarm,
    is_interrupt,
    reason,
)
from ..checker.replay import retaken, without_failure
from ..checker.result import Limits
from ..core.bounds import declared, parse
from ..core.printable import one_line
from ..core.spec import Kind, Outcome, TransitionSystem
from ..render.output import Reports
from ..render.terminal import make_console, progress, write_json
from .parameters import json_option, model_options, quiet_option, time_limit_option, trace_options
from .status import EXIT_HOLDS, Ended, ended, stopped_status
from .telling import Saved, saved, systems_to_tell

if TYPE_CHECKING:
    from ..analysis.needs import Build
    from ..render.explained import Findings


@click.command(short_help="Tell a trace in words, and which faults and elections it needs.")
@click.argument("trace", metavar="TRACE.json|PROTOCOL")
@model_options("Explain a violation of this property")
@time_limit_option("Time for all searches together.", default=120.0)
@json_option("everything")
@trace_options
@quiet_option
def explain(trace: str, **options: Any) -> Ended:
    """Tell a trace sentence by sentence, and find out what its violation needs.

    TRACE.json is what 'tidegate check --json' wrote, or the ITF trace in it; or name a PROTOCOL,
    whose counterexample is then searched for. Which crashes, restarts, elections and changes of the
    ISR cannot be left out is found by searching all states, within the bounds of the trace, with
    fewer of them.

    \b
    Examples:
      tidegate explain hw
      tidegate explain kip-279 -b records=1 -b elections=3
      tidegate check hw -p LogMatching --json divergence.json
      tidegate explain divergence.json
    \b
    Exit status:
      0   everything was decided
      2   wrong usage: no such trace or protocol, or a trace that cannot be taken any more
      3   a limit was reached before everything was decided
      130 interrupted
    """
    from ..render.explained import document, print_findings, print_sentences
    from ..render.narrative import narrate

    with Reports({"--json": options["json_file"]}) as reports:
        console = make_console()
        console.quiet = options["json_file"] == "-"
        it = _chosen(trace, options)
        told = narrate(it.system, it.trace, it.property, about=it.protocol.summary)
        print_sentences(console, told)
        words, found, stopped_by = it.protocol.family.faults_and_elections, None, None
        if it.property is not None:
            found, stopped_by = _find(it, words, options)
            if found is not None:
                print_findings(console, told, found, words)
            else:
                console.print(one_line(f"What it needs is not known: stopped by {stopped_by}."))
        decided = stopped_by is None and (found is None or found.decided)
        whole = document(told, found, words) | {"decided": decided}
        reports.write("--json", lambda target: write_json(target, whole))
    return ended(EXIT_HOLDS if decided else stopped_status(stopped_by), reports)


def _chosen(name: str, options: Mapping[str, Any]) -> Saved:
    """Return the trace of a file, or the counterexample of a protocol."""
    settings, names = options["settings"], options["names"]
    if os.path.exists(name) and not name.endswith(".py"):
        if settings:
            raise click.UsageError("a saved trace has its bounds; leave out -b")
        if len(names) > 1:
            raise click.UsageError("name one property; a trace violates that")
        return saved(name, names[0] if names else None, options["named"], options["trusted"])
    if name.endswith(".json"):
        return saved(name, None, options["named"], options["trusted"])
    if options["named"] or options["trusted"]:
        raise click.UsageError(f"--protocol and --trust are for a saved trace; {name} is none")
    system, properties = assemble(name, settings, names)
    with progress(options["quiet"]) as show:
        limits = Limits(seconds=options["time_limit"])
        result = check(system, properties, limits=limits, report=show)
    if result.first is None or result.first.trace is None:
        if is_interrupt(result.stopped_by):
            raise Interrupted((result.stopped_by or "").removeprefix(INTERRUPT).strip())
        if result.stopped_by is not None:
            raise LimitReachedError(
                f"{result.stopped_by}; until then nothing was violated that could be explained"
            )
        seen = "every state" if result.outcome is Outcome.HOLDS else "not every state"
        raise SelectionError(
            f"{name}, {system.headline}: nothing is violated, so there is nothing to explain; "
            f"{seen} was seen. Choose larger bounds"
        )
    protocol, prop, steps = find_protocol(name), result.first.property, result.first.trace.steps
    told, trace = without_failure(
        systems_to_tell(protocol, settings, prop),
        lambda system: (system, retaken(system, 0, steps)),
    )
    given = tuple(f"{bound}={value}" for bound, value in system.bounds.items())
    return Saved(protocol, told, given, prop, trace, {})


def _find(
    it: Saved, words: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[Findings | None, str | None]:
    """Search for what a violation can do without; say as well what ended that early."""
    started = perf_counter()
    try:
        with alarm(options["time_limit"], started):
            return _findings(it, words, options)
    except KeyboardInterrupt as error:
        return None, reason(error, perf_counter() - started)


def _findings(
    it: Saved, words: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[Findings, str | None]:
    from ..analysis.needs import Needs, dispensable
    from ..analysis.shorten import shortened
    from ..render.explained import Findings

    assert it.property is not None
    with progress(options["quiet"]) as show:
        asked = Needs(_builder(it), it.property, it.trace, words, options["time_limit"], show)
        searched = it.property.kind in (Kind.INVARIANT, Kind.TYPE)
        needs = tuple(map(asked.of_kind, asked.used())) if searched else ()
        switches = [
            name
            for name, (_, default) in declared(it.protocol.family.bounds).items()
            if isinstance(default, bool) and it.system.bounds[name] == "true"
        ]
        on = tuple(asked.of_option(name, "false") for name in switches) if searched else ()
        least = all(need.decided and need.least == len(need.numbers) for need in needs)
        smallest = None if least else asked.smallest()
    found = Findings(
        needs,
        on,
        smallest,
        tuple(dispensable(it.system, it.property, it.trace)),
        len(shortened(it.system, it.property, it.trace).steps),
        searched,
    )
    return found, INTERRUPT if asked.interrupted else None


def _builder(it: Saved) -> Build:
    """Return what makes the system of a trace with fewer perturbations, or under other options."""
    from ..model.limits import limited

    protocol, prop = it.protocol, it.property
    assert prop is not None
    given = dict(setting.split("=", 1) for setting in it.settings)

    def build(most: Mapping[str, int], changed: Mapping[str, str]) -> TransitionSystem[Any, Any]:
        settings = [f"{name}={value}" for name, value in (given | dict(changed)).items()]
        fewer = limited(protocol, most)
        return fewer.system(parse(fewer.family.bounds, settings), prop.needs)

    return build
