"""Expands a Promela model to a size: its preprocessor has constants, but cannot repeat lines."""

from __future__ import annotations

from itertools import groupby, product

LETTERS = {"n": ("N", 0), "c": ("CLOCK", 1)}
"""For each letter the constant that says how many values it has, and its least value."""


def promela(text: str, defines: dict[str, int]) -> str:
    """Return a model with its constants in front.

    Lines that begin with ``$n`` are repeated together for each n from 0 to N - 1, and lines that
    begin with ``$n$c`` for each c from 1 to CLOCK as well; the letters stand for the values.
    """
    lines = [f"#define {name} {value}" for name, value in defines.items()]
    for letters, group in groupby(text.splitlines(), _letters):
        block = list(group)
        ranges = [
            range(least, least + defines[LETTERS[c][0]])
            for c in letters
            for least in [LETTERS[c][1]]
        ]
        for values in product(*ranges):
            for line in block:
                repeated = line[2 * len(letters) :]
                for letter, value in zip(letters, values, strict=True):
                    repeated = repeated.replace(f"${letter}", str(value))
                lines.append(repeated)
    return "\n".join([*lines, ""])


def _letters(line: str) -> str:
    """Return the letters that a line begins with."""
    letters = ""
    while line[2 * len(letters) :].startswith("$"):
        letters += line[2 * len(letters) + 1]
    return letters
