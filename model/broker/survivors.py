"""Surviving mutants of the broker family's protocols, and why they survive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def _notes() -> Iterator[tuple[str, str]]:
    """Yield each mutant of ``survivors.txt``, after its protocol if it names some, and the reason.

    A paragraph there is a reason, and below it, indented, its mutants.
    """
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for paragraph in text.rstrip().split("\n\n"):
        reason, *mutants = paragraph.split("\n    ")
        for mutant in mutants:
            names, _, rest = mutant.partition("] ") if mutant.startswith("[") else ("", "", mutant)
            for protocol in names[1:].split() or [""]:
                yield f"{protocol}: {rest}".removeprefix(": "), " ".join(reason.split())


SURVIVORS = dict(_notes())
"""By name; by protocol and name if the reason holds for that protocol only."""
