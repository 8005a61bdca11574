"""Says which known bug a violation is, and what the same search says with its repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.result import Result, Verdict
from ..core.spec import Outcome, TransitionSystem
from ..model.protocol import Protocol
from .known import Known, recognised
from .properties import system_for

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
    result: Result,
    system_of: Callable[[Protocol], TransitionSystem[Any, Any]],
    search: Callable[[Protocol, float], Result],
    limit: float | None,
) -> Recognised | None:
    """Return which known bug the violation is that is reported first; None for none.

    Parameters
    ----------
    system_of
        Returns the system of another protocol within the same bounds.
    search
        Searches another protocol in the same way, with a time limit in seconds.
    limit
        The time limit of both searches; None for none.
    """
    first = result.first
    if first is None or first.trace is None:
        return None
    match = recognised(protocol, first.trace, first.property, system_of)
    if match is None:
        return None
    known, other = match
    seconds = max(SECONDS, TIMES * result.seconds)
    if limit is not None:
        seconds = max(min(seconds, limit - result.seconds), 0.1)
    return Recognised(known, search(other, seconds))


def known_bug(protocol: Protocol, settings: Sequence[str], verdict: Verdict | None) -> Known | None:
    """Return the known bug that the trace of a verdict shows; None for none."""
    if verdict is None or verdict.trace is None or verdict.outcome is not Outcome.VIOLATED:
        return None
    prop = verdict.property
    match = recognised(
        protocol, verdict.trace, prop, lambda other: system_for(other, settings, [prop])
    )
    return match[0] if match else None
