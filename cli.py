"""The command line: the commands, their exit statuses, and error messages."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import wraps
from importlib import import_module
from io import TextIOWrapper
from types import FrameType
from typing import IO, Any, NoReturn

import click

from .commands.invocation import remember
from .commands.status import (
    EXIT_HOLDS,
    EXIT_INCOMPLETE,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OTHER,
    EXIT_STATUS,
    EXIT_USAGE,
    EXIT_VIOLATED,
    Ended,
)
from .core.bounds import unknown
from .core.errors import (
    EngineError,
    ModelError,
    TidegateError,
    one_line,
    place_of,
    shown,
)
from .core.interrupts import LimitReachedError, any_abandoned, listening, reason, received
from .core.origins import is_users
from .core.version import __version__
from .library.successors import successor
from .render.terminal import say

_OBJECTS_BETWEEN_COLLECTIONS = 50_000

COMMANDS = {
    "check": "Search every state of a protocol and print the trace that breaks it.",
    "list": "Show the protocols, the properties and the bounds.",
    "show": "Describe a protocol: story, rules, actions and expected verdicts.",
    "replay": "Replay a saved trace; write it as a page, a diagram or a text.",
    "conform": "Compare a protocol with real brokers, by random walks.",
    "explain": "Explain a trace in words: which faults and elections it needs.",
    "diff": "Compare two protocols: code, verdicts, counterexamples and states.",
    "bounds": "Find the minimal bounds that violate a property.",
    "graph": "Export the state graph, or print its statistics.",
    "simulate": "Take random walks, for bounds too large to search exhaustively.",
    "explore": "Step through the states by hand, in the terminal.",
    "mutate": "Weaken each guard and rule in turn, and see which property notices.",
    "gate": "Check that every verdict in tidegate.toml is still as expected.",
    "init": "Write a first tidegate.toml and a custom protocol, or a model.",
    "cache": "Show or clear the caches on disk.",
}
"""The commands, and what they do."""

_MODULES = {"list": "catalogue", "show": "catalogue", "bounds": "smallest"}
"""Where a command is, if not in the module of its name; modules are imported on use."""

_COMPLETION = "_TIDEGATE_COMPLETE"
"""The variable by which a shell asks click for completion."""

_PRINTERS = (
    "click",
    "rich",
    f"{__package__}.render.console",
    f"{__package__}.render.terminal",
    __name__,
)
"""Modules, and packages of modules, that print."""


class _Warnings(logging.Handler):
    """Prints warnings of the engines on standard error, a line each."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning, if standard error is usable."""
        with suppress(OSError, ValueError, AttributeError):
            say(record.getMessage(), stderr=True)


logging.getLogger(__package__).addHandler(_Warnings())


