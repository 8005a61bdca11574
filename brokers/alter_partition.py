"""How the steps of AlterPartition are forced: a leader of a KRaft cluster changes the ISR.

The leader's request waits at the scripted controller, which decides as the behavior says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from .forcing import Forcing, OtherwiseError
from .messages import FENCED_LEADER_EPOCH, NONE, error_name
from .report import State
from .scripted_quorum import INELIGIBLE_REPLICA, INVALID_UPDATE_VERSION, Proposal, ScriptedQuorum

_ORPHANED = "AlterPartition request of a sender that has died"
_ACCEPTED = "AlterPartition response: done"
_REFUSED = "AlterPartition response: ineligible replica"


async def decide(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller decide; the leader does not know yet.

    A leader whose epoch is the present one must know the present partition epoch, too.
    """
    leader = on["leader"]
    scripted = _quorum(run)
    if before["alter_partition"][leader]["kind"] == _ORPHANED:
        await store(run, on, before, after)
        return
    proposal, state = _proposal(scripted, leader), scripted.state(run.topic)
    kind = after["alter_partition"][leader]["kind"]
    if kind == _ACCEPTED and proposal.version != state.version:
        what = f"broker {leader}: partition epoch in AlterPartition"
        raise OtherwiseError(what, str(state.version), str(proposal.version))
    outdated = FENCED_LEADER_EPOCH if proposal.epoch != state.epoch else INVALID_UPDATE_VERSION
    error = {_ACCEPTED: NONE, _REFUSED: INELIGIBLE_REPLICA}.get(kind, outdated)
    scripted.decide(leader, error)
    isr = ",".join(map(str, proposal.isr))
    run.events.append(f"{leader} -> controller: AlterPartition, ISR {isr}: {error_name(error)}")


async def answer(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the leader have the answer.

    Who lagged so that the leader proposed to remove it lags no longer if it stays, nor who joins
    although its lag time has passed meanwhile: or the leader would propose to remove it at once.
    Who stays outside because the leader's proposal is refused lags, unless it was caught up.
    """
    leader = on["leader"]
    scripted, inside = _quorum(run), run.broker(leader).inside
    replica, kind = after["replica"][leader], before["alter_partition"][leader]["kind"]
    if kind in (_ACCEPTED, _REFUSED) and replica["leader"] == leader:
        for follower in range(len(run.cluster.brokers)):
            if follower in replica["isr"]:
                await inside.let_catch_up(run.topic, follower)
            elif kind == _REFUSED and follower not in replica["caught_up"]:
                await inside.let_lag(run.topic, follower)
    _proposal(scripted, leader)
    scripted.answer(leader)
    run.events.append(f"controller -> {leader}: the answer to AlterPartition")


async def apply_record(
    apply: Callable[[Forcing, dict[str, int], State, State], Awaitable[None]],
    run: Forcing,
    on: dict[str, int],
    before: State,
    after: State,
) -> None:
    """Let a leader apply the metadata up to a partition change record.

    A follower that it then keeps outside the ISR lags, unless it was caught up: a proposal to let
    it join is dropped.  Where the record moves the high watermark, that must not wait for such a
    follower, which so lags before the record arrives; otherwise it lags from then on.  A member
    that the leader proposed to remove, in vain, lags no longer.

    Parameters
    ----------
    apply
        Has a broker apply an epoch.
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
    await apply(run, on, before, after)
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
    scripted = _quorum(run)
    proposal = scripted.proposal(leader)
    waits = before["alter_partition"][leader]["kind"] != "nothing"
    if proposal is not None and not waits and set(proposal.isr) == isr:
        scripted.decide(leader, INVALID_UPDATE_VERSION)
        scripted.answer(leader)


async def know(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller fence or unfence a broker, which no other broker learns."""


async def store(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller store another ISR, if the step changes it; nobody learns of it yet."""
    if after["partition"]["isr"] != before["partition"]["isr"]:
        _quorum(run).accept(run.topic, after["partition"]["isr"])


def _quorum(run: Forcing) -> ScriptedQuorum:
    scripted = run.cluster.proposals
    assert scripted is not None
    return scripted


def _proposal(scripted: ScriptedQuorum, leader: int) -> Proposal:
    proposal = scripted.proposal(leader)
    if proposal is None:
        raise OtherwiseError(f"broker {leader} to the controller", "AlterPartition", "nothing")
    return proposal
