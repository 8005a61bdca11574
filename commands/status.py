"""Exit statuses, as documented in every command's help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.interrupts import Stopped, is_interrupt

if TYPE_CHECKING:
    from ..core.result import Result
    from ..gate.results import CellOutcome
    from ..render.output import Reports

EXIT_HOLDS, EXIT_OTHER, EXIT_USAGE, EXIT_INCOMPLETE = 0, 1, 2, 3
EXIT_DEADLOCK, EXIT_SAFETY, EXIT_LIVENESS = 11, 12, 13
EXIT_VIOLATED = EXIT_DEADLOCK, EXIT_SAFETY, EXIT_LIVENESS
EXIT_INTERNAL, EXIT_INTERRUPTED = 70, 130

EXIT_STATUS = """\b
Exit status (as TLC's where TLC has one):
  0   every property holds in every state within the bounds
  1   replay or gate: not as recorded or expected; or broken pipe
  2   wrong usage, an unusable file, or a report that could not be written
  3   incomplete: a limit, a broken assumption or an undecidable property; nothing is violated
  11  deadlock: no step is enabled, or it cannot recover (-p Deadlock, -p Stuck)
  12  a safety property is violated (or an assertion), or a sometimes property not reached
  13  a liveness property is violated
  70  internal error, or an ill-formed model
  130 interrupted, with nothing violated so far (129 by SIGHUP, 143 by SIGTERM)
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended; every command returns one, and the process exits with its status."""

    status: int


@contextmanager
def deciding() -> Iterator[list[int]]:
    """Keep the status of a violation, once it is in the list, whatever happens to its report.

    Only a broken pipe has a status of its own.
    """
    known: list[int] = []
    try:
        yield known
    except BrokenPipeError:
        raise
    except BaseException as error:
        if known and known[0] in EXIT_VIOLATED:
            error.decided = known[0]  # type: ignore[attr-defined]
        raise


def ended(status: int, reports: Reports) -> Ended:
    """Return how a command ended, given the status of its verdict and its reports.

    A violation outranks a report that was not written.
    """
    if status in (EXIT_HOLDS, EXIT_INCOMPLETE) and (reports.broken or reports.unwritten):
        return Ended(EXIT_INTERNAL if reports.broken else EXIT_USAGE)
    return Ended(status)


def exit_status(result: Result) -> int:
    """Return the exit status of a search; a violation outranks an incomplete search."""
    # Help and the version need not import what a search is made of.
    from ..core.spec import Outcome

    violated = [v.property.kind for v in result.verdicts if v.outcome is Outcome.VIOLATED]
    if any(kind.is_invariant or kind.is_of_state for kind in violated):
        return EXIT_SAFETY
    if any(not kind.is_liveness for kind in violated):
        return EXIT_DEADLOCK
    if violated:
        return EXIT_LIVENESS
    if result.outcome is Outcome.HOLDS:
        return EXIT_HOLDS
    return stopped_status(result.stopped_by)


def stopped_status(stopped_by: Stopped | None) -> int:
    """Return the exit status of what ended before everything was decided."""
    return EXIT_INTERRUPTED if is_interrupt(stopped_by) else EXIT_INCOMPLETE


def gate_status(outcomes: Sequence[CellOutcome]) -> int:
    """Return the exit status of a gate: that of the worst cell, a wrong verdict being the worst."""
    from ..gate.results import Status

    statuses = {outcome.status for outcome in outcomes}
    for status, meant in (
        (Status.FAILED, EXIT_OTHER),
        (Status.ERRED, EXIT_INTERNAL),
        (Status.INTERRUPTED, EXIT_INTERRUPTED),
        (Status.LIMITED, EXIT_INCOMPLETE),
    ):
        if status in statuses:
            return meant
    return EXIT_HOLDS
