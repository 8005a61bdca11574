"""Draws ``docs/pictures/ways.svg``: four values, and the modules that they pass through."""

from html import escape
from itertools import groupby
from pathlib import Path

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "ways.svg"

WAYS = {
    "A state": [
        ("model/broker/state.py", "core/fields.py"),
        ("core/layout.py", "core/fields.py"),
        ("core/spec.py", "core/layout.py"),
        ("checker/interpreted.py", "core/spec.py"),
        ("checker/compiled/search.py", "core/layout.py"),
    ],
    "A trace": [
        ("checker/verdicts.py", "checker/counterexample.py"),
        ("checker/counterexample.py", "core/spec.py"),
        ("checker/verdicts.py", "core/behavior.py"),
        ("core/behavior.py", "core/spec.py"),
        ("render/narrative.py", "core/behavior.py"),
        ("render/forms.py", "render/narrative.py"),
        ("commands/traces.py", "render/forms.py"),
        ("commands/traces.py", "checker/verdicts.py"),
    ],
    "A verdict": [
        ("checker/verdicts.py", "core/result.py"),
        ("checker/check.py", "checker/verdicts.py"),
        ("library/problem.py", "checker/check.py"),
        ("gate/search.py", "library/problem.py"),
        ("commands/check.py", "library/problem.py"),
        ("commands/check.py", "render/summary.py"),
        ("render/summary.py", "core/result.py"),
    ],
    "An option": [
        ("core/result.py", "core/options.py"),
        ("commands/parameters.py", "core/options.py"),
        ("commands/check.py", "commands/parameters.py"),
        ("commands/check.py", "library/problem.py"),
        ("library/problem.py", "checker/check.py"),
        ("checker/check.py", "checker/request.py"),
        ("checker/request.py", "core/result.py"),
    ],
}
"""For each value the imports by which it travels: who imports, and what."""

COLORS = {
    "commands": "#f2d5a0",
    "gate": "#f2d5a0",
    "render": "#c9e4b4",
    "library": "#f5c6c6",
    "checker": "#bcd9f2",
    "model": "#d9c8ee",
    "core": "#dddddd",
}
"""Of each room on the picture."""

WIDTH, HEIGHT, BOX, TALL = 640, 64, 196, 28
"""Of a way, of the rows in it, and of a module's box."""


def rows(imports):
    """Return for each module its row: one below the lowest that imports it."""
    row = dict.fromkeys((module for pair in imports for module in pair), 0)
    for _ in row:
        for upper, lower in imports:
            row[lower] = max(row[lower], row[upper] + 1)
    return row


def places(imports):
    """Return the middle of each module's box."""
    row = rows(imports)
    middle = {}
    for number, group in groupby(sorted(row, key=row.get), key=row.get):
        modules = list(group)
        for place, module in enumerate(modules):
            x = WIDTH * (2 * place + 1) // (2 * len(modules))
            middle[module] = x, 70 + HEIGHT * number
    return middle


def drawn(title, imports):
    """Yield the elements of one way."""
    yield f'<text x="{WIDTH // 2}" y="28" class="title">{escape(title)}</text>'
    middle = places(imports)
    for upper, lower in imports:
        (x1, y1), (x2, y2) = middle[upper], middle[lower]
        begin, end = y1 + TALL // 2, y2 - TALL // 2 - 7
        if end - begin < HEIGHT:
            bend = (begin + end) // 2
            way = f"C{x1} {bend} {x2} {bend} {x2} {end}"
        else:
            # It goes around the boxes in between.
            side = 10 if x1 < WIDTH // 2 else WIDTH - 10
            x2 += (BOX // 3) * (1 if side > x2 else -1)
            way = f"C{side} {begin + HEIGHT} {side} {end - HEIGHT // 2} {x2} {end}"
        yield f'<path d="M{x1} {begin} {way}" class="import"/>'
    for module, (x, y) in middle.items():
        color = COLORS[module.partition("/")[0]]
        yield (
            f'<rect x="{x - BOX // 2}" y="{y - TALL // 2}" width="{BOX}" height="{TALL}" rx="5" '
            f'fill="{color}"/><text x="{x}" y="{y + 4}">{escape(module)}</text>'
        )


def picture():
    """Return the picture of all ways, two beside each other."""
    tall = max(70 + HEIGHT * (1 + max(rows(imports).values())) for imports in WAYS.values())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{2 * tall}" '
        f'viewBox="0 0 {2 * WIDTH} {2 * tall}" font-family="sans-serif" font-size="13" '
        'text-anchor="middle">',
        '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="1" refY="4" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>',
        "<style>.title { font-size: 18px; font-weight: bold } "
        ".import { fill: none; stroke: #555; stroke-width: 1.3; marker-end: url(#head) }</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (title, imports) in enumerate(WAYS.items()):
        across, down = number % 2 * WIDTH, number // 2 * tall
        lines += [f'<g transform="translate({across} {down})">', *drawn(title, imports), "</g>"]
    return "\n".join([*lines, "</svg>", ""])


def write():
    """Draw the picture."""
    PICTURE.write_text(picture(), "utf-8")
