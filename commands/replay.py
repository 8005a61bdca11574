"""``tidegate replay``: replay a saved trace, on real brokers too, and write it in other forms."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..checker.families import shown_by
from ..checker.replay import Replayed
from ..checker.verdicts import why_satisfied
from ..core.behavior import Behavior
from ..core.spec import ReplayError
from ..core.tracefile import Recorded
from ..library.histories import keeps_histories
from ..library.properties import invariants_of, properties_of
from ..model import Protocol
from ..render.output import Reports
from ..render.replay import print_replayed
from ..render.terminal import make_console
from .parameters import form_options, trace_options
from .status import EXIT_HOLDS, EXIT_OTHER, EXIT_USAGE, Ended, ended
from .traces import changed, replay_file, violated_at_end

_ON_KAFKA = ("html", "json")
"""The files that can say what real brokers did."""


@click.command()
@click.argument("trace", metavar="TRACE.json")
@click.option(
    "-p",
    "--property",
    "prop",
    metavar="PROPERTY",
    help="The property that the trace violates: selects one of several traces of a report, and "
    "names a custom one (FILE.py:NAME).",
)
@trace_options
@click.option(
    "--full", is_flag=True, help="Show every variable of every state, not only what changed."
)
@click.option(
    "--kafka",
    metavar="DIR",
    help="Replay it on real brokers: DIR is an unpacked distribution of Kafka, or a directory of "
    "its jars. The page of --html then has what the brokers have in each step.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="With --kafka: write what the brokers did, '-' (as for each file) for standard output.",
)
@form_options("the trace")
def replay(
    trace: str,
    prop: str | None,
    named: str | None,
    trusted: bool,
    full: bool,
    kafka: str | None,
    json_file: str | None,
    forms: Mapping[str, str],
) -> Ended:
    """Replay a saved trace; show the first step that is not enabled, and why.

    TRACE.json is a report of 'tidegate check --json', or the ITF trace in it. With --kafka, real
    brokers are started on this machine, each step is forced on them, and what they hold is
    compared with the model after it. Files are written only if the replay is as recorded.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate replay loss.json                       under its own protocol
      tidegate replay loss.json --protocol kip-101    under another protocol
      tidegate replay own.json --protocol fence.py    a trace of a custom protocol
      tidegate replay loss.json --html loss.html      a page; also --mermaid, --tla and others
      tidegate replay loss.json --mermaid -           only the diagram
      tidegate replay loss.json --kafka kafka_2.13-3.9.2

    \b
    Exit status:
      0   every step is enabled, and the states are as recorded;
          with --kafka: the brokers did every step
      1   a state differs, or the recorded violation does not occur;
          with --kafka: the brokers differ in a step
      2   the file is not a trace, a step is not enabled, Kafka cannot start,
          or a file cannot be written
    """
    files = {**forms, **({} if json_file is None else {"json": json_file})}
    _refuse_unfit(files, kafka)
    with Reports({f"--{name}": path for name, path in files.items()}) as reports:
        protocol, recorded, replayed = replay_file(trace, prop, named, trusted)
        if kafka and not replayed.stopped:
            status = _on_kafka(kafka, trace, protocol, replayed.behavior, full, reports, files)
            return ended(status, reports)
        status = EXIT_HOLDS
        if not reports.to_stdout:
            with reports.after():
                status = _print(trace, protocol, recorded, replayed, full)
        if not files:
            return ended(status, reports)
        if why := changed(trace, replayed):
            raise ReplayError(f"{trace}: {why}; no file is written")
        _write(reports, forms, replayed.behavior, recorded, full)
    return ended(status, reports)


def _refuse_unfit(files: Mapping[str, str], kafka: str | None) -> None:
    """Refuse files that do not belong to this kind of replay."""
    if "json" in files and not kafka:
        raise click.UsageError("--json says what real brokers did; name them with --kafka DIR")
    if kafka and (unfit := [name for name in files if name not in _ON_KAFKA]):
        raise click.UsageError(f"--{unfit[0]} shows the model alone; leave out --kafka")


def _print(
    trace: str,
    protocol: Protocol,
    recorded: Recorded,
    replayed: Replayed,
    full: bool,
) -> int:
    """Print a replay; return the exit status."""
    behavior = replayed.behavior
    system = behavior.system
    known = [p for p in properties_of(protocol) if keeps_histories(system, p, protocol)]
    invariants = invariants_of(protocol)
    judged = [
        shown_by(system, p, behavior.trace)
        for p in known
        if p in invariants or p.name == recorded.property
    ]
    violated = violated_at_end(trace, judged, behavior)
    reasons = {prop.name: why_satisfied(system, prop, behavior.trace) for prop in judged}
    satisfied = reasons.get(recorded.property) or ""
    verb = next((prop.verb for prop in known if prop.name == recorded.property), "violated")
    print_replayed(make_console(), recorded, replayed, violated, satisfied, verb, full)
    expected = {recorded.property} if recorded.property else set()
    lost = system.name == recorded.protocol and not expected <= {p.name for p in violated}
    differs = replayed.differs is not None or replayed.open is not None
    if replayed.stopped:
        return EXIT_USAGE
    return EXIT_OTHER if lost or differs else EXIT_HOLDS


def _write(
    reports: Reports,
    forms: Mapping[str, str],
    behavior: Behavior,
    recorded: Recorded,
    full: bool,
) -> None:
    """Write a replayed trace in the requested forms."""
    from ..render.forms import numbers, write_forms
    from ..render.narrative import narrate

    write_forms(reports, forms, lambda: narrate(behavior, numbers(recorded.report)), full)


def _on_kafka(
    folder: str,
    file: str,
    protocol: Protocol,
    behavior: Behavior,
    full: bool,
    reports: Reports,
    files: Mapping[str, str],
) -> int:
    """Replay the trace of a file on the brokers in a folder; return the exit status."""
    from ..render.conformance import page_on_kafka, print_on_kafka
    from .on_kafka import replay_on_kafka, write_report

    report = replay_on_kafka(folder, file, protocol, behavior)
    with reports.after():
        print_on_kafka(make_console(reports.to_stdout), behavior, report, full)
    reports.write("--json", lambda target: write_report(target, behavior.trace, report))
    reports.write("--html", lambda target: target.write(page_on_kafka(behavior, report, full)))
    return EXIT_OTHER if report.differs else EXIT_HOLDS
