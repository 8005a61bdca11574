"""Progress: what must eventually happen, and that a cluster can recover without new faults.

Faults and elections are bounded, so every behavior has a last one; what follows it is what fairness
brings about.  A property that fails only because a bound is used up says nothing of Kafka.  So an
epoch without a leader counts as led where the bounds allow no further election, and a leader that
is no longer acting asks for nothing.  Nobody promises that an ISR stays full (a follower may fall
behind at any time, for a moment), so each property says "again and again", not "for ever".
"""

from __future__ import annotations

from ..core.fields import NONE, size
from ..core.scene import LogOffset
from ..core.spec import Kind
from ..model.broker.assignment import assigned, knows_metadata, least_isr, reassigning
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.leadership import acting_leader
from ..model.broker.state import BrokerState


def can_be_led(s: BrokerState, k: Constants) -> bool:
    """Whether a candidate is alive and the bounds allow another election.

    Candidates are the members of the ISR and, with the option ``elr``, eligible leader replicas;
    without any, the last known leader, if the option ``last_known_leader`` is on.
    """
    candidates = s.partition.isr | s.partition.elr
    if not candidates and s.partition.last_known_leader != NONE:
        candidates = 1 << s.partition.last_known_leader
    alive = any(
        candidates >> broker & 1 and s.replica[broker].alive for broker in range(k.replicas)
    )
    return alive and s.partition.epoch < k.elections


def may_end(s: BrokerState, k: Constants) -> bool:
    """Whether the bounds allow a reassignment in progress to end, which begins a leader epoch."""
    return not reassigning(s) or s.partition.epoch < k.elections


def explain(s: BrokerState, k: Constants, leader: int, broker: int) -> str:
    """Explain why the cluster cannot recover."""
    if leader == NONE:
        return (
            "No broker acts as leader although a member of the ISR is alive, and only a new "
            "fault leads to a state in which one does: the cluster cannot recover."
        )
    if broker == NONE:
        return (
            f"Broker {leader} leads epoch {s.partition.epoch} and waits for the response to its "
            "proposed ISR change, which only a new fault or election brings: it cannot change the "
            "ISR any more."
        )
    replica = s.replica[broker]
    if replica.leader != leader or replica.epoch != s.partition.epoch:
        problem = f"has not applied epoch {s.partition.epoch}"
    elif replica.truncating:
        problem = "has not finished truncation"
    else:
        problem = f"has its log end at {replica.leo}, not at {s.replica[leader].leo}"
    return (
        f"Broker {leader} leads epoch {s.partition.epoch}, and replica {broker} is alive but "
        f"{problem}: only new faults or writes lead to a state in which every live replica follows "
        "with the leader's log end."
    )


