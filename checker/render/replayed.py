"""What a replay found, for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from ...guards import Refusal
from ...spec import Property, TransitionSystem
from ..replay import Recorded, Replayed
from .summary import count
from .text import print_behavior, print_prose


def print_replayed(
    console: Console,
    system: TransitionSystem[Any, Any],
    recorded: Recorded,
    replayed: Replayed,
    violated: list[Property],
    full: bool,
) -> None:
    """Print the behavior as far as it goes, then where it stopped or what it ends in."""
    print_behavior(console, system, replayed.trace, full)
    taken = count(len(replayed.trace.steps), "step")
    for prop in violated:
        head = (f"{prop.name} is violated. ", "bold red")
        print_prose(console, Text.assemble(head, system.explain(prop, replayed.trace.states[-1])))
    if replayed.stopped:
        step, refused = replayed.stopped
        number = len(replayed.trace.steps) + 1
        console.print(Text.assemble(("STOPPED ", "bold yellow"), f"{system.name}: after {taken}."))
        print_prose(console, Text(f"Step {number}, {step}, is not enabled here. {_why(refused)}"))
    elif replayed.differs is not None:
        console.print(Text.assemble(("DIFFERS ", "bold yellow"), f"{system.name}: {taken} taken."))
        print_prose(
            console,
            Text(f"State {replayed.differs} is not as recorded: an action was changed since."),
        )
    else:
        end = (
            "as recorded" if recorded.property in {p.name for p in violated} else "in no violation"
        )
        head = ("REPLAYED ", "bold green")
        console.print(Text.assemble(head, f"{system.name}: {taken} taken; it ends {end}."))


def _why(refused: Refusal | None) -> str:
    """Say which guard refuses a step, and which values make it do so."""
    if refused is None:
        return ""
    values = ", ".join(f"{text} = {value}" for text, value in refused.values.items())
    guard = refused.guard
    return f"Its guard on line {guard.line} refuses it: {guard.test}, with {values}."
