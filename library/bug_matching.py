"""Says which known bug a violation is, and what the same search says with its repair.

A trace that is impossible with the repair of a bug needs the bug's older rule.  It need not be that
bug: a custom protocol may have changed something else that the trace needs as well.  So a bug is
named only if the built-in protocol with that rule alone violates the property within the same
bounds, which may take a search of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from typing import Protocol as Interface

from ..core.errors import TidegateError
from ..core.interrupts import Stop, is_interrupt
from ..core.result import Result, Verdict
from ..core.spec import Outcome, Property, TransitionSystem
from ..model.protocol import Protocol
from .known_bugs import Known, by_itself, has_trace, needed

SECONDS, TIMES = 10.0, 3.0
"""How long each search after a violation may take: this, or as many times as long as the first."""


class Others(Interface):
    """How other protocols are searched within the bounds of a search."""

    def system(self, protocol: Protocol) -> TransitionSystem[Any, Any]:
        """Return the system of a protocol."""

    def search(
        self, protocol: Protocol, properties: Sequence[Property], what: str, seconds: float
    ) -> Result:
        """Search a protocol for some seconds; `what` says in the progress what for."""


@dataclass(frozen=True)
class Match:
    """A known bug whose older rule a trace needs.

    Parameters
    ----------
    other
        The protocol without the bug.
    alone
        Whether the built-in protocol with that rule alone violates the property: VIOLATED if so,
        INCOMPLETE if that was not decided.
    why
        Why it was not decided; empty if it was.
    interrupted
        Whether the user interrupted the search for that.
    """

    known: Known
    other: Protocol
    alone: Outcome
    why: str = ""
    interrupted: bool = False

    @property
    def is_the_bug(self) -> bool:
        """Whether the violation is that bug."""
        return self.alone is Outcome.VIOLATED


@dataclass(frozen=True)
class Recognised:
    """The known bug that a violation is, or whose older rule it needs.

    Attributes
    ----------
    property
        The violated property.
    without
        The result of the same search with its repair; None if there was none.
    """

    match: Match
    property: Property
    without: Result | None


def seconds_left(seconds: float, limit: float | None, started: float) -> float:
    """Return how long a search after a violation may take.

    Parameters
    ----------
    seconds
        How long the search took that found the violation.
    limit
        The time limit of all searches; None for none.
    started
        The start of the first one, by ``perf_counter``.
    """
    most = max(SECONDS, TIMES * seconds)
    return most if limit is None else max(min(most, limit - (perf_counter() - started)), 0.1)


def recognise(
    protocol: Protocol,
    result: Result,
    properties: Sequence[Property],
    others: Others,
    limit: float | None,
) -> Recognised | None:
    """Return which known bug the violation is that is reported first; None for none.

    Parameters
    ----------
    limit
        The time limit of all searches; None for none.
    """
    started = perf_counter() - result.seconds

    def left() -> float:
        return seconds_left(result.seconds, limit, started)

    matched = match(protocol, result.first, others, left)
    if matched is None or result.first is None:
        return None
    without = None
    if not matched.interrupted:
        what = f"searching with the repair of {matched.known.title}"
        without = others.search(matched.other, properties, what, left())
    return Recognised(matched, result.first.property, without)


def match(
    protocol: Protocol,
    verdict: Verdict | None,
    others: Others,
    left: Callable[[], float],
) -> Match | None:
    """Return the known bug that the trace of a verdict shows, or whose older rule it needs.

    None for none.  Of several it is the one that the violation is, else the first.

    Parameters
    ----------
    left
        Returns how many seconds the next search may take.
    """
    if verdict is None or verdict.trace is None or verdict.outcome is not Outcome.VIOLATED:
        return None
    first = None
    for known, other in needed(protocol, verdict.trace, verdict.property, others.system):
        outcome, why, interrupted = _by_itself(protocol, known, verdict, others, left)
        shown = Match(known, other, outcome, why, interrupted)
        if shown.is_the_bug or interrupted:
            return shown
        first = first or shown
    return first


def _by_itself(
    protocol: Protocol,
    known: Known,
    verdict: Verdict,
    others: Others,
    left: Callable[[], float],
) -> tuple[Outcome, str, bool]:
    """Decide whether the older rule of a bug alone violates what a trace violates.

    Returns
    -------
    tuple[Outcome, str, bool]
        The outcome, why it is not decided, and whether the user interrupted the search.
    """
    prop, trace, built_in = verdict.property, verdict.trace, by_itself(protocol, known)
    assert trace is not None
    if built_in is None:
        return Outcome.INCOMPLETE, "it is made of no built-in protocol", False
    bug, repaired = built_in
    if bug is protocol:
        return Outcome.VIOLATED, "", False
    try:
        # The trace itself may need nothing else; that takes no search.
        if not has_trace(others.system(bug), prop, trace):
            what = f"searching {bug.name}, whether it violates {prop.name} by itself"
            result = others.search(bug, [prop], what, left())
            if result.outcome is Outcome.HOLDS:
                return Outcome.HOLDS, "", False
            if result.first is None or result.first.trace is None:
                interrupted = is_interrupt(result.stopped_by)
                return Outcome.INCOMPLETE, _why_undecided(result), interrupted
            trace = result.first.trace
        if has_trace(others.system(repaired), prop, trace):
            return Outcome.INCOMPLETE, f"{repaired.name} violates it without that rule", False
    except TidegateError as error:
        # The bounds, or a property, need not fit the other protocol.
        return Outcome.INCOMPLETE, error.head(), False
    return Outcome.VIOLATED, "", False


def _why_undecided(result: Result) -> str:
    """Return why a search has no verdict."""
    stopped = result.stopped_by
    if stopped is None or stopped.by is Stop.TIME_LIMIT:
        return f"not finished in {result.seconds:.0f} s"
    return f"stopped by {stopped}"
