"""The runs of all checkers as a table, and as a plot."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .kip320 import Size
from .measure import Run

OURS = "Tidegate"


@dataclass
class Row:
    """All runs of one checker at some bounds.

    Parameters
    ----------
    size, checker
        The bounds, and the name of the checker.
    build
        CPU seconds of the build.
    states
        Distinct states, on which all runs agree.
    runs
        The runs, in the order of the rounds.
    """

    size: Size
    checker: str
    build: float
    states: int = 0
    runs: list[Run] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """The median of the CPU seconds."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def rates(self) -> list[float]:
        """Distinct states per CPU second of each run."""
        return [self.states / run.cpu for run in self.runs]


def ratio(ours: Row, theirs: Row) -> float:
    """Return how many times as fast we are.

    It is the median over rounds: runs in the same minute have the same other load on the machine.
    """
    return statistics.median(b.cpu / a.cpu for a, b in zip(ours.runs, theirs.runs, strict=True))


def table(rows: Sequence[Row]) -> str:
    """Return a table in Markdown: a line per checker and bounds, medians of the rounds."""
    ours = {row.size: row for row in rows if row.checker == OURS}
    lines = [
        "| N, L, R, E | checker | distinct states | thousand per CPU s (least to most) | CPU s"
        " | wall s | peak MB | build, CPU s | speed of Tidegate / its |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        rates = sorted(rate / 1000 for rate in row.rates)
        compared = row.size in ours and row.checker != OURS
        cells = [
            ", ".join(map(str, row.size)),
            row.checker,
            f"{row.states:,}",
            f"{short(statistics.median(rates))} ({short(rates[0])} to {short(rates[-1])})",
            short(row.cpu),
            short(statistics.median(run.wall for run in row.runs)),
            f"{statistics.median(run.peak for run in row.runs) / 1e6:,.0f}",
            f"{row.build:.1f}",
            short(ratio(ours[row.size], row)) if compared else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def short(number: float | None) -> str:
    """Return a number with three significant digits or all integer digits; '' for None."""
    if number is None:
        return ""
    return f"{number:,.0f}" if number >= 100 else f"{number:#.3g}"


def plot(rows: Sequence[Row], file: Path) -> None:
    """Draw distinct states per CPU second: a panel per bounds, a line per checker.

    The scale is logarithmic, as checkers are a factor of a hundred apart, and so there are points
    and not bars: a bar's length would mean nothing.
    """
    # Imported here, or its memory would count for each checker: see `Run`.
    from matplotlib.figure import Figure

    sizes = list(dict.fromkeys(row.size for row in rows))
    names = list(dict.fromkeys(row.checker for row in rows))
    figure = Figure(figsize=(7, 0.9 + len(sizes) * (0.6 + 0.28 * len(names))), layout="constrained")
    panels = figure.subplots(len(sizes), 1, sharex=True, squeeze=False)[:, 0]
    for size, panel in zip(sizes, panels, strict=True):
        here = [row for row in rows if row.size == size]
        panel.set_title(
            f"{', '.join(f'{name}={value}' for name, value in size._asdict().items())}:"
            f" {here[0].states:,} distinct states",
            fontsize=9,
            loc="left",
        )
        for row in here:
            place = len(names) - names.index(row.checker)
            colour = "tab:blue" if row.checker == OURS else "0.35"
            middle = statistics.median(row.rates)
            panel.plot([min(row.rates), max(row.rates)], [place, place], color=colour)
            panel.plot([middle], [place], "o", color=colour)
            panel.annotate(
                f"{short(middle / 1000)} thousand",
                (middle, place),
                xytext=(0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                color=colour,
            )
        panel.set_yticks(range(len(names), 0, -1), names, fontsize=9)
        panel.set_ylim(0.4, len(names) + 0.9)
        panel.set_xscale("log")
        panel.grid(axis="x", color="0.9")
        panel.spines[["top", "right", "left"]].set_visible(False)
    panels[-1].set_xlabel("distinct states per CPU second: median, least and most")
    rates = [rate for row in rows for rate in row.rates]
    panels[-1].set_xlim(min(rates) / 3, max(rates) * 3)
    figure.savefig(file, dpi=150)
