"""What random walks found and covered, for people and for programs."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ..core.behavior import Behavior
from ..core.spec import TransitionSystem
from ..library.simulation import Simulation
from .console import Console, Text
from .report import report
from .summary import count, missing, print_broken, print_verdict
from .text import print_prose, print_trace


def simulation_report(system: TransitionSystem[Any, Any], done: Simulation) -> dict[str, Any]:
    """Return everything that is known about the walks, ready to be written as JSON."""
    estimate = done.tally.estimate()
    return {
        **report(system, done.result),
        "walks": done.tally.walks,
        "seed": done.seed,
        "choose": done.choice,
        "enabled": {name: done.tally.enabled[name] for name in done.result.taken},
        "estimated_states": estimate.states,
        "share_of_states_seen": round(estimate.share, 4),
        "chance_that_a_visited_state_is_known": round(estimate.again, 4),
        "found_in_walk": {name: number for name, (number, _) in done.originals.items()},
    }


def print_simulation(
    console: Console,
    system: TransitionSystem[Any, Any],
    done: Simulation,
    full: bool,
    quiet: bool,
    every: bool,
) -> None:
    """Print the traces (with `every`, one for each property), the verdict, and the coverage."""
    for verdict in done.result.verdicts:
        shown = every or verdict is done.result.first
        if verdict.trace is None or quiet or not shown:
            continue
        number, steps = done.originals[verdict.property.name]
        title = (
            f"{system.name}: a behavior that violates {verdict.property.name}, "
            f"{count(len(verdict.trace.steps), 'step')}: walk {number}, shortened from {steps}; no "
            "step can be dropped"
        )
        print_prose(console, Text(title, "bold"))
        print_trace(console, Behavior(system, verdict.trace, verdict.property), full)
    if not quiet:
        print_broken(console, system, done.result, full)
    print_verdict(console, system, done.result)
    tally, estimate = done.tally, done.tally.estimate()
    print_prose(
        console,
        Text(
            f"{count(tally.walks, 'walk')} with seed {done.seed} ({done.choice}), "
            f"{count(tally.steps, 'step')} taken, {count(tally.distinct_states, 'distinct state')} "
            f"in {done.result.seconds:.1f} s. There are at least about {estimate.states:,} states "
            f"(Chao); at most {estimate.share:.1%} of them were visited; a state on a further walk "
            f"was visited before with probability {estimate.again:.1%} (Good and Turing)."
        ),
    )
    if done.result.broken_assumption is not None:
        print_prose(console, Text(missing(done.result.broken_assumption)))
    if not quiet:
        _print_coverage(console, done)


def _print_coverage(console: Console, done: Simulation) -> None:
    """Print how often each action was enabled and taken."""
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("action")
    table.add_column("enabled in", justify="right")
    table.add_column("taken", justify="right")
    for name, taken in done.result.taken.items():
        table.add_row(name, f"{done.tally.enabled[name]:,}", f"{taken:,}")
    console.print(table)
    if done.result.never_taken:
        print_prose(console, Text(f"Never taken: {', '.join(done.result.never_taken)}."))
