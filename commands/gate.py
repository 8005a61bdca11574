"""``tidegate gate``: check that all verdicts are still as expected."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from ..core.errors import printable
from ..core.options import option
from ..core.result import doing
from ..gate.cache import record, recorded
from ..gate.cells import DEFAULT_BOUNDS, TIERS, Cell
from ..gate.document import NAME, of_tier, read
from ..gate.results import CellOutcome
from ..render.output import OutputError, Reports, report_file
from ..render.terminal import command, make_console, progress, say, write_json
from .parameters import takes
from .status import EXIT_HOLDS, EXIT_STATUS, Ended, ended, gate_status

if TYPE_CHECKING:
    from ..gate.run import Running

REPORTS = ("junit", "sarif", "json")
"""Reports that are written to the file of the option of the same name."""


def _report(name: str, what: str) -> str | None:
    """Declare the file of a report."""
    return option(None, what, flags=(f"--{name}",), metavar="FILE")


@dataclass(frozen=True)
class Gate:
    """Which cells to run, how, and which reports to write."""

    tier: str = option(
        TIERS[0], "Run the cells of this tier and of the tiers before it.", choices=TIERS
    )
    config: str = option(
        NAME, "The gate's file. Protocol files are relative to its directory.", metavar="FILE"
    )
    text: str = option("", "Run only cells that contain TEXT.", flags=("-k",), metavar="TEXT")
    cached: bool = option(False, "Skip cells that passed before and whose inputs have not changed.")
    junit_file: str | None = _report("junit", "Write JUnit XML.")
    sarif_file: str | None = _report("sarif", "Write SARIF 2.1.0, for code scanning.")
    json_file: str | None = _report("json", "Write all results as JSON, '-' for standard output.")
    summary_file: str | None = _report(
        "summary", "Append a Markdown summary with the counterexamples to FILE."
    )
    traces: Path | None = option(
        None, "Write the counterexamples of failed cells to DIR, as ITF.", metavar="DIR"
    )
    jobs: int = option(
        len(os.sched_getaffinity(0)),
        "Run up to N cells at once; they share the cores and the memory.",
        low=1,
        high=256,
        unset="cores",
    )
    quiet: bool = option(
        False,
        "Print only the verdict and cells that are not as expected; show no progress.",
        flags=("-q", "--quiet"),
    )
    updating: bool = option(
        False,
        "Show pinned counts and lengths that changed, and write the new ones into FILE.",
        flags=("--update",),
    )
    listing: bool = option(False, "Show the cells without running them.", flags=("--list",))


@click.command(epilog=EXIT_STATUS)
@takes(Gate, "how")
def gate(how: Gate) -> Ended:
    """Search every cell of tidegate.toml (a protocol within bounds) and compare the verdicts.

    A cell fails if a property that must hold is violated; if an expected violation is missing, has
    more steps than allowed, or is of another property; or if a pinned count differs. A [[conform]]
    case runs real brokers, and fails if they do not behave as it expects.

    \b
    Examples:
      tidegate init                                  write a first tidegate.toml
      tidegate gate
      tidegate gate --tier nightly --jobs 4
      tidegate gate --cached --junit gate.xml --sarif gate.sarif --traces traces
      tidegate gate -k kip-320 --quiet
      tidegate gate --update                         after an intended change
    """
    config = Path(how.config)
    cells = of_tier(read(config, run_code=not how.listing), how.tier, how.text)
    if how.listing:
        _list(cells)
        return Ended(EXIT_HOLDS)
    started = monotonic()
    with Reports({f"--{name}": getattr(how, f"{name}_file") for name in REPORTS}) as reports:
        _writable(how.traces)
        stdout = how.json_file == "-"
        outcomes = _run(cells, config.parent, how, stdout)
        if how.updating:
            _update(config, outcomes, stdout)
        writers = _writers(how.config, how.tier, monotonic() - started)
        for name in REPORTS:
            reports.write(f"--{name}", partial(writers[name], outcomes=outcomes))
        _write_traces(how.traces, outcomes, reports)
        _summarize(how.summary_file, outcomes, stdout, reports)
    return ended(gate_status(outcomes), reports)


def _update(file: Path, outcomes: Sequence[CellOutcome], stderr: bool) -> None:
    """Show which numbers of the gate's file changed, and write them."""
    from ..gate.update import shown, update

    text, changes = update(file, outcomes)
    for line in shown(file, changes):
        say(line, stderr=stderr)
    if not changes:
        say("--update: no pinned count or length has changed", stderr=stderr)
        return
    with report_file(str(file), "--update") as target:
        target.write(text)
    say(f"wrote {file}", stderr=stderr)


