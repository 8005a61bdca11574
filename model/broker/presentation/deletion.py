"""How a log start offset moves, in words, for the option ``deletions``."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.scene import Event, Scene
from .pictures import CLIENTS, Arguments, Telling, broker, broker_of, log_of, occurrence, said
from .view import FAILED


def _delete_records(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, offset = a["leader"], a["offset"]
    log = log_of(before, leader)
    deleted = ", ".join(str(entry) for entry in log.entries[log.start : offset])
    return occurrence(
        f"Broker {leader} deletes {deleted}: its log now starts at offset {offset} (DeleteRecords "
        "or retention).",
        exchange=((CLIENTS, broker(leader), f"DeleteRecords below {offset}"),),
    )


def log_start_moved(follower: int, before: Scene, after: Scene) -> str:
    """Say what the log start in a response did to a follower, as a sentence; empty if nothing."""
    if fails(follower, before, after):
        return (
            f" The log of its leader starts above its HW, {log_of(after, follower).hw}: "
            "OffsetOutOfRangeException. Its fetcher fails, and it fetches no more until it applies "
            "another epoch."
        )
    was, now = log_of(before, follower), log_of(after, follower)
    if now.start <= was.start:
        return ""
    deleted = ", ".join(str(entry) for entry in was.entries[was.start : now.start])
    return f" As its leader has, it deletes {deleted or 'what is'} below offset {now.start}."


def fails_before_truncating(a: Arguments, before: Scene, after: Scene) -> Event:
    """Return the event of a follower whose fetcher fails by a diverging epoch."""
    follower = a["follower"]
    return occurrence(
        f"Broker {follower} receives the answer of broker {a['leader']}, "
        f"“{said(before, follower)}”, and applies HW and log start before it truncates."
        f"{log_start_moved(follower, before, after)}",
        sign="crash",
        rule="a diverging answer below the log start makes the fetcher fail",
    )


def fails(follower: int, before: Scene, after: Scene) -> bool:
    """Whether a follower's fetcher fails in a step."""
    was, now = broker_of(before, follower), broker_of(after, follower)
    return now.role.endswith(FAILED) and not was.role.endswith(FAILED)


DELETION: Mapping[str, Telling] = {
    "DeleteRecords": ("leader", _delete_records),
}
"""The action that deletes."""
