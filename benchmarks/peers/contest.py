"""The measurements on each model of `examples.py`, as tables and as medians."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product

from .cases import Bounds, Model
from .checkers import CheckerError
from .measure import Run
from .report import short

FIRST, KEPT = "Tidegate, first run", "Tidegate, later runs"
REDUCED, SPIN = "SPIN", "SPIN without reduction"
TLC = "TLC"
BREADTH, DEPTH = "stateright", "stateright depth-first"


@dataclass
class Result:
    """All runs of one model within some bounds; a column is a checker with its options."""

    model: Model
    bounds: Bounds
    states: dict[str, int] = field(default_factory=dict)
    runs: dict[str, list[Run]] = field(default_factory=dict)
    built: dict[str, float] = field(default_factory=dict)

    def add(self, column: str, states: int, done: Run) -> None:
        """Keep a run.

        Raises
        ------
        CheckerError
            When it found another number of states than the others.
        """
        known = self.states.get(column, None if column == REDUCED else self.states.get(FIRST))
        if known not in (None, states):
            raise CheckerError(f"{column} found {states:,} states, not {known:,}")
        self.states[column] = states
        self.runs.setdefault(column, []).append(done)

    def cpu(self, column: str) -> float | None:
        """Return the median of the CPU seconds, if it ran."""
        runs = self.runs.get(column)
        return statistics.median(run.cpu for run in runs) if runs else None

    def ratio(self, column: str, ours: str = KEPT) -> float | None:
        """Return how many times as much CPU time it takes as Tidegate.

        Tidegate's first run, which compiles, is compared with a checker including its build.
        """
        mine, theirs = self.cpu(ours), self.cpu(column)
        if not mine or not theirs:
            return None
        return (theirs + (self.built.get(column, 0.0) if ours == FIRST else 0.0)) / mine


def table(results: Iterable[Result]) -> str:
    """Return a table in Markdown, a line per model and bounds."""
    lines = [
        "| model | bounds | distinct states | first run | later runs | TLC | TLC / later"
        " | TLC / first | SPIN | without reduction | its build | SPIN / later"
        " | SPIN and build / first | stateright | depth-first | its build | stateright / later"
        " | depth-first / later | stateright and build / first |",
        "| --- | --- |" + " ---: |" * 17,
    ]
    for result in results:
        reduced = result.states.get(REDUCED)
        stored = f" ({reduced:,})" if reduced not in (None, result.states[KEPT]) else ""
        cells = [
            result.model.example,
            ", ".join(f"{name} {value}" for name, value in result.bounds.items()),
            f"{result.states[KEPT]:,}",
            short(result.cpu(FIRST)),
            short(result.cpu(KEPT)),
            short(result.cpu(TLC)),
            short(result.ratio(TLC)),
            short(result.ratio(TLC, FIRST)),
            short(result.cpu(REDUCED)) + stored,
            short(result.cpu(SPIN)),
            short(result.built.get(REDUCED)),
            short(result.ratio(REDUCED)),
            short(result.ratio(REDUCED, FIRST)),
            short(result.cpu(BREADTH)),
            short(result.cpu(DEPTH)),
            short(result.built.get(BREADTH)),
            short(result.ratio(BREADTH)),
            short(result.ratio(DEPTH)),
            short(result.ratio(BREADTH, FIRST)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def growth(results: Iterable[Result]) -> str:
    """Return a table of the larger size's cost, as a multiple of the smaller one's."""
    lines = [
        "| model | distinct states | Tidegate, later runs | TLC | SPIN |",
        "| --- |" + " ---: |" * 4,
    ]
    by_model: dict[str, list[Result]] = {}
    for result in results:
        by_model.setdefault(result.model.example, []).append(result)
    for name, sizes in by_model.items():
        if len(sizes) > 1:
            small, large = sizes[0], sizes[-1]
            cells = [name, short(large.states[FIRST] / small.states[FIRST])]
            for column in (KEPT, TLC, REDUCED):
                less, more = small.cpu(column), large.cpu(column)
                cells.append(short(more / less) if less and more else "")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(results: Iterable[Result]) -> str:
    """Return the medians over models, of their smaller sizes and of their larger ones."""
    sizes: dict[str, list[Result]] = {"smaller": [], "larger": []}
    for result in results:
        if result.model.judged:
            first = result.bounds == result.model.sizes[0]
            sizes["smaller" if first else "larger"].append(result)
    lines = []
    for name, ours in sizes.items():
        for column, own in product((TLC, REDUCED, BREADTH, DEPTH), (KEPT, FIRST)):
            ratios = [number for r in ours if (number := r.ratio(column, own)) is not None]
            if ratios:
                middle = short(statistics.median(ratios))
                lines.append(
                    f"{column} / {own}, {name} sizes: median {middle},"
                    f" {short(min(ratios))} to {short(max(ratios))} ({len(ratios)} models)"
                )
    return "\n".join(lines)