def _list(cells: Sequence[Cell]) -> None:
    from ..gate.reports.table import Table

    table = Table(make_console(), cells, False)
    for cell in cells:
        table.cell(cell)


def _run(cells: Sequence[Cell], root: Path, how: Gate, stderr: bool) -> list[CellOutcome]:
    """Search all cells, and print and return their outcomes in the order of the file."""
    from ..gate.reports.table import Table

    started = monotonic()
    searched = [cell for cell in cells if how.cached and cell.brokers is None]
    known = {cell: recorded(cell, root.resolve()) for cell in searched}
    outcomes: dict[Cell, CellOutcome] = {
        cell: outcome for cell, outcome in known.items() if outcome is not None
    }
    todo = [cell for cell in cells if cell not in outcomes]
    table = Table(make_console(stderr=stderr), cells, how.quiet)
    due = list(cells)

    def print_due() -> None:
        while due and due[0] in outcomes:
            table.row(outcomes[due.pop(0)])

    print_due()
    if todo:
        from ..gate.reports.table import progress_line
        from ..gate.run import run

        with progress(how.quiet) as show:

            def report(running: Sequence[Running]) -> None:
                show(doing(progress_line(running, len(outcomes), len(cells))))

            for outcome in run(todo, root, how.jobs, report):
                outcomes[outcome.cell] = outcome
                print_due()
                record(outcome, root.resolve())
    ordered = [outcomes[cell] for cell in cells]
    table.traces(ordered, how.traces)
    table.end(ordered, monotonic() - started)
    return ordered


def _writers(file: str, tier: str, seconds: float) -> dict[str, Callable[..., object]]:
    """Return what writes each report."""
    from ..gate.reports.document import document
    from ..gate.reports.junit import junit
    from ..gate.reports.sarif import sarif

    return {
        "junit": lambda target, outcomes: target.write(junit(outcomes)),
        "sarif": lambda target, outcomes: write_json(target, sarif(outcomes)),
        "json": lambda target, outcomes: write_json(
            target, document(outcomes, file, tier, seconds)
        ),
    }


def _writable(folder: Path | None) -> None:
    """Make the directory of the traces, before anything is searched."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"--traces '{folder}': cannot create it ({error.strerror}); name another directory"
        ) from None


def _write_traces(folder: Path | None, outcomes: Sequence[CellOutcome], reports: Reports) -> None:
    """Write a file for each counterexample of a failed cell."""
    if folder is None:
        return
    written: Counter[str] = Counter()
    for outcome in outcomes:
        for trace in outcome.traces:
            name = outcome.cell.name.removesuffix(f", {DEFAULT_BOUNDS}")
            name = f"{name} {trace.label or trace.name}"
            name = re.sub(r"[^A-Za-z0-9=._-]+", "-", name).strip("-.")
            written[name] += 1
            number = f"-{written[name]}" if written[name] > 1 else ""
            path = folder / f"{name}{number}.itf.json"
            with (
                reports.kept_apart("--traces", str(path)),
                report_file(str(path), "--traces") as target,
            ):
                write_json(target, trace.itf)


def _summarize(
    file: str | None, outcomes: Sequence[CellOutcome], stderr: bool, reports: Reports
) -> None:
    """Append the summary to its files; on GitHub, annotate the pull request."""
    from ..gate.reports.github import workflow_commands
    from ..gate.reports.summary import summary

    for path in filter(None, (file, os.environ.get("GITHUB_STEP_SUMMARY"))):
        with (
            reports.kept_apart("--summary", path),
            open(path, "a", encoding="utf-8", errors="backslashreplace") as target,
        ):
            target.write(printable(summary(outcomes)))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(outcomes):
            command(line, stderr)
