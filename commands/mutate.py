"""``tidegate mutate``: weaken each guard and rule in turn, and see which property notices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import click

from ..analysis.mutants import Mutant, mutants
from ..analysis.named import find_protocol
from ..analysis.pool import processes, share
from ..analysis.properties import find_properties, system_for
from ..checker.check import check
from ..checker.result import Limits, Result
from ..core.bounds import parse
from ..core.spec import ModelError, Outcome, Property
from ..invariants import invariants_of
from ..model import Protocol
from ..render.printed import Text
from ..render.summary import count
from ..render.terminal import make_console
from ..render.text import print_prose
from .parameters import time_limit_option
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, Ended

if TYPE_CHECKING:
    from ..render.printed import Console


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Parameters
    ----------
    mutant
        Its name: the missing guard, or the weaker rule.
    killed_by
        The property that the mutant violates and its original does not (or only in more steps), or
        how the mutant failed; None if it survived.
    steps
        Steps of the shortest trace that violates it, if one does.
    bounds
        The bounds that killed it; for a survivor, the last ones that were searched.
    complete
        Whether every search of a survivor explored all states.
    note
        For a survivor: why it changes nothing, what should kill it, or that no bounds tried it.
    """

    mutant: str
    killed_by: str | None
    steps: int | None
    bounds: str
    complete: bool = True
    note: str = ""


def fates(
    protocol: Protocol,
    properties: Sequence[Property],
    ladder: Sequence[str],
    seconds: float | None,
    jobs: int,
) -> Iterator[Fate]:
    """Yield what became of each mutant, in order, as soon as it and those before it are done.

    Parameters
    ----------
    ladder
        Bounds to search one after the other until the mutant dies, each as on the command line.
    seconds
        Wall time for one search at most; a search that needs more counts as survived.
    """
    names = tuple(prop.name for prop in properties)
    numbers = range(len(list(mutants(protocol))))
    todo = ((protocol.name, number, names, tuple(ladder), seconds) for number in numbers)
    with processes(jobs) as workers:
        yield from workers.in_order(_fate, todo)


@cache
def _mutants(name: str) -> tuple[Protocol, list[Mutant]]:
    """Return a protocol and its mutants, which take a while to make: each process does it once."""
    protocol = find_protocol(name)
    return protocol, list(mutants(protocol))


def _fate(work: tuple[str, int, Sequence[str], Sequence[str], float | None]) -> Fate:
    """Search one mutant, given by the protocol's name and its number, to cross processes."""
    name, number, names, ladder, seconds = work
    protocol, every = _mutants(name)
    mutant = every[number]
    properties = [prop for prop in invariants_of(protocol) if prop.name in names]
    complete, tried = True, False
    for bounds in ladder:
        if not _differs(mutant, protocol, bounds):
            continue
        tried = True
        try:
            result = _search(mutant, protocol, properties, bounds, seconds)
        except ModelError as error:
            _refuse_failing(protocol.name, tuple(names), bounds, seconds)
            return Fate(mutant.name, f"fails: {str(error).split(';')[0]}", None, bounds)
        if result is None:
            complete = False
        elif result[0]:
            return Fate(mutant.name, result[0], result[1], bounds)
    notes = protocol.family.survivors
    note = notes.get(f"{protocol.name}: {mutant.name}") or notes.get(mutant.name, "")
    if not tried:
        note = f"not tried: within these bounds there is no {mutant.name.partition(':')[0]}"
    return Fate(mutant.name, None, None, ladder[-1], complete, note)


def _differs(mutant: Mutant, original: Protocol, bounds: str) -> bool:
    """Whether a mutant is another system than its original within some bounds.

    It is not where the action that lacks a guard is left out there.
    """
    changed = {
        weaker.name
        for action, weaker in zip(original.actions, mutant.protocol.actions, strict=True)
        if action.apply is not weaker.apply
    }
    system = system_for(original, bounds.split(), [])
    return not changed or bool(changed & {action.name for action in system.actions})


