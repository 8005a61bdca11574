"""``tidegate cache``: what the compiled engine keeps on disk between runs."""

from __future__ import annotations

import click


@click.command(short_help="Show or clear the machine code that is kept between runs.")
@click.option("--clear", "clearing", is_flag=True, help="Remove all of it.")
def cache(clearing: bool) -> None:
    """Show where the compiled engine keeps its machine code, and how much that is.

    It is found by the content of what it was made of, so it never has to be cleared for an answer
    to be right.

    \b
    Examples:
      tidegate cache
      tidegate cache --clear
    """
    from ..checker.compiled.cache import clear, size
    from ..checker.kept import code_directory

    kept = size()
    if clearing:
        clear()
        click.echo(f"removed {kept:,} bytes from {code_directory()}")
    else:
        click.echo(f"{kept:,} bytes in {code_directory()}")
