"""``tidegate list`` and ``tidegate show``: protocols, properties and bounds."""

from __future__ import annotations

from importlib.resources import files

import click

from ..core.bounds import unknown
from ..library.catalogue import KINDS, filtered, rules_in_force, story
from ..library.names import find_protocol, is_custom
from ..library.successors import EXAMPLES
from ..model import PROTOCOLS
from ..render.catalogue import print_catalogue, print_rules, print_story
from ..render.console import Text
from ..render.terminal import make_console, say_json
from ..render.text import print_prose
from . import parameters
from .parameters import protocol_argument
from .status import EXIT_HOLDS, Ended


def _examples() -> str:
    """Return the names of the examples."""
    names = (file.name for file in files(EXAMPLES).iterdir())
    return ", ".join(sorted(name.removesuffix(".py") for name in names if name.endswith(".py")))


@click.command(name="list")
@click.argument("what", required=False, metavar="[WHAT]", shell_complete=parameters.words(KINDS))
@click.argument("text", required=False, metavar="[TEXT]", shell_complete=parameters.protocols)
@click.option("--all", "every", is_flag=True, help="Show everything.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON; without WHAT, everything.")
def list_command(what: str | None, text: str | None, every: bool, as_json: bool) -> Ended:
    """Show what can be checked.

    WHAT is 'protocols', 'releases', 'properties', 'fairness' or 'bounds'. Without WHAT, only
    the protocols are shown. TEXT leaves only lines in which it occurs; the name of a protocol, such
    as kip-320, leaves what it has, and a Python file what it declares.

    \b
    Examples:
      tidegate list
      tidegate list bounds kip-320       the bounds that -b sets, with ranges and defaults
      tidegate list bounds crash
      tidegate list bounds two_phase.py
      tidegate list properties           what -p names
      tidegate list releases 2.6
    """
    if what is not None and (is_custom(what) or what in {one.name for one in PROTOCOLS}):
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
        raise click.UsageError(f"none of the {what} has {text!r}; leave it out to see all")
    if as_json:
        say_json(chosen)
    else:
        console = make_console()
        print_catalogue(console, chosen)
        if what is None and not every:
            more = f"More: tidegate list {', '.join(KINDS[1:])}, or --all; tidegate show PROTOCOL."
            print_prose(console, Text(more))
            file = f"tidegate check {EXAMPLES}.published:kip_320"
            print_prose(console, Text(f"Examples ({file}): {_examples()}."))
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
