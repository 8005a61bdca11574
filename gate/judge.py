"""Compares results with expectations.  Nothing here searches, or starts a broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..brokers.report import ForcedBehavior, Observed, Report
from ..conform.conformance import Conformance, Departure
from ..core.result import Verdict
from ..core.spec import Outcome
from ..render.grounds import searched_in_python
from ..render.text import violated_after
from .cells import AGREES, Expectation
from .results import CellOutcome, Deviation, Finding

Seen = Mapping[str, Verdict]
"""The verdict on each property, by its name."""


def judge(outcome: CellOutcome, expectations: Sequence[Expectation], seen: Seen) -> list[Finding]:
    """Return the deviations from the expectations; none if the cell passes.

    Parameters
    ----------
    outcome
        The counts of the cell's searches.
    """
    findings = [one for expected in expectations for one in _property(expected, outcome, seen)]
    findings += _undecidable(expectations, seen)
    findings += _undecided(expectations, outcome, seen)
    if findings and outcome.instead is not None:
        name, steps = outcome.instead
        text = (
            f"instead {name} is violated after {steps} steps, for which the cell has no expectation"
        )
        findings.append(Finding(Deviation.OTHER_PROPERTY, name, text))
    kinds = {finding.kind for finding in findings}
    if Deviation.LIMIT not in kinds:
        findings += _counts(outcome, Deviation.VIOLATED in kinds)
    return findings


def _property(expected: Expectation, outcome: CellOutcome, seen: Seen) -> Iterator[Finding]:
    """Judge one property."""
    name = expected.name
    verdict = seen.get(name)
    if verdict is None:
        return
    steps = verdict.steps
    after = violated_after(steps or 0, verdict.trace.loop if verdict.trace else None)
    if verdict.outcome is Outcome.VIOLATED and not expected.violated:
        what = f"no state satisfies {name}" if steps is None else f"{name} is violated{after}"
        text = f"{what}; expected: holds"
        yield Finding(Deviation.VIOLATED, name, text)
    elif verdict.outcome is Outcome.HOLDS and expected.violated:
        within = "" if expected.steps is None else f" in at most {expected.steps} steps"
        where = f"in all {outcome.states:,} states" if steps is None else f"(reached{after})"
        text = f"{name} holds {where}; expected: violated{within}"
        yield Finding(Deviation.NOT_VIOLATED, name, text)
    elif expected.steps is not None and (steps or 0) > expected.steps:
        text = (
            f"{name} is violated{after}, expected: in at most {expected.steps}; "
            "the shorter counterexample is no longer possible"
        )
        yield Finding(Deviation.LONGER, name, text)


def _undecidable(expectations: Sequence[Expectation], seen: Seen) -> Iterator[Finding]:
    """Judge whether something cannot be decided here, and say what to write instead."""
    reasons = {name: verdict.reason for name, verdict in seen.items() if verdict.reason}
    left = [f'"{one.name}"' for one in expectations if not (one.violated or one.name in reasons)]
    repair = f"; to gate the others only, write holds = [{', '.join(left)}]" if left else ""
    for name, reason in reasons.items():
        yield Finding(Deviation.UNDECIDED, name, f"not decided: {name} ({reason}){repair}")


def _undecided(
    expectations: Sequence[Expectation], outcome: CellOutcome, seen: Seen
) -> Iterator[Finding]:
    """Judge whether the searches came to an end, in one finding for all that is open."""
    open_names = []
    for expectation in expectations:
        verdict = seen.get(expectation.name)
        if verdict is None or (verdict.outcome is Outcome.INCOMPLETE and not verdict.reason):
            open_names.append(expectation.name)
    names, states = ", ".join(open_names), f"{outcome.states:,} distinct states"
    if outcome.interpreted_because:
        states += f"; {searched_in_python(outcome.interpreted_because)}"
    if open_names and outcome.stopped_by:
        text = f"not decided: {names}; stopped by {outcome.stopped_by}, {states}"
        yield Finding(Deviation.LIMIT, "", text)
    elif open_names and not any(one.outcome is Outcome.VIOLATED for one in seen.values()):
        # Not known to be possible, but it must not pass.
        yield Finding(Deviation.ERROR, "", f"not decided: {names}; {states}")


def _counts(outcome: CellOutcome, violated: bool) -> Iterator[Finding]:
    """Judge the pinned counts, which speak of all states."""
    for name, pinned, counted in (
        ("states", outcome.cell.states, outcome.states),
        ("depth", outcome.cell.depth, outcome.depth),
    ):
        what = "distinct states" if name == "states" else name
        if pinned is None or (outcome.complete and counted == pinned):
            continue
        if outcome.complete:
            change = "fewer" if counted < pinned else "more"
            than = f"{abs(counted - pinned):,} {change} than the pinned {pinned:,}"
            yield Finding(Deviation.COUNT, name, f"{what}: {counted:,}, {than}")
        elif not violated:
            text = f"{what}: not all states were explored; pinned: {pinned:,}"
            yield Finding(Deviation.COUNT, name, text)


def judge_replay(expected: Expectation, behavior: ForcedBehavior, report: Report) -> list[Finding]:
    """Return what is not as expected of a replay; none if the cell passes."""
    differs = report.differs
    if expected.steps == (differs.number if differs else None):
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
