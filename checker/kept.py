"""Where something is kept on disk between runs, for speed alone."""

from __future__ import annotations

import os
from pathlib import Path


def code_directory() -> Path:
    """Return where machine code is kept: below XDG_CACHE_HOME, or ``~/.cache``."""
    home = os.path.expanduser("~")
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "tidegate" / "compiled"
