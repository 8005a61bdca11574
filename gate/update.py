"""``tidegate gate --update``: write the counts and lengths that were found into the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from .cells import Cell
from .document import case_lines
from .results import CellOutcome, Deviation, Finding, status_of


@dataclass(frozen=True)
class Change:
    """A number of the gate's file, its former and its new value, and the line of its case."""

    line: int
    text: str
    old: int
    new: int

    def __str__(self) -> str:
        return f"{self.text}: {self.old:,} -> {self.new:,}"


def update(file: Path, outcomes: Sequence[CellOutcome]) -> tuple[str, list[Change]]:
    """Return the text of a gate's file with the numbers that were found, and what changed.

    Comments, order and spaces stay.  The outcomes lose the findings about numbers that changed.
    """
    text = file.read_text(encoding="utf-8")
    document = tomlkit.parse(text)
    number_of = {line: number for number, line in enumerate(case_lines(text))}
    changes: list[Change] = []
    for outcome in outcomes:
        cell = outcome.cell
        if cell.brokers or cell.line not in number_of:
            continue
        case = document["case"][number_of[cell.line]]
        removed = []
        for finding in outcome.findings:
            change = _changed(case, document.get("defaults", {}), outcome, cell, finding)
            if change is not None:
                changes.append(change)
                removed.append(finding)
        if removed:
            outcome.findings = [finding for finding in outcome.findings if finding not in removed]
            outcome.status = status_of(outcome.findings)
    return tomlkit.dumps(document), changes


def _changed(
    case: Any, defaults: Any, outcome: CellOutcome, cell: Cell, finding: Finding
) -> Change | None:
    """Write one number into a case; None for a finding that no number removes."""
    if finding.kind is Deviation.LONGER:
        steps = next(prop.steps for prop in outcome.properties if prop.name == finding.about)
        name = next(key for key in case["violates"] if key.lower() == finding.about.lower())
        old = case["violates"][name]
        if steps is None:
            return None
        case["violates"][name] = max(steps, old)
        return Change(cell.line, f"{cell.name}: violates {finding.about}", int(old), steps)
    if finding.kind is not Deviation.COUNT or not outcome.complete:
        return None
    new = outcome.states if finding.about == "states" else outcome.depth
    old = cell.states if finding.about == "states" else cell.depth
    assert old is not None
    holder, key = case, finding.about
    if isinstance(case[key], dict):
        holder, key = case[key], cell.protocol
    if isinstance(holder[key], list):
        bounds = case.get("bounds", defaults.get("bounds", ""))
        listed = [bounds] if isinstance(bounds, str) else list(bounds)
        plain = [" ".join(one.split()) for one in listed]
        holder[key][plain.index(cell.bounds)] = new
    else:
        holder[key] = new
    return Change(cell.line, f"{cell.name}: {finding.about}", old, new)


def shown(file: Path, changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each change."""
    for change in changes:
        yield f"{file}:{change.line}: {change}"
