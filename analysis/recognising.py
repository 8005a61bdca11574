"""Says which known bug a violation is, and what the same search says with its repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checker.check import check
from ..checker.result import Limits, Progress, Resources, Result, Verdict
from ..core.spec import Outcome, TransitionSystem
from ..model.protocol import Protocol
from .known import Known, recognised
from .loading import named
from .properties import Selection, system_for

SECONDS, TIMES = 10.0, 3.0
"""How long the search with the repair may take: this, or as many times as long as the other."""


@dataclass(frozen=True)
class Recognised:
    """The known bug that a violation is.

    Attributes
    ----------
    without
        The result of the same search with its repair.
    """

    known: Known
    without: Result


def recognise(
    protocol: Protocol,
    settings: Sequence[str],
    selection: Selection,
    result: Result,
    limits: Limits,
    keep_going: bool,
    resources: Resources,
    report: Callable[[Progress], None],
) -> Recognised | None:
    """Return which known bug the violation is that is reported first; None for none.

    Parameters
    ----------
    settings, selection, limits, keep_going, resources
        Those of the search.
    report
        Called with the progress of the search with the repair.
    """
    first = result.first
    if first is None or first.trace is None:
        return None

    def system_of(other: Protocol) -> TransitionSystem[Any, Any]:
        return system_for(other, settings, selection.properties)

    match = recognised(protocol, first.trace, first.property, system_of)
    if match is None:
        return None
    known, other = match
    seconds = max(SECONDS, TIMES * result.seconds)
    if limits.seconds is not None:
        seconds = max(min(seconds, limits.seconds - result.seconds), 0.1)
    without = check(
        system_of(other),
        selection.properties,
        named=selection.named,
        limits=replace(limits, seconds=seconds),
        keep_going=keep_going,
        report=report,
        resources=Resources(
            workers=resources.workers,
            memory=resources.memory,
            watch=resources.watch,
            load=named(other.name, settings, selection.properties),
        ),
    )
    return Recognised(known, without)


def known_bug(protocol: Protocol, settings: Sequence[str], verdict: Verdict | None) -> Known | None:
    """Return the known bug that the trace of a verdict shows; None for none."""
    if verdict is None or verdict.trace is None or verdict.outcome is not Outcome.VIOLATED:
        return None
    prop = verdict.property
    match = recognised(
        protocol, verdict.trace, prop, lambda other: system_for(other, settings, [prop])
    )
    return match[0] if match else None
