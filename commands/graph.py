"""``tidegate graph``: export the state graph, or print its statistics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..analysis.histories import keeps_histories
from ..analysis.named import find_protocol
from ..analysis.properties import find_of_states
from ..analysis.selection import assemble
from ..checker.atomic import replace_file
from ..core.spec import TransitionSystem
from ..invariants import invariants_of
from ..render.output import Reports
from ..render.printed import Text
from ..render.terminal import make_console, say, write_json
from .parameters import file_options, model_options, protocol_argument
from .status import EXIT_HOLDS, Ended, ended

if TYPE_CHECKING:
    from ..checker.graph import Nearest, StateGraph

MOST_STATES = 20_000
"""A larger state graph is refused unless ``--max-states`` allows it."""

EXPORTS = {"graphml": "GraphML", "dot": "DOT, for Graphviz", "json": "node-link JSON"}


@click.command(short_help="Export the state graph, or print its statistics and shortest behaviors.")
@protocol_argument()
@model_options("Mark the states that violate this property")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=MOST_STATES,
    show_default=True,
    help="Refuse a graph with more than N states.",
)
@click.option(
    "--view",
    type=click.Choice(["states", "actions", "shape"]),
    default="states",
    show_default=True,
    help="Export one node per state (states), per set of enabled actions (actions), or per "
    "combination of leaders, epochs and high watermarks (shape).",
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
@click.option(
    "--from",
    "start",
    metavar="PREDICATE",
    help="Print a shortest behavior from a state that satisfies PREDICATE; by default from an "
    "initial state.",
)
@click.option(
    "--to",
    "end",
    metavar="PREDICATE",
    help="Print a shortest behavior to a state that satisfies PREDICATE.",
)
@click.option("--farthest", is_flag=True, help="Print a behavior to a farthest state.")
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Save the printed behavior as a trace, for 'tidegate render'.",
)
@click.option("--full", is_flag=True, help="Print every variable of every state of the behavior.")
def graph(
    protocol: str, settings: tuple[str, ...], names: tuple[str, ...], **options: Any
) -> Ended:
    """Build the graph of all states and steps of PROTOCOL, and print its statistics.

    A PREDICATE refers to the variables that 'tidegate check --full' prints, and to properties.

    \b
    Examples:
      tidegate graph hw -b records=1 --graphml hw.graphml
      tidegate graph hw -b records=1 --view shape --dot shape.dot
      tidegate graph hw --to 'not NoCommittedRecordLost'
      tidegate graph hw --from 'replica[0].hw == 1' --to 'partition.epoch == 1'
      tidegate graph kip-320 -b records=1 --farthest --parquet tables
    """
    from ..checker.graph import state_graph
    from ..checker.itf import itf
    from ..checker.predicate import predicate
    from ..render.graphs import require_parquet

    if options["parquet_dir"]:
        require_parquet()
    if options["start"] and not options["end"]:
        raise click.UsageError("--from needs --to, the end of the behavior")
    if options["trace_file"] and not (options["end"] or options["farthest"]):
        raise click.UsageError(
            "--trace needs --to or --farthest; without them there is no behavior"
        )
    if [options[f"{name}_file"] for name in EXPORTS].count("-") > 1:
        raise click.UsageError("only one export can go to standard output ('-')")
    system, properties = assemble(protocol, settings, names, find_of_states)
    chosen = find_protocol(protocol)
    invariants = {p.name: p for p in invariants_of(chosen)}
    known = {name: p for name, p in invariants.items() if keeps_histories(system, p, chosen)}
    ends = {
        name: predicate(options[name], system, known) for name in ("start", "end") if options[name]
    }
    files = {name: options[f"{name}_file"] for name in EXPORTS}
    options_files = {f"--{name}": path for name, path in files.items()}
    with Reports({**options_files, "--trace": options["trace_file"]}) as reports:
        made = state_graph(system, properties, options["max_states"])
        nearest = _nearest(made, ends) if ends or options["farthest"] else None
        with reports.after():
            if "-" not in files.values():
                if nearest is not None:
                    _print_nearest(system, nearest, options["full"])
                else:
                    _print_figures(system, made, options["view"])
        _export(made, options, reports)
        if nearest is not None:
            behavior = itf(system, None, nearest.trace)
            reports.write("--trace", lambda target: write_json(target, behavior))
    return ended(EXIT_HOLDS, reports)


def _export(made: StateGraph, options: dict[str, Any], reports: Reports) -> None:
    """Write the requested files."""
    from ..checker.graph import quotient
    from ..render.graphs import WRITERS, parquet

    wanted = [name for name in EXPORTS if options[f"{name}_file"] is not None]
    if wanted:
        view = options["view"]
        shown = made.networkx() if view == "states" else quotient(made, view)
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


def _nearest(made: StateGraph, ends: Mapping[str, Callable[[Any], bool]]) -> Nearest:
    """Return the requested shortest behaviors."""
    from ..checker.graph import GraphError, shortest

    deepest = max(made.depths)

    def starts(number: int) -> bool:
        return ends["start"](made.states[number]) if "start" in ends else not made.depths[number]

    def finishes(number: int) -> bool:
        return ends["end"](made.states[number]) if "end" in ends else made.depths[number] == deepest

    nearest = shortest(made, starts, finishes)
    if nearest is None:
        raise GraphError(
            f"{made.system.name}, {made.system.headline}: no state that satisfies --from "
            "can reach a state that satisfies --to; try larger bounds, or only one of the two"
        )
    return nearest


def _print_nearest(system: TransitionSystem[Any, Any], nearest: Nearest, full: bool) -> None:
    """Print how many shortest behaviors there are, and one of them."""
    from ..render.summary import count
    from ..render.text import print_behavior, print_prose

    console = make_console()
    steps = count(len(nearest.trace.steps) - nearest.lead, "step")
    line = (
        f"{system.name}, {system.headline}: {steps}; {count(nearest.number, 'shortest path')} from "
        f"{count(nearest.starts, 'state')} to {count(nearest.ends, 'state')}. One of them"
    )
    line += f", after the {count(nearest.lead, 'step')} that lead there:" if nearest.lead else ":"
    print_prose(console, Text(line))
    print_behavior(console, system, nearest.trace, full)


def _print_figures(system: TransitionSystem[Any, Any], made: StateGraph, view: str) -> None:
    """Print the statistics of the graph, and the size of its view."""
    from ..checker.graph import quotient
    from ..checker.statistics import statistics
    from ..render.graphs import print_statistics

    console = make_console()
    name = f"{system.name}, {system.headline}"
    print_statistics(console, name, statistics(made), len(made.outside))
    if view != "states":
        merged = quotient(made, view)
        console.print(
            f"View {view}: {len(merged):,} classes of states, {merged.number_of_edges():,} edges."
        )
