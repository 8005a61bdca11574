"""``tidegate cache``: the caches on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..render.terminal import say
from .status import EXIT_HOLDS, Ended

if TYPE_CHECKING:
    from ..checker.kept import Store


@click.command(short_help="Show or clear the caches on disk.")
@click.option("--clear", "clearing", is_flag=True, help="Remove all cached files.")
def cache(clearing: bool) -> Ended:
    """Show the caches of machine code and of passed gate cells: directory, size and key.

    Entries are addressed by the content of their inputs, so the caches never have to be cleared for
    correct results. Tidegate trusts a file only if you wrote it: it is authenticated with your key,
    and nobody else may write to its directory. Untrusted entries are ignored and made again.

    \b
    Examples:
      tidegate cache
      tidegate cache --clear
    """
    from ..checker.kept import Store, key_shown

    for store in (Store("compiled"), Store("gate")):
        size = sum(store.sizes().values())
        if clearing and store.folder is not None and store.folder.is_symlink():
            target = store.folder.resolve()
            store.clear()
            say(f"removed {store.folder}, a link; what it led to stays: {size:,} bytes in {target}")
        elif clearing:
            store.clear()
            size -= sum(store.sizes().values())
            say(f"removed {size:,} bytes from {store.folder}")
        else:
            say(f"{size:,} bytes in {store.folder}{_described(store)}")
    if not clearing:
        say(f"key: {key_shown()}")
    return Ended(EXIT_HOLDS)


def _described(store: Store) -> str:
    """Return how many files of a cache are trusted, as the end of a line."""
    names = store.sizes()
    if store.trouble:
        return f"; not used: {store.trouble}"
    if not names:
        return ""
    files = f"{len(names)} file{'s' if len(names) > 1 else ''}"
    others = sum(not store.read(name) for name in names)
    if others:
        return f": {files}, {others} ignored (not made with your key, or damaged)"
    return f": {files}, all made with your key"
