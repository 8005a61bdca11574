"""State graphs for other programs and for people: exports and statistics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from rich.table import Table

from ..checker.graph import StateGraph
from ..checker.graph_statistics import Statistics
from ..core.errors import TidegateError, printable
from .console import Console, Text
from .summary import count
from .text import print_prose

if TYPE_CHECKING:
    from ..checker.graph import Graph


class ExportError(TidegateError):
    """An export whose library is not installed."""


def graphml(graph: Graph) -> str:
    """Return a graph as GraphML; ``networkx.parse_graphml`` reads it back."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"


def node_link(graph: Graph) -> str:
    """Return a graph as node-link JSON; ``networkx.node_link_graph`` reads it back."""
    import networkx as nx

    return json.dumps(nx.node_link_data(graph, edges="edges")) + "\n"


def dot(graph: Graph) -> str:
    """Return a graph for Graphviz; every text is quoted, so that none can become markup."""
    lines = ["digraph {", f"  graph [{_attributes(graph.graph)}];"]
    for node, attributes in graph.nodes(data=True):
        lines.append(f"  {node} [{_attributes(attributes)}];")
    for source, target, key, attributes in graph.edges(keys=True, data=True):
        label = f"{attributes['action']} {attributes['arguments']}".rstrip()
        shown = {"key": key, "label": label, **attributes}
        lines.append(f"  {source} -> {target} [{_attributes(shown)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _attributes(attributes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_quoted(str(value))}" for name, value in attributes.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


WRITERS: Mapping[str, Callable[[Graph], str]] = {
    "graphml": graphml,
    "dot": dot,
    "json": node_link,
}
"""Exports as text, by the name of their option."""


def require_parquet() -> None:
    """Check early that Parquet can be written.

    Raises
    ------
    ExportError
        If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ExportError(
            "--parquet needs pyarrow, which is not installed; "
            "pip install pyarrow (pipx inject tidegate pyarrow)"
        ) from None


def parquet(graph: StateGraph) -> dict[str, bytes]:
    """Return two Parquet files by name: the states, a column per variable, and the steps."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    layout = graph.system.layout
    values: list[tuple[int, ...]] = []
    for state in graph.states:
        layout.load(state)
        values.append(layout.values())
    states: dict[str, Any] = {
        "state": list(range(len(graph.states))),
        "depth": list(graph.depths),
        "fingerprint": pa.array(map(layout.fingerprint, graph.states), pa.uint64()),
        "violates": [list(names) for names in graph.violated],
        "outside": [number in graph.outside for number in range(len(graph.states))],
    }
    for index, variable in enumerate(layout.variables):
        states[variable.path] = [row[index] for row in values]
    sources, taken, targets = zip(*graph.edges(), strict=True) if graph.targets else ((), (), ())
    steps: dict[str, Any] = {
        "source": sources,
        "target": targets,
        "action": [step.action for step in taken],
        "arguments": [printable(str(step).removeprefix(step.action)) for step in taken],
    }
    files = {}
    for name, columns in (("states.parquet", states), ("steps.parquet", steps)):
        table = pa.table(columns)
        sink = BytesIO()
        pq.write_table(table, sink)
        files[name] = sink.getvalue()
    return files


def print_statistics(console: Console, name: str, figures: Statistics, outside: int = 0) -> None:
    """Print the figures of a state graph: in words, per action, and by depth as a plot.

    Parameters
    ----------
    outside
        How many states are outside the constraint, which check does not count.
    """
    largest = figures.components[0]
    alone = sum(size == 1 for size in figures.components)
    if figures.diameter is None:
        diameter = "not computed, the graph is too large"
    else:
        diameter = f"{figures.diameter} steps"
    print_prose(
        console,
        Text(
            f"{name}: {count(figures.states, 'state')}"
            f"{f' ({outside:,} of them outside the constraint)' if outside else ''}, "
            f"{count(figures.steps, 'step')}. The "
            f"farthest states are {count(figures.depth, 'step')} from the initial ones; the "
            f"longest shortest path (diameter): {diameter}. "
            f"{count(len(figures.components), 'strongly connected component')}, the largest of "
            f"{count(largest, 'state')}, {alone:,} of one state; no step is enabled in "
            f"{count(figures.terminal, 'state')}.\n"
        ),
    )
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("action")
    for heading in ("steps", "enabled in", "most out", "reaches", "most in"):
        table.add_column(heading, justify="right")
    for degree in figures.degrees:
        numbers = (degree.steps, degree.enabled, degree.most_out, degree.reached, degree.most_in)
        table.add_row(degree.action, *(f"{number:,}" for number in numbers))
    console.print(table)
    console.print()
    _print_depths(console, figures)


def _print_depths(console: Console, figures: Statistics) -> None:
    """Print the states at each depth, as bars."""
    widest = max(figures.by_depth)
    room = max(10, min(console.width, 100) - 18)
    console.print(Text("depth    states"))
    for depth, states in enumerate(figures.by_depth):
        bar = "#" * max(1, round(room * states / widest)) if states else ""
        console.print(Text(f"{depth:5} {states:9,} {bar}"))
