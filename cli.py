"""The command line: the commands there are, and how an error reaches the user."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from . import __version__
from .checker.render.terminal import say
from .commands.again import remember
from .commands.status import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_STATUS,
    EXIT_USAGE,
)
from .printable import one_line
from .spec import EngineError, ModelError, TidegateError

COMMANDS = {
    "check": "check:check_command",
    "list": "catalogue:list_command",
    "show": "catalogue:show",
    "replay": "replay:replay",
    "explain": "explain:explain",
    "diff": "diff:diff",
    "bounds": "smallest:bounds",
    "resume": "resume:resume",
    "render": "render:render",
    "graph": "graph:graph",
    "simulate": "simulate:simulate",
    "explore": "explore:explore",
    "verdicts": "verdicts:verdicts",
    "mutate": "mutate:mutate",
    "gate": "gate:gate",
    "init": "init:init",
    "cache": "cache:cache",
}
"""Every command and where it is: imported when it is asked for, so that each starts quickly."""


class _Group(click.Group):
    """A group that turns every error into one message and its exit status."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Name the commands, in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command of that name."""
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        command: click.Command = getattr(
            import_module(f".commands.{module}", __package__), attribute
        )
        return command

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Keep the arguments for messages that repeat them."""
        remember(context, arguments)
        return super().parse_args(context, arguments)

    def invoke(self, context: click.Context) -> Any:
        """Run a command; no traceback reaches a user."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # What the encoding of a terminal or a log lacks is written out, and stops nothing.
                stream.reconfigure(errors="backslashreplace")
        try:
            with _one_line():
                return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            self._fail("interrupted", EXIT_INTERRUPTED)
        except (ModelError, EngineError) as error:
            self._fail(f"the model or an engine is wrong: {error}", EXIT_INTERNAL)
        except TidegateError as error:
            self._fail(str(error), EXIT_USAGE, error.details)
        except OSError as error:
            self._fail(f"cannot write the output: {error.strerror or error}", EXIT_USAGE)
        except Exception as error:
            if os.environ.get("TIDEGATE_TRACEBACK"):
                raise
            self._fail(
                f"internal error: {type(error).__name__}: {error}; set TIDEGATE_TRACEBACK=1 to "
                "see where, and please report it",
                EXIT_INTERNAL,
            )

    @staticmethod
    def _fail(message: str, status: int, details: Sequence[str] = ()) -> None:
        say(f"Error: {message}", stderr=True)
        for line in details:
            say(f"  {line}", stderr=True)
        sys.exit(status)


@contextmanager
def _one_line() -> Iterator[None]:
    """Show every character of what is wrong with the command line: names of files are in it."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = one_line(error.message)
        raise


@click.group(
    cls=_Group, epilog=EXIT_STATUS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="tidegate")
def main() -> None:
    """Check Kafka's replication protocol: every interleaving within small bounds.

    \b
    Examples:
      tidegate list                      what there is to check
      tidegate check hw                  the loss that KIP-101 repaired, step by step
      tidegate check kip-101             the same cluster under leader epochs
      tidegate check kip-320 -b elections=2 -b power_losses=1
      tidegate gate                      are all verdicts in tidegate.toml as expected?
    """
