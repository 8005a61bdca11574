"""The rules in which the protocols of the broker family differ, with their first versions.

Each rule is a function of the state, the constants and the replicas concerned.  A protocol
replaces some of them and keeps the rest; the defaults here are those of Kafka before KIP-101.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.layout import NONE
from .log import smallest_epoch_above, truncate_to
from .memory import fail_produces
from .messages import IDLE, NOTHING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def if_leader_changes(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Continue as before if the leader stays the same: the follower truncates nothing.

    Partition.makeFollower of Kafka 0.8.2.0 to 2.0.0; before and since KAFKA-7164 it differs.
    """
    return s.replica[follower].leader != s.leader_and_isr[epoch].leader


def at_every_epoch(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Truncate at every new epoch: Partition.makeFollower of Kafka 0.8.0 and 0.8.1, and 2.1."""
    return True


def bounce_unnoticed(s: BrokerState, k: Constants, broker: int) -> bool:
    """Restart at any time: the controller may see neither the crash nor the restart.

    KafkaController.BrokerChange of Kafka before 2.2 compares broker ids only.
    """
    return True


def once_fenced(s: BrokerState, k: Constants, broker: int) -> bool:
    """Restart only after the controller has noticed the crash (KIP-380).

    Since Kafka 2.2 KafkaController.processBrokerChange takes a new broker epoch for a failure and a
    startup, and until then the broker rejects what the controller sends to its old epoch.
    """
    member = s.partition.isr >> broker & 1
    return s.partition.leader != broker and (not member or s.partition.isr == 1 << broker)


def truncate_to_hw(s: BrokerState, k: Constants, follower: int) -> None:
    """Truncate the follower's log to its high watermark as soon as it applies a new epoch."""
    truncate_to(s, k, follower, s.replica[follower].hw)


def serve_anyone(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Serve every follower: requests carry no leader epoch before KIP-320."""
    return True


def no_epoch_ends(s: BrokerState, k: Constants, leader: int, requested: int) -> tuple[int, int]:
    """Return no epoch: there is no OffsetsForLeaderEpoch before KIP-101."""
    return NONE, NONE


def truncate_to_hw_at_answer(
    s: BrokerState, k: Constants, follower: int, epoch: int, end_offset: int
) -> bool:
    """Truncate to the high watermark, as for an unknown epoch; KIP-101 adds the answer."""
    truncate_to(s, k, follower, s.replica[follower].hw)
    return True


def start_of_first_epoch(s: BrokerState, k: Constants, follower: int, end_offset: int) -> int:
    """Truncate to the answer, or to the start of the first cached epoch if that is smaller.

    AbstractFetcherThread.getOffsetTruncationState of Kafka 2.0: the follower's own cache answers
    that start for any epoch before its first one.
    """
    first = smallest_epoch_above(s, k, follower, NONE)
    return min(s.replica[follower].epoch_cache[first], end_offset)


def also_if_log_stays(s: BrokerState, k: Constants, broker: int, offset: int) -> bool:
    """Truncate the epoch cache even if the log ends at or below `offset` (KAFKA-10706).

    Log.truncateTo of Kafka 2.6.1 and 2.7.
    """
    return True


def cache_with_first_record(s: BrokerState, k: Constants, leader: int) -> None:
    """Leave a new leader's epoch cache as it is: the first record adds the epoch."""


def unless_leading(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Keep the remote LEOs of a broker that leads already, even if it has missed an epoch.

    Partition.makeLeader resets them for a new leader only, since Kafka 0.9.0.0.
    """
    return s.replica[broker].leader != broker


def unless_next(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Reset the remote LEOs also of a broker that leads already, if it has missed an epoch.

    In an epoch that it missed another broker may have led, and its followers may have truncated.
    """
    replica = s.replica[broker]
    return replica.leader != broker or epoch > replica.epoch + 1


def fail_waiting_produces(s: BrokerState, k: Constants, broker: int) -> None:
    """Fail them with NOT_LEADER_OR_FOLLOWER: ReplicaManager.makeFollowers since Kafka 0.10.0.0."""
    fail_produces(s, k, broker)


def clear_message(s: BrokerState, k: Constants, follower: int) -> None:
    """Drop the message in flight between a follower and its leader."""
    message = s.message[follower]
    message.kind = IDLE
    message.hw = 0
    message.epoch = NONE
    message.end_offset = NONE
    for entry in message.records:
        entry.epoch = NONE
        entry.record = NONE


def at_or_above_hw(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR once its LEO has reached the leader's high watermark."""
    return offset >= s.replica[leader].hw


def at_or_above_epoch_start(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR once it has reached the leader's epoch start (KAFKA-7128).

    After an election the leader's high watermark may lag behind the records already committed.
    """
    return offset >= s.replica[leader].epoch_start


def leads_in_partition_state(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let a leader change the ISR if it knows the partition's current ISR.

    Kafka writes with a version check: a leader of another epoch fails it, and so does a leader that
    resumed this epoch with its initial ISR (possible with ``stale_leader_and_isr`` only).
    """
    return (
        s.replica[broker].leader == broker
        and s.partition.leader == broker
        and s.replica[broker].epoch == s.partition.epoch
        and s.replica[broker].isr == s.partition.isr
    )


def stored_isr(s: BrokerState, k: Constants) -> int:
    """Elect from the ISR of the partition state, which the controller reads for each election."""
    return s.partition.isr


def maximal_isr(s: BrokerState, k: Constants, leader: int) -> int:
    """Wait for the members of the ISR and for all proposed members (KIP-497).

    The controller may have accepted the proposal before the leader knows.
    """
    return s.replica[leader].isr | s.replica[leader].proposed


def nothing_in_flight(s: BrokerState, k: Constants, leader: int) -> bool:
    """Propose an ISR change only after the response to the last one (KAFKA-12686)."""
    return s.replica[leader].proposed == 0 and s.alter_partition[leader].kind == NOTHING


def in_present_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept ISR changes only from the leader of the current epoch (KIP-497)."""
    return s.alter_partition[leader].epoch == s.partition.epoch and s.partition.leader == leader


def unless_fenced(s: BrokerState, k: Constants, isr: int) -> bool:
    """Reject an ISR with a fenced broker, or one that is shutting down (KIP-841)."""
    return isr & s.partition.fenced == 0


def unless_rebooted(s: BrokerState, k: Constants, leader: int) -> bool:
    """Reject an ISR with a broker that has re-registered since it fetched (KIP-903).

    The broker may have lost records since.
    """
    return s.alter_partition[leader].rebooted == 0


def no_divergence(s: BrokerState, k: Constants, leader: int, last_epoch: int, offset: int) -> bool:
    """Detect no divergence: before KIP-595 a fetch does not carry the epoch of its last record."""
    return False


def nowhere(s: BrokerState, k: Constants, leader: int, last_epoch: int) -> tuple[int, int]:
    """Return no diverging epoch: a fetch response has none before KIP-595."""
    return NONE, NONE


def not_if_diverging(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Do not update the follower's state from a diverging fetch: the follower will truncate."""
    return False


def list_at_once(s: BrokerState, k: Constants, leader: int) -> bool:
    """Answer ListOffsets with the high watermark at once, even while it lags."""
    return True


def left_while_below_min_isr(s: BrokerState, k: Constants, isr: int, members: int) -> int:
    """Add replicas that leave the ISR to the ELR until the ISR has min.insync.replicas members.

    While the ISR has fewer members nothing is committed, so they lack no committed one (KIP-966).
    """
    if members >= k.min_isr:
        return 0
    return (s.partition.elr | s.partition.isr) & ~isr


def without_the_unclean(s: BrokerState, k: Constants, broker: int) -> int:
    """Remove from the ELR a broker that went down uncleanly: it may have lost records."""
    return s.partition.elr & ~(1 << broker)


@dataclass(frozen=True)
class Rules:
    """The decision points of the broker family.

    Parameters
    ----------
    epoch_cache
        Whether replicas keep an epoch cache.
    has_new_leader
        Whether a broker that applies this epoch as a follower begins to follow: it drops what is in
        flight and truncates.  Otherwise it continues as before, in the new epoch.
    may_restart
        Whether a dead broker may restart now.
    begin_following
        What a broker does to its log when it begins to follow.
    drop_in_flight
        What happens to a request or response in flight when its follower applies an epoch.
    may_serve_fetch, may_serve_epoch_request
        Whether a leader serves a request that carries this leader epoch.
    end_offset_for_epoch
        The leader's answer to OffsetsForLeaderEpoch: (epoch, end offset), both NONE for unknown.
    truncate_by_answer
        Truncates the follower's log by that answer; True if it may fetch, False to ask again.
    offset_without_common_epoch
        Where a log is truncated that has no epoch up to the answered one.
    truncates_cache
        Whether truncating the log to this offset truncates the epoch cache as well.
    begin_leading
        What a broker does to its epoch cache when it applies an epoch as the leader.
    forgets_remote_leos
        Whether a broker that applies this epoch as the leader resets its remote LEOs.
    stop_leading
        What happens to the produces that wait at a leader when it becomes a follower.
    has_committed, has_epoch_start
        Whether a follower that fetches at this offset may join the ISR; both must hold.
    may_change_isr
        Whether a leader may change the ISR in the partition state.
    isr_for_election
        The ISR, as a set, from which the controller elects.
    isr_for_hw
        The set of replicas that must have a record before a leader commits it.
    may_propose
        Whether a leader may propose an ISR change to the controller.
    may_alter_partition, may_be_members, may_still_be_members
        Whether the controller accepts a leader's proposal: by its epoch, by the members of the
        proposed ISR, and by their broker epochs when they fetched; all must hold.
    truncation_on_fetch
        Whether a fetch carries the epoch of the last record, and the response a diverging epoch.
    diverges
        Whether a follower's log diverges if it fetches at this offset, after a record of this
        epoch.
    where_logs_diverge
        The epoch and its end that the leader answers to such a follower.
    counts_diverging_fetch
        Whether the leader sets the remote LEO from the fetch offset of such a follower.
    may_list_offsets
        Whether a leader returns its high watermark to clients as the end of the log (ListOffsets).
    eligible_leaders
        With the option ``elr``: the eligible leader replicas after the ISR changes to another one,
        with this number of members.
    eligible_at_registration
        With the option ``elr``: the eligible leader replicas after a broker that went down
        uncleanly registers.
    """

    epoch_cache: bool = False
    has_new_leader: Callable[[BrokerState, Constants, int, int], bool] = if_leader_changes
    may_restart: Callable[[BrokerState, Constants, int], bool] = bounce_unnoticed
    begin_following: Callable[[BrokerState, Constants, int], None] = truncate_to_hw
    drop_in_flight: Callable[[BrokerState, Constants, int], None] = clear_message
    may_serve_fetch: Callable[[BrokerState, Constants, int, int], bool] = serve_anyone
    may_serve_epoch_request: Callable[[BrokerState, Constants, int, int], bool] = serve_anyone
    end_offset_for_epoch: Callable[[BrokerState, Constants, int, int], tuple[int, int]] = (
        no_epoch_ends
    )
    truncate_by_answer: Callable[[BrokerState, Constants, int, int, int], bool] = (
        truncate_to_hw_at_answer
    )
    offset_without_common_epoch: Callable[[BrokerState, Constants, int, int], int] = (
        start_of_first_epoch
    )
    truncates_cache: Callable[[BrokerState, Constants, int, int], bool] = also_if_log_stays
    begin_leading: Callable[[BrokerState, Constants, int], None] = cache_with_first_record
    forgets_remote_leos: Callable[[BrokerState, Constants, int, int], bool] = unless_leading
    stop_leading: Callable[[BrokerState, Constants, int], None] = fail_waiting_produces
    has_committed: Callable[[BrokerState, Constants, int, int], bool] = at_or_above_hw
    has_epoch_start: Callable[[BrokerState, Constants, int, int], bool] = at_or_above_epoch_start
    may_change_isr: Callable[[BrokerState, Constants, int], bool] = leads_in_partition_state
    isr_for_election: Callable[[BrokerState, Constants], int] = stored_isr
    isr_for_hw: Callable[[BrokerState, Constants, int], int] = maximal_isr
    may_propose: Callable[[BrokerState, Constants, int], bool] = nothing_in_flight
    may_alter_partition: Callable[[BrokerState, Constants, int], bool] = in_present_epoch
    may_be_members: Callable[[BrokerState, Constants, int], bool] = unless_fenced
    may_still_be_members: Callable[[BrokerState, Constants, int], bool] = unless_rebooted
    truncation_on_fetch: bool = False
    diverges: Callable[[BrokerState, Constants, int, int, int], bool] = no_divergence
    where_logs_diverge: Callable[[BrokerState, Constants, int, int], tuple[int, int]] = nowhere
    counts_diverging_fetch: Callable[[BrokerState, Constants, int, int], bool] = not_if_diverging
    may_list_offsets: Callable[[BrokerState, Constants, int], bool] = list_at_once
    eligible_leaders: Callable[[BrokerState, Constants, int, int], int] = left_while_below_min_isr
    eligible_at_registration: Callable[[BrokerState, Constants, int], int] = without_the_unclean
