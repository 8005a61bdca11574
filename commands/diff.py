"""``tidegate diff``: what one protocol does otherwise than another, and what becomes of that."""

from __future__ import annotations

from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..analysis.differences import differences
from ..checker.interrupts import alarm, is_interrupt
from ..checker.result import Limits
from ..render import contrast
from ..render.contrast_json import document
from ..render.contrasted import Contrasts
from ..render.output import Reports
from ..render.terminal import make_console, write_json
from .comparison.comparing import bounds_to_try, counterexamples, decide, states
from .comparison.revisions import opened
from .parameters import json_option, model_options, quiet_option, time_limit_option
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended

if TYPE_CHECKING:
    from ..render.printed import Console
    from .comparison.sides import Side


@click.command(short_help="Compare two protocols: code, verdicts, counterexamples and states.")
@click.argument("old")
@click.argument("new")
@model_options("Compare this property")
@time_limit_option("Time for the searches that decide properties, all together.", default=120.0)
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    help="Compare the states of protocols that reach no more than this.",
)
@json_option("everything")
@quiet_option
def diff(old: str, new: str, **options: Any) -> Ended:
    """Say what NEW does otherwise than OLD, and what becomes of that.

    OLD and NEW are protocols of one family: built in or your own ones, mutants (behind a tilde, by
    the names that 'tidegate mutate' prints), and any of them as it was at a git revision (behind an
    @).
    Compared are the rules and actions in the source; the verdicts; what each makes of the other's
    counterexamples; and the states that only one of them reaches.

    Without bounds, they are those of the first search that tells the two apart: the defaults, or
    else the small bounds at which 'tidegate mutate' looks for mutants of the family.

    \b
    Examples:
      tidegate diff hw kip-101
      tidegate diff kip-279 kip-320 -b moves -b crashes=0 -b elections=3
      tidegate diff kip-320 'kip-320~HandleFetch: not leads(s, leader)'
      tidegate diff hw kip-101 -p LogMatching --json diff.json
      tidegate diff kip-320@HEAD~1 kip-320
      tidegate diff fence.py@main fence.py
    \b
    Exit status:
      0   everything was compared
      2   wrong usage: an unknown name, a value out of range, protocols of different families
      3   a limit was reached before everything was compared
      130 interrupted
    """
    with ExitStack() as stack:
        reports = stack.enter_context(Reports({"--json": options["json_file"]}))
        console = make_console()
        console.quiet = options["json_file"] == "-"
        sides = stack.enter_context(opened(old)), stack.enter_context(opened(new))
        found, stopped = _compared(console, (old, new), sides, options)
        reports.write("--json", lambda target: write_json(target, found))
    if any(map(is_interrupt, stopped)):
        return ended(EXIT_INTERRUPTED, reports)
    return ended(EXIT_INCOMPLETE if any(stopped) else EXIT_HOLDS, reports)


def _compared(
    console: Console, called: tuple[str, str], sides: tuple[Side, Side], options: dict[str, Any]
) -> tuple[dict[str, Any], list[str | None]]:
    """Print what differs as it is found; return it for programs, and what ended searches early."""
    names, quiet = contrast.labels(*called), options["quiet"]
    ladder = bounds_to_try(sides, options["settings"], options["names"])
    codes = sides[0].code(), sides[1].code()
    found = differences(*codes)
    contrast.print_title(console, names, codes)
    contrast.print_code(console, names, codes, found)
    # Where the code is the same, the bounds that tell guards apart have nothing to tell.
    rungs = ladder if found else ladder[:1]
    decided = decide(sides, rungs, options["names"], options["time_limit"], quiet)
    contrast.print_verdicts(console, names, decided)
    teller, told = Contrasts(console, names, codes, found), []
    stopped, reached = [decided.stopped_by], None
    # Of what follows, a call of the model that does not return is ended as well.
    with alarm(options["time_limit"], perf_counter()):
        for counterexample in counterexamples(sides, decided):
            told.append(counterexample)
            teller.counterexample(counterexample)
        if not is_interrupt(decided.stopped_by):
            reached = states(sides, decided.settings, Limits(options["max_states"]), quiet)
            teller.states(reached)
            stopped += [it.stopped_by for it in reached.counts]
    if told or (reached is not None and reached.behaviors):
        contrast.print_legend(console, sides[1].legend(decided.settings))
    return document(called, codes, found, decided, told, reached), stopped
