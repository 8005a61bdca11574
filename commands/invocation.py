"""The command line of this run, for messages that name the command to continue with."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

_ARGUMENTS = __name__


def remember(context: click.Context, arguments: Sequence[str]) -> None:
    """Keep the arguments of the command line."""
    context.meta[_ARGUMENTS] = tuple(arguments)


def command_with(*options: str) -> str:
    """Return the command line of this run with more options, ready to be copied to a shell."""
    context = click.get_current_context(silent=True)
    arguments = list(context.meta.get(_ARGUMENTS, ())) if context else []
    # After "--" everything is an argument.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return shlex.join(["tidegate", *arguments[:end], *options, *arguments[end:]])
