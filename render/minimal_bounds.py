"""The smallest bounds that violate properties, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..analysis.minimal_bounds import MinimalBounds, listed, shown, sufficient
from ..core.spec import Outcome
from .printed import Console, Text
from .summary import count
from .text import print_prose

_MOST = 6
"""How many undecided bounds are named."""


def print_minimal_bounds(
    console: Console, protocol: str, prop: str, fixed: Sequence[str], minimal: MinimalBounds
) -> None:
    """Print the smallest bounds that violate a property, or how far it holds."""
    within = f"{protocol}{''.join(f', {setting}' for setting in fixed)}"
    if minimal.outcome is Outcome.HOLDS:
        states = ""
        if minimal.distinct_states is not None:
            states = f": {count(minimal.distinct_states, 'distinct state')}, all of them"
        text = f"{within}: {prop} up to {shown(minimal.largest)}{states}."
        print_prose(console, Text.assemble(("HOLDS ", "bold green"), text))
        return
    if minimal.points:
        head = "the smallest bounds that violate it" if len(minimal.points) > 1 else "violated from"
        print_prose(console, Text.assemble(("VIOLATED ", "bold red"), f"{within}: {prop}, {head}"))
        for point in minimal.points:
            steps = count(point.steps, "step")
            print_prose(console, Text(f"{shown(point.bounds)}: {steps}"), indent=3)
    if minimal.undecided:
        named = "; ".join(listed(minimal.undecided, _MOST))
        text = f"{within}: {prop} is not decided at {named} (stopped by {minimal.stopped_by})."
        if minimal.points:
            text += " Some of these may violate it too."
        print_prose(console, Text.assemble(("INCOMPLETE ", "bold yellow"), text))
    else:
        text = f"Up to {shown(minimal.largest)}, any other violating bounds are larger than "
        text += "these." if len(minimal.points) > 1 else "this."
        text += f" {count(minimal.searches, 'search')} decided this."
        print_prose(console, Text(text, "dim"), indent=3)


def document(
    protocol: str, fixed: Sequence[str], smallest_bounds: Mapping[str, MinimalBounds]
) -> dict[str, Any]:
    """Return everything that ``tidegate bounds`` found, ready to be written as JSON."""
    return {
        "protocol": protocol,
        "fixed": list(fixed),
        "properties": [
            {
                "name": name,
                "outcome": minimal.outcome.value,
                "smallest": [
                    {"bounds": point.bounds, "steps": point.steps} for point in minimal.points
                ],
                "undecided": list(minimal.undecided),
                "largest": minimal.largest,
                "distinct_states": minimal.distinct_states,
                "searches": minimal.searches,
                "stopped_by": minimal.stopped_by and str(minimal.stopped_by),
            }
            for name, minimal in smallest_bounds.items()
        ],
    }


PAGE = """\
# Bounds that a gate needs

Made by `tidegate bounds --output docs/bounds.md`; not written by hand.

For every known violation of a protocol (`tidegate show PROTOCOL` lists its expected verdicts): the
minimal bounds that show it, and the steps of the shortest trace within them. Bounds are smaller
than others if none of them is larger. Bounds that are not named have their defaults
(`tidegate list`). A gate with smaller bounds cannot see the violation; *up to* gives the largest
bounds that were searched. To search for one violation again:
`tidegate bounds PROTOCOL -p PROPERTY`, with the settings as `-b` and, for other ranges, `--max`.
"""


def section(family: str, rows: Sequence[tuple[str, str, str, MinimalBounds]]) -> str:
    """Return the table of a family.

    Parameters
    ----------
    rows
        Protocol, settings, property and what was found.
    """
    lines = [
        f"## The {family} family",
        "",
        "| protocol | settings | property | smallest bounds | steps | up to |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for protocol, fixed, prop, minimal in rows:
        points = [(f"`{shown(point.bounds)}`", str(point.steps)) for point in minimal.points]
        bounds, steps = zip(*points, strict=True) if points else (("not found",), ("",))
        cells = [
            f"`{protocol}`",
            f"`{fixed}`" if fixed else "",
            prop,
            "<br>or ".join(bounds),
            "<br>".join(steps),
            shown(minimal.largest),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    enough: dict[str, list[MinimalBounds]] = {}
    for _, fixed, _, minimal in rows:
        enough.setdefault(fixed, []).append(minimal)
    lines += ["", "A gate sees all of these if it searches up to", ""]
    for fixed, every_minimal in enough.items():
        lines.append(f"- `{' '.join(filter(None, [fixed, shown(sufficient(every_minimal))]))}`")
    return "\n".join(lines) + "\n"
