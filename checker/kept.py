"""Where something is kept on disk between runs, for speed alone."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def code_directory() -> Path:
    """Return where machine code is kept."""
    return _directory("compiled")


def passes_directory() -> Path:
    """Return where the gate keeps which cells have passed."""
    return _directory("gate")


def _directory(name: str) -> Path:
    """Return a directory below XDG_CACHE_HOME, or ``~/.cache``."""
    home = os.path.expanduser("~")
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "tidegate" / name


def keep(folder: Path, name: str, content: bytes) -> None:
    """Write a file, where anything can be kept.

    It is written aside and renamed, so that nobody ever reads half of one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=folder)
    except (OSError, RuntimeError):
        return
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(aside, folder / name)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)


def size(folder: Path) -> int:
    """Return how many bytes are kept in a directory."""
    try:
        return sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        return 0


def clear(folder: Path) -> None:
    """Remove all that is kept in a directory."""
    with suppress(FileNotFoundError, NotADirectoryError):
        shutil.rmtree(folder)
