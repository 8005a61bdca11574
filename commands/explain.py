"""``tidegate explain``: a trace in words, and which faults and elections it needs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import click

from ..checker.check import check
from ..core.behavior import Behavior
from ..core.errors import SelectionError, one_line
from ..core.interrupts import Interrupted, LimitReachedError, Stop
from ..core.options import time_limit
from ..core.result import Limits
from ..core.spec import Kind
from ..library.full_history import with_histories
from ..library.names import find_protocol
from ..library.properties import select_violable, system_for
from ..model import Protocol
from ..render.output import Reports
from ..render.terminal import make_console, progress, write_json
from .parameters import Output, model_options, protocol_argument, takes, trace_options
from .status import EXIT_HOLDS, Ended, ended, stopped_status
from .traces import saved


@dataclass(frozen=True)
class Searches:
    """The searches for what a violation needs."""

    time_limit: float = time_limit(120.0, "Time limit of all searches together.")


@click.command()
@protocol_argument("trace", metavar="TRACE.json|PROTOCOL")
@model_options("Explain a violation of this property")
@takes(Searches, "how")
@takes(Output, "output")
@trace_options
def explain(
    trace: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    how: Searches,
    output: Output,
    named: str | None,
    trusted: bool,
) -> Ended:
    """Explain a trace sentence by sentence, and find out what its violation needs.

    TRACE.json is a report of 'tidegate check --json', or the ITF trace in it. For a PROTOCOL,
    Tidegate first searches for a counterexample. To find out which crashes, restarts, elections and
    ISR changes cannot be left out, it searches all states with fewer of them, within the bounds of
    the trace.

    \b
    Examples:
      tidegate explain hw
      tidegate explain kip-279 -b records=1 -b elections=3 -b moves
      tidegate check hw -p LogMatching --json divergence.json
      tidegate explain divergence.json

    \b
    Exit status:
      0   everything was decided
      2   wrong usage: no such trace or protocol, or a trace that cannot be replayed
      3   a limit was reached before everything was decided
      130 interrupted
    """
    from ..explain.findings import find
    from ..render.explanation import document, print_findings, print_sentences
    from ..render.narrative import narrate

    with Reports({"--json": output.json_file}) as reports:
        console = make_console()
        console.quiet = output.json_file == "-"
        protocol, behavior = _chosen(trace, settings, names, named, trusted, how, output.quiet)
        prop = behavior.prop
        if prop is not None and prop.kind is Kind.SOMETIMES:
            name = prop.name
            raise SelectionError(f"{trace}: the trace reaches {name}, and violates nothing")
        narrative = narrate(behavior)
        print_sentences(console, narrative, output.quiet)
        words, findings, stopped_by = protocol.model.faults_and_elections, None, None
        if prop is not None:
            with progress(output.quiet) as show:
                findings, stopped_by = find(protocol, behavior, words, how.time_limit, show)
            if findings is not None:
                print_findings(console, narrative, findings, words, output.quiet)
            else:
                console.print(one_line(f"Not known what it needs: stopped by {stopped_by}."))
        decided = stopped_by is None and (findings is None or findings.decided)
        result = document(narrative, findings, words) | {"decided": decided}
        reports.write("--json", lambda target: write_json(target, result))
    return ended(EXIT_HOLDS if decided else stopped_status(stopped_by), reports)


def _chosen(
    name: str,
    settings: tuple[str, ...],
    names: Sequence[str],
    named: str | None,
    trusted: bool,
    how: Searches,
    quiet: bool,
) -> tuple[Protocol, Behavior]:
    """Return the trace of a file, or the counterexample of a protocol."""
    if os.path.exists(name) and not name.endswith(".py"):
        if settings:
            raise click.UsageError("a saved trace has its own bounds; leave out -b")
        if len(names) > 1:
            raise click.UsageError("a trace violates one property; name only one with -p")
        return saved(name, names[0] if names else None, named, trusted)
    if name.endswith(".json"):
        return saved(name, None, named, trusted)
    if named or trusted:
        raise click.UsageError(f"--protocol and --trust are for saved traces; {name} is not one")
    protocol = find_protocol(name)
    selection = select_violable(protocol, names)
    system = system_for(protocol, settings, selection.properties)
    with progress(quiet) as show:
        limits = Limits(seconds=how.time_limit)
        result = check(
            system, selection.properties, named=selection.named, limits=limits, report=show
        )
    if result.first is None or result.first.trace is None:
        untraced = [verdict for verdict in result.verdicts if verdict.untraced]
        violated = ", ".join(verdict.property.name for verdict in untraced)
        stopped_by = untraced[0].untraced if untraced else result.stopped_by
        if stopped_by is not None:
            if stopped_by.by is Stop.INTERRUPT:
                raise Interrupted(stopped_by.note.strip())
            violation = f"{violated} is violated, but its trace was not finished"
            known = violation if untraced else "no violation was found before that"
            raise LimitReachedError(stopped_by.noting(f"; {known}"))
        explored = "all states were" if result.complete else "not all states were"
        within = f", {system.headline}" if system.headline else ""
        raise SelectionError(
            f"{name}{within}: nothing is violated, so there is nothing to explain "
            f"({explored} explored); choose larger bounds"
        )
    behavior = Behavior(system, result.first.trace, result.first.property)
    return protocol, with_histories(behavior, protocol, settings)
