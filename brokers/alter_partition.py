"""How the steps of AlterPartition are forced: a leader of a KRaft cluster changes the ISR.

The leader's request waits at the scripted controller, which decides as the behavior says.
"""

from __future__ import annotations

from typing import Any

from .forcing import Forcing, OtherwiseError
from .messages import FENCED_LEADER_EPOCH, NONE, error_name
from .report import State
from .scripted_quorum import (
    INELIGIBLE_REPLICA,
    INVALID_UPDATE_VERSION,
    NEW_LEADER_ELECTED,
    Proposal,
    ScriptedQuorum,
)

_ORPHANED = "AlterPartition request of a sender that has died"
_ACCEPTED = "AlterPartition response: done"
_REFUSED = "AlterPartition response: ineligible replica"

_OF_REASSIGNMENTS = ("replicas", "adding", "removing")


async def decide(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller decide; the leader does not know yet.

    A leader whose epoch is the present one must know the present partition epoch, too.  If the
    change completes a reassignment, and removes a replica, it begins a leader epoch.
    """
    leader = on["leader"]
    scripted = run.scripted
    if before["alter_partition"][leader]["kind"] == _ORPHANED:
        await store(run, on, before, after)
        return
    proposal, state = _proposal(scripted, leader), scripted.state(run.topic)
    kind, changes = after["alter_partition"][leader]["kind"], _changes(before, after)
    completes = "epoch" in changes
    if (kind == _ACCEPTED or completes) and proposal.version != state.version:
        what = f"broker {leader}: partition epoch in AlterPartition"
        raise OtherwiseError(what, str(state.version), str(proposal.version))
    outdated = FENCED_LEADER_EPOCH if proposal.epoch != state.epoch else INVALID_UPDATE_VERSION
    error = {_ACCEPTED: NONE, _REFUSED: INELIGIBLE_REPLICA}.get(kind, outdated)
    if completes:
        error = NEW_LEADER_ELECTED if "leader" in changes else NONE
    if kind == _ACCEPTED:
        changes["isr"] = proposal.isr
    scripted.decide(leader, error, changes)
    isr = ",".join(map(str, proposal.isr))
    run.events.append(f"{leader} -> controller: AlterPartition, ISR {isr}: {error_name(error)}")


async def answer(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the leader have the answer.

    Who lagged so that the leader proposed to remove it lags no longer if it stays, nor who joins
    although its lag time has passed meanwhile: or the leader would propose to remove it at once.
    Who stays outside because the leader's proposal is refused lags, unless it was caught up.
    """
    leader = on["leader"]
    scripted, inside = run.scripted, run.broker(leader).inside
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


async def know(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller fence or unfence a broker, which no other broker learns."""


async def store(run: Forcing, on: dict[str, int], before: State, after: State) -> None:
    """Let the controller store what the step changes; nobody learns of it yet."""
    changes = _changes(before, after)
    if changes:
        run.scripted.store(run.topic, **changes)


def _changes(before: State, after: State) -> dict[str, Any]:
    """Return what a step changes of that which the controller stores, with the new values."""
    was = _stored(before)
    return {name: value for name, value in _stored(after).items() if value != was[name]}


def _stored(state: State) -> dict[str, Any]:
    """Return what the controller stores of the partition, as far as brokers learn it."""
    partition = state["partition"]
    stored = {"leader": partition["leader"], "epoch": partition["epoch"]}
    sets = {name: tuple(sorted(partition[name])) for name in ("isr", *_OF_REASSIGNMENTS)}
    return {**stored, **sets}


def _proposal(scripted: ScriptedQuorum, leader: int) -> Proposal:
    proposal = scripted.proposal(leader)
    if proposal is None:
        raise OtherwiseError(f"broker {leader} to the controller", "AlterPartition", "nothing")
    return proposal
