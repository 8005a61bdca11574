"""``tidegate check``: search every state of a protocol."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any

import click

from ..analysis.known import find_known, repaired
from ..analysis.loading import named
from ..analysis.named import find_protocol, is_custom
from ..analysis.properties import Selection, select, system_for
from ..analysis.recognising import Recognised, recognise
from ..checker.check import check
from ..checker.engines import ENGINES
from ..checker.interrupts import noted
from ..checker.result import Resources, Result, StateStore
from ..core.spec import TidegateError, TransitionSystem
from ..render.output import Reports
from ..render.report import known_bug, report
from ..render.terminal import make_console, progress, say, write_json
from . import completion
from .parameters import (
    RunOptions,
    SearchOptions,
    chosen,
    cluster,
    cluster_options,
    model_options,
    output_options,
    protocol_argument,
    search_options,
    state_store,
)
from .recorded import search_to_resume
from .saved import counterexample_page
from .status import EXIT_STATUS, EXIT_VIOLATED, Ended, deciding, ended, exit_status
from .trust import resume_command


@click.command(
    name="check",
    epilog=EXIT_STATUS,
)
@protocol_argument(required=False)
@click.option(
    "--release",
    metavar="RELEASE",
    shell_complete=completion.releases,
    help="Check what this release of Kafka runs, such as 2.6 or 2.0.0, instead of PROTOCOL.",
)
@click.option(
    "--metadata",
    type=click.Choice(("zookeeper", "kraft")),
    help="With --release: where the cluster keeps its metadata.",
)
@click.option(
    "--protocol-version",
    metavar="RELEASE",
    shell_complete=completion.releases,
    default="",
    help="With --release: an older inter.broker.protocol.version, or metadata.version.",
)
@model_options("Check this property")
@click.option(
    "--repaired",
    metavar="BUG",
    multiple=True,
    shell_complete=completion.bugs,
    help="Repair this known bug, such as known-record, to look past it; may be repeated.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="Search with this engine; every engine gives the same answer.",
)
@click.option(
    "--store",
    metavar="[exact|fingerprint|URI]",
    default="exact",
    show_default=True,
    help="Store whole states, or 88-bit fingerprints, which take less memory and may collide (the "
    "probability is printed). "
    "With --engine spark: the directory that all executors share (path or URI).",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1, max=100_000),
    metavar="P",
    help="Spark: the number of partitions of a level.  [default: cores]",
)
@click.option(
    "--export",
    metavar="URI",
    help="Spark: write states, steps and violations as Parquet tables to this path or URI.",
)
@cluster_options
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write checkpoints to DIR; 'tidegate check --resume DIR' continues the search.",
)
@click.option(
    "--checkpoint-every",
    type=click.FloatRange(min=0, max=1e9),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Minimum time between two checkpoints, which are written between levels.",
)
@click.option(
    "--resume",
    metavar="DIR",
    help="Resume the search of a checkpoint in DIR, or of the store at DIR (a path or a URI). DIR "
    "records what is searched; limits are set again, and the cluster may be another one.",
)
@click.option(
    "--trust",
    "trusted",
    is_flag=True,
    help="With --resume: trust DIR, run the Python code that it names, and use its Spark settings.",
)
@click.option(
    "--continue",
    "keep_going",
    is_flag=True,
    help="Explore all states and report the first violation of every property.",
)
@click.option(
    "--symmetry",
    is_flag=True,
    help="Explore one representative of each set of states that differ only by a permutation of "
    "replicas; refused where the code tells replicas apart.",
)
@search_options
@output_options
@click.option(
    "--debug",
    is_flag=True,
    help="Check that every action writes nothing unless it is enabled, and stays in range.",
)
def check_command(**options: Any) -> Ended:
    """Search every state of PROTOCOL within its bounds and print the trace that breaks it.

    The trace is a shortest one, and the same on every run.

    PROTOCOL is a built-in protocol ('tidegate list' shows them), a custom protocol (FILE.py,
    FILE.py:NAME or MODULE:NAME), or a mutant of either: PROTOCOL~MUTANT, with the mutant's name
    (from 'tidegate mutate') after a tilde. With --release it is left out: the release picks the
    rules and the options, and -b overrides the options. With --resume it is left out too, unless it
    is custom.

    \b
    Examples:
      tidegate check hw
      tidegate check --release 3.9 --metadata kraft -b moves
      tidegate check --release 2.8 --protocol-version 2.6
      tidegate check --release 4.0 -b crashes=1 --repaired known-record
      tidegate check kip-101 -b records=3 -b elections=2 -b moves --continue
      tidegate check kip-320 -b replicas=3 -b moves -p LogMatching --time-limit 10m
      tidegate check hw --json report.json --quiet
      tidegate check hw --html loss.html
      tidegate check kip-320 -b replicas=3 -b crashes=3 --store fingerprint --checkpoint run
      tidegate check --resume run
      tidegate check protocols/fence.py          a custom protocol
      tidegate check kip-320 -p promises.py:NO_GAP   a custom property
      tidegate check 'kip-320~Produce: s.written == k.records' -p TypeOk
      tidegate check kip-320 -b replicas=3 --engine spark --master spark://host:7077 --store /nfs/a
      tidegate check hw -b records=1 --engine spark --continue --export tables
    """
    if options["resume"] is not None:
        searched, options["checkpoint"] = search_to_resume(options["resume"], options)
        return search_and_report(searched, chosen(RunOptions, options), resume=True)
    if options["trusted"]:
        raise click.UsageError("--trust needs --resume DIR")
    options = _with_repairs(_with_release(options))
    location = None if options["store"] in list(StateStore) else options["store"]
    on = cluster(options["engine"], location, options)
    searched = chosen(SearchOptions, options, cluster=on)
    return search_and_report(searched, chosen(RunOptions, options), resume=False)


def _with_release(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the protocol and the settings that ``--release`` stands for."""
    name, protocol = options["release"], options["protocol"]
    if name is None:
        if options["metadata"] or options["protocol_version"]:
            raise click.UsageError("--metadata and --protocol-version need --release")
        if protocol is None:
            raise click.UsageError("name a PROTOCOL ('tidegate list' shows them), or a --release")
        return options
    if protocol is not None:
        raise click.UsageError(
            f"--release {name} picks the protocol; leave out {protocol}, or leave out --release"
        )
    from ..model.broker.releases import release

    picked = release(name, options["metadata"] or "", options["protocol_version"])
    return {**options, "protocol": picked.name}


