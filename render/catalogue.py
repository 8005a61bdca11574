"""What there is to check, as tables; a protocol as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from ..core.guards import requirement
from ..core.spec import Kind
from .console import Console, Text
from .text import print_prose

_NARROWEST = 24
"""Characters in a line of the last column of a table, at least."""


def print_catalogue(console: Console, catalogue: dict[str, Any]) -> None:
    """Print the parts of a catalogue: protocols, releases, and what a model has."""
    protocols = catalogue.get("protocols", [])
    if protocols:
        print_table(console, "Protocols", protocols, ("name", "summary"))
    if catalogue.get("releases"):
        title = "Releases of Kafka (check --release RELEASE --metadata METADATA)"
        columns = ("releases", "metadata", "protocol", "options")
        print_table(console, title, catalogue["releases"], columns)
    if catalogue.get("properties"):
        _print_properties(console, catalogue["properties"])
    if catalogue.get("fairness"):
        _print_fairness(console, catalogue["fairness"])
    if catalogue.get("bounds"):
        _print_bounds(console, catalogue["bounds"])
    if catalogue.get("properties") and protocols:
        names = ", ".join(protocols[0]["default_properties"])
        console.print(Text(f"Checked unless -p is given: {names}."))


def _print_properties(console: Console, properties: Sequence[dict[str, str]]) -> None:
    rows = [{"name": prop["name"], "statement": _stated(prop)} for prop in properties]
    print_table(console, "Properties (-p NAME)", rows, ("name", "statement"))


def _print_bounds(console: Console, bounds: Sequence[dict[str, str]]) -> None:
    columns = ("name", "default", "allowed", "meaning")
    print_table(console, "Bounds (-b NAME=VALUE)", bounds, columns)


def _stated(prop: dict[str, str]) -> str:
    """Return the statement of a property, with its kind where that is none of the usual ones."""
    usual = Kind(prop["kind"]).is_invariant
    return prop["statement"] if usual else f"{prop['kind']}: {prop['statement']}"


def _print_fairness(console: Console, actions: Sequence[dict[str, str]]) -> None:
    """Print the actions of a model by what fairness owes to them."""
    grouped: dict[str, list[str]] = {}
    for action in actions:
        grouped.setdefault(action["owed"], []).append(action["action"])
    rows = [{"owed": owed, "actions": ", ".join(names)} for owed, names in grouped.items()]
    title = "Fairness of the actions (what liveness properties assume)"
    print_table(console, title, rows, ("owed", "actions"))


def print_table(
    console: Console, title: str, rows: Sequence[dict[str, str]], columns: Sequence[str]
) -> None:
    """Print one table under its title; a list, where the last column would be too narrow to read.

    Parameters
    ----------
    columns
        What each row has, the text that may be folded last.
    """
    console.print(Text(title, "bold"))
    *fixed, prose = columns
    widths = [max(len(text) for text in (name, *(row[name] for row in rows))) for name in fixed]
    if sum(widths) + 2 * len(columns) + _NARROWEST <= console.width:
        table = Table(box=None, show_header=len(columns) > 2, pad_edge=True, padding=(0, 1))
        for name in columns:
            table.add_column(name, no_wrap=name != prose, overflow="fold")
        for row in rows:
            table.add_row(*(row[name] for name in columns))
        console.print(table)
    else:
        for row in rows:
            facts = "; ".join(f"{name} {row[name]}" for name in fixed[1:] if row[name])
            print_prose(console, Text.assemble((row[fixed[0]], "bold"), facts and f"  ({facts})"))
            print_prose(console, Text(row[prose]), indent=3)
    console.print()


def print_story(console: Console, page: dict[str, Any]) -> None:
    """Print what :func:`~tidegate.library.catalogue.story` returned."""
    print_prose(console, Text(f"{page['name']}: {page['summary']}", "bold"))
    for paragraph in page["story"].split("\n\n"):
        print_prose(console, Text("\n" + " ".join(paragraph.split())))
    _print_links(console, page["links"], indent=0)
    if page["settings"]:
        options = f"Options that come with it: {', '.join(page['settings'])}."
        print_prose(console, Text(f"\n{options}"))
    if page["rules"]:
        against = f"replaced against {page['parent']}" if page["parent"] else "of this protocol"
        console.print(Text(f"\nRules {against}", "bold"))
        _print_replaced(console, page["rules"])
    if page["older_rules"]:
        console.print(Text("\nOlder rules, each a protocol by this name", "bold"))
        for older in page["older_rules"]:
            print_prose(console, Text(older["mutant"]))
            print_prose(console, Text(older["what"]), indent=3)
            _print_links(console, older["links"])
    if page["expected"]:
        _print_verdicts(console, page["expected"])
    if not page["is_kafkas"]:
        _print_declared(console, page)
    console.print(Text("\nActions, and what enables each", "bold"))
    for action in page["actions"]:
        head = f"{action['name']}({', '.join(action['parameters'])})"
        source = f", {action['source']}" if action["source"] else ""
        by = f"  by the {action['who']}{source}" if action["who"] else source.removeprefix(",")
        console.print(Text.assemble((head, "bold"), by))
        _print_links(console, action["links"])
        print_prose(console, Text(action["what"]), indent=3)
        print_prose(console, Text(f"Fairness: {action['owed']}."), indent=3)
        for test in action["not_enabled_if"]:
            print_prose(console, Text(f"- {requirement(test)}", "dim"), indent=3)
    for joint in page["fairness"]:
        line = Text.assemble("\nFairness of ", (joint["action"], "bold"), f": {joint['owed']}.")
        print_prose(console, line)


def _print_links(console: Console, links: dict[str, str], indent: int = 3) -> None:
    """Print the addresses of the names in a text; each stays on one line, to be copied."""
    for name, address in links.items():
        console.print(Text(f"{' ' * indent}{name}: {address}", "dim"), soft_wrap=True)


def _print_declared(console: Console, page: dict[str, Any]) -> None:
    """Print the bounds and the properties of a model, which ``tidegate list`` does not know."""
    console.print()
    _print_bounds(console, page["bounds"])
    _print_properties(console, page["properties"])
    names = ", ".join(page["default_properties"])
    print_prose(console, Text(f"Checked unless -p is given: {names or 'none'}."))


def _print_verdicts(console: Console, verdicts: list[dict[str, Any]]) -> None:
    console.print(Text("\nExpected verdicts (bounds not named are at their defaults)", "bold"))
    table = Table(box=None, show_header=False, padding=(0, 1))
    for expected in verdicts:
        violated = ", ".join(expected["violated"])
        verdict = f"violates {violated}" if violated else "holds"
        table.add_row(expected["bounds"] or "defaults", verdict)
    console.print(table)


def _print_replaced(console: Console, rules: list[dict[str, Any]]) -> None:
    for rule in rules:
        was = f" (was {rule['was']})" if rule["was"] else ""
        console.print(Text.assemble((rule["rule"], "bold"), f" = {rule['is']}{was}"))
        if rule["what"]:
            print_prose(console, Text(rule["what"]), indent=3)
            _print_links(console, rule["links"])


def print_rules(console: Console, page: dict[str, Any]) -> None:
    """Print what :func:`~tidegate.library.catalogue.rules_in_force` returned."""
    for row in page["rules"]:
        head = Text.assemble((row["rule"], "bold"), f" = {row['signature'] or row['is']}")
        print_prose(console, head)
        print_prose(console, Text(f"{row['decides']} {row['asked']}".rstrip()), indent=3)
        if row["what"]:
            print_prose(console, Text(f"{row['what']} {row['source']}".rstrip()), indent=3)
            _print_links(console, row["links"])
        since = f"From {row['from']}"
        since += f"; Kafka {row['releases']}" if row["releases"] else ""
        since += f"; {row['place']}" if row["place"] else ""
        print_prose(console, Text(f"{since}.", "dim"), indent=3)
