"""``tidegate check``: search every state of a protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..checker.check import check
from ..checker.engines import ENGINES
from ..checker.render.report import report
from ..checker.render.terminal import make_console, progress, report_file, write_json
from ..checker.result import Cluster, Limits, Resources, Result
from ..model.named import is_own
from ..spec import TransitionSystem
from .parameters import (
    checkpoint_option,
    cluster,
    cluster_options,
    kept,
    model_options,
    output_options,
    search_options,
)
from .selection import assemble
from .status import EXIT_STATUS, exit_status
from .telling import found_page


@click.command(
    name="check",
    epilog=EXIT_STATUS,
    short_help="Search every state of a protocol and print the trace that breaks it.",
)
@click.argument("protocol")
@model_options("Check this property")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to search; every engine gives the same answer.",
)
@click.option(
    "--store",
    metavar="[exact|fingerprint|URI]",
    default="exact",
    show_default=True,
    help="Keep whole states, or 88-bit fingerprints: less memory, and a printed chance of error. "
    "With --engine spark: the directory that all executors share, a path or a URI.",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1, max=100_000),
    metavar="P",
    help="Spark: into how many the states of a level are divided.  [default: cores]",
)
@click.option(
    "--export",
    metavar="URI",
    help="Spark: write states, steps and violations there as Parquet tables, a path or a URI.",
)
@cluster_options
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep there what 'tidegate resume DIR' needs to go on after a crash.",
)
@checkpoint_option
@click.option(
    "--continue",
    "keep_going",
    is_flag=True,
    help="Explore everything and report the first violation of every property.",
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
    help="Watch every action: that it writes nothing where it is not enabled, and stays in range.",
)
@click.pass_context
def check_command(context: click.Context, /, **options: Any) -> None:
    """Search every state of PROTOCOL within its bounds and print the trace that breaks it.

    The trace is a shortest one, and the same on every run.

    PROTOCOL is one that 'tidegate list' names, one of your own (FILE.py, FILE.py:NAME or
    MODULE:NAME), or a mutant of either, as 'tidegate mutate' names it, behind a tilde.

    \b
    Examples:
      tidegate check hw
      tidegate check kip-101 -b records=3 -b elections=2 --continue
      tidegate check kip-320 -b replicas=3 -b moves -p LogMatching --time-limit 600
      tidegate check hw --json report.json --quiet
      tidegate check hw --html loss.html
      tidegate check kip-320 -b replicas=3 -b crashes=3 --store fingerprint --checkpoint run
      tidegate check protocols/fence.py          a protocol of your own
      tidegate check 'kip-320~Produce: s.written == k.records' -p TypeOk
      tidegate check kip-320 -b replicas=3 --engine spark --master spark://host:7077 --store /nfs/a
      tidegate check hw -b records=1 --engine spark --continue --export tables
    """
    searched = {name: options[name] for name in SEARCHED}
    on = cluster(options["engine"], options["store"], options, {})
    status = search_and_report(searched, on, options, resume=False)
    context.exit(status)


SEARCHED = ("protocol", "settings", "names", "engine", "store", "keep_going", "symmetry", "debug")
"""What decides on the answer, and so belongs to a checkpoint."""


def search_and_report(
    searched: dict[str, Any], on: Cluster | None, options: dict[str, Any], resume: bool
) -> int:
    """Search what `searched` says as `options` say, report it, and return the exit status.

    Parameters
    ----------
    on
        For ``--engine spark``: where.
    """
    system, properties = assemble(searched["protocol"], searched["settings"], searched["names"])
    system.debug = searched["debug"]
    limits = Limits(options["max_states"], options["max_depth"], options["time_limit"])
    resources = Resources(
        engine=searched["engine"],
        workers=options["workers"],
        store=searched["store"],
        memory=options["max_memory"],
        checkpoint=options["checkpoint"],
        checkpoint_every=options["checkpoint_every"],
        resume=resume,
        watch=is_own(searched["protocol"]),
        about={**searched, "cluster": kept(on)} if on else searched,
        cluster=on,
    )
    with (
        report_file(options["json_file"], "--json") as target,
        report_file(options["html_file"], "--html") as page,
    ):
        with progress(options["quiet"]) as show:
            result = check(
                system,
                properties,
                limits=limits,
                keep_going=searched["keep_going"],
                report=show,
                symmetry=searched["symmetry"],
                resources=resources,
            )
        if target is not None:
            write_json(target, report(system, result))
        if page is not None:
            page.write(
                found_page(
                    system,
                    result.first,
                    searched["settings"],
                    report(system, result),
                    options["full"],
                )
            )
    if options["json_file"] != "-":
        place = on.store if on else options["checkpoint"]
        _print(system, result, options, searched["keep_going"], place)
    return exit_status(result)


def _print(
    system: TransitionSystem[Any, Any],
    result: Result,
    options: dict[str, Any],
    every: bool,
    place: Path | str | None,
) -> None:
    """Print the result; `place` is where the search left what it needs to go on."""
    # rich takes a tenth of the time until a small search begins, and --json needs nothing of it.

    from ..checker.render.summary import print_result, print_verdict

    console = make_console()
    if options["quiet"]:
        print_verdict(console, system, result)
    else:
        print_result(console, system, result, options["full"], every)
    if result.stopped_by and place:
        # Whole, so that it can be copied.
        console.print(f"Go on with: tidegate resume {place}", soft_wrap=True)
