"""``tidegate cache``: what is kept on disk between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..render.terminal import say
from .status import EXIT_HOLDS, Ended

if TYPE_CHECKING:
    from ..checker.kept import Store


@click.command(short_help="Show or clear what is kept on disk between runs.")
@click.option("--clear", "clearing", is_flag=True, help="Remove all of it.")
def cache(clearing: bool) -> Ended:
    """Show where machine code is kept, and which cells of a gate have passed, and how much that is.

    Both are found by the content of what they were made of, so they never have to be cleared for an
    answer to be right. A file is believed only if you wrote it: it carries a code made with a
    key of yours, and nobody else may write in its directory. What is not believed is made again.

    \b
    Examples:
      tidegate cache
      tidegate cache --clear
    """
    from ..checker.kept import Store, key_shown

    for store in (Store("compiled"), Store("gate")):
        size = sum(store.sizes().values())
        if clearing:
            store.clear()
            size -= sum(store.sizes().values())
            say(f"removed {size:,} bytes from {store.folder}")
        else:
            say(f"{size:,} bytes in {store.folder}{_described(store)}")
    if not clearing:
        say(f"key: {key_shown()}")
    return Ended(EXIT_HOLDS)


def _described(store: Store) -> str:
    """Return how much of what is kept is believed, as the end of a line."""
    names = store.sizes()
    if store.trouble:
        return f"; nothing is kept there: {store.trouble}"
    if not names:
        return ""
    files = f"{len(names)} file{'s' if len(names) > 1 else ''}"
    others = sum(not store.read(name) for name in names)
    if others:
        return f": {files}, {others} ignored (not made with your key, or damaged)"
    return f": {files}, all of {'them' if len(names) > 1 else 'it'} yours"
