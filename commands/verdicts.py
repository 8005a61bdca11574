"""``tidegate verdicts``: the first violating bounds of each property, as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import click

from ..analysis.ladder import BoundValues, LadderVerdict, first_violations
from ..analysis.named import SelectionError, find_protocol
from ..analysis.pool import processes, share
from ..analysis.properties import system_for
from ..analysis.selection import protocols_to_compare
from ..core.spec import Property, TransitionSystem
from ..invariants import invariants_of, properties_of
from ..model import Protocol, Scenario
from ..render.output import report_file
from ..render.terminal import say
from ..render.verdicts import INTRODUCTION, section
from .status import EXIT_HOLDS, Ended


def write_verdicts(target: IO[str], protocols: Sequence[Protocol], title: str, jobs: int) -> None:
    """Search the ladder of every scenario for every protocol, and write the page of verdicts.

    Parameters
    ----------
    protocols
        Protocols of one family, which has scenarios.
    title
        Only scenarios whose title contains this are compared.
    jobs
        How many searches run at once, each in its own process.

    Raises
    ------
    SelectionError
        If no scenario's title contains it.
    """
    scenarios = [
        (number, scenario)
        for number, scenario in enumerate(protocols[0].family.scenarios)
        if title.lower() in scenario.title.lower()
    ]
    if not scenarios:
        titles = "; ".join(scenario.title for scenario in protocols[0].family.scenarios)
        raise SelectionError(f"no scenario has {title!r} in its title; there are: {titles}")
    todo = [(protocol.name, number) for number, _ in scenarios for protocol in protocols]
    with processes(jobs) as workers:
        compared = workers.in_order(compare, todo)
        target.write(INTRODUCTION)
        for _, scenario in scenarios:
            columns = {protocol.name: next(compared) for protocol in protocols}
            names = [prop.name for prop in compared_properties(protocols[0], scenario)]
            largest = dict(scenario.largest)
            target.write("\n" + section(scenario.title, scenario.settings, largest, columns, names))
            target.flush()
            say(f"done: {scenario.title}", stderr=True)


def compared_properties(protocol: Protocol, scenario: Scenario) -> tuple[Property, ...]:
    """Return the properties by which a scenario compares protocols."""
    if not scenario.eventually:
        return invariants_of(protocol)
    return tuple(prop for prop in properties_of(protocol) if prop.kind.needs_graph)


def compare(which: tuple[str, int]) -> dict[str, LadderVerdict]:
    """Search the ladder of a scenario (by number) for a protocol (by name)."""
    name, number = which
    protocol = find_protocol(name)
    scenario: Scenario = protocol.family.scenarios[number]
    properties = compared_properties(protocol, scenario)

    def build(bounds: BoundValues) -> TransitionSystem[Any, Any]:
        settings = [*scenario.settings.split(), *(f"{n}={value}" for n, value in bounds.items())]
        return system_for(protocol, settings, properties)

    return first_violations(build, properties, scenario.largest, share())


@click.command(short_help="Write the page of verdicts; takes an hour.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    required=True,
    help="Write the page to FILE.",
)
@click.option("--protocol", "names", multiple=True, help="Only this protocol (repeatable).")
@click.option(
    "--scenario", "title", help="Only scenarios whose title contains TEXT.", metavar="TEXT"
)
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), show_default="cores")
def verdicts(output: str, names: tuple[str, ...], title: str | None, jobs: int) -> Ended:
    """Find the smallest bounds that violate each property, or the largest at which it holds.

    Searches every scenario of a family for every protocol, and writes the page of verdicts.

    \b
    Examples:
      tidegate verdicts --output verdicts.md
      tidegate verdicts --protocol kip-320 --scenario moves --output moves.md
    """
    protocols = protocols_to_compare(names)
    with report_file(output, "--output") as target:
        write_verdicts(target, protocols, title or "", jobs)
    return Ended(EXIT_HOLDS)
