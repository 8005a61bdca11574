"""Generated source, which tracebacks and debuggers show like the source of a file."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def show_as(file: str, lines: Sequence[str]) -> None:
    """Let tracebacks and debuggers show these lines for a file that is on no disk.

    A later source of the same name replaces the earlier one, so that they do not pile up.
    """
    linecache.cache[file] = sum(map(len, lines)), None, list(lines), file


def run(source: str, file: str, names: dict[str, Any]) -> None:
    """Run generated source, as a file of this folder, and add its definitions to `names`."""
    file = str(Path(__file__).with_name(file))
    show_as(file, source.splitlines(keepends=True))
    exec(compile(source, file, "exec"), names)
