"""How a leader is made to delete records: a client's DeleteRecords, or retention (KIP-107)."""

from __future__ import annotations

from .client import ask
from .forcing import Forcing, OtherwiseError
from .messages import DELETE_RECORDS, NONE, REQUEST_TIMED_OUT, error_name
from .report import State

_AT_ONCE = 1
"""Milliseconds that the leader waits for its followers to delete, too: as good as none."""


async def delete_records(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Have a leader delete its records below an offset."""
    leader, offset = on["leader"], on["offset"]
    partition = {"index": 0, "offset": offset}
    body = {"topics": [{"name": run.topic, "partitions": [partition]}], "timeout_ms": _AT_ONCE}
    answer = await ask(run.broker(leader).port, DELETE_RECORDS, 0, body)
    error = answer["topics"][0]["partitions"][0]["error"]
    run.events.append(f"client -> {leader}: DeleteRecords below {offset}: {error_name(error)}")
    if error not in (NONE, REQUEST_TIMED_OUT):
        what = f"broker {leader}: DeleteRecords response"
        raise OtherwiseError(what, error_name(NONE), error_name(error))
