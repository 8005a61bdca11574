"""How brokers are made to apply leader epochs, partition change records, and their removal."""

from __future__ import annotations

from .forcing import Forcing
from .metadata import PartitionState
from .report import State
from .scripted_quorum import INVALID_UPDATE_VERSION


async def apply_epoch(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Send LeaderAndIsr of an epoch, or the metadata up to a partition change record of it.

    A broker that takes it up first ends its fetchers, which wait for the answers to their requests;
    so these are cut.  What the model keeps in flight stays.
    """
    number = on["leader"] if "leader" in on else on["follower"]
    run.fenced.discard(number)
    in_flight = before["message"][number]
    keeps = in_flight["kind"] != "nothing" and in_flight == after["message"][number]
    if not keeps:
        run.cluster.proxy.refuse(number)
    try:
        if run.bounds["isr_propagation"] == "records":
            await run.give(number, _state_of_record(run, on, before))
        else:
            isr = before["leader_and_isr"][on["epoch"]]["isr"] or before["partition"]["isr"]
            is_locked = keeps and "ListOffsets" in in_flight["kind"]
            await run.announce(number, on["epoch"], isr, is_locked)
    finally:
        run.cluster.proxy.admit(number)


def _state_of_record(run: Forcing, on: dict[str, int], before: State) -> PartitionState:
    """Return the state that a record of an epoch leads to: to followers, the newest of it.

    The queue of the model holds the last records of the epoch, which the leader has not applied.
    """
    states = run.scripted.states(run.topic, on["epoch"])
    if "last" not in on:
        return states[-1]
    queue = [isr for isr in before["leader_and_isr"][on["epoch"]]["isrs"] if isr]
    return states[on["last"] - len(queue)]


async def stop_replica(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let a broker learn of the first state of an epoch, in which it is not a replica."""
    number = on["broker"]
    run.fenced.discard(number)
    run.cluster.proxy.refuse(number)
    try:
        await run.give(number, run.scripted.states(run.topic, on["epoch"])[0])
    finally:
        run.cluster.proxy.admit(number)
    run.broker(number).inside.forget(run.topic)


async def apply_record(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let a leader apply the metadata up to a partition change record.

    A follower that it then keeps outside the ISR lags, unless it was caught up: a proposal to let
    it join is dropped.  Where the record moves the high watermark, that must not wait for such a
    follower, which so lags before the record arrives; otherwise it lags from then on.  A member
    that the leader proposed to remove, in vain, lags no longer.
    """
    leader = on["leader"]
    led, leads = before["replica"][leader], after["replica"][leader]
    kept = {leader, *leads["isr"], *leads["caught_up"]}
    outside = set(range(len(run.cluster.brokers))) - kept
    for follower in leads["isr"] - {leader}:
        await run.broker(leader).inside.let_catch_up(run.topic, follower)
    hw_moves = led["hw"] != leads["hw"]
    if hw_moves:
        await _let_lag(run, leader, outside)
    await apply_epoch(run, on, before, after)
    if hw_moves:
        _drop_shrink(run, leader, led["isr"] - outside, before)
    else:
        await _let_lag(run, leader, outside)


async def _let_lag(run: Forcing, leader: int, followers: set[int]) -> None:
    for follower in followers:
        await run.broker(leader).inside.let_lag(run.topic, follower)


def _drop_shrink(run: Forcing, leader: int, isr: set[int], before: State) -> None:
    """Refuse a request to remove who lagged too early, if the leader has sent one.

    It looks for lagging members ten times a second.  The record that it has applied since has a
    newer partition epoch, so it no longer waits for the answer.
    """
    scripted = run.scripted
    proposal = scripted.proposal(leader)
    waits = before["alter_partition"][leader]["kind"] != "nothing"
    if proposal is not None and not waits and set(proposal.isr) == isr:
        scripted.decide(leader, INVALID_UPDATE_VERSION, {})
        scripted.answer(leader)
