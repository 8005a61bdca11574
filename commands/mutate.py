"""``tidegate mutate``: weaken each guard and rule in turn, and see which property notices."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import click

from ..core.interrupts import LimitReachedError
from ..core.options import option, time_limit
from ..core.result import Progress, doing
from ..library.names import find_protocol
from ..library.properties import Selection, left_undecided, properties_of, select_violable
from ..model import Protocol
from ..mutate.decide import SURVIVED, UNDECIDED, Covered, Killing
from ..mutate.fates import Fate
from ..render.console import Console, Text
from ..render.output import Reports
from ..render.summary import count
from ..render.terminal import make_console, progress, write_json
from ..render.text import print_prose
from .parameters import Output, model_options, protocol_argument, takes
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended


@dataclass(frozen=True)
class Searches:
    """The searches of mutants."""

    within: tuple[str, ...] = option(
        (),
        "Search within these bounds (repeatable, in order) instead of the model's; -b is added "
        "to each.",
        metavar="'NAME=VALUE ...'",
    )
    time_limit: float = time_limit(300.0, "Time limit of all searches together.")
    jobs: int = option(os.cpu_count() or 1, "Searches that run at once.", low=1, unset="cores")


@click.command()
@protocol_argument()
@model_options("Check this property")
@takes(Searches, "how")
@takes(Output, "output")
def mutate(
    protocol: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    how: Searches,
    output: Output,
) -> Ended:
    """Change PROTOCOL in one place at a time, and find a property that notices.

    Each mutant lacks one guard, has one rule as its ancestor has it, or has one action without its
    fairness; only liveness properties can notice the last. In a custom model, each condition of an
    if within an action is also left out and negated, and liveness properties judge every mutant. Of
    Kafka's protocols they judge only those without a fairness.

    Prints for each mutant which property kills it, in how many steps and at which bounds, or that
    it survived: every search was complete, and nothing is violated. What was not searched to its
    end is undecided, with the reason. All mutants are searched within the smallest bounds first,
    then the others within the next ones, each with its share of the time that is left. A violation
    that PROTOCOL itself has in as few steps kills no mutant.

    \b
    Examples:
      tidegate mutate kip-320 --time-limit 20m
      tidegate mutate hw -b records=1
      tidegate mutate hw --within records=1 --within 'elections=2 moves'

    \b
    Exit status:
      0   every mutant was decided
      2   wrong usage: an unknown name, or a value out of range
      3   a limit was reached before every mutant was decided
      130 interrupted; the decisions so far are printed
    """
    chosen = find_protocol(protocol)
    common = " ".join(settings)
    usual = [""] if common else chosen.model.mutation_bounds
    ladder = [f"{within} {common}".strip() for within in how.within or usual]
    selection = _selected(chosen, names)
    undecided = left_undecided(chosen, ladder[0].split(), selection)
    properties = [prop for prop in selection.properties if prop.name not in undecided]
    killing = Killing(chosen, properties, ladder)
    with Reports({"--json": output.json_file}) as reports:
        console = make_console()
        console.quiet = output.json_file == "-"
        killed, interrupted = _run(console, killing, how, output.quiet)
        with reports.after():
            _print_summary(console, chosen.name, killing, interrupted)
            for name, why in undecided.items():
                print_prose(console, Text(f"Not decided: {name} ({why})."))
        document: dict[str, Any] = {
            "properties": [prop.name for prop in properties],
            "not_decided": undecided,
        }
        document |= _document(chosen.name, ladder, killing, killed)
        reports.write("--json", lambda target: write_json(target, document))
    if interrupted:
        return ended(EXIT_INTERRUPTED, reports)
    return ended(EXIT_INCOMPLETE if killing.unfinished else EXIT_HOLDS, reports)


def _document(
    name: str, ladder: Sequence[str], killing: Killing, killed: Sequence[Fate]
) -> dict[str, Any]:
    """Return for programs what became of the mutants."""
    return {
        "protocol": name,
        "bounds": ladder,
        "unfinished": killing.unfinished,
        "mutants": killing.total,
        "killed": killed,
        **{status.replace(" ", "_"): fates for status, fates in killing.others().items()},
    }


def _selected(protocol: Protocol, names: Sequence[str]) -> Selection:
    """Return the properties that may kill a mutant: by default every liveness property, too."""
    selection = select_violable(protocol, names)
    if names:
        return selection
    more = [
        prop
        for prop in properties_of(protocol)
        if prop.kind.is_liveness and prop not in selection.properties
    ]
    return replace(selection, properties=(*selection.properties, *more))


def _run(
    console: Console, killing: Killing, how: Searches, quiet: bool
) -> tuple[list[Fate], KeyboardInterrupt | None]:
    """Search, and print each killed mutant; return these, and the interrupt if there was one."""
    killed: list[Fate] = []
    with progress(quiet) as show:
        try:
            for fate in killing.run(how.time_limit, how.jobs, _showing(show, how.time_limit)):
                killed.append(fate)
                if quiet:
                    continue
                steps = f" in {count(fate.steps, 'step')}" if fate.steps is not None else ""
                death = f" -- {fate.killed_by}{steps} at {fate.bounds or 'the defaults'}"
                head = Text("killed   ", "green")
                print_prose(console, head.append(Text(f"{fate.mutant}{death}", "default")))
        except LimitReachedError:
            raise
        except KeyboardInterrupt as error:
            return killed, error
    return killed, None


def _showing(show: Callable[[Progress], object], limit: float) -> Callable[[Covered], None]:
    """Return what shows how far the searches are, and the time that is left."""
    began = perf_counter()

    def report(covered: Covered) -> None:
        left = max(0, round(limit - (perf_counter() - began)))
        line = (
            f"{covered.killed} of {covered.total} mutants killed; "
            f"{covered.searched} of {covered.alive} searched at "
            f"{covered.bounds or 'the defaults'}; at most {left // 60}:{left % 60:02} left"
        )
        show(doing(line))

    return report


def _print_summary(
    console: Console, name: str, killing: Killing, interrupted: KeyboardInterrupt | None
) -> None:
    """Print the mutants that were not killed, with why, and the counts."""
    others = killing.others()
    for status, fates in others.items():
        for fate in fates:
            head = Text(f"{status.upper()} ", "bold yellow")
            print_prose(console, head.append(Text(fate.mutant, "default")))
    killed = killing.total - sum(map(len, others.values()))
    counts = [f"{name}: {killed} of {count(killing.total, 'mutant')} killed"]
    counts += [f"{len(fates)} {status}" for status, fates in others.items() if fates]
    print_prose(console, Text(f"\n{', '.join(counts)}."))
    for status, fates in others.items():
        for fate in fates:
            why = f"{status}: {fate.undecided or fate.note}"
            if status == SURVIVED:
                why = fate.note or "not explained; larger bounds or another property may kill it"
            print_prose(console, Text(f"- {fate.mutant}: {why}."))
    if others[UNDECIDED]:
        _print_incomplete(console, killing, interrupted)


def _print_incomplete(
    console: Console, killing: Killing, interrupted: KeyboardInterrupt | None
) -> None:
    """Print at which bounds mutants are undecided, and what to try."""
    why = "interrupted" if interrupted is not None else "stopped by a limit"
    where = "; ".join(bounds or "the defaults" for bounds in killing.unfinished)
    more = "" if interrupted is not None else " Try a longer --time-limit, or --within."
    head = Text("INCOMPLETE ", "bold yellow")
    line = f"{why}: not every mutant was decided at {where}.{more}"
    print_prose(console, head.append(Text(line, "default")))
