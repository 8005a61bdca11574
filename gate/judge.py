"""Compares the result of a cell with its expectations.  Nothing here searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..core.spec import Outcome
from ..render.grounds import searched_in_python
from ..render.lasso import violated_after
from .cells import Cell, CellVerdicts, Expectation


class Deviation(StrEnum):
    """How a cell can differ from what is expected of it."""

    VIOLATED = "violated"
    """A property is violated that is expected to hold."""

    NOT_VIOLATED = "not violated"
    """A violation that is expected does not appear."""

    OTHER_PROPERTY = "other property"
    """A violation that is expected does not appear, and another property is violated instead."""

    LONGER = "longer"
    """A violation takes more steps than it may."""

    COUNT = "count"
    """Distinct states or depth are not the pinned ones."""

    LIMIT = "limit"
    """A limit was reached before the cell was decided."""

    UNDECIDED = "undecided"
    """A property cannot be decided, whatever the limits."""

    BROKERS = "brokers"
    """Real brokers do not behave as expected."""

    ERROR = "error"
    """The cell could not be searched: the protocol or its file is wrong."""

    SKIPPED = "skipped"
    """Kafka is missing, and the case is optional."""


@dataclass(frozen=True)
class Finding:
    """One thing that is not as expected: of which kind, about what, and in words.

    ``about`` is a property, ``states`` or ``depth``, or empty for the cell as a whole.
    """

    kind: Deviation
    about: str
    text: str


def judge(cell: Cell, expectations: Sequence[Expectation], verdicts: CellVerdicts) -> list[Finding]:
    """Return the deviations from the expectations; none if the cell passes."""
    findings = [finding for expected in expectations for finding in _property(expected, verdicts)]
    findings += _undecidable(expectations, verdicts)
    findings += _undecided(expectations, verdicts)
    if findings and verdicts.instead is not None:
        name, steps = verdicts.instead
        text = (
            f"instead {name} is violated after {steps} steps, for which the cell has no expectation"
        )
        findings.append(Finding(Deviation.OTHER_PROPERTY, name, text))
    stopped = any(finding.kind is Deviation.LIMIT for finding in findings)
    if not stopped:
        findings += _counts(
            cell, verdicts, any(finding.kind is Deviation.VIOLATED for finding in findings)
        )
    return findings


def _property(expected: Expectation, verdicts: CellVerdicts) -> Iterator[Finding]:
    """Judge one property."""
    name = expected.name
    seen = verdicts.seen.get(name)
    if seen is None:
        return
    after = violated_after(seen.steps or 0, seen.loop)
    if seen.outcome is Outcome.VIOLATED and not expected.violated:
        what = f"no state satisfies {name}" if seen.steps is None else f"{name} is violated{after}"
        text = f"{what}; expected: holds"
        yield Finding(Deviation.VIOLATED, name, text)
    elif seen.outcome is Outcome.HOLDS and expected.violated:
        within = "" if expected.steps is None else f" in at most {expected.steps} steps"
        where = f"in all {verdicts.states:,} states" if seen.steps is None else f"(reached{after})"
        text = f"{name} holds {where}; expected: violated{within}"
        yield Finding(Deviation.NOT_VIOLATED, name, text)
    elif expected.steps is not None and (seen.steps or 0) > expected.steps:
        text = (
            f"{name} is violated{after}, expected: in at most {expected.steps}; "
            "the shorter counterexample is no longer possible"
        )
        yield Finding(Deviation.LONGER, name, text)


def _undecidable(expectations: Sequence[Expectation], verdicts: CellVerdicts) -> Iterator[Finding]:
    """Judge whether something cannot be decided here, and say what to write instead."""
    reasons = {name: seen.reason for name, seen in verdicts.seen.items() if seen.reason}
    left = [f'"{one.name}"' for one in expectations if not (one.violated or one.name in reasons)]
    repair = f"; to gate the others only, write holds = [{', '.join(left)}]" if left else ""
    for name, reason in reasons.items():
        yield Finding(Deviation.UNDECIDED, name, f"not decided: {name} ({reason}){repair}")


def _undecided(expectations: Sequence[Expectation], verdicts: CellVerdicts) -> Iterator[Finding]:
    """Judge whether the searches came to an end, in one finding for all that is open."""
    open_names = []
    for expectation in expectations:
        seen = verdicts.seen.get(expectation.name)
        if seen is None or (seen.outcome is Outcome.INCOMPLETE and not seen.reason):
            open_names.append(expectation.name)
    names, states = ", ".join(open_names), f"{verdicts.states:,} distinct states"
    if verdicts.interpreted_because:
        states += f"; {searched_in_python(verdicts.interpreted_because)}"
    if open_names and verdicts.stopped_by:
        yield Finding(
            Deviation.LIMIT, "", f"not decided: {names}; stopped by {verdicts.stopped_by}, {states}"
        )
    elif open_names and not any(
        verdict.outcome is Outcome.VIOLATED for verdict in verdicts.seen.values()
    ):
        # Not known to be possible, but it must not pass.
        yield Finding(Deviation.ERROR, "", f"not decided: {names}; {states}")


def _counts(cell: Cell, verdicts: CellVerdicts, violated: bool) -> Iterator[Finding]:
    """Judge the pinned counts, which speak of all states."""
    for name, pinned, counted in (
        ("states", cell.states, verdicts.states),
        ("depth", cell.depth, verdicts.depth),
    ):
        if pinned is None or (verdicts.complete and counted == pinned):
            continue
        what = "distinct states" if name == "states" else "depth"
        if verdicts.complete:
            change = "fewer" if counted < pinned else "more"
            than = f"{abs(counted - pinned):,} {change} than the pinned {pinned:,}"
            yield Finding(Deviation.COUNT, name, f"{what}: {counted:,}, {than}")
        elif not violated:
            yield Finding(
                Deviation.COUNT, name, f"{what}: not all states were explored; pinned: {pinned:,}"
            )
