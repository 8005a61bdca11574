"""``tidegate bounds``: the minimal bounds that violate a property."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from ..core.bounds import brief
from ..core.errors import SelectionError
from ..core.interrupts import is_interrupt
from ..core.options import time_limit
from ..library.ladder import Ladder, ladder
from ..library.minimal_bounds import MinimalBounds, find_minimal_bounds
from ..library.names import find_protocol
from ..library.properties import left_undecided, select_violable
from ..render.output import Reports
from ..render.terminal import make_console, progress, write_json
from .parameters import Output, bound_option, model_options, protocol_argument, takes
from .status import EXIT_HOLDS, EXIT_INCOMPLETE, EXIT_INTERRUPTED, Ended, ended


@dataclass(frozen=True)
class Searches:
    """The searches for minimal bounds."""

    time_limit: float | None = time_limit(None, "Stop after TIME per property.")


@click.command(name="bounds")
@protocol_argument()
@model_options("Find the bounds that violate this property")
@bound_option(
    "Vary this bound up to VALUE (repeatable).  [default: the main bounds that may be 0, if any]",
    ("--max", "largest"),
)
@takes(Searches, "how")
@takes(Output, "output")
def bounds(
    protocol: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    largest: tuple[str, ...],
    how: Searches,
    output: Output,
) -> Ended:
    """Find all minimal bounds within which PROTOCOL violates a property.

    Bounds are smaller than others if none of them is larger. There may be several minimal bounds,
    e.g. with fewer elections and more crashes. Without --max, the main bounds that
    may be 0 (records, crashes, elections) are varied, of a model without such ones its main bounds,
    else all numbers; all others are fixed, by -b or at their defaults.

    \b
    Examples:
      tidegate bounds hw -p NoCommittedRecordLost
      tidegate bounds kip-320 -b unclean_election
      tidegate bounds tidegate.examples.published:kip_279 --max replicas=3 --max max_leader_epoch=2

    \b
    Exit status:
      0   every property was decided: its minimal bounds, or that it holds within the largest
      2   wrong usage: an unknown name, a value out of range
      3   not everything was decided: a limit was reached, or the model fails within some bounds
      130 interrupted
    """
    from ..render.minimal_bounds import print_minimal_bounds, print_undecided

    with Reports({"--json": output.json_file}) as reports:
        console = make_console()
        console.quiet = output.json_file == "-"
        chosen = find_protocol(protocol)
        selection = select_violable(chosen, names)
        if not selection.properties:
            raise SelectionError("property 'none' cannot be violated; name another")
        varied = ladder(chosen, settings, largest)
        allowed = varied.allowed(chosen)
        fixed = _fixed(brief(chosen.within(allowed)), varied)
        smallest_bounds: dict[str, MinimalBounds] = {}
        undecided = left_undecided(chosen, allowed, selection)
        for name, why in undecided.items():
            print_undecided(console, protocol, name, why)
        for prop in selection.properties:
            if prop.name in undecided:
                continue
            with progress(output.quiet) as show:
                minimal = find_minimal_bounds(chosen, prop, varied, how.time_limit, report=show)
            smallest_bounds[prop.name] = minimal
            print_minimal_bounds(console, protocol, prop.name, fixed, minimal)
            if is_interrupt(minimal.stopped_by):
                break
        document: dict[str, Any] = {"protocol": protocol, "fixed": fixed, "not_decided": undecided}
        document["properties"] = _properties(smallest_bounds)
        reports.write("--json", lambda target: write_json(target, document))
    return ended(_status(smallest_bounds, bool(undecided)), reports)


def _fixed(within: str, varied: Ladder) -> list[str]:
    """Return the bounds that are named in a report, without those that are varied."""
    named = filter(None, within.split(", "))
    return [one for one in named if one.partition("=")[0] not in varied.largest]


def _properties(smallest_bounds: Mapping[str, MinimalBounds]) -> list[dict[str, Any]]:
    """Return the minimal bounds of each property, for programs."""
    return [
        {"name": name, "outcome": minimal.outcome.value, **vars(minimal)}
        for name, minimal in smallest_bounds.items()
    ]


def _status(smallest_bounds: Mapping[str, MinimalBounds], undecided: bool) -> int:
    """Return the exit status; `undecided` says whether a property was left out."""
    if any(is_interrupt(minimal.stopped_by) for minimal in smallest_bounds.values()):
        return EXIT_INTERRUPTED
    undecided = undecided or any(minimal.undecided for minimal in smallest_bounds.values())
    return EXIT_INCOMPLETE if undecided else EXIT_HOLDS
