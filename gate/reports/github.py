"""Annotations of a pull request, as GitHub reads them from the output of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..results import CellOutcome, Deviation, Finding
from .findings import cause, pointers, reproducing

_COMMANDS = {
    Deviation.LIMIT: "warning",
    Deviation.UNDECIDED: "warning",
    Deviation.SKIPPED: "notice",
}
"""What is not an error."""


def workflow_commands(outcomes: Sequence[CellOutcome]) -> Iterator[str]:
    """Yield a line for each finding; cells with one cause are one line.

    Source: GitHub, "Workflow commands for GitHub Actions", "Setting an error message".
    """
    alike: dict[object, list[tuple[CellOutcome, Finding]]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            at = pointers(outcome, finding)[0]
            # Of an unexpected verdict, the place in the source is the cause that cells share.
            key = (at, finding.kind, finding.about or finding.text)
            alike.setdefault(key, []).append((outcome, finding))
    for cells in alike.values():
        outcome, finding = min(cells, key=_length)
        at = pointers(outcome, finding)[0]
        command = _COMMANDS.get(finding.kind, "error")
        several = f"{len(cells)} cells, for instance " if len(cells) > 1 else ""
        title = _property(f"tidegate: {several}{outcome.cell.name}")
        parts = f"file={_property(at.file)},line={at.line},title={title}"
        again = reproducing(outcome, finding)
        text = cause(outcome, finding) + (f" Reproduce it with: {again}" if again else "")
        yield f"::{command} {parts}::{_escaped(text)}"


def _length(cell: tuple[CellOutcome, Finding]) -> int:
    """Return how long the counterexample of a finding is."""
    outcome, finding = cell
    return min((one.steps for one in outcome.traces if one.name == finding.about), default=0)


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
