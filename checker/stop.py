"""What ends a search before it has explored everything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Stop(StrEnum):
    """What can end a search; a limit is named by its option."""

    INTERRUPT = "an interrupt"
    TIME_LIMIT = "--time-limit"
    MAX_STATES = "--max-states"
    MAX_DEPTH = "--max-depth"
    MAX_MEMORY = "--max-memory"
    OUT_OF_MEMORY = "a lack of memory (ulimit -v); allow more, or choose smaller bounds"
    WALKS = "the number of walks"
    FAILED = "an error of the model"
    UNWRITABLE = ""
    """The limit names the file that could not be written, and the reason."""


@dataclass(frozen=True)
class Stopped:
    """What ended a search.

    Parameters
    ----------
    by
        What ended it.
    limit
        The value of the limit that was reached, as printed.
    note
        What is printed after it, such as the call of the model that did not return.

    Examples
    --------
    >>> str(Stopped(Stop.TIME_LIMIT, "2.5", " in crash(broker=1), which has not returned"))
    '--time-limit 2.5 in crash(broker=1), which has not returned'
    """

    by: Stop
    limit: str = ""
    note: str = ""

    def __str__(self) -> str:
        return f"{self.by} {self.limit}".strip() + self.note

    def noting(self, text: str) -> Stopped:
        """Return the same with a text after the note."""
        return replace(self, note=self.note + text)


def is_interrupt(stopped_by: Stopped | None) -> bool:
    """Whether a search was interrupted."""
    return stopped_by is not None and stopped_by.by is Stop.INTERRUPT
