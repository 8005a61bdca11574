"""``tidegate bounds``: the smallest bounds that violate a property."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ..analysis.front import Climb, Front
from ..analysis.ladder import Rung
from ..analysis.selection import SelectionError, find_properties, find_protocol
from ..checker.interrupts import is_interrupt
from ..checker.result import DEFAULT, Resources
from ..core.bounds import BoundsError, declared, parse, unknown
from ..core.spec import Kind, Property, TransitionSystem
from ..model import PROTOCOLS, Protocol
from ..render.output import Reports, report_file
from ..render.terminal import make_console, progress, write_json
from .parameters import json_option, model_options, quiet_option, time_limit_option
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended


@dataclass(frozen=True)
class Ladder:
    """What is varied.

    Parameters
    ----------
    fixed
        Settings of the other bounds, as on the command line.
    smallest, largest
        The range of each bound that is varied.
    grows
        Whether larger bounds allow everything that smaller ones do.
    """

    fixed: tuple[str, ...]
    smallest: Rung
    largest: Rung
    grows: bool


def ladder(protocol: Protocol, settings: Sequence[str], limits: Sequence[str]) -> Ladder:
    """Return what to vary: the bounds that `limits` name, or those that the family's ladders vary.

    A bound that may be 0 limits how often something may happen, and with more of it everything
    can happen that can with less.  That is not so of others: with one replica more, the high
    watermark has one more to wait for.

    Raises
    ------
    TidegateError
        For a bound that cannot be varied, or that is fixed as well.
    """
    family = protocol.family
    known = declared(family.bounds)
    parse(family.bounds, settings)
    fixed = {setting.partition("=")[0].strip().replace("-", "_") for setting in settings}
    if limits:
        largest = dict(_limit(protocol, text) for text in limits)
    elif family.scenarios:
        largest = dict(family.scenarios[0].largest)
    else:
        largest = {
            name: default + 1
            for name, (bound, default) in known.items()
            if bound.main and bound.low == 0 and not bound.follows
        }
    if both := fixed & set(largest) if limits else set():
        name = min(both)
        raise SelectionError(f"bound {name} is both fixed (-b) and varied (--max); choose one")
    largest = {name: value for name, value in largest.items() if name not in fixed}
    if not largest:
        raise SelectionError("every bound is fixed, so none can be varied; leave out some -b")
    smallest = {name: known[name][0].low for name in largest}
    return Ladder(tuple(settings), smallest, largest, not any(smallest.values()))


def _limit(protocol: Protocol, text: str) -> tuple[str, int]:
    """Return name and value of a ``--max``."""
    known = declared(protocol.family.bounds)
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if name not in known:
        raise BoundsError(unknown("bound", name, known))
    bound = known[name][0]
    if bound.names is not None:
        raise BoundsError(f"bound {name} is not a number and cannot be varied; set it with -b")
    if not equals:
        raise BoundsError(f"--max {name}: write it with a value, as {name}=VALUE")
    return name, bound.parse(name, value.strip())


def find_front(
    protocol: Protocol,
    prop: Property,
    varied: Ladder,
    seconds: float | None,
    quiet: bool,
    resources: Resources = DEFAULT,
) -> Front:
    """Search for the smallest bounds that violate a property."""

    def build(rung: Rung) -> TransitionSystem[Any, Any]:
        settings = [*varied.fixed, *(f"{name}={value}" for name, value in rung.items())]
        return protocol.system(parse(protocol.family.bounds, settings), prop.needs)

    # Deadlock and Stuck speak of what cannot happen, which more steps can repair.
    grows = varied.grows and prop.kind in (Kind.INVARIANT, Kind.TYPE)
    with progress(quiet) as show:
        climb = Climb(build, prop, varied.smallest, varied.largest, grows, seconds, resources, show)
        return climb.front()


@click.command(name="bounds", short_help="Find the smallest bounds that violate a property.")
@click.argument("protocol", required=False)
@model_options("Find the bounds that violate this property")
@click.option(
    "--max",
    "largest",
    metavar="NAME=VALUE",
    multiple=True,
    help="Vary this bound, up to this value (repeatable).  [default: the family's ladder]",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the page of all known holes, or of those of PROTOCOL; takes minutes.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count(),
    show_default="cores",
    help="Searches that run at once for that page.",
)
@time_limit_option("Stop after so many seconds for each property.")
@json_option("everything")
@quiet_option
def bounds(protocol: str | None, **options: Any) -> Ended:
    """Find the smallest bounds within which PROTOCOL violates a property: all of them.

    Bounds are smaller than others if none of them is larger; where fewer elections take more
    crashes, several are the smallest. Without --max, those bounds are varied that the page of
    verdicts varies; what is not varied is fixed, by -b or at its default.

    \b
    Examples:
      tidegate bounds hw -p NoCommittedRecordLost
      tidegate bounds kip-320 -b unclean_election
      tidegate bounds published/kip-279 -p StrongIsr --max replicas=3 --max max_leader_epoch=2
      tidegate bounds --output docs/bounds.md
    \b
    Exit status:
      0   every property was decided: the smallest bounds, or that it holds within the largest
      2   wrong usage: an unknown name, a value out of range
      3   a limit was reached before everything was decided
      130 interrupted
    """
    if options["output"]:
        if options["settings"] or options["names"] or options["largest"]:
            raise click.UsageError("--output takes the known holes; leave out -b, -p and --max")
        from .holes import write_holes

        protocols = [find_protocol(protocol)] if protocol else list(PROTOCOLS)
        with report_file(options["output"], "--output") as page:
            write_holes(page, protocols, options["jobs"])
        return Ended(EXIT_HOLDS)
    if protocol is None:
        raise click.UsageError("name a PROTOCOL, or with --output the FILE of the page to write")
    return _search(protocol, options)


def _search(protocol: str, options: Mapping[str, Any]) -> Ended:
    """Search for the smallest bounds of each property, and print them."""
    from ..render.fronts import document, print_front

    with Reports({"--json": options["json_file"]}) as reports:
        console = make_console()
        console.quiet = options["json_file"] == "-"
        chosen = find_protocol(protocol)
        properties = find_properties(chosen, options["names"])
        if not properties:
            raise SelectionError("property 'none' leaves nothing to violate; name another")
        varied = ladder(chosen, options["settings"], options["largest"])
        found: dict[str, Front] = {}
        for prop in properties:
            front = find_front(chosen, prop, varied, options["time_limit"], options["quiet"])
            found[prop.name] = front
            print_front(console, protocol, prop.name, varied.fixed, front)
            if is_interrupt(front.stopped_by):
                break
        reports.write(
            "--json", lambda target: write_json(target, document(protocol, varied.fixed, found))
        )
    return ended(_status(found), reports)


def _status(found: Mapping[str, Front]) -> int:
    """Return the exit status."""
    if any(is_interrupt(front.stopped_by) for front in found.values()):
        return EXIT_INTERRUPTED
    undecided = any(front.undecided for front in found.values())
    return EXIT_INCOMPLETE if undecided else EXIT_HOLDS
