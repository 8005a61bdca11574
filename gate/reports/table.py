"""The gate for people: a row for each cell as soon as it is decided, then what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import one_line
from ...render.console import Text
from ...render.grounds import searched_in_python
from ...render.summary import count
from ..cells import Cell
from ..results import CellOutcome, Status
from ..run import Running
from .findings import pointers
from .summary import forced, headline

if TYPE_CHECKING:
    from ...render.console import Console

_STYLES = {
    Status.PASSED: "green",
    Status.CACHED: "dim green",
    Status.SKIPPED: "yellow",
    Status.FAILED: "bold red",
    Status.LIMITED: "bold yellow",
    Status.ERRED: "bold magenta",
    Status.INTERRUPTED: "bold yellow",
}

_WIDEST = 44
"""A column is not made wider than this for a long entry, which then pushes the next ones."""


_NUMBERS = 18
"""Width of the column of states."""

_LONGEST = 300
"""A finding is cut here, such as one that describes a whole state; the reports have all of it."""


class Table:
    """Prints rows in columns that are as wide as the cells of the whole gate need."""

    def __init__(self, console: Console, cells: Sequence[Cell], quiet: bool) -> None:
        self._console = console
        self._quiet = quiet
        rows = [_entries(cell) for cell in cells]
        self._widths = [min(_WIDEST, max(map(len, column))) for column in zip(*rows, strict=True)]

    def row(self, outcome: CellOutcome) -> None:
        """Print what became of a cell, and what is not as expected."""
        if self._quiet and outcome.good:
            return
        pairs = zip(_entries(outcome.cell), self._widths, strict=True)
        text = "  ".join(entry.ljust(width) for entry, width in pairs)
        brokers = outcome.cell.brokers
        numbers = forced(outcome) if brokers else f"{outcome.states:,} states"
        numbers = numbers.rjust(_NUMBERS)
        if outcome.status is not Status.CACHED:
            numbers += f" {outcome.seconds:6.1f} s"
        line = Text.assemble((f"{outcome.status:<8}", _STYLES[outcome.status]), text, "  ", numbers)
        self.line(line)
        for said in outcome.grounds:
            self.line(Text(f"        {one_line(said)}"))
        for finding in outcome.findings:
            at = pointers(outcome, finding)[0]
            what = f", {at.what}" if at.what else ""
            said = one_line(finding.text)
            said = said if len(said) <= _LONGEST else said[:_LONGEST] + "..."
            self.line(Text(f"        - {said} ({at.file}:{at.line}{what})"))
        for prop in outcome.properties if outcome.good else ():
            if prop.note:
                self.line(Text(f"        - {one_line(prop.name)}: {prop.note}"))
        if outcome.interpreted_because and outcome.status is not Status.LIMITED:
            said = one_line(searched_in_python(outcome.interpreted_because))
            self.line(Text(f"        - {said}"))

    def cell(self, cell: Cell) -> None:
        """Print a cell that is not run."""
        pairs = zip(_entries(cell), self._widths, strict=True)
        text = "  ".join(entry.ljust(width) for entry, width in pairs)
        self.line(Text(f"{cell.tier:<8}{text}  {cell.file}:{cell.line}"))

    def traces(self, outcomes: Sequence[CellOutcome], folder: Path | None) -> None:
        """Print the shortest counterexample of each subject for what is not as expected.

        `folder` is where all will be written, if anywhere.
        """
        shown = [(outcome, trace) for outcome in outcomes for trace in outcome.traces]
        subjects = dict.fromkeys(outcome.cell.subject for outcome, _ in shown)
        for subject in [] if self._quiet else subjects:
            mine = [(outcome, trace) for outcome, trace in shown if outcome.cell.subject == subject]
            outcome, trace = min(mine, key=lambda pair: pair[1].steps)
            name = one_line(outcome.cell.name)
            self.line(Text(f"\n{name}: {trace.title}, {count(trace.steps, 'step')}", "bold"))
            self.line(Text(trace.text.rstrip("\n")))
            if len(mine) > 1:
                others = f"{len(mine) - 1} more of {one_line(subject)}"
                where = "--traces DIR writes them all" if folder is None else f"see {folder}"
                self.line(Text(f"{others}: {where}."))

    def end(self, outcomes: Sequence[CellOutcome], seconds: float) -> None:
        """Print how many cells there were and what became of them."""
        good = all(outcome.good for outcome in outcomes)
        verdict = ("PASSED", "bold green") if good else ("NOT PASSED", "bold red")
        self.line(Text.assemble(verdict, f" {headline(outcomes)}; {seconds:.1f} s"))

    def line(self, text: Text) -> None:
        """Print a line as it is, however wide the terminal is."""
        text.rstrip()
        self._console.print(text, soft_wrap=True)


def _entries(cell: Cell) -> tuple[str, str, str]:
    """Return the columns of a cell."""
    columns = cell.subject, cell.within, ", ".join(_expected(cell))
    subject, within, expected = map(one_line, columns)
    return subject, within, expected


def _expected(cell: Cell) -> Iterator[str]:
    """Yield the expectations of a cell, in few words."""
    if cell.brokers:
        yield from map(str, cell.expectations)
        return
    for expectation in cell.expectations:
        if expectation.violated:
            yield f"violates {expectation.name}" + (
                f" <= {expectation.steps}" if expectation.steps is not None else ""
            )
    holding = [expectation.name for expectation in cell.expectations if not expectation.violated]
    if len(holding) > 2:
        yield f"holds {len(holding)}"
    elif holding:
        yield f"holds {', '.join(holding)}"
    if cell.states is not None:
        yield f"{cell.states:,} states"
    if cell.depth is not None:
        yield f"depth {cell.depth}"


def progress_line(running: Sequence[Running], done: int, total: int) -> str:
    """Return how far a gate is, in one line."""
    names = "; ".join(f"{one.cell.name} ({one.covered})" for one in running)
    return f"{done} of {total} cells done; running: {names}"
