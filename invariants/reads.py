"""Consumer reads: an answered read stays valid, and the visible log does not shrink."""

from __future__ import annotations

from ..core.fields import NONE
from ..core.scene import LogOffset
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.leadership import acting_leader, leads
from ..model.broker.state import BrokerState
from .loss import committed_places


def explain_other_answer(s: BrokerState, k: Constants, leader: int, offset: int) -> str:
    """Explain which offset has which two records."""
    first = s.aux_committed[offset]
    return (
        f"Consumers read m{first.record} at offset {offset} in leader epoch {first.epoch}; broker "
        f"{leader}, which leads in epoch {s.replica[leader].epoch}, now answers "
        f"m{s.replica[leader].log[offset].record} there."
    )


def explain_high_watermark_monotonic(s: BrokerState, k: Constants) -> str:
    """Explain how far the high watermark went back."""
    leader = acting_leader(s)
    return (
        f"Consumers have seen the high watermark at {s.aux_hw}; broker {leader} now leads epoch "
        f"{s.partition.epoch} and has it at {s.replica[leader].hw}."
    )


def explain_missing_read(s: BrokerState, k: Constants, leader: int, offset: int) -> str:
    """Explain which record was read, and which leader lacks it."""
    read = s.aux_read[offset]
    return (
        f"A consumer has read m{read.record} at offset {offset} from the leader of epoch "
        f"{read.epoch}; broker {leader}, which leads epoch {s.replica[leader].epoch}, does not "
        "have it there."
    )


def missing_read_places(
    s: BrokerState, k: Constants, leader: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return the expected place of the record."""
    return (LogOffset(leader, offset, f"m{s.aux_read[offset].record}"),)


def explain_listed_offsets_monotonic(s: BrokerState, k: Constants) -> str:
    """Explain how far the offset that ListOffsets returns went back."""
    leader = acting_leader(s)
    return (
        f"ListOffsets returned {s.aux_listed} to clients as the log end; broker {leader} now "
        f"leads epoch {s.partition.epoch}, which began at offset {s.replica[leader].epoch_start}, "
        f"and returns {s.replica[leader].hw}."
    )


@BROKER.invariant(
    "Every record that a consumer has read is in the log of every broker that acts "
    "as leader from then on (with isr_propagation=zookeeper it reads from the leader "
    "in its metadata; otherwise it has read all committed records).",
    source="KIP-101, KIP-320",
    explain=explain_missing_read,
    places=missing_read_places,
)
def no_read_record_lost(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) of a record that a consumer read and the acting leader lacks."""
    leader = acting_leader(s)
    if leader == NONE:
        return None
    replica = s.replica[leader]
    for offset in range(k.log_size):
        read = s.aux_read[offset]
        if read.record != NONE and replica.log[offset].record != read.record:
            return leader, offset
    return None


@BROKER.invariant(
    "At every offset below its high watermark, every broker that leads has the "
    "record that was committed there first.",
    source="ConsistentReadProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=explain_other_answer,
    places=committed_places,
)
def consistent_read(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) where a consumer would read another record than before."""
    for leader in range(k.replicas):
        if leads(s, leader):
            replica = s.replica[leader]
            for offset in range(s.aux_deleted, replica.hw):
                if replica.log[offset].record != s.aux_committed[offset].record:
                    return leader, offset
    return None


@BROKER.invariant(
    "The high watermark of an acting leader is never below that of an acting leader "
    "before it (an expected violation: Kafka makes clients wait instead, KIP-207).",
    source="KAFKA-2334, KIP-207",
    explain=explain_high_watermark_monotonic,
)
def high_watermark_monotonic(s: BrokerState, k: Constants) -> bool:
    """Whether the acting leader's HW is at least as high as that of any acting leader before."""
    leader = acting_leader(s)
    return leader == NONE or s.replica[leader].hw >= s.aux_hw


@BROKER.invariant(
    "The log end that an acting leader returns to clients (ListOffsets: its high "
    "watermark) is never below one that was returned before.",
    source="KAFKA-2334, KIP-207",
    explain=explain_listed_offsets_monotonic,
)
def listed_offsets_monotonic(s: BrokerState, k: Constants) -> bool:
    """Whether ListOffsets returns an offset at least as high as any that it returned before."""
    leader = acting_leader(s)
    if leader == NONE or not k.rules.may_list_offsets(s, k, leader):
        return True
    return s.replica[leader].hw >= s.aux_listed
