"""The smallest bounds that violate properties, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.spec import Outcome
from ..library.ladder import listed, shown
from ..library.minimal_bounds import MinimalBounds
from .console import Console, Text
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
    if minimal.smallest:
        head = (
            "the smallest bounds that violate it" if len(minimal.smallest) > 1 else "violated from"
        )
        print_prose(console, Text.assemble(("VIOLATED ", "bold red"), f"{within}: {prop}, {head}"))
        for point in minimal.smallest:
            steps = count(point.steps, "step")
            print_prose(console, Text(f"{shown(point.bounds)}: {steps}"), indent=3)
    if minimal.undecided:
        named = "; ".join(listed(minimal.undecided, _MOST))
        text = f"{within}: {prop} is not decided at {named} (stopped by {minimal.stopped_by})."
        if minimal.smallest:
            text += " Some of these may violate it too."
        print_prose(console, Text.assemble(("INCOMPLETE ", "bold yellow"), text))
    else:
        text = f"Up to {shown(minimal.largest)}, any other violating bounds are larger than "
        text += "these." if len(minimal.smallest) > 1 else "this."
        text += f" It took {count(minimal.searches, 'search')}."
        print_prose(console, Text(text, "dim"), indent=3)


def print_undecided(console: Console, protocol: str, prop: str, why: str) -> None:
    """Print that no search decides a property."""
    text = f"{protocol}: {prop} is not decided ({why})."
    print_prose(console, Text.assemble(("INCOMPLETE ", "bold yellow"), text))
