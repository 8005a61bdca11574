"""The rules in which the protocols of the broker family differ, with their first versions.

Each rule is a function of the state, the constants and the replicas concerned.  A protocol
replaces some of them and keeps the rest; the defaults here are those of Kafka before KIP-101.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.layout import NONE
from .log import truncate_to
from .messages import IDLE, NOTHING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def truncate_to_hw(s: BrokerState, k: Constants, follower: int, previous_leader: int) -> None:
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


def empty_log(s: BrokerState, k: Constants, follower: int, end_offset: int) -> int:
    """Truncate to 0: the log has no epoch up to the answered one, so no record is common."""
    return 0


def cache_with_first_record(s: BrokerState, k: Constants, leader: int) -> None:
    """Leave a new leader's epoch cache as it is: the first record adds the epoch."""


def forget_followers(s: BrokerState, k: Constants, broker: int) -> None:
    """Reset all remote LEOs, also of a broker that already led: followers may truncate now."""
    for follower in range(k.replicas):
        s.replica[broker].remote_leo[follower] = 0


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
    begin_following
        What a broker does to its log when it applies an epoch as a follower; the last argument is
        its previous leader.
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
    begin_leading
        What a broker does to its epoch cache when it applies an epoch as the leader.
    forget_followers
        What a broker still knows of its followers after it applies an epoch.
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
    begin_following: Callable[[BrokerState, Constants, int, int], None] = truncate_to_hw
    drop_in_flight: Callable[[BrokerState, Constants, int], None] = clear_message
    may_serve_fetch: Callable[[BrokerState, Constants, int, int], bool] = serve_anyone
    may_serve_epoch_request: Callable[[BrokerState, Constants, int, int], bool] = serve_anyone
    end_offset_for_epoch: Callable[[BrokerState, Constants, int, int], tuple[int, int]] = (
        no_epoch_ends
    )
    truncate_by_answer: Callable[[BrokerState, Constants, int, int, int], bool] = (
        truncate_to_hw_at_answer
    )
    offset_without_common_epoch: Callable[[BrokerState, Constants, int, int], int] = empty_log
    begin_leading: Callable[[BrokerState, Constants, int], None] = cache_with_first_record
    forget_followers: Callable[[BrokerState, Constants, int], None] = forget_followers
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
