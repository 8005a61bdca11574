"""``tidegate cache``: the caches on disk."""

from __future__ import annotations

import click

from ..render.terminal import say
from .status import EXIT_HOLDS, Ended


@click.command()
@click.option("--clear", "clearing", is_flag=True, help="Remove all cached files.")
def cache(clearing: bool) -> Ended:
    """Show the caches of machine code and of passed gate cells: directory and size.

    Entries are named by the hash of all that they are made from, so the caches never have to be
    cleared for correct results. Nobody but you can read or write in their directories, and one that
    belongs to somebody else is not used.

    \b
    Examples:
      tidegate cache
      tidegate cache --clear
    """
    from ..core.files import DiskCache

    for files in (DiskCache("compiled"), DiskCache("gate")):
        size = sum(files.sizes().values())
        if clearing and files.folder is not None and files.folder.is_symlink():
            target = files.folder.resolve()
            files.clear()
            say(f"removed {files.folder}, a link; what it led to stays: {size:,} bytes in {target}")
        elif clearing:
            files.clear()
            size -= sum(files.sizes().values())
            say(f"removed {size:,} bytes from {files.folder}")
        else:
            trouble = f"; not used: {files.trouble}" if files.trouble else ""
            say(f"{size:,} bytes in {files.folder}{trouble}")
    return Ended(EXIT_HOLDS)
