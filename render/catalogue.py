"""What there is to check, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from .printed import Console, Text


def print_catalogue(console: Console, catalogue: dict[str, Any]) -> None:
    """Print the parts of a catalogue: protocols, releases, properties and bounds of each family."""
    protocols = catalogue.get("protocols", [])
    if protocols:
        print_table(console, "Protocols", protocols, ("name", "summary"))
    if catalogue.get("releases"):
        title = "Releases of Kafka (check --release RELEASE --metadata METADATA)"
        columns = ("releases", "metadata", "protocol", "options")
        print_table(console, title, catalogue["releases"], columns)
    properties, bounds = catalogue.get("properties", {}), catalogue.get("bounds", {})
    for family in {**properties, **bounds}:
        if family in properties:
            title = f"Properties of the {family} family (-p NAME)"
            print_table(console, title, properties[family], ("name", "statement"))
        if family in bounds:
            columns = ("name", "default", "allowed", "meaning")
            title = f"Bounds of the {family} family (-b NAME=VALUE)"
            print_table(console, title, bounds[family], columns)
    defaults = {one["family"]: one["default_properties"] for one in protocols}
    for family in properties:
        if family in defaults:
            names = ", ".join(defaults[family])
            console.print(Text(f"Checked in the {family} family unless -p is given: {names}."))


def print_table(
    console: Console, title: str, rows: Sequence[dict[str, str]], columns: Sequence[str]
) -> None:
    """Print one table under its title."""
    console.print(Text(title, "bold"))
    table = Table(box=None, show_header=len(columns) > 2, pad_edge=True, padding=(0, 1))
    for column in columns:
        last = column == columns[-1]
        table.add_column(column, no_wrap=not last, overflow="fold")
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    console.print(table)
    console.print()
