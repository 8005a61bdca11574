"""The page of verdicts: for each scenario a table of properties and protocols, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..analysis.ladder import BoundValues, LadderVerdict

INTRODUCTION = """\
# Verdicts

Made by `tidegate verdicts --output docs/verdicts.md`; not written by hand.

For each scenario, property and protocol: the smallest bounds that violate the property (least sum
of bounds, then in the order in which the bounds are named) with the steps of the shortest trace; or
*holds* after exhaustive exploration at the scenario's largest bounds. The last row gives the number
of distinct states there. Bounds that a scenario does not name have their defaults
(`tidegate list`). To see the trace of a violation: `tidegate check PROTOCOL -b ... -p PROPERTY`.

HighWatermarkMonotonic is an expected violation: Kafka makes clients wait instead (KIP-207).
ListedOffsetsMonotonic checks that.

Where a table says what must eventually happen, *holds* is said after exploration at all bounds up
to the largest: a lasso within small bounds may be none within larger ones, where an election more
is owed. The steps of a lasso are those of its stem and of its cycle.
"""


def letters(bounds: BoundValues) -> str:
    """Return bounds in short: the first letter of each name, and its value.

    >>> letters({"records": 2, "crashes": 1, "elections": 3})
    'R2 C1 E3'
    """
    return " ".join(f"{name[0].upper()}{value}" for name, value in bounds.items())


def section(
    title: str,
    settings: str,
    largest: BoundValues,
    columns: Mapping[str, Mapping[str, LadderVerdict]],
    properties: Sequence[str],
) -> str:
    """Return the table of one scenario.

    Parameters
    ----------
    settings
        The scenario's settings besides the bounds that the ladder varies.
    columns
        For each protocol what was found, by property.
    """
    named = ", ".join(f"{name[0].upper()} {name}" for name in largest)
    lines = [
        f"## {title}",
        "",
        f"`{settings}`, up to {letters(largest)} ({named}).",
        "",
        f"| | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
    ]
    for name in properties:
        cells = [_cell(verdicts[name]) for verdicts in columns.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    states = [_states(verdicts) for verdicts in columns.values()]
    lines.append(f"| *distinct states at {letters(largest)}* | {' | '.join(states)} |")
    return "\n".join(lines) + "\n"


def _cell(verdict: LadderVerdict) -> str:
    if verdict.violated_at is None:
        return "holds"
    bounds, steps = verdict.violated_at
    return f"**{letters(bounds)}**, {steps} steps"


def _states(verdicts: Mapping[str, LadderVerdict]) -> str:
    """Return the distinct states of the largest bounds, from any property that holds there."""
    counts = {f.holds_to[1] for f in verdicts.values() if f.holds_to}
    return f"{counts.pop():,}" if counts else "every property is violated"
