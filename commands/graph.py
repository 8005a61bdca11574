"""``tidegate graph``: export the state graph, or print its statistics."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..core.behavior import Behavior
from ..core.files import replace_file
from ..core.options import option
from ..core.spec import Trace, TransitionSystem
from ..library.names import is_custom
from ..library.properties import find_of_states
from ..library.selection import assemble
from ..render.console import Text
from ..render.output import Reports
from ..render.terminal import make_console, say, write_json
from .parameters import model_options, protocol_argument, takes
from .status import EXIT_HOLDS, Ended, ended

if TYPE_CHECKING:
    from ..checker.graph import StateGraph


def _export(form: str, what: str) -> str | None:
    """Declare the file of a form."""
    return option(
        None,
        f"Write the graph as {what}, '-' for standard output.",
        flags=(f"--{form}",),
        metavar="FILE",
    )


@dataclass(frozen=True)
class Exported:
    """The exports of a graph, and the behavior to print."""

    max_states: int = option(20_000, "Refuse a graph with more than N states.", low=1)
    graphml_file: str | None = _export("graphml", "GraphML")
    dot_file: str | None = _export("dot", "DOT, for Graphviz")
    json_file: str | None = _export("json", "node-link JSON")
    parquet: Path | None = option(
        None, "Write states.parquet and steps.parquet to DIR (needs pyarrow).", metavar="DIR"
    )
    farthest: bool = option(False, "Print a behavior to a farthest state.")
    trace_file: str | None = option(
        None,
        "Save the printed behavior as a trace, for 'tidegate replay'.",
        flags=("--trace",),
        metavar="FILE",
    )
    full: bool = option(False, "Print every variable of every state of the behavior.")

    @property
    def files(self) -> dict[str, str | None]:
        """The file for each form."""
        return {"graphml": self.graphml_file, "dot": self.dot_file, "json": self.json_file}


@click.command()
@protocol_argument()
@model_options("Mark the states that violate this property")
@takes(Exported, "exported")
def graph(
    protocol: str, settings: tuple[str, ...], names: tuple[str, ...], exported: Exported
) -> Ended:
    """Build the graph of all states and steps of PROTOCOL, and print its statistics.

    \b
    Examples:
      tidegate graph hw -b records=1 --graphml hw.graphml
      tidegate graph kip-320 -b records=1 --farthest --parquet tables
    """
    from ..checker.graph import farthest, state_graph
    from ..core.tracefile import itf
    from ..render.graphs import require_parquet

    files = exported.files
    if exported.parquet:
        require_parquet()
    if exported.trace_file and not exported.farthest:
        raise click.UsageError("--trace needs --farthest; without it there is no behavior")
    system, properties = assemble(protocol, settings, names, find_of_states)
    system.debug = is_custom(protocol)
    forms = {f"--{name}": path for name, path in files.items()}
    with Reports({**forms, "--trace": exported.trace_file}) as reports:
        made = state_graph(system, properties, exported.max_states)
        trace = farthest(made) if exported.farthest else None
        with reports.after():
            if not reports.to_stdout:
                if trace is not None:
                    _print_behavior(system, trace, exported.full)
                else:
                    _print_figures(system, made)
        _write_exports(made, exported, reports)
        if trace is not None:
            behavior = itf(Behavior(system, trace))
            reports.write("--trace", lambda target: write_json(target, behavior))
    return ended(EXIT_HOLDS, reports)


def _write_exports(made: StateGraph, exported: Exported, reports: Reports) -> None:
    """Write the requested files."""
    from ..render.graphs import WRITERS, parquet

    wanted = [name for name, path in exported.files.items() if path is not None]
    if wanted:
        shown = made.networkx()
        if "failed" in shown.graph:
            say(shown.graph["failed"], stderr=True)
        for name in wanted:
            text = partial(WRITERS[name], shown)
            reports.write(f"--{name}", partial(_write, text))
    if directory := exported.parquet:
        with reports.kept_apart("--parquet", str(directory)):
            os.makedirs(directory, exist_ok=True)
            for name, content in parquet(made).items():
                replace_file(directory / name, content)


def _write(text: Callable[[], str], target: IO[str]) -> None:
    target.write(text())


def _print_behavior(system: TransitionSystem[Any, Any], trace: Trace, full: bool) -> None:
    """Print a behavior to a farthest state."""
    from ..render.summary import count
    from ..render.text import print_behavior, print_prose

    console = make_console()
    steps = count(len(trace.steps), "step")
    line = f"{system.heading}: {steps} lead to a farthest state:"
    print_prose(console, Text(line))
    print_behavior(console, Behavior(system, trace), full)


def _print_figures(system: TransitionSystem[Any, Any], made: StateGraph) -> None:
    """Print the statistics of the graph."""
    from ..checker.graph_statistics import statistics
    from ..render.graphs import print_statistics

    print_statistics(make_console(), system.heading, statistics(made), len(made.outside))
