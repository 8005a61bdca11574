"""Surviving mutants, and why they survive: text files of a model."""

from __future__ import annotations

from pathlib import Path


def notes_of(file: Path) -> dict[str, str]:
    """Return each mutant that a file explains, and the reason why no search kills it.

    A paragraph is a reason, and below it, indented, are its mutants.  After ``[hw kip-101]`` a
    mutant is one of these protocols only; its name then begins with the protocol's.
    """
    notes = {}
    for paragraph in file.read_text(encoding="utf-8").rstrip().split("\n\n"):
        reason, *mutants = paragraph.split("\n    ")
        for mutant in mutants:
            names, _, rest = mutant.partition("] ") if mutant.startswith("[") else ("", "", mutant)
            for protocol in names[1:].split() or [""]:
                notes[f"{protocol}: {rest}".removeprefix(": ")] = " ".join(reason.split())
    return notes
