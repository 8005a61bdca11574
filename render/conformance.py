"""What walks and traces on real brokers have shown, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..brokers.report import Difference, Observed, Report
from ..conform.conformance import Conformance
from ..conform.coverage import Coverage, GuardCoverage, RuleCoverage
from ..conform.shortest_ways import MOST_STATES
from ..conform.walks import CoveringWalks
from ..core.behavior import Behavior
from ..core.spec import Trace, TransitionSystem
from .console import Console, Text
from .narrative import narrate
from .page import Seen, page
from .summary import count
from .terminal import make_console
from .text import print_behavior, print_prose


def print_conformance(
    system: TransitionSystem[Any, Any],
    done: Conformance,
    walks: CoveringWalks,
    covered: Coverage,
    saved: Sequence[str],
    brief: bool = False,
) -> None:
    """Print the differences, the coverage (unless `brief`), and the verdict.

    Parameters
    ----------
    saved
        File of each walk in which brokers differ from the model.
    """
    console = make_console()
    for path, departure in zip(saved, done.departures, strict=True):
        observed = departure.report.differs
        assert observed is not None
        where = f"the brokers differ in step {observed.number}"
        again = "" if departure.again else ", but did not a second time"
        print_prose(console, Text(f"{path}: {where}{again}."))
        for difference in observed.differences:
            line = f"{difference.what}: the model says {difference.expected}, "
            line += f"Kafka has {difference.observed}."
            print_prose(console, Text(line), indent=2)
    if not brief:
        _print_covered(console, system, done, walks)
        _print_rules(console, covered.rules)
        _print_guards(console, covered.guards)
    total = f"{count(done.walks, 'walk')}, {count(done.steps, 'step')}"
    if done.departures:
        line = f"{system.name}, Kafka {done.version}: {len(done.departures)} of {total}."
        print_prose(console, Text.assemble(("DIFFERS ", "bold yellow"), line))
    else:
        line = f"{system.name}, Kafka {done.version}: {total}."
        head = ("AGREES ", "bold green") if done.complete else ("INCOMPLETE ", "bold yellow")
        print_prose(console, Text.assemble(head, line))


def _print_covered(
    console: Console, system: TransitionSystem[Any, Any], done: Conformance, walks: CoveringWalks
) -> None:
    """Print which actions were forced, and how many pairs of them."""
    actions = done.actions
    forced = ", ".join(f"{name} {times:,}" for name, times in actions.most_common())
    print_prose(console, Text(f"Steps forced: {forced or 'none'}."))
    never = [action.name for action in system.actions if action.name not in actions]
    if never:
        print_prose(console, Text(f"Never: {', '.join(never)}."))
    out_of_reach = [name for name in walks.out_of_reach if name in never]
    if out_of_reach:
        names = ", ".join(out_of_reach)
        where = f"in the first {MOST_STATES:,} states without faults, within {walks.longest} steps"
        print_prose(console, Text(f"Not enabled {where}: {names}."))
    pairs = f"{len(done.taken):,} of {len(walks.possible):,} that walks could have taken"
    print_prose(console, Text(f"Pairs of consecutive actions: {pairs}."))


def _print_rules(console: Console, covered: RuleCoverage) -> None:
    """Print which rules decided steps that the brokers did, and what they answered."""
    listed = ", ".join(f"{name} {answers}" for name, answers in _answers(covered).items())
    share = f"{len(covered.rules) - len(covered.never)} of {len(covered.rules)}"
    print_prose(console, Text(f"Rules that decided steps: {share}. {listed}".strip(". ") + "."))
    if covered.never:
        print_prose(console, Text(f"Rules that decided none: {', '.join(covered.never)}."))


def _print_guards(console: Console, covered: GuardCoverage) -> None:
    """Print how many guards let a step pass, and which ones never refused a step alone."""
    every = [(action, guard) for action, all_of in covered.guards.items() for guard in all_of]
    passed = sum(guard.passed > 0 for _, guard in every)
    silent = [f"{action} ({guard.requires})" for action, guard in every if not guard.refused]
    share = (
        f"{passed} of {len(every)}; guards that alone refused a step: {len(every) - len(silent)}"
    )
    print_prose(console, Text(f"Guards that let a step pass: {share}."))
    if silent:
        print_prose(console, Text(f"Guards that never refused a step alone: {', '.join(silent)}."))


def _answers(covered: RuleCoverage) -> dict[str, str]:
    """Return how often each rule was asked: by its answers, if these are yes and no."""
    answers: dict[str, list[str]] = {}
    for (name, answer), times in sorted(covered.asked.items()):
        answers.setdefault(name, []).append(f"{times:,} {answer}".strip())
    return {name: f"({', '.join(parts)})" for name, parts in answers.items()}


def conformance_report(
    system: TransitionSystem[Any, Any],
    done: Conformance,
    walks: CoveringWalks,
    covered: Coverage,
    seed: int,
    saved: Sequence[str],
) -> dict[str, Any]:
    """Return the same as a document."""
    return {
        "protocol": system.name,
        "bounds": system.bounds,
        "kafka": done.version,
        "outcome": "differs" if done.departures else "agrees" if done.complete else "incomplete",
        "seed": seed,
        "walks": done.walks,
        "steps": done.steps,
        "actions": dict(done.actions),
        "pairs": {f"{before or 'start'}, {after}": n for (before, after), n in done.taken.items()},
        "possible_pairs": len(walks.possible),
        "rules": {
            name: {
                answer or "asked": n
                for (own, answer), n in covered.rules.asked.items()
                if own == name
            }
            for name in covered.rules.rules
        },
        "guards": {
            action: [vars(guard) for guard in all_of]
            for action, all_of in covered.guards.guards.items()
        },
        "differences": [
            {
                "walk": departure.walk,
                "trace": path,
                "again": departure.again,
                "step": departure.report.differs.number,
                "differences": [vars(one) for one in departure.report.differs.differences],
                "events": list(departure.report.differs.events),
                "log": list(departure.report.differs.log),
            }
            for path, departure in zip(saved, done.departures, strict=True)
            if departure.report.differs is not None
        ],
    }


_MOST_LINES = 12
"""Lines of the brokers' own logs that are shown."""


