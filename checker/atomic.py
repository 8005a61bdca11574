"""Writes files atomically, so that nobody ever reads half of one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o666, aside: Path | None = None) -> None:
    """Write a temporary file, flush it to disk, and rename it.

    Parameters
    ----------
    mode
        Its permissions, before the umask.
    aside
        The temporary file, in the same directory; an old one is removed.

    Raises
    ------
    OSError
        If that is not possible; the temporary file is removed then.
    """
    import secrets

    aside = aside or path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    aside.unlink(missing_ok=True)
    try:
        # An existing file may be a link to somebody else's file.
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
