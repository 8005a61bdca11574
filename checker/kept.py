"""Where something is kept on disk between runs, for speed alone."""

from __future__ import annotations

import os
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