def _with_repairs(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the protocol that has the repairs of ``--repaired``."""
    if not options["repaired"]:
        return options
    protocol = find_protocol(options["protocol"])
    bugs = [find_known(name) for name in dict.fromkeys(options["repaired"])]
    return {**options, "protocol": repaired(protocol, bugs)}


def search_and_report(searched: SearchOptions, run: RunOptions, resume: bool) -> Ended:
    """Search what `searched` says as `run` says, print the verdict, and write the reports."""
    protocol = find_protocol(searched.protocol)
    selection = select(protocol, searched.names)
    system = system_for(protocol, searched.settings, selection.properties)
    system.debug = searched.debug
    resources = _resources(searched, run, resume, selection)
    files = {"--json": run.json_file, "--html": run.html_file}
    with deciding() as decided, Reports(files) as reports:
        with progress(run.quiet) as show:
            result = check(
                system,
                selection.properties,
                named=selection.named,
                limits=run.limits,
                keep_going=searched.keep_going,
                report=show,
                symmetry=searched.symmetry,
                resources=resources,
            )
            decided.append(exit_status(result))
            known = None
            # Whatever ends this, the violation is one.
            with suppress(KeyboardInterrupt, MemoryError, TidegateError):
                known = recognise(
                    protocol,
                    searched.settings,
                    selection,
                    result,
                    run.limits,
                    searched.keep_going,
                    resources,
                    show,
                )
        # What was found is reported in full; a second signal ends even that.
        with noted(once=True) if decided[0] in EXIT_VIOLATED else nullcontext():
            _write(system, result, known, selection, searched, run, reports)
    return ended(exit_status(result), reports)


def _write(
    system: TransitionSystem[Any, Any],
    result: Result,
    known: Recognised | None,
    selection: Selection,
    searched: SearchOptions,
    run: RunOptions,
    reports: Reports,
) -> None:
    """Print the result, and write the reports."""
    untraced = any(verdict.untraced for verdict in result.verdicts)
    with reports.after():
        if run.json_file != "-":
            _print(system, result, known, selection, searched, run)

    @cache
    def document() -> dict[str, Any]:
        return report(system, result) | {
            "not_requested": list(selection.others),
            "known_bug": known and known_bug(known),
        }

    reports.write("--json", lambda target: write_json(target, document()))
    reports.write(
        "--html",
        lambda target: target.write(
            counterexample_page(
                system, result.shown, searched.settings, document(), run.full, untraced
            )
        ),
    )


def _resources(
    searched: SearchOptions, run: RunOptions, resume: bool, selection: Selection
) -> Resources:
    """Return the engine, and what it may use."""
    return Resources(
        engine=searched.engine,
        workers=run.workers,
        store=state_store(searched.engine, searched.store),
        memory=run.max_memory,
        checkpoint=run.checkpoint,
        checkpoint_every=run.checkpoint_every,
        resume=resume,
        watch=any(map(is_custom, (searched.protocol, *searched.names))),
        load=named(searched.protocol, searched.settings, selection.properties),
        about=searched.about(),
        cluster=searched.cluster,
    )


def _print(
    system: TransitionSystem[Any, Any],
    result: Result,
    known: Recognised | None,
    selection: Selection,
    searched: SearchOptions,
    run: RunOptions,
) -> None:
    """Print the result, and the command that resumes the search, if there is one."""
    # Importing rich takes a tenth of a small search's start-up time; --json does not need it.
    from ..render.summary import print_known, print_result, print_unrequested, print_verdict

    console = make_console()
    if run.quiet:
        print_verdict(console, system, result)
    else:
        print_result(console, system, result, run.full, searched.keep_going)
        print_unrequested(console, selection)
    if known:
        print_known(console, known)
    place = searched.cluster.store if searched.cluster else run.checkpoint
    if result.stopped_by and place:
        say(f"Resume with: {resume_command(place, searched)}")
