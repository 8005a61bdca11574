"""The result of a replay, for people."""

from __future__ import annotations

from dataclasses import replace

from ..checker.replay import Replayed
from ..core.asserting import Assertion
from ..core.guards import Refusal
from ..core.spec import Property
from ..core.tracefile import Recorded
from .console import Console, Text
from .summary import count
from .text import fairness, print_behavior, print_prose


def print_replayed(
    console: Console,
    recorded: Recorded,
    replayed: Replayed,
    violated: list[Property],
    satisfied: str,
    verb: str,
    full: bool,
) -> None:
    """Print the behavior as far as it goes, then where it stopped or what it ends in.

    Parameters
    ----------
    violated
        The properties that its end or its cycle violates, of those that can be checked here.
    satisfied
        Why the recorded property is not violated, if there is more to say than that.
    verb
        ``violated``, or ``reached`` for a property that a trace shows to be reached.
    """
    behavior = replayed.behavior
    system, steps = behavior.system, behavior.steps
    print_behavior(console, behavior, full)
    taken = count(len(steps), "step")
    for prop in violated:
        if prop.name == recorded.property:
            head = (f"{prop.name} is {prop.verb}. ", "bold red")
            print_prose(console, Text.assemble(head, replace(behavior, prop=prop).explanation))
            if behavior.trace.loop is not None:
                print_prose(console, Text(fairness(behavior)))
    others = ", ".join(prop.name for prop in violated if prop.name != recorded.property)
    if others:
        print_prose(console, Text(f"Violated in this state as well: {others}."))
    if replayed.stopped:
        step, refused = replayed.stopped
        number = len(steps) + 1
        console.print(Text.assemble(("STOPPED ", "bold yellow"), f"{system.name}: after {taken}."))
        print_prose(console, Text(f"Step {number}, {step}, is not enabled. {_why(refused)}"))
    elif replayed.differs is not None:
        console.print(Text.assemble(("DIFFERS ", "bold yellow"), f"{system.name}: {taken} taken."))
        where = f"State {replayed.differs} is not as recorded"
        print_prose(console, Text(f"{where}: an action or the file has changed since."))
    elif replayed.open is not None and any(p.name == recorded.property for p in violated):
        console.print(Text.assemble(("DIFFERS ", "bold yellow"), f"{system.name}: {taken} taken."))
        last = len(replayed.behavior.steps)
        where = f"State {last} is not state {replayed.open}"
        print_prose(console, Text(f"{where}: these steps are not the cycle that the file says."))
    elif not recorded.property:
        line = f"{system.name}: {taken} taken, as recorded."
        print_prose(console, Text.assemble(("REPLAYED ", "bold green"), line))
    else:
        still = any(prop.name == recorded.property for prop in violated)
        line = f"{system.name}: {taken} taken; {recorded.property} is "
        line += _end(recorded, replayed, still, satisfied, verb)
        style = "bold green" if still else "bold yellow"
        print_prose(console, Text.assemble(("REPLAYED ", style), line))


def _end(recorded: Recorded, replayed: Replayed, still: bool, satisfied: str, verb: str) -> str:
    """Say whether the recorded violation occurs, and if a lasso no longer violates it, why."""
    at_end = " at the end" if recorded.loop is None else ""
    if still:
        return f"{verb}{at_end}, as recorded."
    if replayed.open is not None:
        last = len(replayed.behavior.steps)
        return f"not {verb}: state {last} is not state {replayed.open}, so the steps end here."
    return f"not {verb}: {satisfied}." if satisfied else f"not {verb}{at_end}."


def _why(refused: Refusal | Assertion | None) -> str:
    """Say which guard refuses a step, and which values make it do so."""
    if isinstance(refused, Assertion):
        return f"It fails {refused}."
    if refused is None:
        return "It passes every guard, and its action returns False."
    values = ", ".join(f"{text} = {value}" for text, value in refused.values.items())
    guard = refused.guard
    place = f"{guard.file}:{guard.line}"
    return f"Its guard at {place} refuses it: {guard.test}{values and f', with {values}'}."
