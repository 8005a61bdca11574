"""``tidegate replay``: replay a saved trace."""

from __future__ import annotations

from typing import Any

import click

from ..analysis.histories import keeps_histories
from ..analysis.saved import replayed_as_recorded
from ..analysis.selection import refuse_unknown_property
from ..checker.tracefile import read_trace
from ..checker.violation import why_satisfied
from ..core.spec import Property, Trace, TransitionSystem
from ..invariants import invariants_of, properties_of
from ..model import Protocol
from ..render.output import Reports
from ..render.replayed import print_replayed
from ..render.terminal import make_console
from .parameters import property_option, trace_options
from .saved import violated_at_end
from .status import EXIT_HOLDS, EXIT_OTHER, EXIT_USAGE, Ended, ended
from .trust import protocol_to_replay


@click.command(short_help="Replay a saved trace.")
@click.argument("trace", metavar="TRACE.json")
@property_option("The custom property that the trace violates.")
@trace_options
@click.option("--full", is_flag=True, help="Print every variable of every state.")
@click.option(
    "--kafka",
    metavar="DIR",
    help="Replay it on real brokers: DIR is an unpacked distribution of Kafka, or a directory of "
    "its jars.",
)
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    help="With --kafka: write what the brokers did to FILE ('-': standard output).",
)
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    help="With --kafka: write the trace as a page, with what the brokers have in each step.",
)
def replay(
    trace: str,
    named: str | None,
    trusted: bool,
    properties: tuple[str, ...],
    full: bool,
    kafka: str | None,
    json_file: str | None,
    html_file: str | None,
) -> Ended:
    """Replay a saved trace; show the first step that is not enabled, and why.

    TRACE.json is a report of 'tidegate check --json', or the ITF trace in it. With --kafka, real
    brokers are started on this machine, each step is forced on them, and what they hold is
    compared with the model after it.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate replay loss.json                       under its own protocol
      tidegate replay loss.json --protocol kip-101    under another protocol
      tidegate replay own.json --protocol fence.py    a trace of a custom protocol
      tidegate replay loss.json --kafka kafka_2.13-3.9.2

    \b
    Exit status:
      0   every step is enabled, and the states are as recorded;
          with --kafka: the brokers did every step
      1   a state differs, or the recorded violation does not occur;
          with --kafka: the brokers differ in a step
      2   the file is not a trace, a step is not enabled, or Kafka cannot start
    """
    for option, file in (("--json", json_file), ("--html", html_file)):
        if file and not kafka:
            raise click.UsageError(
                f"{option} says what real brokers did; name them with --kafka DIR"
            )
    chosen, recorded = protocol_to_replay(trace, read_trace(trace), named, trusted, properties)
    refuse_unknown_property(trace, chosen, recorded)
    system, replayed = replayed_as_recorded(trace, chosen, recorded)
    if kafka and not replayed.stopped:
        files = {"--json": json_file, "--html": html_file}
        prop = next((p for p in properties_of(chosen) if p.name == recorded.property), None)
        return _on_kafka(kafka, trace, system, replayed.trace, prop, chosen, full, files)
    known = [p for p in properties_of(chosen) if keeps_histories(system, p, chosen)]
    invariants = invariants_of(chosen)
    judged = [p for p in known if p in invariants or p.name == recorded.property]
    violated = violated_at_end(trace, system, judged, replayed)
    reasons = {prop.name: why_satisfied(system, prop, replayed.trace) for prop in judged}
    satisfied = reasons.get(recorded.property) or ""
    verb = next((prop.verb for prop in known if prop.name == recorded.property), "violated")
    print_replayed(make_console(), system, recorded, replayed, violated, satisfied, verb, full)
    expected = {recorded.property} if recorded.property else set()
    lost = system.name == recorded.protocol and not expected <= {p.name for p in violated}
    differs = replayed.differs is not None or replayed.open is not None
    if replayed.stopped:
        return Ended(EXIT_USAGE)
    return Ended(EXIT_OTHER if lost or differs else EXIT_HOLDS)


def _on_kafka(
    folder: str,
    file: str,
    system: TransitionSystem[Any, Any],
    trace: Trace,
    prop: Property | None,
    protocol: Protocol,
    full: bool,
    reports_at: dict[str, str | None],
) -> Ended:
    """Replay the trace of a file on the brokers of the distribution in a folder."""
    from ..render.on_kafka import page_on_kafka, print_on_kafka
    from .on_kafka import replay_on_kafka, write_report

    with Reports(reports_at) as reports:
        report = replay_on_kafka(folder, file, system, trace, prop, protocol)
        with reports.after():
            print_on_kafka(make_console(reports_at["--json"] == "-"), system, trace, report, full)
        reports.write("--json", lambda target: write_report(target, trace, report))
        reports.write(
            "--html",
            lambda target: target.write(
                page_on_kafka(system, trace, report, prop, protocol.summary, full)
            ),
        )
    return ended(EXIT_OTHER if report.differs else EXIT_HOLDS, reports)
