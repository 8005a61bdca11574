"""The output: the console, the progress line, and JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import is_dataclass
from typing import IO, TYPE_CHECKING, Any

import click

from ..core.errors import inert, one_line
from ..core.interrupts import Stopped

if TYPE_CHECKING:
    from ..core.result import Progress
    from .console import Console


def make_console(stderr: bool = False) -> Console:
    """Return a console that prints text as it is, and shows every character of it."""
    # Importing rich takes a tenth of a small search's start-up time; some outputs do without.
    from .console import Console

    return Console(stderr=stderr)


def say(line: str, stderr: bool = False) -> None:
    """Print exactly one line, whatever text from others it contains."""
    click.echo(inert(one_line(line)), err=stderr)


def say_json(document: Mapping[str, Any]) -> None:
    """Print a document as JSON."""
    click.echo(_json(document, indent=2))


def command(line: str, stderr: bool) -> None:
    """Print a workflow command for GitHub Actions."""
    click.echo(one_line(line), err=stderr)


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of a search: one line on a terminal, else a plain line every 30 seconds.

    The line goes to standard error.  On a terminal it appears after two seconds, or as soon as the
    search reports a slow operation.  Notices are printed once, on a line of their own.
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
    notice = ""

    def show(progress: Progress) -> None:
        nonlocal shown, notice
        if progress.notice != notice:
            notice = progress.notice
            if notice:
                say(notice, stderr=True)
        if time.monotonic() - shown >= _PLAIN_EVERY:
            shown = time.monotonic()
            say(progress.doing or progress_line(progress), stderr=True)

    return show


def _live(console: Console, stack: ExitStack) -> Callable[[Progress], None]:
    """Return a function that keeps one line up to date, and have `stack` remove it at the end."""
    from .console import Text

    status = console.status("", spinner="line")
    stack.callback(status.stop)
    shown = 0.0
    notice = ""

    def show(progress: Progress) -> None:
        nonlocal shown, notice
        if progress.notice != notice:
            notice = progress.notice
            if notice:
                console.print(one_line(notice))
        if progress.doing:
            status.update(Text(one_line(progress.doing)))
            status.start()
        elif progress.seconds >= _LIVE_FROM and progress.seconds - shown >= _LIVE_EVERY:
            shown = progress.seconds
            status.update(Text(one_line(progress_line(progress))))
            status.start()

    return show


def progress_line(progress: Progress) -> str:
    """Return the progress of a search, in one line."""
    rate = progress.distinct_states / max(progress.seconds, 1e-9)
    line = (
        f"{progress.distinct_states:,} distinct states, depth {progress.depth}, "
        f"{progress.queue:,} left on this level, {rate:,.0f} states/s, {progress.seconds:.0f} s"
    )
    if progress.memory:
        line += f", {progress.memory >> 20:,} MiB"
    return f"{line}, most frequent action: {progress.largest}" if progress.largest else line


def write_json(target: IO[str], document: dict[str, Any]) -> None:
    """Write a document as JSON, a line for each of its members, and one for each state of a trace.

    Traces are long; fully indented, one would take thousands of lines.
    """
    for piece in _pieces(document):
        target.write(piece)
    target.write("\n")


def json_text(document: dict[str, Any]) -> str:
    """Return what :func:`write_json` writes."""
    return "".join(_pieces(document)) + "\n"


def _pieces(document: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Yield the text piece by piece, since a long trace takes much memory."""
    before = "{\n"
    for name, value in document.items():
        yield f"{before}{indent}  {_json(name)}: "
        before = ",\n"
        if isinstance(value, dict) and not value.keys().isdisjoint(("states", "trace")):
            yield from _pieces(value, indent + "  ")
        elif isinstance(value, Sequence) and value and _is_object(value[0]):
            inner = indent + "    "
            for number, part in enumerate(value):
                yield f"{',' if number else '['}\n{inner}"
                is_trace = isinstance(part, dict) and "trace" in part
                yield from _pieces(part, inner) if is_trace else (_json(part),)
            yield f"\n{indent}  ]"
        else:
            yield _json(value)
    yield f"\n{indent}}}"


def _json(value: Any, indent: int | None = None) -> str:
    """Return a value as printable ASCII JSON (DEL is escaped, too)."""
    return json.dumps(value, indent=indent, default=_members).replace("\x7f", "\\u007f")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) or is_dataclass(value)


def _members(value: Any) -> object:
    """Return what JSON has no notation for: a behavior in ITF, a dataclass as an object."""
    from ..core.behavior import Behavior
    from ..core.tracefile import itf
    from ..core.vocabulary import Step

    if isinstance(value, Step):
        pairs = zip(value.parameters, value.arguments, strict=True)
        return {"action": value.action, "arguments": dict(pairs)}
    if isinstance(value, Behavior):
        return itf(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value) if isinstance(value, Stopped) else vars(value)
