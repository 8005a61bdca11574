"""Where output goes: the console, the progress line, and the file of a report."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

import click

from ...printable import inert, one_line, printable
from ...spec import TidegateError
from ..result import Progress

if TYPE_CHECKING:
    from .printed import Console


class OutputError(TidegateError):
    """A place that cannot be written to."""


def make_console(stderr: bool = False) -> Console:
    """Return a console that prints text as it is, and shows every character of it."""
    # rich takes a tenth of the time until a small search begins, and not every output needs it.
    from .printed import Console

    return Console(stderr=stderr)


def say(line: str, stderr: bool = False) -> None:
    """Print a line, whatever somebody else wrote in it, and nothing that is not on that line."""
    click.echo(inert(one_line(line)), err=stderr)


def say_json(document: Mapping[str, Any]) -> None:
    """Print a document as JSON."""
    click.echo(_json(document, indent=2))


def command(line: str, stderr: bool) -> None:
    """Print a line that GitHub Actions is to take for a command."""
    click.echo(one_line(line), err=stderr)


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show how far a search is: one line on a terminal, else a plain line every 30 seconds.

    On a terminal it appears once the search has taken two seconds, or as soon as the search says
    that it does something that takes a while; it goes to standard error.  What the search waits
    for has a line of its own, once.
    """
    if quiet:
        yield lambda progress: None
    elif sys.stderr is not None and sys.stderr.isatty():
        with ExitStack() as stack:
            yield _live(make_console(stderr=True), stack)
    else:
        yield _plain()


_PLAIN_EVERY, _LIVE_FROM, _LIVE_EVERY = 30.0, 2.0, 0.25
"""Seconds between plain lines, before the live line appears, and between its refreshes."""


def _plain() -> Callable[[Progress], None]:
    """Return a function that prints a line now and then."""
    shown = time.monotonic()
    told = ""

    def show(progress: Progress) -> None:
        nonlocal shown, told
        if progress.waiting != told:
            told = progress.waiting
            if told:
                say(told, stderr=True)
        if time.monotonic() - shown >= _PLAIN_EVERY:
            shown = time.monotonic()
            say(progress_line(progress), stderr=True)

    return show


def _live(console: Console, stack: ExitStack) -> Callable[[Progress], None]:
    """Return a function that keeps one line up to date, and have `stack` remove it at the end."""
    from .printed import Text

    status = console.status("", spinner="line")
    stack.callback(status.stop)
    shown = 0.0
    told = ""

    def show(progress: Progress) -> None:
        nonlocal shown, told
        if progress.waiting != told:
            told = progress.waiting
            if told:
                console.print(one_line(told))
        if progress.doing:
            status.update(Text(one_line(progress.doing)))
            status.start()
        elif progress.seconds >= _LIVE_FROM and progress.seconds - shown >= _LIVE_EVERY:
            shown = progress.seconds
            status.update(Text(one_line(progress_line(progress))))
            status.start()

    return show


def progress_line(progress: Progress) -> str:
    """Return how far a search is, in one line."""
    rate = progress.distinct_states / max(progress.seconds, 1e-9)
    line = (
        f"{progress.distinct_states:,} distinct states, depth {progress.depth}, "
        f"{progress.queue:,} left on this level, {rate:,.0f} states/s, {progress.seconds:.0f} s"
    )
    if progress.memory:
        line += f", {progress.memory >> 20:,} MiB"
    return f"{line}, most of all {progress.largest}" if progress.largest else line


@contextmanager
def report_file(path: str | None, option: str) -> Iterator[IO[str] | None]:
    """Open a report's file before the search, so that an unwritable one is found at once.

    It is written beside its place and moved there when it is whole; a device, a pipe and standard
    output ('-') are written as they are.  Where nothing is written, its place is left alone.  What
    no document may hold, such as control characters, is written out.

    Parameters
    ----------
    option
        Name of the option that gave the path, for messages.

    Raises
    ------
    OutputError
        If it cannot be written to.
    """
    if path is None:
        yield None
        return
    try:
        target = _open(path)
    except OSError as error:
        raise _unwritable(option, path, error) from None
    text = io.StringIO()
    with ExitStack() as stack:
        stack.callback(_discard, target)
        yield text
        if not text.tell():
            return
        try:
            target.write(printable(text.getvalue()))
            _finish(path, target)
        except OSError as error:
            raise _unwritable(option, path, error) from None


def _unwritable(option: str, path: str, error: OSError) -> OutputError:
    return OutputError(
        f"{option} {path!r}: cannot write there ({error.strerror}); name another file"
    )


def _open(path: str) -> IO[str]:
    """Open what will hold the report: a file beside its place, or the device or pipe itself."""
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        return sys.stdout
    if not path:
        raise FileNotFoundError(errno.ENOENT, "the name is empty")
    if os.path.exists(path) and not os.path.isfile(path):
        return open(path, "w", encoding="utf-8")
    place = os.path.realpath(path)
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target = open(  # noqa: SIM115 - it stays open for as long as the search runs
        f"{place}.{os.getpid()}.partial", "w", encoding="utf-8"
    )
    if os.path.exists(place):
        os.chmod(target.name, os.stat(place).st_mode & 0o777)
    return target


def _finish(path: str, target: IO[str]) -> None:
    """Flush what was written, and move it to its place."""
    target.flush()
    if target is not sys.stdout:
        target.close()
        if target.name.endswith(".partial"):
            os.replace(target.name, os.path.realpath(path))


def _discard(target: IO[str]) -> None:
    """Remove what was not finished."""
    if target is not sys.stdout:
        with suppress(OSError):
            target.close()
        if target.name.endswith(".partial") and os.path.exists(target.name):
            os.unlink(target.name)


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
            parts = (_lines(part, inner) if "trace" in part else _json(part) for part in value)
            text = "[\n" + inner + f",\n{inner}".join(parts) + f"\n{indent}  ]"
        else:
            text = _json(value)
        members.append(f"{indent}  {_json(name)}: {text}")
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"


def _json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON in ASCII without DEL, which nobody need write out any more."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")
