"""A replica's log, and the last offset at which two logs agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.layout import NONE

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import PublishedState


def append(s: PublishedState, k: Constants, replica: int, epoch: int, record: int) -> None:
    """Append a record of a leader epoch to a replica's log."""
    mine = s.replica[replica]
    entry = mine.log[mine.leo]
    entry.epoch = epoch
    entry.record = record
    mine.leo += 1


def truncate_to(s: PublishedState, k: Constants, replica: int, offset: int) -> None:
    """Truncate a replica's log to `offset`, and limit its high watermark to it."""
    mine = s.replica[replica]
    for removed in range(offset, mine.leo):
        mine.log[removed].epoch = NONE
        mine.log[removed].record = NONE
    mine.leo = offset
    mine.hw = min(mine.hw, offset)


def last_epoch(s: PublishedState, k: Constants, replica: int) -> int:
    """Return the leader epoch of the last record in a replica's log; the log is not empty."""
    return s.replica[replica].log[s.replica[replica].leo - 1].epoch


def end_of_last_match(s: PublishedState, k: Constants, one: int, other: int) -> int:
    """Return the offset after the last one at which two logs hold the same record, or 0."""
    for end in range(min(s.replica[one].leo, s.replica[other].leo), 0, -1):
        if s.replica[one].log[end - 1].record == s.replica[other].log[end - 1].record:
            return end
    return 0
