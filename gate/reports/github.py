"""Annotations of a pull request, as GitHub reads them from the output of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..judge import Deviation
from ..results import Outcome
from .where import pointers

_COMMANDS = {Deviation.LIMIT: "warning", Deviation.SKIPPED: "notice"}
"""What is no error."""


def workflow_commands(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a line for each finding.

    Source: GitHub, "Workflow commands for GitHub Actions", "Setting an error message".
    """
    for outcome in outcomes:
        for finding in outcome.findings:
            at = pointers(outcome, finding)[0]
            command = _COMMANDS.get(finding.kind, "error")
            title = _property(f"tidegate: {outcome.cell.name}")
            parts = f"file={_property(at.file)},line={at.line},title={title}"
            yield f"::{command} {parts}::{_escaped(finding.text)}"


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
