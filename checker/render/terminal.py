"""Where output goes: the console, the progress line, and the file of a report."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

from ...spec import TidegateError
from ..result import Progress

if TYPE_CHECKING:
    from rich.console import Console


class OutputError(TidegateError):
    """A place that cannot be written to."""


def make_console(stderr: bool = False) -> Console:
    """Return a console that prints text as it is."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show how far a search is: one line on a terminal, else a plain line every 30 seconds.

    On a terminal it appears once the search has taken two seconds; it goes to standard error.
    """
    console = make_console(stderr=True)
    if quiet:
        yield lambda progress: None
    elif console.is_terminal:
        with ExitStack() as stack:
            yield _live(console, stack)
    else:
        yield _plain


_PLAIN_EVERY, _LIVE_FROM, _LIVE_EVERY = 30.0, 2.0, 0.25
"""Seconds between plain lines, before the live line appears, and between its refreshes."""

_last_plain = time.monotonic()


def _plain(progress: Progress) -> None:
    global _last_plain
    if time.monotonic() - _last_plain >= _PLAIN_EVERY:
        _last_plain = time.monotonic()
        sys.stderr.write(progress_line(progress) + "\n")


def _live(console: Console, stack: ExitStack) -> Callable[[Progress], None]:
    """Return a function that keeps one line up to date, and have `stack` remove it at the end."""
    status = console.status("", spinner="line")
    stack.callback(status.stop)
    shown = 0.0

    def show(progress: Progress) -> None:
        nonlocal shown
        if progress.seconds >= _LIVE_FROM and progress.seconds - shown >= _LIVE_EVERY:
            shown = progress.seconds
            status.update(progress_line(progress))
            status.start()

    return show


def progress_line(progress: Progress) -> str:
    """Return how far a search is, in one line."""
    rate = progress.distinct_states / max(progress.seconds, 1e-9)
    return (
        f"{progress.distinct_states:,} distinct states, depth {progress.depth}, "
        f"{progress.queue:,} left on this level, {rate:,.0f} states/s, {progress.seconds:.0f} s"
    )


@contextmanager
def report_file(path: str | None) -> Iterator[IO[str] | None]:
    """Open a report's file before the search, so that an unwritable one is found at once.

    It is written beside its place and moved there when it is whole; '-' is standard output.

    Raises
    ------
    OutputError
        If it cannot be written to, before or after.
    """
    if path is None or path == "-":
        yield None if path is None else sys.stdout
        return
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with ExitStack() as stack:
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.exists(path) and not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            stack.callback(_remove, partial)
            target = stack.enter_context(open(partial, "w", encoding="utf-8"))
            yield target
            target.close()
            os.replace(partial, path)
    except OSError as error:
        raise OutputError(
            f"--json {path}: cannot write there ({error.strerror}); name another file"
        ) from None


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


def write_json(target: IO[str], document: dict[str, Any]) -> None:
    """Write a document as JSON, a line for each of its members, and one for each state of a trace.

    Traces are long; fully indented, one would take thousands of lines.
    """
    target.write(_lines(document) + "\n")


def _lines(document: dict[str, Any], indent: str = "") -> str:
    members = []
    for name, value in document.items():
        if isinstance(value, dict) and "states" in value:
            text = _lines(value, indent + "  ")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            inner = indent + "    "
            parts = (_lines(part, inner) if "trace" in part else json.dumps(part) for part in value)
            text = "[\n" + inner + f",\n{inner}".join(parts) + f"\n{indent}  ]"
        else:
            text = json.dumps(value)
        members.append(f"{indent}  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"
