"""``tidegate graph``: export the state graph, or print its statistics."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..analysis.properties import find_of_states
from ..analysis.selection import assemble
from ..checker.atomic import replace_file
from ..core.spec import Trace, TransitionSystem
from ..render.output import Reports
from ..render.printed import Text
from ..render.terminal import make_console, say, write_json
from .parameters import file_options, model_options, protocol_argument
from .status import EXIT_HOLDS, Ended, ended

if TYPE_CHECKING:
    from ..checker.graph import StateGraph

MOST_STATES = 20_000
"""A larger state graph is refused unless ``--max-states`` allows it."""

EXPORTS = {"graphml": "GraphML", "dot": "DOT, for Graphviz", "json": "node-link JSON"}


@click.command()
@protocol_argument()
@model_options("Mark the states that violate this property")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=MOST_STATES,
    show_default=True,
    help="Refuse a graph with more than N states.",
)
@file_options(
    {name: f"Write the graph as {what}, '-' for standard output." for name, what in EXPORTS.items()}
)
@click.option(
    "--parquet",
    "parquet_dir",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write states.parquet and steps.parquet to DIR (needs pyarrow).",
)
@click.option("--farthest", is_flag=True, help="Print a behavior to a farthest state.")
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Save the printed behavior as a trace, for 'tidegate replay'.",
)
@click.option("--full", is_flag=True, help="Print every variable of every state of the behavior.")
def graph(
    protocol: str, settings: tuple[str, ...], names: tuple[str, ...], **options: Any
) -> Ended:
    """Build the graph of all states and steps of PROTOCOL, and print its statistics.

    \b
    Examples:
      tidegate graph hw -b records=1 --graphml hw.graphml
      tidegate graph kip-320 -b records=1 --farthest --parquet tables
    """
    from ..checker.graph import farthest, state_graph
    from ..checker.itf import itf
    from ..render.graphs import require_parquet

    if options["parquet_dir"]:
        require_parquet()
    if options["trace_file"] and not options["farthest"]:
        raise click.UsageError("--trace needs --farthest; without it there is no behavior")
    if [options[f"{name}_file"] for name in EXPORTS].count("-") > 1:
        raise click.UsageError("only one export can go to standard output ('-')")
    system, properties = assemble(protocol, settings, names, find_of_states)
    files = {name: options[f"{name}_file"] for name in EXPORTS}
    options_files = {f"--{name}": path for name, path in files.items()}
    with Reports({**options_files, "--trace": options["trace_file"]}) as reports:
        made = state_graph(system, properties, options["max_states"])
        trace = farthest(made) if options["farthest"] else None
        with reports.after():
            if "-" not in files.values():
                if trace is not None:
                    _print_behavior(system, trace, options["full"])
                else:
                    _print_figures(system, made)
        _export(made, options, reports)
        if trace is not None:
            behavior = itf(system, None, trace)
            reports.write("--trace", lambda target: write_json(target, behavior))
    return ended(EXIT_HOLDS, reports)


def _export(made: StateGraph, options: dict[str, Any], reports: Reports) -> None:
    """Write the requested files."""
    from ..render.graphs import WRITERS, parquet

    wanted = [name for name in EXPORTS if options[f"{name}_file"] is not None]
    if wanted:
        shown = made.networkx()
        if "failed" in shown.graph:
            say(shown.graph["failed"], stderr=True)
        for name in wanted:
            text = partial(WRITERS[name], shown)
            reports.write(f"--{name}", partial(_write, text))
    if directory := options["parquet_dir"]:
        with reports.kept_apart("--parquet", directory):
            os.makedirs(directory, exist_ok=True)
            for name, content in parquet(made).items():
                replace_file(Path(directory, name), content)


def _write(text: Callable[[], str], target: IO[str]) -> None:
    target.write(text())


def _print_behavior(system: TransitionSystem[Any, Any], trace: Trace, full: bool) -> None:
    """Print a behavior to a farthest state."""
    from ..render.summary import count
    from ..render.text import print_behavior, print_prose

    console = make_console()
    steps = count(len(trace.steps), "step")
    line = f"{system.name}, {system.headline}: {steps} lead to a farthest state:"
    print_prose(console, Text(line))
    print_behavior(console, system, trace, full)


def _print_figures(system: TransitionSystem[Any, Any], made: StateGraph) -> None:
    """Print the statistics of the graph."""
    from ..checker.statistics import statistics
    from ..render.graphs import print_statistics

    name = f"{system.name}, {system.headline}"
    print_statistics(make_console(), name, statistics(made), len(made.outside))
