"""``tidegate check``: search every state of a protocol."""

from __future__ import annotations

from typing import Any

import click

from ..checker.check import ENGINES, check
from ..checker.render.terminal import make_console, progress, report_file, write_json
from ..checker.result import Limits, Result
from ..spec import TransitionSystem
from .selection import assemble
from .status import EXIT_STATUS, exit_status
from .telling import tell


@click.command(
    name="check",
    epilog=EXIT_STATUS,
    short_help="Search every state of a protocol and print the trace that breaks it.",
)
@click.argument("protocol")
@click.option(
    "-b",
    "--bound",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a bound or an option of the protocol; 'tidegate list' shows them all.",
)
@click.option(
    "-p",
    "--property",
    "names",
    metavar="PROPERTY",
    multiple=True,
    help="Check this property (repeatable), or 'all' invariants, or 'none'.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to search; every engine gives the same answer.",
)
@click.option(
    "--continue",
    "keep_going",
    is_flag=True,
    help="Explore everything and report the first violation of every property.",
)
@click.option(
    "--symmetry",
    is_flag=True,
    help="Search states that differ only in which replica is which but once.",
)
@click.option("--max-states", type=click.IntRange(min=1), help="Stop at this many distinct states.")
@click.option("--max-depth", type=click.IntRange(min=1), help="Stop at behaviors of N states.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, max=1e9, min_open=True),
    metavar="SECONDS",
    help="Stop after so many seconds.",
)
@click.option("--full", is_flag=True, help="Print every variable of every state of the trace.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the report as JSON, '-' for standard output (then nothing else goes there).",
)
@click.option(
    "--html",
    "html_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the counterexample as a page that stands alone.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
@click.option(
    "--debug",
    is_flag=True,
    help="Watch every action: that it writes nothing where it is not enabled, and stays in range.",
)
@click.pass_context
def check_command(context: click.Context, /, **options: Any) -> None:
    """Search every state of PROTOCOL within its bounds and print the trace that breaks it.

    The trace is a shortest one, and the same on every run.

    \b
    Examples:
      tidegate check hw
      tidegate check kip-101 -b records=3 -b elections=2 --continue
      tidegate check kip-320 -b replicas=3 -b moves -p LogMatching --time-limit 600
      tidegate check hw --json report.json --quiet
      tidegate check hw --html loss.html
    """
    system, properties = assemble(options["protocol"], options["settings"], options["names"])
    system.debug = options["debug"]
    limits = Limits(options["max_states"], options["max_depth"], options["time_limit"])
    with (
        report_file(options["json_file"], "--json") as target,
        report_file(options["html_file"], "--html") as page,
    ):
        with progress(options["quiet"]) as show:
            result = check(
                system,
                properties,
                limits=limits,
                keep_going=options["keep_going"],
                report=show,
                symmetry=options["symmetry"],
            )
        if target is not None:
            from ..checker.render.report import report

            write_json(target, report(system, result))
        if page is not None:
            page.write(_page(system, result, options))
    if options["json_file"] != "-":
        _print(system, result, options)
    context.exit(exit_status(result))


def _print(system: TransitionSystem[Any, Any], result: Result, options: dict[str, Any]) -> None:
    from ..checker.render.summary import print_result, print_verdict

    if options["quiet"]:
        print_verdict(make_console(), system, result)
    else:
        print_result(make_console(), system, result, options["full"], options["keep_going"])


def _page(system: TransitionSystem[Any, Any], result: Result, options: dict[str, Any]) -> str:
    """Return the counterexample as a page; nothing where nothing is violated, and say so."""
    from ..checker.render.forms import FORMS, numbers
    from ..checker.render.report import report

    if result.first is None or result.first.trace is None:
        make_console(stderr=True).print("--html: nothing is violated, so no page is written")
        return ""
    told = tell(
        system.name,
        options["settings"],
        result.first.trace.steps,
        result.first.property,
        numbers(report(system, result)),
    )
    return FORMS["html"](told, options["full"])