def _search(
    mutant: Mutant,
    original: Protocol,
    properties: Sequence[Property],
    bounds: str,
    seconds: float | None,
) -> tuple[str, int] | None:
    """Return (property, steps) of what kills a mutant, ("", 0) if nothing, None if time ran out.

    A violation kills if the original does not violate the same property in as few steps: at these
    bounds it may violate some itself.  These are left out, and the others are searched again.
    """
    remaining = list(properties)
    while remaining:
        result = _check(mutant.protocol, remaining, bounds, Limits(seconds=seconds))
        violated = {v.property.name: len(v.trace.steps) for v in result.verdicts if v.trace}
        for name, steps in violated.items():
            if not _violates(original.name, name, bounds, steps):
                return name, steps
        if not violated:
            return ("", 0) if result.outcome is Outcome.HOLDS else None
        remaining = [prop for prop in remaining if prop.name not in violated]
    return "", 0


@cache
def _refuse_failing(name: str, names: tuple[str, ...], bounds: str, seconds: float | None) -> None:
    """Raise the error that a protocol itself fails with; it says nothing about a mutant then."""
    protocol = find_protocol(name)
    properties = [prop for prop in invariants_of(protocol) if prop.name in names]
    _check(protocol, properties, bounds, Limits(seconds=seconds))


@cache
def _violates(protocol: str, name: str, bounds: str, steps: int) -> bool:
    """Whether a protocol itself violates a property within a number of steps."""
    original = find_protocol(protocol)
    [prop] = [prop for prop in invariants_of(original) if prop.name == name]
    return _check(original, [prop], bounds, Limits(max_depth=steps + 1)).first is not None


def _check(
    protocol: Protocol, properties: Sequence[Property], bounds: str, limits: Limits
) -> Result:
    """Search a protocol at bounds as on the command line."""
    system = system_for(protocol, bounds.split(), properties)
    return check(system, properties, limits=limits, resources=share())


def print_fates(console: Console, name: str, results: Iterator[Fate]) -> bool:
    """Print a line for each mutant as it is decided, then the count and the survivors.

    Returns
    -------
    bool
        Whether every search of every survivor explored all states.
    """
    killed, survivors = 0, []
    for fate in results:
        if fate.killed_by is None:
            survivors.append(fate)
            head = Text("SURVIVED ", "bold yellow")
            how = "" if fate.complete else " (some searches ran out of time)"
        else:
            killed += 1
            head = Text("killed   ", "green")
            steps = f" in {count(fate.steps, 'step')}" if fate.steps is not None else ""
            how = f" -- {fate.killed_by}{steps} at {fate.bounds or 'the defaults'}"
        print_prose(console, head.append(Text(f"{fate.mutant}{how}", "default")))
    total = killed + len(survivors)
    print_prose(console, Text(f"\n{name}: {killed} of {count(total, 'mutant')} killed."))
    for fate in survivors:
        note = fate.note or "not explained; larger bounds or another property may kill it"
        print_prose(console, Text(f"- {fate.mutant}: {note}."))
    return all(fate.complete for fate in survivors)


@click.command(short_help="Weaken each guard and rule in turn, and see which property notices.")
@click.argument("protocol")
@click.option(
    "-b",
    "--bounds",
    "ladder",
    metavar="'NAME=VALUE ...'",
    multiple=True,
    help="Search within these bounds (repeatable, in order) instead of the family's.",
)
@click.option(
    "-p",
    "--property",
    "names",
    metavar="PROPERTY",
    multiple=True,
    help="Check this property (repeatable), or 'all'.  [default: those of the protocol]",
)
@time_limit_option("Give up each search after N seconds.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), show_default="cores")
def mutate(
    protocol: str,
    ladder: tuple[str, ...],
    names: tuple[str, ...],
    time_limit: float | None,
    jobs: int,
) -> Ended:
    """Leave out every guard of PROTOCOL, and undo every rule it replaces, one at a time.

    Prints for each mutant which property kills it, in how many steps and at which bounds, or that
    it survived. A violation that PROTOCOL itself has in as few steps kills no mutant.

    \b
    Examples:
      tidegate mutate kip-320 --time-limit 60
      tidegate mutate hw -b records=1 -b 'elections=2 moves'
    """
    chosen = find_protocol(protocol)
    bounds = ladder or chosen.family.mutation_bounds
    for settings in bounds:
        parse(chosen.family.bounds, settings.split())
    results = fates(chosen, find_properties(chosen, names), bounds, time_limit, jobs)
    complete = print_fates(make_console(), chosen.name, results)
    return Ended(EXIT_HOLDS if complete else EXIT_INCOMPLETE)
