"""Source that Tidegate generates, which tracebacks and debuggers show like that of a file."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any


def show_as(file: str, lines: Sequence[str]) -> None:
    """Have tracebacks and debuggers show these lines for a file that is on no disk.

    Of several under one name the last is shown, so that they do not pile up.
    """
    linecache.cache[file] = sum(map(len, lines)), None, list(lines), file


def run(source: str, file: str, names: dict[str, Any]) -> None:
    """Run a generated source, whose definitions are added to `names`."""
    show_as(file, source.splitlines(keepends=True))
    exec(compile(source, file, "exec"), names)
