"""Compares what real brokers did with what is expected of them.  Nothing here starts a broker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.conformance import Conformance, Departure
from ..brokers.report import Behavior, Observed, Report
from .conform_cells import AGREES, ConformExpectation
from .judge import Deviation, Finding


def judge_replay(expected: ConformExpectation, behavior: Behavior, report: Report) -> list[Finding]:
    """Return what is not as expected of a replay; none if the cell passes."""
    differs = report.differs
    if expected.step == (differs.number if differs else 0) and (differs is None) == (
        not expected.step
    ):
        return []
    kafka, steps = f"Kafka {report.version}", len(behavior.steps)
    if differs is None:
        did = f"{kafka} follows all {steps} steps"
    elif differs.number == 0:
        did = f"{kafka} differs before the first of {steps} steps"
    else:
        step = behavior.steps[differs.number - 1]
        did = f"{kafka} diverges at step {differs.number} of {steps}, {step}"
    text = "; ".join([f"{did}; expected: {expected}", *_differences(differs, kafka)])
    return [Finding(Deviation.BROKERS, expected.name, text)]


def judge_walks(done: Conformance, undecided: str) -> list[Finding]:
    """Return what is not as expected of walks; none if the cell passes.

    Parameters
    ----------
    undecided
        Why not all walks were taken; empty if all were.
    """
    kafka = f"Kafka {done.version}"
    findings = [
        Finding(Deviation.BROKERS, AGREES, "; ".join(_departed(departure, kafka)))
        for departure in done.departures
    ]
    if undecided:
        text = f"not decided: {undecided}, after {done.walks} walks and {done.steps} steps"
        findings.append(Finding(Deviation.LIMIT, "", text))
    return findings


def _departed(departure: Departure, kafka: str) -> Iterator[str]:
    """Yield how the brokers differ in a walk, in parts of a sentence."""
    differs = departure.report.differs
    assert differs is not None
    steps = departure.trace.steps
    place = f"step {differs.number}, {steps[differs.number - 1]}" if differs.number else "the start"
    again = "" if departure.again else ", but not a second time"
    yield f"{kafka} differs in walk {departure.walk}, at {place}{again}; expected: {AGREES}"
    yield from _differences(differs, kafka)


def _differences(differs: Observed | None, kafka: str) -> Sequence[str]:
    return [
        f"{one.what}: the model says {one.expected}, {kafka} has {one.observed}"
        for one in (differs.differences if differs else ())
    ]
