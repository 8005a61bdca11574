"""Draw CPU seconds of Tidegate, TLC and SPIN on the models that nobody tuned for.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/picture.py

It reads ``figures/examples.toml`` and writes ``speed.svg``.
"""

import math
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
PICTURE = HERE / "speed.svg"

BARS = {
    "later runs": ("Tidegate, code cached", "#2a6f97"),
    "first run": ("Tidegate, first run", "#89c2d9"),
    "TLC": ("TLC", "#bc4749"),
    "SPIN": ("SPIN", "#e9a23b"),
}
"""Columns of the figures: their legend and color."""

LEFT, BAR, GAP, TOP = 190, 13, 12, 60
DECADE, LEAST, MOST = 170, 0.1, 100


def larger() -> list[dict[str, str]]:
    """Return the row of each model at its larger size."""
    table = tomllib.loads((HERE / "figures" / "examples.toml").read_text("utf-8"))["measured"][0]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return [row for before, row in pairwise(rows) if before["model"] == row["model"]]


def length(seconds: float) -> int:
    """Return the length of a bar, on a logarithmic scale."""
    return round(DECADE * math.log10(seconds / LEAST))


def parts(rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield the elements of the picture below its title."""
    for number, (legend, color) in enumerate(BARS.values()):
        x = LEFT + (0, 165, 305, 365)[number]
        yield f'<rect x="{x}" y="34" width="12" height="12" fill="{color}"/>'
        yield f'<text x="{x + 17}" y="44">{legend}</text>'
    y = TOP
    for row in rows:
        bars = [column for column in BARS if row[column]]
        middle = y + len(bars) * BAR // 2 + 4
        yield f'<text x="{LEFT - 8}" y="{middle}" text-anchor="end">{row["model"]}</text>'
        for column in bars:
            wide = length(float(row[column]))
            yield (
                f'<rect x="{LEFT}" y="{y}" width="{wide}" height="{BAR - 1}" '
                f'fill="{BARS[column][1]}"/>'
            )
            yield f'<text x="{LEFT + wide + 5}" y="{y + 10}" font-size="10">{row[column]}</text>'
            y += BAR
        y += GAP


def picture() -> str:
    """Return the picture."""
    rows = larger()
    count = sum(bool(row[column]) for row in rows for column in BARS)
    wide, tall = LEFT + length(MOST) + 60, TOP + count * BAR + len(rows) * GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" '
        f'viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-weight="bold">'
        "CPU seconds of a search of all states, logarithmic scale</text>",
        *parts(rows),
    ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
