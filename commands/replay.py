"""``tidegate replay``: replay a saved trace, on real brokers too, and write it in other forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from ..analysis.histories import keeps_histories
from ..checker.replay import Replayed
from ..checker.tracefile import Recorded
from ..checker.violation import why_satisfied
from ..core.spec import Property, ReplayError, Trace, TransitionSystem
from ..invariants import invariants_of, properties_of
from ..model import Protocol
from ..render.output import Reports
from ..render.replayed import print_replayed
from ..render.terminal import make_console, write_json
from .parameters import file_options, trace_options
from .saved import changed, replay_file, violated_at_end
from .status import EXIT_HOLDS, EXIT_OTHER, EXIT_USAGE, Ended, ended

if TYPE_CHECKING:
    from ..render.narrative import Narrative

OPTIONS = {
    "html": "Write a self-contained page; with --kafka, what the brokers have in each step too.",
    "markdown": "Write Markdown.",
    "mermaid": "Write a Mermaid sequence diagram.",
    "tla": "Write text as TLC prints a trace.",
    "itf": "Write ITF, Apalache's trace format.",
    "json": "With --kafka: write what the brokers did; '-', as for each of these, for standard "
    "output.",
}
"""The files to write, with their help."""

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
    "its jars.",
)
@file_options(OPTIONS)
def replay(
    trace: str,
    prop: str | None,
    named: str | None,
    trusted: bool,
    full: bool,
    kafka: str | None,
    **options: str | None,
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
    named_files = {name: options[f"{name}_file"] for name in OPTIONS}
    files = {name: path for name, path in named_files.items() if path is not None}
    _refuse_unfit(files, kafka)
    protocol, recorded, system, replayed = replay_file(trace, prop, named, trusted)
    known = {prop.name: prop for prop in properties_of(protocol)}
    violated = known.get(recorded.property)
    with Reports({f"--{name}": path for name, path in files.items()}) as reports:
        if kafka and not replayed.stopped:
            status = _on_kafka(
                kafka, trace, system, replayed.trace, violated, protocol, full, reports, files
            )
            return ended(status, reports)
        status = EXIT_HOLDS
        if "-" not in files.values():
            with reports.after():
                status = _print(trace, protocol, recorded, system, replayed, full)
        if not files:
            return ended(status, reports)
        if why := changed(trace, system, violated, replayed):
            raise ReplayError(f"{trace}: {why}; no file is written")
        narrative, document = _narrated(system, replayed.trace, violated, recorded, protocol)
        for name in files:
            write = partial(_write, name=name, narrative=narrative, document=document, full=full)
            reports.write(f"--{name}", write)
    return ended(status, reports)


def _refuse_unfit(files: Mapping[str, str], kafka: str | None) -> None:
    """Refuse files that go to one place, or that do not belong to this kind of replay."""
    if list(files.values()).count("-") > 1:
        raise click.UsageError("only one form can go to standard output ('-')")
    if "json" in files and not kafka:
        raise click.UsageError("--json says what real brokers did; name them with --kafka DIR")
    if kafka and (unfit := [name for name in files if name not in _ON_KAFKA]):
        raise click.UsageError(f"--{unfit[0]} shows the model alone; leave out --kafka")


def _print(
    trace: str,
    protocol: Protocol,
    recorded: Recorded,
    system: TransitionSystem[Any, Any],
    replayed: Replayed,
    full: bool,
) -> int:
    """Print a replay; return the exit status."""
    known = [p for p in properties_of(protocol) if keeps_histories(system, p, protocol)]
    invariants = invariants_of(protocol)
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
        return EXIT_USAGE
    return EXIT_OTHER if lost or differs else EXIT_HOLDS


def _narrated(
    system: TransitionSystem[Any, Any],
    trace: Trace,
    prop: Property | None,
    recorded: Recorded,
    protocol: Protocol,
) -> tuple[Narrative, dict[str, Any]]:
    """Return a replayed trace in the intermediate form, and as ITF."""
    from ..checker.itf import itf
    from ..render.forms import numbers
    from ..render.narrative import narrate

    run = numbers(recorded.report)
    return narrate(system, trace, prop, run, protocol.summary), itf(system, prop, trace)


def _write(
    target: IO[str], name: str, narrative: Narrative, document: dict[str, Any], full: bool
) -> None:
    from ..render.forms import FORMS

    if name == "itf":
        write_json(target, document)
    else:
        target.write(FORMS[name](narrative, full))


def _on_kafka(
    folder: str,
    file: str,
    system: TransitionSystem[Any, Any],
    trace: Trace,
    prop: Property | None,
    protocol: Protocol,
    full: bool,
    reports: Reports,
    files: Mapping[str, str],
) -> int:
    """Replay the trace of a file on the brokers in a folder; return the exit status."""
    from ..render.on_kafka import page_on_kafka, print_on_kafka
    from .on_kafka import replay_on_kafka, write_report

    report = replay_on_kafka(folder, file, system, trace, prop, protocol)
    with reports.after():
        print_on_kafka(make_console("-" in files.values()), system, trace, report, full)
    reports.write("--json", lambda target: write_report(target, trace, report))
    reports.write(
        "--html",
        lambda target: target.write(
            page_on_kafka(system, trace, report, prop, protocol.summary, full)
        ),
    )
    return EXIT_OTHER if report.differs else EXIT_HOLDS
