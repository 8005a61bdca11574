"""Options that several commands share, and the values they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..checker.memory import parse_size


class Size(click.ParamType):  # type: ignore[type-arg]
    """An amount of memory: a number of bytes, or of K, M, G or T (powers of 1024)."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the amount in bytes."""
        if isinstance(value, int):
            return value
        size = parse_size(str(value))
        if size is None:
            self.fail(f"{value!r} is no amount of memory from 64M on, such as 500M or 12G")
        return size


Command = Callable[..., Any]


def model_options(asks: str) -> Callable[[Command], Command]:
    """Return what adds the options that say which model, and which properties; `asks` why these."""

    def add(command: Command) -> Command:
        command = click.option(
            "-p",
            "--property",
            "names",
            metavar="PROPERTY",
            multiple=True,
            help=f"{asks} (repeatable), or 'all' invariants, or 'none'.",
        )(command)
        return click.option(
            "-b",
            "--bound",
            "settings",
            metavar="NAME=VALUE",
            multiple=True,
            help="Set a bound or an option of the protocol; 'tidegate list' shows them all.",
        )(command)

    return add


checkpoint_option = click.option(
    "--checkpoint-every",
    type=click.FloatRange(min=0, max=1e9),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two checkpoints at least; they are made between levels.",
)
"""The option that says how often to keep a checkpoint."""


def search_options(command: Command) -> Command:
    """Add the options that say how long, and with what, to search."""
    for option in (
        click.option(
            "--time-limit",
            type=click.FloatRange(min=0, max=1e9, min_open=True),
            metavar="SECONDS",
            help="Stop after so many seconds.",
        ),
        click.option(
            "--max-depth", type=click.IntRange(min=1), help="Stop at behaviors of N states."
        ),
        click.option(
            "--max-states", type=click.IntRange(min=1), help="Stop at this many distinct states."
        ),
        click.option(
            "--max-memory",
            type=Size(),
            metavar="SIZE",
            help="Stop where more would be needed, such as 500M or 12G.  "
            "[default: 80% of what is free]",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1, max=256),
            help="Threads of the compiled engine.  [default: cores]",
        ),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """Add the options that say what is written where."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Print the verdict only."),
        click.option(
            "--html",
            "html_file",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Write the counterexample as a page that stands alone.",
        ),
        click.option(
            "--json",
            "json_file",
            type=click.Path(dir_okay=False, allow_dash=True),
            metavar="FILE",
            help="Write the report as JSON, '-' for standard output (then nothing else goes "
            "there).",
        ),
        click.option(
            "--full", is_flag=True, help="Print every variable of every state of the trace."
        ),
    ):
        command = option(command)
    return command
