"""The outcome of a cell, which can cross processes and be written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..core.errors import Line, Reason
from .cells import Cell


class Deviation(StrEnum):
    """How a cell can differ from its expectations."""

    VIOLATED = "violated"
    """A property is violated that is expected to hold."""

    NOT_VIOLATED = "not violated"
    """A violation that is expected does not appear."""

    OTHER_PROPERTY = "other property"
    """A violation that is expected does not appear, and another property is violated instead."""

    LONGER = "longer"
    """A violation takes more steps than it may."""

    COUNT = "count"
    """Distinct states or depth are not the pinned ones."""

    LIMIT = "limit"
    """A limit was reached before the cell was decided."""

    UNDECIDED = "undecided"
    """A property cannot be decided, whatever the limits."""

    BROKERS = "brokers"
    """Real brokers do not behave as expected."""

    ERROR = "error"
    """The cell could not be searched: the protocol or its file is wrong."""

    SKIPPED = "skipped"
    """Kafka is missing, and the case is optional."""


@dataclass(frozen=True)
class Finding:
    """One thing that is not as expected: of which kind, about what, and in words.

    ``about`` is a property, ``states`` or ``depth``, or empty for the cell as a whole.  ``places``
    are lines of the protocol's own rules and actions without which it would not be, the one that
    decided last in a counterexample first.
    """

    kind: Deviation
    about: str
    text: str
    places: tuple[tuple[Line, str], ...] = ()


class Status(StrEnum):
    """What became of a cell."""

    PASSED = "pass"
    CACHED = "cached"
    SKIPPED = "skipped"
    FAILED = "FAIL"
    LIMITED = "LIMIT"
    ERRED = "ERROR"
    INTERRUPTED = "STOPPED"


STATUSES = {
    Status.PASSED: "everything is as expected",
    Status.CACHED: "it passed before, and nothing has changed since",
    Status.SKIPPED: "Kafka is missing, and the case is optional",
    Status.FAILED: "something is not as expected",
    Status.LIMITED: "a limit or a broken assumption came first, or a property cannot be decided",
    Status.ERRED: "it could not be searched, or Kafka could not be started",
    Status.INTERRUPTED: "it was interrupted or not started",
}
"""The meaning of each status."""


@dataclass(frozen=True)
class PropertyOutcome:
    """The expectation of a property, and the result.

    ``outcome`` is ``holds``, ``violated`` or ``incomplete``, of real brokers ``reproduces``,
    ``diverges`` or ``agrees``; empty where the cell was not decided.  ``note`` says why it cannot
    be decided, or that its premise never held.  ``known_bug`` is the name of the one that the
    violation is, as ``check --repaired`` takes it, and ``older_rule`` that of the one whose older
    rule it needs beside something else; empty for none.  ``statement`` and ``source`` are those of
    the property.
    """

    name: str
    expected: str
    outcome: str = ""
    steps: int | None = None
    explanation: str = ""
    note: str = ""
    known_bug: str = ""
    older_rule: str = ""
    statement: str = ""
    source: str = ""


@dataclass(frozen=True)
class Shown:
    """A counterexample in the forms that reports need.

    ``name`` is that of the property, as in :attr:`Finding.about`.  ``label`` says which behavior it
    is, unless it is the shortest one that violates a property.
    """

    name: str
    steps: int
    text: str
    markdown: str
    itf: dict[str, Any]
    label: str = ""

    @property
    def title(self) -> str:
        """Which behavior it is."""
        # The stem of a lasso is the shortest, its cycle need not be.
        which = "a" if "loop" in self.itf else "the shortest"
        return self.label or f"{which} behavior that violates {self.name}"


@dataclass
class Ran:
    """Which Kafka ran, and how many walks and steps were forced on it."""

    version: str
    walks: int = 0
    steps: int = 0


@dataclass
class CellOutcome:
    """What became of a cell.

    Attributes
    ----------
    complete
        Whether all states were searched.
    never_enabled
        Where they were: the actions that were enabled in none.
    in_vain
        Which rules that its protocol changes nothing asked, and which actions that properties need
        there are not, a sentence each.
    place
        For an error, the line that it is about.
    interpreted_because
        Why it was searched in Python although it was large enough to be compiled.
    stopped_by
        The limit that ended a search, as the gate's file names it.
    instead
        An unexpected violation and its number of steps, if an expected violation is missing.
    traces
        Counterexamples of what is not as expected.
    declared_pure
        The functions that are declared pure, and how they were tried; empty if none is reached.
    symmetry
        Why the permutations of states could be left out; empty without symmetry.
    broken_assumption
        Which assumption of the code is broken, and by which step; empty for none.
    sources
        The hash of its model's sources; None if the model read anything else.
    ran
        The behaviors forced on real brokers; None where there are no brokers.
    """

    cell: Cell
    status: Status
    findings: list[Finding] = field(default_factory=list)
    properties: list[PropertyOutcome] = field(default_factory=list)
    states: int = 0
    depth: int = 0
    complete: bool = False
    never_enabled: tuple[str, ...] = ()
    in_vain: tuple[str, ...] = ()
    seconds: float = 0.0
    engine: str = ""
    declared_pure: str = ""
    symmetry: str = ""
    broken_assumption: str = ""
    interpreted_because: tuple[Reason, ...] = ()
    stopped_by: str | None = None
    instead: tuple[str, int] | None = None
    place: Line | None = None
    traces: list[Shown] = field(default_factory=list)
    sources: str | None = None
    ran: Ran | None = None

    @property
    def grounds(self) -> list[str]:
        """What has to be known beside its verdict, a sentence each."""
        said = f"--symmetry: {self.symmetry}" if self.symmetry else ""
        broken = self.broken_assumption
        if any(broken in finding.text for finding in self.findings):
            broken = ""
        return [each for each in (said, self.declared_pure, broken, *self.in_vain) if each]

    @property
    def good(self) -> bool:
        """Whether the cell is as expected, or may be skipped."""
        return self.status in (Status.PASSED, Status.CACHED, Status.SKIPPED)


def status_of(findings: Sequence[Finding]) -> Status:
    """Return the status of a cell with these findings; a wrong verdict ranks first."""
    kinds = {finding.kind for finding in findings}
    if kinds - {Deviation.LIMIT, Deviation.UNDECIDED, Deviation.ERROR}:
        return Status.FAILED
    if Deviation.ERROR in kinds:
        return Status.ERRED
    return Status.LIMITED if kinds else Status.PASSED


def erred(cell: Cell, text: str, place: Line | None = None, seconds: float = 0.0) -> CellOutcome:
    """Return the outcome of a cell that could not be searched."""
    return CellOutcome(
        cell, Status.ERRED, [Finding(Deviation.ERROR, "", text)], seconds=seconds, place=place
    )
