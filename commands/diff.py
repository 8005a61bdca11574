"""``tidegate diff``: how two protocols differ, and what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..core.interrupts import Alarm, Stopped, is_interrupt
from ..core.options import option, time_limit
from ..core.result import Limits
from ..diff.code import code
from ..diff.code_changes import differences
from ..diff.protocols import (
    Both,
    bounds_to_try,
    counterexamples,
    decide,
    plain_system,
    states,
    variables_of_one,
)
from ..diff.revisions import opened
from ..render.diff import DiffPrinter, labels
from ..render.output import Reports
from ..render.terminal import make_console, progress, write_json
from .parameters import Output, model_options, protocol_argument, takes
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended

if TYPE_CHECKING:
    from ..render.console import Console


@dataclass(frozen=True)
class Searches:
    """The searches that compare two protocols."""

    time_limit: float = time_limit(
        120.0, "Time limit of the searches that decide properties, together."
    )
    max_states: int = option(
        200_000, "Compare states only if each protocol reaches at most N.", low=1
    )


@click.command()
@protocol_argument("old")
@protocol_argument("new")
@model_options("Compare this property")
@takes(Searches, "how")
@takes(Output, "output")
def diff(
    old: str,
    new: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    how: Searches,
    output: Output,
) -> Ended:
    """Show how NEW differs from OLD, and what that changes.

    OLD and NEW are protocols of one model: built-in or custom protocols, mutants of these
    (PROTOCOL~MUTANT, with a name that 'tidegate mutate' prints), or one at a git revision
    (FILE@REVISION, or PROTOCOL@REVISION in a clone of Tidegate).
    Compares the rules and actions in the source, the verdicts, the counterexamples (each is
    replayed under the other protocol), and the states that only one of the two reaches.

    Without -b, the bounds are those of the first search that distinguishes the two: the defaults,
    or else the small bounds that 'tidegate mutate' uses for the model.

    \b
    Examples:
      tidegate diff hw kip-101
      tidegate diff kip-279 kip-320 -b moves -b crashes=0 -b elections=3
      tidegate diff kip-320 'kip-320~HandleFetch: not leads(s, leader)'
      tidegate diff hw kip-101 -p LogMatching --json diff.json
      tidegate diff fence.py@main fence.py
      tidegate diff kip-320@HEAD~1 kip-320

    \b
    Exit status:
      0   everything was compared
      2   wrong usage: an unknown name, a value out of range, protocols of different families
      3   a limit was reached before everything was compared
      130 interrupted
    """
    with ExitStack() as stack:
        reports = stack.enter_context(Reports({"--json": output.json_file}))
        console = make_console()
        console.quiet = output.json_file == "-"
        both = stack.enter_context(opened(old)), stack.enter_context(opened(new))
        comparison, stopped, undecided = _compared(
            console, (old, new), both, settings, names, how, output.quiet
        )
        reports.write("--json", lambda target: write_json(target, comparison))
    if any(map(is_interrupt, stopped)):
        return ended(EXIT_INTERRUPTED, reports)
    return ended(EXIT_INCOMPLETE if any(stopped) or undecided else EXIT_HOLDS, reports)


def _compared(
    console: Console,
    called: tuple[str, str],
    both: Both,
    settings: Sequence[str],
    chosen: Sequence[str],
    how: Searches,
    quiet: bool,
) -> tuple[dict[str, Any], list[Stopped | None], bool]:
    """Print the differences; return them for programs, with what ended searches early.

    The last value says whether a property was not decided.
    """
    showing = partial(progress, quiet)
    ladder = bounds_to_try(both, settings, chosen)
    codes = [code(protocol) for protocol in both]
    changed = differences(*codes)
    printer = DiffPrinter(console, labels(*called), codes, changed)
    printer.title()
    if not quiet:
        printer.code()
    printer.variables(variables_of_one(both, ladder[0]))
    # If the code is the same, the bounds that distinguish guards show nothing.
    tried = ladder if changed else ladder[:1]
    verdicts = decide(both, tried, chosen, how.time_limit, showing)
    printer.verdicts(verdicts)
    violations = []
    stopped, reached = [verdicts.stopped_by], None
    # The alarm also ends a call of the model that never returns.
    with Alarm(how.time_limit, perf_counter()):
        for counterexample in counterexamples(both, verdicts):
            violations.append(counterexample)
            if not quiet:
                printer.counterexample(counterexample)
        if not is_interrupt(verdicts.stopped_by):
            rules = [rule.name for rule in changed.rules]
            reached = states(both, verdicts.settings, Limits(how.max_states), showing, rules)
            printer.states(reached, quiet)
            stopped += [count.stopped_by for count in reached.counts]
    if not quiet and (violations or (reached is not None and reached.behaviors)):
        new = plain_system(both[1], verdicts.settings)
        printer.legend(new.table_legend(new.scenes([next(new.initial_states())])))
    described = (
        {"name": name, "summary": one.summary} for name, one in zip(called, codes, strict=True)
    )
    document = dict(zip(("old", "new"), described, strict=True)) | vars(changed)
    document |= {"verdicts": verdicts, "counterexamples": violations, "states": reached}
    return document, stopped, verdicts.open
