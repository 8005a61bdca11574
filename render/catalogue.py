"""What there is to check, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from ..core.spec import Kind
from .printed import Console, Text
from .text import print_prose

_NARROWEST = 24
"""Characters in a line of the last column of a table, at least."""


def print_catalogue(console: Console, catalogue: dict[str, Any]) -> None:
    """Print the parts of a catalogue: protocols, releases, what each family has."""
    protocols = catalogue.get("protocols", [])
    if protocols:
        print_table(console, "Protocols", protocols, ("name", "summary"))
    if catalogue.get("releases"):
        title = "Releases of Kafka (check --release RELEASE --metadata METADATA)"
        columns = ("releases", "metadata", "protocol", "options")
        print_table(console, title, catalogue["releases"], columns)
    properties, bounds = catalogue.get("properties", {}), catalogue.get("bounds", {})
    fairness = catalogue.get("fairness", {})
    for family in {**properties, **fairness, **bounds}:
        if family in properties:
            title = f"Properties of the {family} family (-p NAME)"
            rows = [
                {"name": prop["name"], "statement": _stated(prop)} for prop in properties[family]
            ]
            print_table(console, title, rows, ("name", "statement"))
        if family in fairness:
            _print_fairness(console, family, fairness[family])
        if family in bounds:
            columns = ("name", "default", "allowed", "meaning")
            title = f"Bounds of the {family} family (-b NAME=VALUE)"
            print_table(console, title, bounds[family], columns)
    defaults = {one["family"]: one["default_properties"] for one in protocols}
    for family in properties:
        if family in defaults:
            names = ", ".join(defaults[family])
            console.print(Text(f"Checked in the {family} family unless -p is given: {names}."))


def _stated(prop: dict[str, str]) -> str:
    """Return the statement of a property, with its kind where that is none of the usual ones."""
    usual = prop["kind"] in (Kind.INVARIANT.value, Kind.TYPE.value)
    return prop["statement"] if usual else f"{prop['kind']}: {prop['statement']}"


def _print_fairness(console: Console, family: str, actions: Sequence[dict[str, str]]) -> None:
    """Print the actions of a family by what fairness owes to them."""
    grouped: dict[str, list[str]] = {}
    for action in actions:
        grouped.setdefault(action["owed"], []).append(action["action"])
    rows = [{"owed": owed, "actions": ", ".join(names)} for owed, names in grouped.items()]
    title = f"Fairness of the actions of the {family} family (what liveness properties assume)"
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
