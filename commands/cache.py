"""``tidegate cache``: what is kept on disk between runs."""

from __future__ import annotations

import click

from .status import EXIT_HOLDS, Ended


@click.command(short_help="Show or clear what is kept on disk between runs.")
@click.option("--clear", "clearing", is_flag=True, help="Remove all of it.")
def cache(clearing: bool) -> Ended:
    """Show where machine code is kept, and which cells of a gate have passed, and how much that is.

    Both are found by the content of what they were made of, so they never have to be cleared for an
    answer to be right.

    \b
    Examples:
      tidegate cache
      tidegate cache --clear
    """
    from ..checker.kept import clear, code_directory, passes_directory, size

    for folder in (code_directory(), passes_directory()):
        kept = size(folder)
        if clearing:
            clear(folder)
            click.echo(f"removed {kept:,} bytes from {folder}")
        else:
            click.echo(f"{kept:,} bytes in {folder}")
    return Ended(EXIT_HOLDS)
