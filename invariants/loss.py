"""Data loss: every committed or acknowledged record is in the log of whoever leads, or may lead."""

from __future__ import annotations

from ..core.fields import NONE, members
from ..core.scene import LogOffset
from ..model.broker.bounds import ACKS_ALL, Constants
from ..model.broker.family import BROKER
from ..model.broker.leadership import acting_leader
from ..model.broker.state import BrokerState


def explain_committed(s: BrokerState, k: Constants, leader: int, offset: int) -> str:
    """Explain which committed record is lost, and which leader lacks it."""
    lost = s.aux_committed[offset]
    acknowledged = (
        ", and it was acknowledged to its producer"
        if k.track_acked and s.aux_acked[lost.record].epoch != NONE
        else ""
    )
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}: "
        f"consumers have read it{acknowledged}. Broker {leader} now leads epoch "
        f"{s.replica[leader].epoch} {_instead(s, leader, offset)}. {_holders(s, k, lost.record)}"
    )


def committed_places(
    s: BrokerState, k: Constants, broker: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return where the committed record should be."""
    return (LogOffset(broker, offset, f"m{s.aux_committed[offset].record}"),)


def explain_acked(s: BrokerState, k: Constants, leader: int, record: int) -> str:
    """Explain which acknowledged record is lost, and which leader lacks it."""
    acked = s.aux_acked[record]
    acks = "all" if k.acks == ACKS_ALL else str(k.acks)
    return (
        f"Record m{record} was acknowledged to its producer (acks={acks}) at offset "
        f"{acked.offset} in leader epoch {acked.epoch}. Broker {leader} now leads epoch "
        f"{s.replica[leader].epoch} {_instead(s, leader, acked.offset)}. {_holders(s, k, record)}"
    )


def acked_places(s: BrokerState, k: Constants, leader: int, record: int) -> tuple[LogOffset, ...]:
    """Return where the lost record should be."""
    return (LogOffset(leader, s.aux_acked[record].offset, f"m{record}"),)


def _instead(s: BrokerState, leader: int, offset: int) -> str:
    """Explain what a log has at an offset instead of the expected record."""
    replica = s.replica[leader]
    if replica.leo <= offset:
        return f"and its log ends at {replica.leo}, without it"
    return f"with m{replica.log[offset].record} at that offset instead"


def _holders(s: BrokerState, k: Constants, record: int) -> str:
    """Explain which replicas still have a record."""
    holders = [
        str(broker)
        for broker in range(k.replicas)
        if any(entry.record == record for entry in s.replica[broker].log)
    ]
    if not holders:
        return f"No replica has m{record} any more."
    if len(holders) == 1:
        return f"Only replica {holders[0]} still has m{record}."
    return f"Replicas {' and '.join(holders)} still have m{record}."


def first_missing(s: BrokerState, k: Constants, broker: int) -> int:
    """Return the offset of the first committed record that a broker lacks, or NONE."""
    log = s.replica[broker].log
    for offset in range(k.log_size):
        committed = s.aux_committed[offset]
        if committed.record != NONE and log[offset].record != committed.record:
            return offset
    return NONE


@BROKER.invariant(
    "Every record that was once below a leader's high watermark is in the log of every "
    "broker that acts as leader from then on.",
    source="KIP-101; LeaderCompleteness in Ongaro and Ousterhout, Raft (2014)",
    explain=explain_committed,
    places=committed_places,
)
def no_committed_record_lost(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) of a committed record that the acting leader lacks."""
    leader = acting_leader(s)
    if leader == NONE:
        return None
    offset = first_missing(s, k, leader)
    if offset != NONE:
        return leader, offset
    return None


@BROKER.invariant(
    "Every record that was acknowledged to its producer is in the log of every "
    "broker that acts as leader from then on.",
    source="KIP-101; the guarantee of acks in Kafka's producer configuration",
    explain=explain_acked,
    places=acked_places,
)
def no_acked_record_lost(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, record) of an acknowledged record that the acting leader lacks."""
    leader = acting_leader(s)
    if leader == NONE:
        return None
    replica = s.replica[leader]
    for record in range(k.records):
        acked = s.aux_acked[record]
        if acked.epoch != NONE and replica.log[acked.offset].record != record:
            return leader, record
    return None


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
    offset = first_missing(s, k, leader)
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
        offset = first_missing(s, k, member)
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
