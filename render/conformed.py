"""What walks on real brokers have shown, for people and for machines."""

from __future__ import annotations

from typing import Any

from ..analysis.conformance import Conformance
from ..analysis.covering import CoveringWalks
from ..core.spec import TransitionSystem
from .printed import Text
from .summary import count
from .terminal import make_console
from .text import print_prose


def print_conformance(
    system: TransitionSystem[Any, Any], done: Conformance, walks: CoveringWalks
) -> None:
    """Print the differences, what was covered, and the verdict."""
    console = make_console()
    for path, report in done.differences:
        observed = report.differs
        where = f"at step {observed.number}" if observed else "not again"
        print_prose(console, Text(f"{path}: the brokers differ {where}."))
        for difference in observed.differences if observed else ():
            line = f"{difference.what}: the model says {difference.expected}, "
            line += f"Kafka has {difference.observed}."
            print_prose(console, Text(line), indent=2)
    actions = done.actions
    forced = ", ".join(f"{name} {times:,}" for name, times in actions.most_common())
    print_prose(console, Text(f"Steps forced: {forced or 'none'}."))
    never = [action.name for action in system.actions if action.name not in actions]
    if never:
        print_prose(console, Text(f"Never: {', '.join(never)}."))
    pairs = f"{len(done.taken):,} of {len(walks.possible):,} that walks could have taken"
    print_prose(console, Text(f"Pairs of neighbouring actions: {pairs}."))
    total = f"{count(done.walks, 'walk')}, {count(done.steps, 'step')}"
    if done.differences:
        line = f"{system.name}, Kafka {done.version}: {len(done.differences)} of {total}."
        print_prose(console, Text.assemble(("DIFFERS ", "bold yellow"), line))
    else:
        line = f"{system.name}, Kafka {done.version}: {total}."
        print_prose(console, Text.assemble(("AGREES ", "bold green"), line))


def conformance_report(
    system: TransitionSystem[Any, Any], done: Conformance, walks: CoveringWalks, seed: int
) -> dict[str, Any]:
    """Return the same as a document."""
    return {
        "protocol": system.name,
        "bounds": system.bounds,
        "kafka": done.version,
        "outcome": "differs" if done.differences else "agrees",
        "seed": seed,
        "walks": done.walks,
        "steps": done.steps,
        "actions": dict(done.actions),
        "pairs": {f"{before or 'start'}, {after}": n for (before, after), n in done.taken.items()},
        "possible_pairs": len(walks.possible),
        "differences": [
            {
                "trace": path,
                "step": report.differs.number if report.differs else None,
                "differences": [vars(one) for one in report.differs.differences]
                if report.differs
                else [],
                "log": list(report.differs.log) if report.differs else [],
            }
            for path, report in done.differences
        ],
    }
