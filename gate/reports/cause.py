"""A finding in words, for the reviewer of a change: its cause, and how to reproduce it."""

from __future__ import annotations

from shlex import quote

from ..results import CellOutcome, Deviation, Finding


def cause(outcome: CellOutcome, finding: Finding) -> str:
    """Return what is not as expected, with its length, and for a violation what went wrong."""
    explanations = [prop.explanation for prop in outcome.properties if prop.name == finding.about]
    text = finding.text if finding.text.endswith((".", "!", "?")) else f"{finding.text}."
    return " ".join(part for part in (text, *explanations) if part)


def reproducing(outcome: CellOutcome, finding: Finding) -> str:
    """Return the command that reproduces a finding; empty where only the gate can."""
    cell = outcome.cell
    if cell.brokers or finding.kind in (Deviation.SKIPPED, Deviation.BROKERS):
        return ""
    parts = ["tidegate", "check", quote(cell.protocol)]
    parts += [f"-b {quote(setting)}" for setting in cell.bounds.split()]
    names = [prop.name for prop in outcome.properties]
    # That a property cannot be decided is an error where it is named.
    if finding.about in names and finding.kind is not Deviation.UNDECIDED:
        parts.append(f"-p {finding.about}")
    return " ".join(parts)
