"""The outcome of a cell, which can cross processes and be written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import Line
from .cells import Cell
from .inputs import Inputs
from .judge import ERROR, LIMIT, Finding

PASSED, CACHED, FAILED, LIMITED, ERRED = "pass", "cached", "FAIL", "LIMIT", "ERROR"
INTERRUPTED = "STOPPED"

STATUSES = {
    PASSED: "everything is as expected",
    CACHED: "it passed before, and its inputs have not changed since",
    FAILED: "something is not as expected",
    LIMITED: "a limit was reached before it was decided",
    ERRED: "it could not be searched",
    INTERRUPTED: "it was interrupted or not started",
}
"""The meaning of each status."""


@dataclass(frozen=True)
class Property:
    """The expectation of a property, and the result.

    ``outcome`` is ``holds``, ``violated`` or ``incomplete``; empty where the cell was not searched.
    """

    name: str
    expected: str
    outcome: str = ""
    steps: int | None = None
    explanation: str = ""


@dataclass(frozen=True)
class Shown:
    """A counterexample in the forms that reports need, and what part of the source it is about.

    ``places`` are lines of what the protocol changes, the one that decided last first.
    """

    name: str
    steps: int
    text: str
    markdown: str
    itf: dict[str, Any]
    places: tuple[tuple[Line, str], ...] = ()


@dataclass
class Outcome:
    """What became of a cell.

    Attributes
    ----------
    place
        For an error, the line that it is about.
    traces
        Counterexamples of what is not as expected.
    inputs
        All that its protocol read.
    """

    cell: Cell
    status: str
    findings: list[Finding] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    states: int = 0
    depth: int = 0
    seconds: float = 0.0
    engine: str = ""
    place: Line | None = None
    places: tuple[tuple[Line, str], ...] = ()
    traces: list[Shown] = field(default_factory=list)
    inputs: Inputs = field(default_factory=Inputs)

    @property
    def good(self) -> bool:
        """Whether the cell is as expected."""
        return self.status in (PASSED, CACHED)


def status_of(findings: Sequence[Finding]) -> str:
    """Return the status of a cell with these findings; a wrong verdict ranks first."""
    kinds = {finding.kind for finding in findings}
    if kinds - {LIMIT, ERROR}:
        return FAILED
    if ERROR in kinds:
        return ERRED
    return LIMITED if kinds else PASSED


def erred(cell: Cell, text: str, place: Line | None = None, seconds: float = 0.0) -> Outcome:
    """Return the outcome of a cell that could not be searched."""
    return Outcome(cell, ERRED, [Finding(ERROR, "", text)], seconds=seconds, place=place)
