"""The result of a replay, for people."""

from __future__ import annotations

from typing import Any

from ..checker.replay import Replayed
from ..checker.tracefile import Recorded
from ..core.guards import Refusal
from ..core.spec import Property, TransitionSystem
from .printed import Console, Text
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
    """Print the behavior as far as it goes, then where it stopped or what it ends in.

    Parameters
    ----------
    violated
        The properties that are violated at its end, of all that could be judged.
    """
    print_behavior(console, system, replayed.trace, full)
    taken = count(len(replayed.trace.steps), "step")
    for prop in violated:
        if prop.name == recorded.property:
            head = (f"{prop.name} is violated. ", "bold red")
            end = replayed.trace.states[-1]
            print_prose(console, Text.assemble(head, system.explain(prop, end)))
    others = ", ".join(prop.name for prop in violated if prop.name != recorded.property)
    if others:
        print_prose(console, Text(f"Violated in this state as well: {others}."))
    if replayed.stopped:
        step, refused = replayed.stopped
        number = len(replayed.trace.steps) + 1
        console.print(Text.assemble(("STOPPED ", "bold yellow"), f"{system.name}: after {taken}."))
        print_prose(console, Text(f"Step {number}, {step}, is not enabled. {_why(refused)}"))
    elif replayed.differs is not None:
        console.print(Text.assemble(("DIFFERS ", "bold yellow"), f"{system.name}: {taken} taken."))
        where = f"State {replayed.differs} is not as recorded"
        print_prose(console, Text(f"{where}: an action or the file has changed since."))
    elif not recorded.property:
        line = f"{system.name}: {taken} taken, as recorded."
        print_prose(console, Text.assemble(("REPLAYED ", "bold green"), line))
    else:
        still = any(prop.name == recorded.property for prop in violated)
        line = f"{system.name}: {taken} taken; {recorded.property} is "
        line += "violated at the end, as recorded." if still else "not violated at the end."
        style = "bold green" if still else "bold yellow"
        print_prose(console, Text.assemble(("REPLAYED ", style), line))


def _why(refused: Refusal | None) -> str:
    """Say which guard refuses a step, and which values make it do so."""
    if refused is None:
        return ""
    values = ", ".join(f"{text} = {value}" for text, value in refused.values.items())
    guard = refused.guard
    place = f"{guard.file}:{guard.line}"
    return f"Its guard at {place} refuses it: {guard.test}, with {values}."
