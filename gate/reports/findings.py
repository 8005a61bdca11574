"""A finding in words, and the line of the repository that it is about."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from ...core.errors import Line
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
    parts += ["--symmetry"] * cell.symmetry
    names = [prop.name for prop in outcome.properties]
    # That a property cannot be decided is an error where it is named.
    if finding.about in names and finding.kind is not Deviation.UNDECIDED:
        parts.append(f"-p {finding.about}")
    return " ".join(parts)


@dataclass(frozen=True)
class Pointer:
    """A line of a file of the repository, and what stands there."""

    file: str
    line: int
    what: str = ""


def workspace() -> Path:
    """Return the root of relative paths in reports: GitHub's workspace, or where the gate runs."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()


def pointers(outcome: CellOutcome, finding: Finding) -> list[Pointer]:
    """Return the lines that a finding is about, the most specific one first.

    What lies outside the workspace is left out; the case in the gate's file is always there.
    """
    lines: list[tuple[Line, str]] = []
    if outcome.place is not None:
        lines.append((outcome.place, ""))
    lines += finding.places
    lines.append(((str(Path(outcome.cell.file).resolve()), outcome.cell.line), "the case"))
    pointers = [_pointer(line, what) for line, what in dict.fromkeys(lines)]
    inside = [pointer for pointer in pointers if pointer is not None]
    return inside or [Pointer(outcome.cell.file, outcome.cell.line, "the case")]


def _pointer(line: Line, what: str) -> Pointer | None:
    path, root = Path(line[0]).resolve(), workspace()
    if not path.is_relative_to(root):
        return None
    return Pointer(path.relative_to(root).as_posix(), line[1], what)
