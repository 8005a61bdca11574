"""Leadership, the ISR and the high watermark.

What actions and rules of the family take for granted, since no protocol of it is otherwise.

A protocol that changes other actions may be; then the search says so instead of a verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.fields import NONE, size
from .assignment import least_isr
from .bounds import ZOOKEEPER, Constants
from .history import (
    note_committed,
    note_completed,
    note_failed,
    note_high_watermark,
    note_listed_offsets,
)
from .state import BrokerState

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def leads(s: BrokerState, broker: int) -> bool:
    """Whether the broker believes that it leads, even if it is a zombie of an older epoch."""
    return s.replica[broker].leader == broker


def acting_leader(s: BrokerState) -> int:
    """Return the partition state's leader if it is alive and leads in that epoch, else NONE."""
    leader = s.partition.leader
    if leader == NONE or s.replica[leader].leader != leader:
        return NONE
    return leader if s.replica[leader].epoch == s.partition.epoch else NONE


def forget_remote_leos(s: BrokerState, k: Constants, broker: int) -> None:
    """Reset what a broker knows of its followers' logs."""
    s.replica[broker].caught_up = 0
    for follower in range(k.replicas):
        s.replica[broker].remote_leo[follower] = 0


def forget_role(s: BrokerState, broker: int) -> None:
    """Let a broker neither lead nor follow, and reset what it knows as a leader or a follower."""
    replica = s.replica[broker]
    replica.leader = NONE
    replica.truncating = False
    replica.failed = 0
    replica.epoch_start = 0
    replica.isr = 0
    replica.proposed = 0


def drop_produce(s: BrokerState, record: int) -> None:
    """Remove a produce from those that wait."""
    s.delayed_produce[record].leader = NONE
    s.delayed_produce[record].offset = 0


def fail_produces(s: BrokerState, k: Constants, broker: int) -> None:
    """Fail the produces that wait at a broker: it goes down, or becomes a follower."""
    note_failed(s, k, broker)
    if k.purgatory:
        for record in range(k.records):
            if s.delayed_produce[record].leader == broker:
                drop_produce(s, record)


def reads_hw(s: BrokerState, k: Constants, leader: int) -> bool:
    """Whether a leader can read its high watermark: one below its log start is not in its log."""
    replica = s.replica[leader]
    return replica.hw >= replica.start or k.rules.finds_low_hw(s, k, leader)


def advance_hw(s: BrokerState, k: Constants, leader: int) -> None:
    """Advance a leader's high watermark to the least LEO that it knows of its ISR.

    The leader's own LEO is included, and the high watermark never decreases while it leads.  Which
    replicas it waits for is a rule; with the option ``hw_waits`` it also waits for those that had
    its log end a moment ago (Partition.maybeIncrementLeaderHW, since Kafka 0.10.2.0).
    """
    replica = s.replica[leader]
    isr = k.rules.isr_for_hw(s, k, leader)
    awaited = isr | replica.caught_up
    if (k.hw_needs_min_isr or k.elr) and size(replica.isr) < least_isr(s, k, replica.replicas):
        return
    if not reads_hw(s, k, leader):
        return
    held = replica.leo
    for follower in range(k.replicas):
        if follower != leader and awaited >> follower & 1:
            held = min(held, replica.remote_leo[follower])
    before = replica.hw
    if held <= before:
        return
    replica.hw = held
    note_committed(s, k, leader, before)
    note_high_watermark(s, k, leader)
    note_listed_offsets(s, k, leader)
    note_completed(s, k, leader, size(isr) >= least_isr(s, k, replica.replicas))


def note_last_known_leader(s: BrokerState, k: Constants, isr: int) -> None:
    """Note who leaves the ISR as its last member, until it has a member again (KIP-966).

    PartitionChangeBuilder.maybeUpdateLastKnownLeader notes the leader.  It is the last member: with
    ``elr`` an ISR that has a member has a leader, elected in the record that fences the former one.
    """
    if isr:
        s.partition.last_known_leader = NONE
        return
    for member in range(k.replicas):
        if s.partition.isr == 1 << member:
            s.partition.last_known_leader = member


def set_isr(s: BrokerState, k: Constants, isr: int) -> None:
    """Write a new ISR to the partition state, and the ELR (KIP-966)."""
    if k.elr:
        s.partition.elr = k.rules.eligible_leaders(s, k, isr, size(isr))
    if k.last_known_leader:
        note_last_known_leader(s, k, isr)
    s.partition.isr = isr


def change_isr(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Write a new ISR to the partition state and make it the leader's own.

    The caller has checked the rule ``may_change_isr``.  With ZooKeeper no other broker learns of
    the change before the leader has written a notification.
    """
    set_isr(s, k, isr)
    s.replica[leader].isr = isr
    if k.isr_propagation == ZOOKEEPER:
        s.replica[leader].change_set = 1


def leader_knows_its_epoch(s: BrokerState, k: Constants) -> bool:
    """Whether each broker that leads has its own epoch in its epoch cache.

    Where fetch responses carry the diverging epoch, an unknown epoch is out of range instead.
    """
    if k.rules.truncation_on_fetch:
        return True
    for broker in range(k.replicas):
        epoch = s.replica[broker].epoch
        if leads(s, broker) and epoch != NONE and s.replica[broker].epoch_cache[epoch] == NONE:
            return False
    return True


def leader_is_in_isr(s: BrokerState, k: Constants) -> bool:
    """Whether the partition's leader, if there is one, is in the stored ISR."""
    return s.partition.leader == NONE or s.partition.isr >> s.partition.leader & 1 == 1
