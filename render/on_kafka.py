"""What real brokers did with a trace, for people."""

from __future__ import annotations

from dataclasses import replace

from ..brokers.report import Difference, Observed, Report
from ..core.behavior import Behavior
from ..core.spec import Trace
from .narrative import narrate
from .page import Seen, page
from .printed import Console, Text
from .summary import count
from .text import print_behavior, print_prose

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
    """Return what was compared; a difference on the wire ends a step before anything is."""
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