class _Group(click.Group):
    """A group whose commands return their exit status.

    Help, the version and shell completion end with 0.  Any other end, such as a rule of the model
    that calls sys.exit(), is an error of one line.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command of that name."""
        if name not in COMMANDS:
            return None
        module = import_module(f".commands.{_MODULES.get(name, name)}", __package__)
        commands = (one for one in vars(module).values() if isinstance(one, click.Command))
        command = copy(next(one for one in commands if one.name == name))
        assert command.callback is not None
        command.callback = _stating(command.callback)
        command.short_help = COMMANDS[name]
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, without importing it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of an unknown one, name those that are alike."""
        name = arguments[0]
        if name not in COMMANDS and not context.resilient_parsing and not name.startswith("-"):
            former = successor(f"tidegate {name}")
            context.fail(former or unknown("command", name, COMMANDS))
        return super().resolve_command(context, arguments)

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Keep the arguments for messages that repeat them."""
        remember(context, arguments)
        return super().parse_args(context, arguments)

    def invoke(self, context: click.Context) -> int:
        """Run a command, and return its exit status."""
        return _status(lambda: super(_Group, self).invoke(context))

    def main(self, *arguments: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run the command line, and end the process; or, not standalone, return the exit status."""
        run: Callable[..., Any] = super().main
        if standalone_mode:
            # States are not garbage: Python looks for it in each 700 new tuples and finds none.
            gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        if _COMPLETION in os.environ:
            import_module(".commands.parameters", __package__)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # Characters that the encoding lacks are printed as escapes.
                stream.reconfigure(errors="backslashreplace")
        with listening():
            status = _status(lambda: run(*arguments, standalone_mode=False, **options))
            status = _signalled(_flushed(status))
        if standalone_mode:
            _end(status)
        return status


def _stating(command: Callable[..., object]) -> Callable[..., Ended]:
    """Return a command that fails if it does not return how it ended."""

    @wraps(command)
    def stating(*arguments: Any, **options: Any) -> Ended:
        try:
            answer = command(*arguments, **options)
        except (SystemExit, click.exceptions.Exit) as error:
            raise ModelError(
                f"it tried to end the process by {type(error).__name__}: {error}{_where(error)}; "
                "return a value instead"
            ) from None
        if not isinstance(answer, Ended):
            raise RuntimeError("the command returned no exit status")
        return answer

    return stating


def _status(run: Callable[[], object]) -> int:
    """Run a function, and return its exit status; users see no traceback."""
    try:
        answer = run()
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            former = successor(f"tidegate {error.ctx.info_name} {error.option_name}")
            error = click.UsageError(former, error.ctx) if former else error
        # The message may contain file names.
        vars(error)["message"] = one_line(error.message)
        with suppress(OSError):
            error.show()
        return error.exit_code
    except (SystemExit, click.exceptions.Exit) as error:
        # Raised by click for help, the version or completion; commands cannot raise it.
        code = error.code if isinstance(error, SystemExit) else error.exit_code
        return code if isinstance(code, int) else EXIT_INTERNAL
    except BaseException as error:
        if os.environ.get("TIDEGATE_TRACEBACK") and isinstance(error, Exception):
            raise
        message, status = _message(error)
        status = getattr(error, "decided", status)
        return _failed(message, status, error.details if isinstance(error, TidegateError) else ())
    if isinstance(answer, Ended):
        return answer.status
    return answer if isinstance(answer, int) else EXIT_INTERNAL


def _message(error: BaseException) -> tuple[str, int]:
    """Return the error message and the exit status; no message on a broken pipe."""
    if isinstance(error, click.Abort) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, LimitReachedError):
        return f"stopped by {error}", EXIT_INCOMPLETE
    if isinstance(error, MemoryError):
        return f"stopped by {reason(error)}", EXIT_INCOMPLETE
    if isinstance(error, KeyboardInterrupt):
        return f"interrupted {getattr(error, 'where', '')}".rstrip(), EXIT_INTERRUPTED
    if isinstance(error, ModelError) and error.place and is_users(error.place[0]):
        return f"{shown(error.place)}: {error.args[0]}", EXIT_INTERNAL
    if isinstance(error, (ModelError, EngineError)):
        wrong = "an engine" if isinstance(error, EngineError) else "the model"
        return f"{wrong} is wrong: {error.head()}", EXIT_INTERNAL
    if isinstance(error, TidegateError):
        return error.head(), EXIT_USAGE
    if isinstance(error, ValueError) and sys.stdout is not None and sys.stdout.closed:
        return "cannot write the output: the model has closed it", EXIT_USAGE
    if isinstance(error, OSError) and _was_printing(error):
        if sys.stdout is not None:
            _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return "", EXIT_OTHER
        return f"cannot write the output: {error.strerror or error}", EXIT_USAGE
    raised = _raised_in(error)
    own = raised is not None and is_users(raised.f_code.co_filename)
    if own and not isinstance(error, Exception):
        what = f"{type(error).__name__}: {error}{_where(error)}"
        return f"the model is wrong: it failed with {what}", EXIT_INTERNAL
    return (
        f"internal error: {type(error).__name__}: {error}; set TIDEGATE_TRACEBACK=1 to see where, "
        "and please report it",
        EXIT_INTERNAL,
    )


def _where(error: BaseException) -> str:
    """Return the line that raised an error, in parentheses."""
    place = place_of(error)
    return f" ({shown(place)})" if place else ""


def _raised_in(error: BaseException) -> FrameType | None:
    """Return the innermost Python frame of an error."""
    frame, traceback = None, error.__traceback__
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
    return frame


def _was_printing(error: OSError) -> bool:
    """Whether standard output or standard error could not be written to."""
    frame = _raised_in(error)
    name = str(frame.f_globals.get("__name__")) if frame is not None else ""
    return any(name == printer or name.startswith(f"{printer}.") for printer in _PRINTERS)


def _silence(stream: IO[str]) -> None:
    """Discard the buffered output of a stream if it cannot be written."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flushed(status: int) -> int:
    """Flush standard output; return the status, or that of a failure to write."""

    def flush() -> int:
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
        return status

    flushed = _status(flush)
    return status if status in EXIT_VIOLATED and flushed != EXIT_OTHER else flushed


def _signalled(status: int) -> int:
    """Return the status of a command that a signal may have interrupted; then it is not 0."""
    number = received()
    if number is None or status not in (EXIT_HOLDS, EXIT_INTERRUPTED):
        return status
    if status == EXIT_HOLDS:
        _failed("interrupted: the output may be incomplete", EXIT_INTERRUPTED)
    return 128 + number


def _failed(message: str, status: int, details: Sequence[str] = ()) -> int:
    """Print an error message with its details; return the status."""
    if message:
        with suppress(OSError):
            say(f"Error: {message}", stderr=True)
            for line in details:
                say(f"  {line}", stderr=True)
    return status


def _end(status: int) -> NoReturn:
    """End the process.  This is the only place that sets its exit status."""
    if any_abandoned():
        # sys.exit() would wait for threads that never return.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.flush()
        os._exit(status)
    sys.exit(status)


@click.group(
    cls=_Group, epilog=EXIT_STATUS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="tidegate")
def main() -> None:
    """Check Kafka's replication protocol: every interleaving within small bounds.

    \b
    Examples:
      tidegate list                      the protocols
      tidegate list bounds kip-320       what -b sets
      tidegate check hw                  the data loss that KIP-101 fixed, step by step
      tidegate check kip-101             the same cluster with leader epochs
      tidegate check kip-320 -b elections=2 -b power_losses=1
      tidegate gate                      are all verdicts in tidegate.toml as expected?
    """


def run() -> NoReturn:
    """Run the command line, and end the process; Ctrl-C is ignored once the status is known."""
    status = main(prog_name="tidegate", standalone_mode=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end(status)
