"""How each step of the broker family is forced on real brokers.

A step releases what the proxy holds, starts or kills a process, or lets the controller act.  What
the broker makes of it is compared afterwards; here only what travels on the wire is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from . import alter_partition, leader_epochs
from .cluster import Broker
from .deletion import delete
from .forcing import ACKS, Forcing, OtherwiseError, error_of, expect, stands_in
from .messages import (
    EPOCH,
    FENCED_LEADER_EPOCH,
    FETCH,
    LIST_OFFSETS,
    NONE,
    OFFSET_OUT_OF_RANGE,
    error_name,
)
from .observe import NOTHING, hw_checkpoint, stored_log
from .out_of_range import end, learn, list_offsets
from .patience import patience, start_patience, until
from .power_loss import lose_power
from .records import decode_records
from .report import State

_FIRST_TO_KEEP_HW = (2, 4)
"""The release since which a fetch moves the high watermark only if it moves a log end."""

_TRIES = 5
"""How often the lag time passes, within the time that a leader has to look at its followers."""


async def force(
    run: Forcing, action: str, arguments: dict[str, int], before: State, after: State
) -> None:
    """Force one step.

    Raises
    ------
    OtherwiseError
        If a broker does otherwise, as far as the wire shows it.
    """
    run.events = []
    await STEPS[action](run, arguments, before, after)


async def produce(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Send the next record to the leader."""
    run.produce(on["leader"], before["written"])


