"""``tidegate list`` and ``tidegate show``: protocols, properties and bounds."""

from __future__ import annotations

from typing import Any

import click

from ..analysis.named import find_protocol
from ..core.bounds import declared
from ..invariants import PROPERTIES
from ..model import PROTOCOLS
from ..model.broker.releases import overview
from ..render.catalogue import print_catalogue
from ..render.story import print_story, story
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
        "properties": {
            name: [
                {
                    "name": prop.name,
                    "kind": prop.kind.value,
                    "statement": prop.statement,
                    "source": prop.source,
                }
                for prop in PROPERTIES[name]
            ]
            for name in families
        },
        "fairness": {name: _fairness(name) for name in families},
        "bounds": {
            name: [
                {
                    "name": bound_name,
                    "default": bound.follows or bound.show(default),
                    "allowed": bound.allowed(),
                    "meaning": bound.doc,
                }
                for bound_name, (bound, default) in declared(family.bounds).items()
            ]
            for name, family in families.items()
        },
    }


def _fairness(family: str) -> list[dict[str, str]]:
    """Return the actions of a family's protocols, with what fairness owes to each."""
    actions = (
        it for protocol in PROTOCOLS if protocol.family.name == family for it in protocol.actions
    )
    owed = {action.name: action.owed for action in actions}
    return [{"action": name, "owed": text} for name, text in owed.items()]


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
