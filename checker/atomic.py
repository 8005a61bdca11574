"""Files that are written as a whole, so that nobody ever reads half of one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o666, aside: Path | None = None) -> None:
    """Write a file aside, to disk, and move it to its place.

    Parameters
    ----------
    mode
        Its permissions, less those that the umask takes away.
    aside
        Where it is written first, in the same directory; what is left there is removed.

    Raises
    ------
    OSError
        If that is not possible; nothing is left aside then.
    """
    import secrets

    aside = aside or path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    aside.unlink(missing_ok=True)
    try:
        # What is there already may be a link to somebody else's file.
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