async def send_fetch(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """See that the follower has sent the fetch, which is held."""
    if on["follower"] in run.fenced:
        return
    held = await run.fetch(on["follower"], on["leader"])
    leo = before["replica"][on["follower"]]["leo"]
    offset = 0 if stands_in(held) else held.partition["offset"]
    expect(f"broker {on['follower']}: fetch offset", leo, offset)


async def handle_fetch(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the leader have the fetch, and compare its answer, which is held."""
    follower, leader = on["follower"], on["leader"]
    if stands_in(await run.fetch(follower, leader)):
        partition = await run.exchange(follower, leader, EPOCH.key)
        expect(f"broker {leader}: OffsetsForLeaderEpoch response", "NONE", error_of(partition))
        (await run.response(follower, leader)).release()
    partition = await _counted_fetch(run, follower, leader, before, after)
    message = after["message"][on["follower"]]
    what = f"broker {on['leader']}: fetch response"
    fails = message["kind"] == "nothing"
    if fails or message["kind"] == "offset out of range":
        expect(what, error_name(OFFSET_OUT_OF_RANGE), error_of(partition))
        if fails:
            # Kafka 2.4.0 cannot read its high watermark: that answers the whole request.
            (await run.response(follower, leader)).release()
        return
    expect(what, error_name(NONE), error_of(partition))
    if message["kind"] == "diverging epoch":
        diverging = partition.get("diverging", {})
        answered = (diverging.get("epoch"), diverging.get("end_offset"))
        expect(f"{what}: diverging epoch", (message["epoch"], message["end_offset"]), answered)
        return
    expected = [f"m{entry['record']}" for entry in message["records"] if entry["record"] != NOTHING]
    sent = [entry.value for entry in decode_records(partition["records"] or b"")]
    expect(f"{what}: records", expected, sent)
    expect(f"{what}: HW", message["hw"], partition["hw"])
    if "log_start" in partition:
        expect(f"{what}: log start", message["start"], partition["log_start"])


async def _counted_fetch(
    run: Forcing, follower: int, leader: int, before: State, after: State
) -> dict[str, Any]:
    """Let the leader have a fetch, and see that the ISR stays as that fetch makes it.

    Kafka shrinks the ISR again if a follower joins it below the log end, as that lags for long; in
    the model that is a step of its own.  So the leader shall believe that a follower that may join
    has caught up.  If it does not join it lags again, unless the model has it as caught up: the
    high watermark waits for who does not lag.
    """
    inside, led = run.broker(leader).inside, before["replica"][leader]
    lagging = await _lagging(run, follower, leader, before)
    offset = before["replica"][follower]["leo"]
    members = "proposed" if run.cluster.proposals is not None else "isr"
    joins = follower in after["replica"][leader][members] - led["isr"] - led["proposed"]
    hw_stays = led["hw"] == after["replica"][leader]["hw"]
    outside = follower not in led["isr"]
    may_join = outside and offset >= led["hw"] and hw_stays and run.cluster.proposals is None
    if outside:
        # Otherwise the high watermark may wait for it, by the log end of its fetch before.
        await inside.forget_fetch(run.topic, follower)
    if joins or may_join:
        await inside.let_catch_up(run.topic, follower)
    for other in lagging:
        await inside.let_catch_up(run.topic, other)
    partition = await run.exchange(follower, leader, FETCH.key)
    for other in lagging:
        await inside.let_lag(run.topic, other)
    lags = offset < led["leo"] and follower not in after["replica"][leader]["caught_up"]
    if may_join and lags and follower not in await inside.isr(run.topic):
        await inside.let_lag(run.topic, follower)
    return partition


async def _lagging(run: Forcing, follower: int, leader: int, before: State) -> list[int]:
    """Return who must not lag yet while a leader has the first fetch of a follower.

    Since 2.4 a fetch has the high watermark recomputed if it moves the log end that the leader
    knows.  A new leader knows none, and the model has 0 for it: there the first fetch, at offset 0,
    moves nothing, and the high watermark waits on for who has lagged since the last one.
    """
    led = before["replica"][leader]
    if run.cluster.distribution.release < _FIRST_TO_KEEP_HW:
        return []
    if run.bounds["hw_waits"] != "true" or before["replica"][follower]["leo"]:
        return []
    if await run.broker(leader).inside.knows_log_end(run.topic, follower):
        return []
    waits_no_more = set(range(len(run.cluster.brokers))) - led["isr"] - led["proposed"]
    return sorted(waits_no_more - led["caught_up"] - {leader, follower})


async def release_response(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the follower have the response, and see that its fetcher fails if it does."""
    follower = on["follower"]
    await run.handled(follower, on["leader"], after)
    if after["replica"][follower]["failed"]:
        await run.fails(follower)


async def refuse_request(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the request through, and its refusal back; the follower sends it again by itself.

    Since KIP-461 (2.3) it does not if its epoch is fenced: it waits for a newer one.  In the model
    it may send again, which is refused again.
    """
    if on["follower"] in run.fenced:
        return
    kind = _REQUESTS[before["message"][on["follower"]]["kind"]]
    if kind == FETCH.key:
        kind = (await run.fetch(on["follower"], on["leader"])).key
    partition = await run.exchange(on["follower"], on["leader"], kind)
    if partition["error"] in (NONE, OFFSET_OUT_OF_RANGE):
        raise OtherwiseError(f"broker {on['leader']}: response", "a refusal", error_of(partition))
    if partition["error"] == FENCED_LEADER_EPOCH:
        run.fenced.add(on["follower"])
    await run.handled(on["follower"], on["leader"], after)


_REQUESTS = {
    "fetch request": FETCH.key,
    "ListOffsets request": LIST_OFFSETS.key,
    "OffsetsForLeaderEpoch request": EPOCH.key,
}


async def send_epoch_request(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """See that the follower has sent OffsetsForLeaderEpoch, which is held."""
    if on["follower"] in run.fenced:
        return
    await run.request(on["follower"], on["leader"], EPOCH.key)


async def handle_epoch_request(
    run: Forcing, on: dict[str, int], before: State, after: State
) -> None:
    """Let the leader have the request, and compare the end offset that it answers."""
    partition = await run.exchange(on["follower"], on["leader"], EPOCH.key)
    what = f"broker {on['leader']}: OffsetsForLeaderEpoch response"
    expect(what, error_name(NONE), error_of(partition))
    message = after["message"][on["follower"]]
    expect(f"{what}: end offset", message["end_offset"], partition["end_offset"])
    if "epoch" in partition:
        expect(f"{what}: epoch", message["epoch"], partition["epoch"])


async def begin_epoch(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Store a new leader epoch."""
    state = after["partition"]
    run.cluster.controller.begin_epoch(run.topic, state["leader"], state["epoch"], state["isr"])


async def crash(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Kill a broker, once its high watermark is on disk if the model says that it is.

    What it has deleted must be on disk, too; that is first written 30 s after it has started.
    """
    run.fenced.discard(on["broker"])
    broker = run.broker(on["broker"])
    replica = before["replica"][broker.number]
    if run.bounds["hw_checkpoint"] == "change":
        await _on_disk(broker, "HW", replica["hw"], lambda: hw_checkpoint(broker.data, run.topic))

    def log_start() -> int:
        return stored_log(broker.data, run.topic).start

    await _on_disk(broker, "log start", replica["start"], log_start, start_patience())
    await run.cluster.kill(broker)


async def _on_disk(
    broker: Broker,
    what: str,
    expected: int,
    stored: Callable[[], int],
    seconds: float | None = None,
) -> None:
    """Wait until a broker has written an offset to its disk."""
    if not await until(lambda: stored() == expected, seconds):
        what = f"broker {broker.number}: {what} on disk"
        raise OtherwiseError(what, str(expected), str(stored()))


async def power(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Kill a broker, and truncate its log on disk."""
    await crash(run, on, before, after)
    lose_power(run.broker(on["broker"]).data, run.topic, on["kept"])


async def restart(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Start a broker again; a controller sends it UpdateMetadata before anything else.

    A controller of KRaft first fences it: ClusterControlManager.registerBroker refuses another
    process with a broker's id while its session lasts, and since 4.0 a registration fences, too.
    """
    cluster, broker = run.cluster, run.broker(on["broker"])
    state = cluster.controller.state(run.topic)
    in_sync = broker.number in state.isr and len(state.isr) > 1
    if cluster.kraft and (in_sync or state.leader == broker.number):
        what = f"broker {broker.number}: registration"
        seen = "with KRaft it is fenced first: it leaves the ISR, in a new epoch"
        raise OtherwiseError(what, f"in epoch {state.epoch}, as before the crash", seen)
    await cluster.start(broker)
    await cluster.controller.introduce(run.topic, broker.number)


async def let_lag(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let replica.lag.time.max.ms pass since the follower last had the leader's log end."""
    await run.broker(on["leader"]).inside.let_lag(run.topic, on["follower"])


async def pass_lag_time(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let that time pass for a follower outside the ISR.

    The high watermark waits for a member anyway; that a member lags is a step of its own.
    """
    led = before["replica"][on["leader"]]
    if on["follower"] not in led["isr"] | led["proposed"]:
        await let_lag(run, on, before, after)


async def shrink(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let that time pass until the leader removes the follower from the ISR, or proposes to.

    A write is lost while Kafka replaces the state of the follower.
    """
    leader, proposals = on["leader"], run.cluster.proposals
    members = run.cluster.controller.state(run.topic).isr

    def shrunk() -> bool:
        if proposals is not None:
            return proposals.proposal(leader) is not None
        return run.cluster.controller.state(run.topic).isr != members

    for _ in range(_TRIES):
        await let_lag(run, on, before, after)
        if await until(shrunk, patience() / _TRIES):
            break


async def lose_message(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Cut the connection of a follower to its leader."""
    run.cluster.proxy.cut_from(on["follower"])


STEPS: dict[str, Callable[[Forcing, dict[str, int], State, State], Awaitable[None]]] = {
    "Produce": produce,
    "DeleteRecords": delete,
    "SendFetch": send_fetch,
    "HandleFetch": handle_fetch,
    "HandleFetchResponse": release_response,
    "HandleOutOfRange": learn,
    "HandleListOffsets": list_offsets,
    "HandleListOffsetsResponse": end,
    "RefuseRequest": refuse_request,
    "SendEpochRequest": send_epoch_request,
    "HandleEpochRequest": handle_epoch_request,
    "HandleEpochResponse": release_response,
    "HandleDivergingEpoch": release_response,
    "BecomeLeader": leader_epochs.apply_epoch,
    "BecomeFollower": leader_epochs.apply_epoch,
    "ApplyChangeRecord": leader_epochs.apply_record,
    "StopReplica": leader_epochs.stop_replica,
    "ShrinkIsr": shrink,
    "PassLagTime": pass_lag_time,
    "Elect": begin_epoch,
    "ElectLastKnown": begin_epoch,
    "Fence": begin_epoch,
    "Crash": crash,
    "LosePower": power,
    "Restart": restart,
    "LoseMessage": lose_message,
    "ProposeShrink": shrink,
    "HandleAlterPartition": alter_partition.decide,
    "HandleAlterPartitionResponse": alter_partition.answer,
    "FenceOutOfSync": alter_partition.know,
    "Unfence": alter_partition.know,
    "FenceFollower": alter_partition.store,
    "AddReplica": alter_partition.store,
    "RemoveReplica": alter_partition.store,
    "ReplaceReplica": alter_partition.store,
    "CancelReassignment": alter_partition.store,
    "CompleteReassignment": alter_partition.decide,
}
"""The steps that can be forced, by their names in the model."""

_FORCED_WITH = {
    "isr_propagation": ("instant", "kraft", "records"),
    "hw_checkpoint": ("change",),
    "purgatory": ("false",),
    "acks": tuple(ACKS),
}
"""What options must be for their steps to be forced."""


def cannot_force(bounds: Mapping[str, str]) -> list[str]:
    """Return which options of a behavior cannot be forced, a sentence each; empty if all can."""
    return [
        f"{name} is {bounds[name]}, and can be forced as {' or '.join(values)} only"
        for name, values in _FORCED_WITH.items()
        if bounds[name] not in values
    ]
