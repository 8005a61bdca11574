"""``tidegate list`` and ``tidegate show``: protocols, properties and bounds."""

from __future__ import annotations

from typing import Any

import click

from ..analysis.named import find_protocol
from ..invariants import PROPERTIES
from ..model import PROTOCOLS
from ..model.broker.releases import overview
from ..render.catalogue import print_catalogue
from ..render.story import described_bounds, described_properties, print_story, story
from ..render.terminal import make_console, say_json
from .status import EXIT_HOLDS, Ended


def catalogue() -> dict[str, Any]:
    """Return what ``tidegate list`` shows."""
    families = {protocol.family.name: protocol.family for protocol in PROTOCOLS}
    return {
        "protocols": [
            {
                "name": protocol.name,
                "family": protocol.family.name,
                "summary": protocol.summary,
                "default_properties": list(protocol.default_properties),
            }
            for protocol in PROTOCOLS
        ],
        "releases": overview(),
        "properties": {name: described_properties(PROPERTIES[name]) for name in families},
        "bounds": {name: described_bounds(family.bounds) for name, family in families.items()},
    }


@click.command(name="list", short_help="Show the protocols, the properties and the bounds.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def list_command(as_json: bool) -> Ended:
    """Show what can be checked: protocols, properties, and bounds with ranges and defaults."""
    if as_json:
        say_json(catalogue())
    else:
        print_catalogue(make_console(), catalogue())
    return Ended(EXIT_HOLDS)


@click.command(short_help="Describe a protocol: story, rules, actions and expected verdicts.")
@click.argument("protocol")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(protocol: str, as_json: bool) -> Ended:
    """Describe PROTOCOL: its story, the rules it replaces, its actions with their guards.

    \b
    Examples:
      tidegate show kip-320
      tidegate show kip-101 --json
    """
    description = story(find_protocol(protocol))
    if as_json:
        say_json(description)
    else:
        print_story(make_console(), description)
    return Ended(EXIT_HOLDS)
