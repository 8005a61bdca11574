"""The summary of a gate as Markdown, with the counterexamples in it: GitHub's step summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from ...core.errors import one_line
from ...render.markdown import escaped
from ...render.summary import count
from ..cells import DEFAULT_BOUNDS
from ..results import CellOutcome, Status
from .findings import cause, pointers, reproducing


def headline(outcomes: Sequence[CellOutcome]) -> str:
    """Return how many cells there are and what became of them, in one line.

    >>> headline([])
    '0 cells'
    """
    counts = Counter(outcome.status for outcome in outcomes)
    words = {
        Status.FAILED: "failed",
        Status.ERRED: "could not be searched",
        Status.LIMITED: "not decided",
        Status.INTERRUPTED: "not decided, interrupted",
        Status.PASSED: "passed",
        Status.CACHED: "passed before (cached)",
        Status.SKIPPED: "skipped",
    }
    parts = [f"{counts[status]} {text}" for status, text in words.items() if counts[status]]
    total = f"{len(outcomes)} cell{'' if len(outcomes) == 1 else 's'}"
    return ": ".join([total, ", ".join(parts)]) if parts else total


def summary(outcomes: Sequence[CellOutcome]) -> str:
    """Return what the gate found as Markdown."""
    lines = [f"## Tidegate gate: {headline(outcomes)}", ""]
    bad = [outcome for outcome in outcomes if not outcome.good]
    for outcome in bad:
        lines += _failed(outcome)
    lines += ["<details><summary>All cells</summary>", ""]
    lines += ["| | protocol | bounds | expected | distinct states | seconds |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    lines += [_row(outcome) for outcome in outcomes]
    return "\n".join([*lines, "", "</details>", ""])


def _failed(outcome: CellOutcome) -> Iterator[str]:
    yield f"### {outcome.status}: {escaped(outcome.cell.name)}"
    yield ""
    for finding in outcome.findings:
        at = pointers(outcome, finding)[0]
        what = f" ({escaped(at.what)})" if at.what else ""
        file = one_line(at.file).replace("`", "'")
        yield f"- {escaped(cause(outcome, finding))} `{file}:{at.line}`{what}"
        if again := reproducing(outcome, finding):
            command = one_line(again).replace("`", "'")
            yield f"  Reproduce it with: `{command}`"
    yield ""
    for trace in outcome.traces:
        name = escape(one_line(trace.label or trace.name))
        yield f"<details><summary>{name}: {count(trace.steps, 'step')}</summary>"
        yield ""
        # Its headings are below those of the summary.
        yield trace.markdown.replace("\n## ", "\n##### ").replace("# ", "#### ", 1)
        yield ""
        yield "</details>"
        yield ""


def _row(outcome: CellOutcome) -> str:
    shown = [
        f"{prop.expected} ({prop.note})" if prop.note else prop.expected
        for prop in outcome.properties
    ]
    expected = "<br>".join(map(escaped, shown or map(str, outcome.cell.expectations)))
    expected += "".join(f"<br>{escaped(said)}" for said in outcome.grounds)
    cell = outcome.cell
    bounds = "default" if cell.within == DEFAULT_BOUNDS else escaped(cell.within)
    counted = forced(outcome) if cell.brokers else f"{outcome.states:,}"
    return (
        f"| {outcome.status} | {escaped(cell.subject)} | {bounds} | {expected} | "
        f"{counted} | {outcome.seconds:.1f} |"
    )


def forced(outcome: CellOutcome) -> str:
    """Return how many steps were forced on real brokers."""
    return count(outcome.ran.steps if outcome.ran else 0, "step")
