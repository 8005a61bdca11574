"""How steps after OFFSET_OUT_OF_RANGE are forced: a follower asks where the log ends and starts.

Kafka asks for LATEST and, if the follower's log is no longer than that, then for EARLIEST.  The
model asks once.
"""

from __future__ import annotations

from typing import Any

from .forcing import Forcing, error_of, expect
from .messages import LIST_OFFSETS, NONE, error_name
from .report import State


async def learn(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the follower have OFFSET_OUT_OF_RANGE, and see that it asks for the log end."""
    (await run.response(on["follower"], on["leader"])).release()
    await run.request(on["follower"], on["leader"], LIST_OFFSETS.key)


async def list_offsets(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the leader have ListOffsets, and compare what it answers; its last answer is held."""
    follower, leader = on["follower"], on["leader"]
    message = after["message"][follower]
    end = message["end_offset"]
    await _listed(run, follower, leader, "log end", end)
    if before["replica"][follower]["leo"] <= end:
        (await run.response(follower, leader)).release()
        await _listed(run, follower, leader, "log start", message["start"])


async def _listed(run: Forcing, follower: int, leader: int, what: str, expected: int) -> None:
    partition = await run.exchange(follower, leader, LIST_OFFSETS.key)
    named = f"broker {leader}: ListOffsets response"
    expect(named, error_name(NONE), error_of(partition))
    expect(f"{named}: {what}", expected, _offset(partition))


def _offset(partition: dict[str, Any]) -> int:
    offsets = partition.get("offsets")
    offset: int = offsets[0] if offsets else partition["offset"]
    return offset


async def end(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the follower have the offset; one that would have to truncate may exit instead."""
    await run.handled(on["follower"], on["leader"], after)
    if not after["replica"][on["follower"]]["alive"]:
        await run.ends(on["follower"])