def page_on_kafka(behavior: Behavior, report: Report, full: bool) -> str:
    """Return a trace as an HTML page, with what real brokers did in each step.

    The page ends with the first step in which they differ.
    """
    first = [report.first] if report.first is not None else []
    seen = {
        observed.number: Seen(
            _verdict(report, observed),
            bool(observed.differences),
            tuple((one.what, one.expected, one.observed) for one in _rows(observed)),
            observed.events,
            observed.log,
        )
        for observed in (*first, *report.steps)
    }
    shown = behavior
    if report.differs:
        shown = replace(_up_to(behavior, report.differs.number), prop=None)
    numbers = [("on real brokers", f"Kafka {report.version}")]
    return page(narrate(shown, numbers), full, seen)


def _up_to(behavior: Behavior, steps: int) -> Behavior:
    """Return the first steps of a behavior."""
    trace = behavior.trace
    return replace(behavior, trace=Trace(trace.states[: steps + 1], trace.steps[:steps]))


def _rows(observed: Observed) -> tuple[Difference, ...]:
    """Return the comparisons; a difference on the wire ends a step before there are any."""
    return observed.compared or observed.differences


def _verdict(report: Report, observed: Observed) -> str:
    did = "differs here" if observed.differences else "did this"
    return f"Kafka {report.version} {did if observed.number else 'is in this state'}"


def print_on_kafka(console: Console, behavior: Behavior, report: Report, full: bool) -> None:
    """Print a trace with what Kafka did beside each step, and what a client has at the end."""
    kafka = f"Kafka {report.version}"
    differs = report.differs
    notes = {
        observed.number: f"{kafka} differs here" if observed is differs else f"{kafka} did this"
        for observed in report.steps
    }
    forced = len(report.steps) if not differs else differs.number
    print_behavior(console, _up_to(behavior, forced), full, notes)
    if differs is not None:
        for difference in differs.differences:
            expected = f"the model says {difference.expected}"
            line = f"{difference.what}: {expected}, {kafka} has {difference.observed}."
            print_prose(console, Text(line))
        for logged in differs.log[-_MOST_LINES:]:
            console.print(Text(logged, "dim"))
    acked = ", ".join(f"m{record} at offset {at}" for record, at in sorted(report.acked.items()))
    if acked:
        print_prose(console, Text(f"Acknowledged to the producer: {acked}."))
    if report.leader is not None:
        read = ", ".join(report.readable) or "nothing"
        print_prose(
            console, Text(f"A consumer reads from the leader, broker {report.leader}: {read}.")
        )
    if report.gone:
        lost = Text(f"Acknowledged and gone: {', '.join(report.gone)}.", "bold red")
        print_prose(console, lost)
    total, name = count(len(behavior.steps), "step"), behavior.system.name
    if differs is None:
        line = f"{kafka}: it did all {total} as {name} says."
        print_prose(console, Text.assemble(("FOLLOWED ", "bold green"), line))
    elif differs.number == 0:
        line = f"{kafka}: it differs before the first of {total}."
        print_prose(console, Text.assemble(("DIFFERS ", "bold yellow"), line))
    else:
        step = behavior.steps[differs.number - 1]
        where = f"at step {differs.number} of {total}, {step}"
        line = f"{kafka}: it diverges from {name} {where}."
        print_prose(console, Text.assemble(("DIFFERS ", "bold yellow"), line))
