"""What there is to check, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_catalogue(console: Console, catalogue: dict[str, Any]) -> None:
    """Print the protocols, the properties and the bounds of each family."""
    _print_table(console, "Protocols", catalogue["protocols"], ("name", "summary"))
    _print_table(console, "Properties (-p)", catalogue["properties"], ("name", "statement"))
    for family, bounds in catalogue["bounds"].items():
        columns = ("name", "default", "allowed", "meaning")
        _print_table(console, f"Bounds of the {family} family (-b NAME=VALUE)", bounds, columns)
    defaults = catalogue["protocols"][0]["default_properties"]
    console.print(Text(f"Checked unless -p is given: {', '.join(defaults)}."))


def _print_table(
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
