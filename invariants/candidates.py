"""Potential loss: committed records that an elected leader, or a candidate, lacks."""

from __future__ import annotations

from ..core.fields import NONE, members
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState
from .loss import committed_places


def _first_missing(s: BrokerState, k: Constants, broker: int) -> int:
    """Return the offset of the first committed record that a broker lacks, or NONE."""
    log = s.replica[broker].log
    for offset in range(k.log_size):
        committed = s.aux_committed[offset]
        if committed.record != NONE and log[offset].record != committed.record:
            return offset
    return NONE


def _explain(s: BrokerState, broker: int, offset: int, role: str) -> str:
    lost, replica = s.aux_committed[offset], s.replica[broker]
    instead = f"its log ends at {replica.leo}"
    if replica.leo > offset:
        instead = f"it has m{replica.log[offset].record} there"
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}. "
        f"Broker {broker} {role} in epoch {s.partition.epoch}, but {instead}."
    )


@BROKER.invariant(
    "A live broker that the partition state names leader has every record ever committed, even "
    "before it applies its epoch.",
    source="LeaderCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=lambda s, k, broker, offset: _explain(s, broker, offset, "is the elected leader"),
    places=committed_places,
)
def leader_completeness(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) of a committed record that the live leader lacks."""
    leader = s.partition.leader
    if leader == NONE or not s.replica[leader].alive:
        return None
    offset = _first_missing(s, k, leader)
    if offset != NONE:
        return leader, offset
    return None


@BROKER.invariant(
    "Every member of the partition state's ISR, alive or dead, has every committed record.",
    source="LeaderCandidateCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=lambda s, k, broker, offset: _explain(s, broker, offset, "is a member of the ISR"),
    places=committed_places,
)
def leader_candidate_completeness(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (member, offset) of a committed record that a member of the ISR lacks."""
    for member in members(s.partition.isr):
        offset = _first_missing(s, k, member)
        if offset != NONE:
            return member, offset
    return None


@BROKER.invariant(
    "Every record that was ever committed is in the log of at least one replica.",
    source="NoCommittedRecordLostGlobally in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=lambda s, k, offset: (
        f"Record m{s.aux_committed[offset].record} was committed at offset {offset} in leader "
        f"epoch {s.aux_committed[offset].epoch}, and no replica, alive or dead, has it any more."
    ),
)
def committed_somewhere(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return the offset of a committed record that no replica holds."""
    for offset in range(k.log_size):
        record = s.aux_committed[offset].record
        if record != NONE and all(r.log[offset].record != record for r in s.replica):
            return (offset,)
    return None
