"""``tidegate list`` and ``tidegate show``: protocols, properties and bounds."""

from __future__ import annotations

from typing import Any

import click

from ..analysis.names import find_protocol
from ..core.bounds import unknown
from ..invariants import properties_of
from ..model import PROTOCOLS
from ..model.broker.releases import overview
from ..render.catalogue import (
    described_bounds,
    described_properties,
    print_catalogue,
    print_rules,
    print_story,
    rules_in_force,
    story,
)
from ..render.terminal import make_console, say, say_json
from . import parameters
from .parameters import protocol_argument
from .status import EXIT_HOLDS, Ended


def catalogue() -> dict[str, Any]:
    """Return what ``tidegate list`` shows."""
    families = {protocol.family: protocol for protocol in PROTOCOLS}
    return {
        "protocols": [
            {
                "name": protocol.name,
                "family": protocol.family,
                "summary": protocol.summary,
                "default_properties": list(protocol.default_properties),
            }
            for protocol in PROTOCOLS
        ],
        "releases": overview(),
        "properties": {
            name: described_properties(properties_of(one)) for name, one in families.items()
        },
        "fairness": {name: _fairness(name) for name in families},
        "bounds": {name: described_bounds(one.model.bounds) for name, one in families.items()},
    }


KINDS = ("protocols", "releases", "properties", "fairness", "bounds")
"""What ``tidegate list`` can show."""


def filtered(kind: str | None, text: str) -> dict[str, Any]:
    """Return the part of the catalogue of one kind (all of it for none) in which `text` occurs.

    The name of a protocol stands for what its family has, and a Python file for what it declares.
    """
    if kind in KINDS[2:] and ".py" in text:
        return {kind: _of_file(kind, text)}
    everything = catalogue()
    chosen = everything if kind is None else {kind: everything[kind]}
    if not text:
        return chosen
    families = {one["name"]: one["family"] for one in everything["protocols"]}
    family = families.get(text.lower()) if kind in KINDS[2:] else None

    def kept(rows: list[dict[str, Any]], its: str = "") -> list[dict[str, Any]]:
        if its and its == family:
            return rows
        return [row for row in rows if text.lower() in str([its, *row.values()]).lower()]

    return {
        name: kept(rows)
        if isinstance(rows, list)
        else {its: left for its in rows if (left := kept(rows[its], its))}
        for name, rows in chosen.items()
    }


def _of_file(kind: str, name: str) -> dict[str, list[dict[str, str]]]:
    """Return what a protocol or model in a file has of one kind."""
    protocol = find_protocol(name)
    if kind == "bounds":
        rows = described_bounds(protocol.model.bounds)
    elif kind == "properties":
        rows = described_properties(properties_of(protocol))
    else:
        rows = [
            *({"action": action.name, "owed": action.owed} for action in protocol.actions),
            *({"action": joint.named, "owed": joint.owed} for joint in protocol.fairness),
        ]
    return {protocol.family: rows}


def _fairness(family: str) -> list[dict[str, str]]:
    """Return the actions of a family's protocols, with the fairness of each."""
    actions = (
        action for protocol in PROTOCOLS if protocol.family == family for action in protocol.actions
    )
    owed = {action.name: action.owed for action in actions}
    return [{"action": name, "owed": text} for name, text in owed.items()]


@click.command(name="list")
@click.argument("what", required=False, metavar="[WHAT]", shell_complete=parameters.words(KINDS))
@click.argument("text", required=False, metavar="[TEXT]", shell_complete=parameters.protocols)
@click.option("--all", "every", is_flag=True, help="Show everything.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON; without WHAT, everything.")
def list_command(what: str | None, text: str | None, every: bool, as_json: bool) -> Ended:
    """Show what can be checked.

    WHAT is 'protocols', 'releases', 'properties', 'fairness' or 'bounds'. Without WHAT, only
    the protocols are shown. TEXT leaves only lines in which it occurs; the name of a protocol, such
    as kip-320, leaves what its family has, and a Python file what it declares.

    \b
    Examples:
      tidegate list
      tidegate list bounds kip-320       the bounds that -b sets, with ranges and defaults
      tidegate list bounds crash
      tidegate list bounds two_phase.py
      tidegate list properties           what -p names
      tidegate list releases 2.6
    """
    if what is not None and (".py" in what or what in {one.name for one in PROTOCOLS}):
        raise click.UsageError(
            f"tidegate show {what} describes a protocol or model: its bounds, its properties, its "
            f"actions with their fairness. tidegate list bounds {what} has one of these tables"
        )
    if what is not None and what not in KINDS:
        raise click.UsageError(unknown("list", what, KINDS))
    if every and what is not None:
        raise click.UsageError(f"--all shows everything; leave out --all, or {what}")
    kind = what if what or every or as_json else KINDS[0]
    chosen = filtered(kind, text or "")
    if not any(chosen.values()):
        raise click.UsageError(f"no {what} has {text!r}; leave it out to see all")
    if as_json:
        say_json(chosen)
    else:
        print_catalogue(make_console(), chosen)
        if what is None and not every:
            say(f"More: tidegate list {', '.join(KINDS[1:])}, or --all; tidegate show PROTOCOL.")
    return Ended(EXIT_HOLDS)


@click.command()
@protocol_argument()
@click.option(
    "--rules",
    "in_force",
    is_flag=True,
    help="Print every rule in force instead, inherited ones too: what it decides, its signature, "
    "its source in Kafka, and the releases that have it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(protocol: str, in_force: bool, as_json: bool) -> Ended:
    """Describe PROTOCOL: its story, the rules it replaces, its actions with their guards.

    \b
    Examples:
      tidegate show kip-320
      tidegate show kip-101 --json
      tidegate show kip-320 --rules      every rule, with its source and its releases
    """
    describe, write = (rules_in_force, print_rules) if in_force else (story, print_story)
    description = describe(find_protocol(protocol))
    if as_json:
        say_json(description)
    else:
        write(make_console(), description)
    return Ended(EXIT_HOLDS)
