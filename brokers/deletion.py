"""How a leader is made to delete records: a client's DeleteRecords, or retention (KIP-107)."""

from __future__ import annotations

from .client import ask
from .forcing import Forcing, OtherwiseError
from .messages import DELETE_RECORDS, NONE, REQUEST_TIMED_OUT, error_name
from .observe import stored_log
from .patience import start_patience, until
from .records import record_size
from .report import State
from .zookeeper import ZooKeeper

_AT_ONCE = 1
"""Milliseconds that the leader waits for its followers to delete, too: as good as none."""


async def delete(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Have a leader delete its records below an offset; above its high watermark by retention."""
    leader, offset = on["leader"], on["offset"]
    controller = run.cluster.controller
    above_hw = offset > before["replica"][leader]["hw"]
    if above_hw and run.cluster.retains_above_hw and isinstance(controller, ZooKeeper):
        await _expire(run, controller, leader, offset, before)
    else:
        await _delete_records(run, leader, offset)


async def _delete_records(run: Forcing, leader: int, offset: int) -> None:
    partition = {"index": 0, "offset": offset}
    body = {"topics": [{"name": run.topic, "partitions": [partition]}], "timeout_ms": _AT_ONCE}
    answer = await ask(run.broker(leader).port, DELETE_RECORDS, 0, body)
    error = answer["topics"][0]["partitions"][0]["error"]
    run.events.append(f"client -> {leader}: DeleteRecords below {offset}: {error_name(error)}")
    if error not in (NONE, REQUEST_TIMED_OUT):
        what = f"broker {leader}: DeleteRecords response"
        raise OtherwiseError(what, error_name(NONE), error_name(error))


async def _expire(
    run: Forcing, controller: ZooKeeper, leader: int, offset: int, before: State
) -> None:
    """Let the topic retain what the leader shall keep, until the leader has deleted the rest.

    A segment holds one record.  Retention is the same for all brokers, so no follower may have more
    records than that.
    """
    kept = before["replica"][leader]["leo"] - offset
    followers = [one for number, one in enumerate(before["replica"]) if number != leader]
    if any(one["leo"] - one["start"] > kept for one in followers):
        raise OtherwiseError("retention", f"deletes at broker {leader} alone", "at others, too")
    data = run.broker(leader).data
    controller.retain(run.topic, kept * record_size(run.cluster.magic))
    # The first look at retention comes 30 s after a broker has started.
    await until(lambda: stored_log(data, run.topic).start >= offset, start_patience())
    controller.retain(run.topic, -1)
    run.events.append(f"retention at {leader}: its log starts at {offset}")
