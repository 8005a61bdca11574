"""``tidegate render``: a saved trace as a page, a diagram or a text."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from ..render.output import Reports
from ..render.terminal import say, write_json
from .parameters import file_options, trace_options
from .saved import Saved, saved
from .status import EXIT_HOLDS, Ended, ended

if TYPE_CHECKING:
    from ..render.narrative import Narrative

OPTIONS = {
    "html": "a self-contained page",
    "markdown": "Markdown",
    "mermaid": "a Mermaid sequence diagram",
    "tla": "text as TLC prints a trace",
    "itf": "ITF, Apalache's trace format",
}


@click.command(short_help="Write a saved trace as a page, a diagram or a text.")
@click.argument("trace", metavar="TRACE.json")
@file_options({name: f"Write {what}, '-' for standard output." for name, what in OPTIONS.items()})
@click.option(
    "-p",
    "--property",
    "prop",
    metavar="PROPERTY",
    help="For a report with several traces: the one that violates this property.",
)
@click.option(
    "--full/--diff",
    help="Show full states, or only what each step changed (the default).",
)
@trace_options
def render(
    trace: str, prop: str | None, full: bool, named: str | None, trusted: bool, **files: str | None
) -> Ended:
    """Write a saved trace as a page, a diagram or a text.

    TRACE.json is a report of 'tidegate check --json', or the ITF trace in it.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate render loss.json --html loss.html
      tidegate render loss.json --mermaid -
      tidegate render loss.json --full --markdown loss.md
      tidegate render report.json -p LogMatching --html divergence.html
    """
    targets = {name: files[f"{name}_file"] for name in OPTIONS if files[f"{name}_file"]}
    if not targets:
        forms = ", ".join(f"--{name} FILE" for name in OPTIONS)
        raise click.UsageError(f"nothing to write; name at least one of {forms}")
    if list(targets.values()).count("-") > 1:
        raise click.UsageError("only one form can go to standard output ('-')")
    narrative, document = _narrative(saved(trace, prop, named, trusted))
    with Reports({f"--{name}": path for name, path in targets.items()}) as reports:
        for name, path in targets.items():
            write = partial(_write, name=name, narrative=narrative, document=document, full=full)
            if reports.write(f"--{name}", write) and path != "-":
                say(f"{path}: {OPTIONS[name]}, {narrative.title}", stderr=True)
    return ended(EXIT_HOLDS, reports)


def _write(
    target: IO[str], name: str, narrative: Narrative, document: dict[str, Any], full: bool
) -> None:
    from ..render.forms import FORMS

    if name == "itf":
        write_json(target, document)
    else:
        target.write(FORMS[name](narrative, full))


def _narrative(recorded: Saved) -> tuple[Narrative, dict[str, Any]]:
    """Return a saved trace in the intermediate form, and as ITF."""
    from ..checker.itf import itf
    from ..render.forms import numbers
    from ..render.narrative import narrate

    run = numbers(recorded.report)
    narrative = narrate(
        recorded.system, recorded.trace, recorded.property, run, recorded.protocol.summary
    )
    return narrative, itf(recorded.system, recorded.property, recorded.trace)
