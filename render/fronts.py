"""The smallest bounds that violate properties, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..analysis.front import Front, listed, shown, sufficient
from ..core.spec import Outcome
from .printed import Console, Text
from .summary import count
from .text import print_prose

_MOST = 6
"""So many undecided bounds are named."""


def print_front(
    console: Console, protocol: str, prop: str, fixed: Sequence[str], front: Front
) -> None:
    """Print the smallest bounds that violate a property, or how far it holds."""
    within = f"{protocol}{''.join(f', {setting}' for setting in fixed)}"
    if front.outcome is Outcome.HOLDS:
        states = ""
        if front.distinct_states is not None:
            states = f": {count(front.distinct_states, 'distinct state')}, all of them"
        told = f"{within}: {prop} up to {shown(front.largest)}{states}."
        print_prose(console, Text.assemble(("HOLDS ", "bold green"), told))
        return
    if front.points:
        head = "the smallest bounds that violate it" if len(front.points) > 1 else "violated from"
        print_prose(console, Text.assemble(("VIOLATED ", "bold red"), f"{within}: {prop}, {head}"))
        for point in front.points:
            steps = count(point.steps, "step")
            print_prose(console, Text(f"{shown(point.rung)}: {steps}"), indent=3)
    if front.undecided:
        named = "; ".join(listed(front.undecided, _MOST))
        told = f"{within}: {prop} is not decided at {named} (stopped by {front.stopped_by})."
        if front.points:
            told += " Some of these may violate it too."
        print_prose(console, Text.assemble(("INCOMPLETE ", "bold yellow"), told))
    else:
        told = f"Up to {shown(front.largest)}, whatever else violates it is larger than "
        told += "these." if len(front.points) > 1 else "this."
        told += f" {count(front.searches, 'search')} decided that."
        print_prose(console, Text(told, "dim"), indent=3)


def document(protocol: str, fixed: Sequence[str], found: Mapping[str, Front]) -> dict[str, Any]:
    """Return everything that ``tidegate bounds`` found, ready to be written as JSON."""
    return {
        "protocol": protocol,
        "fixed": list(fixed),
        "properties": [
            {
                "name": name,
                "outcome": front.outcome.value,
                "smallest": [
                    {"bounds": point.rung, "steps": point.steps} for point in front.points
                ],
                "undecided": list(front.undecided),
                "largest": front.largest,
                "distinct_states": front.distinct_states,
                "searches": front.searches,
                "stopped_by": front.stopped_by,
            }
            for name, front in found.items()
        ],
    }


PAGE = """\
# Bounds that a gate needs

Made by `tidegate bounds --output docs/bounds.md`; not written by hand.

For every hole that a protocol is known to have (`tidegate show PROTOCOL` lists the verdicts that
are expected of it): all smallest bounds that show it, and the steps of the shortest trace there.
Bounds are smaller than others if none of them is larger. What is not named is at its default
(`tidegate list`). A gate with smaller bounds cannot see the hole; *up to* says how far bounds were
searched. One hole alone is found again by `tidegate bounds PROTOCOL -p PROPERTY`, with the settings
by `-b` and, for other ranges, `--max`.
"""


def section(family: str, rows: Sequence[tuple[str, str, str, Front]]) -> str:
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
    for protocol, fixed, prop, front in rows:
        points = [(f"`{shown(point.rung)}`", str(point.steps)) for point in front.points]
        bounds, steps = zip(*points, strict=True) if points else (("not found",), ("",))
        cells = [
            f"`{protocol}`",
            f"`{fixed}`" if fixed else "",
            prop,
            "<br>or ".join(bounds),
            "<br>".join(steps),
            shown(front.largest),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    enough: dict[str, list[Front]] = {}
    for _, fixed, _, front in rows:
        enough.setdefault(fixed, []).append(front)
    lines += ["", "A gate sees all of these if it searches up to", ""]
    for fixed, fronts in enough.items():
        lines.append(f"- `{' '.join(filter(None, [fixed, shown(sufficient(fronts))]))}`")
    return "\n".join(lines) + "\n"