@BROKER.invariant(
    "While all replicas but one are alive, one of them is in the ISR or the ELR, so that "
    "it can be elected.",
    source="OfflinePartitionsCount; Kafka promises it only while the ISR has two members",
    explain=lambda s, k, dead: (
        f"Only broker {dead} is dead, and no live replica is in the ISR: the partition has no "
        "leader until that broker restarts, or by an unclean election."
    ),
)
def one_failure_leaves_candidate(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return the only dead replica, if no live one is in the ISR or the ELR."""
    dead, candidates = NONE, s.partition.isr | s.partition.elr
    for broker in range(k.replicas):
        if not assigned(s, k) >> broker & 1:
            continue
        if s.replica[broker].alive:
            if candidates >> broker & 1:
                return None
        elif dead != NONE:
            return None
        else:
            dead = broker
    return None if dead == NONE else (dead,)


@BROKER.liveness(
    Kind.STUCK,
    "From every state, recovery steps (all steps but faults and writes) can lead to a "
    "state with an acting leader (if a member of the ISR is alive and the bounds allow an "
    "election) in which every live replica follows with the same log end and no ISR change is "
    "pending.",
    source="KAFKA-10706; ReplicaEventuallyCatchesUp without fairness (TLA+: possibility)",
    explain=explain,
)
def stuck(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return the acting leader and a live replica that does not follow it with its LEO.

    NONE stands for the leader where nobody acts as one although a candidate can be elected, and
    for the replica where only the response to the leader's last proposed ISR change is missing.

    Without a leader the cluster has recovered if none can be elected, because no candidate is alive
    or because the bounds allow no election; the latter says nothing about the protocol.
    """
    leader = acting_leader(s)
    if leader == NONE:
        if can_be_led(s, k):
            return NONE, NONE
        return None
    for broker in range(k.replicas):
        replica = s.replica[broker]
        if not knows_metadata(s, k, broker):
            continue
        if replica.alive and (
            replica.leader != leader
            or replica.epoch != s.partition.epoch
            or replica.truncating
            or replica.leo != s.replica[leader].leo
        ):
            return leader, broker
    if s.replica[leader].proposed != 0 and may_end(s, k):
        return leader, NONE
    return None


def explain_leader_elected(s: BrokerState, k: Constants) -> str:
    """Explain who could lead."""
    leader = s.partition.leader
    if leader == NONE:
        return (
            f"Epoch {s.partition.epoch} has no leader, and nobody is elected although a candidate "
            "is alive."
        )
    return (
        f"Broker {leader} is the leader of epoch {s.partition.epoch}, but never acts as leader, "
        "and nobody else is elected."
    )


def explain_truncation(s: BrokerState, k: Constants, broker: int) -> str:
    """Explain which follower truncates without end."""
    replica = s.replica[broker]
    return (
        f"Replica {broker} follows broker {replica.leader} in epoch {replica.epoch} and is still "
        f"truncating, with its log end at {replica.leo}: it never fetches."
    )


def _offset_of_difference(s: BrokerState, k: Constants, leader: int, broker: int) -> int:
    """Return the first offset, in both logs, at which they differ, or NONE if they are equal."""
    for offset in range(max(s.replica[leader].start, s.replica[broker].start), k.log_size):
        mine, theirs = s.replica[leader].log[offset], s.replica[broker].log[offset]
        if mine.epoch != theirs.epoch or mine.record != theirs.record:
            return offset
    return NONE


def explain_left_behind(s: BrokerState, k: Constants, leader: int, broker: int, offset: int) -> str:
    """Explain which replica is left behind, and how."""
    if leader == NONE:
        return explain_leader_elected(s, k)
    replica = s.replica[broker]
    if replica.leader != leader or replica.epoch != s.partition.epoch:
        problem = f"never follows it in epoch {s.partition.epoch}"
    elif offset != NONE:
        problem = f"keeps another log than the leader's from offset {offset} on"
    else:
        problem = "not in the ISR, although it has the leader's log"
    return (
        f"Broker {leader} leads epoch {s.partition.epoch}; replica {broker} is alive but {problem}."
    )


def left_behind_places(
    s: BrokerState, k: Constants, leader: int, broker: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return where a replica's log differs from the leader's."""
    return () if offset == NONE else (LogOffset(broker, offset, ""),)


def explain_isr_change(s: BrokerState, k: Constants) -> str:
    """Explain which leader waits."""
    leader = acting_leader(s)
    return (
        f"Broker {leader} leads epoch {s.partition.epoch} and waits for the response to the ISR "
        "change that it has proposed; until then it cannot change the ISR."
    )


def explain_hw(s: BrokerState, k: Constants) -> str:
    """Explain where the high watermark stalls."""
    leader = acting_leader(s)
    replica = s.replica[leader]
    return (
        f"Broker {leader} leads epoch {replica.epoch} with its log end at {replica.leo}, but its "
        f"high watermark stays below: it is {replica.hw}."
    )


def explain_unreadable(s: BrokerState, k: Constants, leader: int, record: int) -> str:
    """Explain which acknowledged record cannot be read."""
    acked = s.aux_acked[record]
    return (
        f"Record m{record} was acknowledged at offset {acked.offset} in leader epoch "
        f"{acked.epoch}, but consumers cannot read it: broker {leader} leads epoch "
        f"{s.partition.epoch} with high watermark {s.replica[leader].hw} and log end "
        f"{s.replica[leader].leo}."
    )


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "While a member of the ISR (or of the ELR) is alive, some broker eventually acts as leader.",
    source="KIP-966; the promise of clean leader election",
    explain=explain_leader_elected,
    needs=("Elect",),
)
def leader_elected(s: BrokerState, k: Constants) -> bool:
    """Whether a broker acts as leader, or none can be elected."""
    return acting_leader(s) != NONE or not can_be_led(s, k)


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "A live follower of an acting leader eventually finishes truncation.",
    source="KAFKA-10706",
    explain=explain_truncation,
)
def truncation_terminates(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a live follower of the acting leader that has not finished truncation."""
    if acting_leader(s) == NONE:
        return None
    for broker in range(k.replicas):
        replica = s.replica[broker]
        if replica.alive and replica.truncating and replica.epoch == s.partition.epoch:
            return (broker,)
    return None


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "Once faults have ceased, all live replicas eventually have one leader's log and are "
    "in the ISR.",
    source="KIP-101; ReplicaEventuallyCatchesUp",
    explain=explain_left_behind,
    places=left_behind_places,
)
def converges(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return the acting leader, a live replica without its log or not in the ISR, and an offset.

    The offset is the first at which the logs differ, or NONE.  Leader and replica are NONE where
    nobody acts as leader although a candidate can be elected.
    """
    leader = acting_leader(s)
    if leader == NONE:
        if can_be_led(s, k):
            return NONE, NONE, NONE
        return None
    for broker in range(k.replicas):
        replica = s.replica[broker]
        if not replica.alive or not knows_metadata(s, k, broker):
            continue
        offset = _offset_of_difference(s, k, leader, broker)
        if (
            replica.leader != leader
            or replica.epoch != s.partition.epoch
            or not s.partition.isr >> broker & 1
            or offset != NONE
        ):
            return leader, broker, offset
    return None


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "An ISR change that the acting leader has proposed eventually succeeds or fails.",
    source="KIP-497; KAFKA-12686",
    explain=explain_isr_change,
)
def isr_change_resolves(s: BrokerState, k: Constants) -> bool:
    """Whether the acting leader waits for no response to a proposed ISR change."""
    leader = acting_leader(s)
    return leader == NONE or s.replica[leader].proposed == 0 or not may_end(s, k)


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "The high watermark of a leader that goes on leading eventually reaches its log end, "
    "unless the ISR is below min.insync.replicas.",
    source="KAFKA-13091, KAFKA-15021",
    explain=explain_hw,
)
def hw_reaches_log_end(s: BrokerState, k: Constants) -> bool:
    """Whether the acting leader's high watermark is its log end, or waits for min.insync.replicas.

    A high watermark that stalls below min.insync.replicas does what Kafka promises (since 3.7.0).
    """
    leader = acting_leader(s)
    if leader == NONE or s.replica[leader].hw == s.replica[leader].leo:
        return True
    if not may_end(s, k):
        return True
    least = least_isr(s, k, s.replica[leader].replicas)
    return (k.hw_needs_min_isr or k.elr) and size(s.replica[leader].isr) < least


@BROKER.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "Consumers can eventually read every acknowledged record from the acting leader.",
    source="the guarantee of acks in Kafka's producer configuration",
    explain=explain_unreadable,
)
def acked_is_readable(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, record): the acting leader does not let an acknowledged record be read."""
    leader = acting_leader(s)
    if leader == NONE:
        return None
    replica = s.replica[leader]
    for record in range(k.records):
        acked = s.aux_acked[record]
        if acked.epoch != NONE and (
            acked.offset >= replica.hw or replica.log[acked.offset].record != record
        ):
            return leader, record
    return None
