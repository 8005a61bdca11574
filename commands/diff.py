"""``tidegate diff``: how two protocols differ, and what that changes."""

from __future__ import annotations

from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..analysis.differences import differences
from ..checker.interrupts import alarm
from ..checker.result import Limits
from ..checker.stop import Stopped, is_interrupt
from ..render import contrast
from ..render.contrast_json import document
from ..render.contrasted import Contrasts
from ..render.output import Reports
from ..render.terminal import make_console, write_json
from .comparison.comparing import (
    bounds_to_try,
    counterexamples,
    decide,
    states,
    variables_of_one,
)
from .comparison.revisions import opened
from .parameters import (
    json_option,
    model_options,
    protocol_argument,
    quiet_option,
    time_limit_option,
)
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended

if TYPE_CHECKING:
    from ..render.printed import Console
    from .comparison.sides import Side


@click.command()
@protocol_argument("old")
@protocol_argument("new")
@model_options("Compare this property")
@time_limit_option("Time limit of the searches that decide properties, together.", default="2m")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    help="Compare states only if each protocol reaches at most N.",
)
@json_option("everything")
@quiet_option
def diff(old: str, new: str, **options: Any) -> Ended:
    """Show how NEW differs from OLD, and what that changes.

    OLD and NEW are protocols of one family: built-in or custom protocols, mutants of these
    (PROTOCOL~MUTANT, with a name that 'tidegate mutate' prints), or any of these at a git revision
    (PROTOCOL@REVISION).
    Compares the rules and actions in the source, the verdicts, the counterexamples (each is
    replayed under the other protocol), and the states that only one of the two reaches.

    Without -b, the bounds are those of the first search that distinguishes the two: the defaults,
    or else the small bounds that 'tidegate mutate' uses for the family.

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
        comparison, stopped, undecided = _compared(console, (old, new), sides, options)
        reports.write("--json", lambda target: write_json(target, comparison))
    if any(map(is_interrupt, stopped)):
        return ended(EXIT_INTERRUPTED, reports)
    return ended(EXIT_INCOMPLETE if any(stopped) or undecided else EXIT_HOLDS, reports)


def _compared(
    console: Console, called: tuple[str, str], sides: tuple[Side, Side], options: dict[str, Any]
) -> tuple[dict[str, Any], list[Stopped | None], bool]:
    """Print the differences; return them for programs, with what ended searches early.

    The last value says whether a property was not decided.
    """
    names, quiet = contrast.labels(*called), options["quiet"]
    ladder = bounds_to_try(sides, options["settings"], options["names"])
    codes = sides[0].code(), sides[1].code()
    changed = differences(*codes)
    contrast.print_title(console, names, codes)
    if not quiet:
        contrast.print_code(console, names, codes, changed)
    contrast.print_variables(console, names, variables_of_one(sides, ladder[0]))
    # If the code is the same, the bounds that distinguish guards show nothing.
    tried = ladder if changed else ladder[:1]
    decided = decide(sides, tried, options["names"], options["time_limit"], quiet)
    contrast.print_verdicts(console, names, decided)
    teller, contrasts = Contrasts(console, names, codes, changed), []
    stopped, reached = [decided.stopped_by], None
    # The alarm also ends a call of the model that never returns.
    with alarm(options["time_limit"], perf_counter()):
        for counterexample in counterexamples(sides, decided):
            contrasts.append(counterexample)
            if not quiet:
                teller.counterexample(counterexample)
        if not is_interrupt(decided.stopped_by):
            reached = states(sides, decided.settings, Limits(options["max_states"]), quiet)
            teller.states(reached, quiet)
            stopped += [count.stopped_by for count in reached.counts]
    if not quiet and (contrasts or (reached is not None and reached.behaviors)):
        contrast.print_legend(console, sides[1].legend(decided.settings))
    return document(called, codes, changed, decided, contrasts, reached), stopped, decided.open
