"""The decisions that the protocols of the broker family take differently, and their first form.

Each rule is a function of the state, the constants and the replicas concerned.  A protocol
replaces some of them and leaves the rest; the defaults here are those of Kafka before KIP-101.
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
    """Cut the follower's log to its high watermark as soon as it learns of a new epoch."""
    truncate_to(s, k, follower, s.replica[follower].hw)


def serve_anyone(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Serve whoever asks: requests carry no leader epoch before KIP-320."""
    return True


def no_epoch_ends(s: BrokerState, k: Constants, leader: int, asked: int) -> tuple[int, int]:
    """Know of no epoch: there is no OffsetsForLeaderEpoch before KIP-101."""
    return NONE, NONE


def truncate_to_hw_at_answer(
    s: BrokerState, k: Constants, follower: int, epoch: int, end_offset: int
) -> bool:
    """Cut to the high watermark, as for an unknown epoch; no answer comes before KIP-101."""
    truncate_to(s, k, follower, s.replica[follower].hw)
    return True


def empty_log(s: BrokerState, k: Constants, follower: int, end_offset: int) -> int:
    """Keep nothing: the log has no epoch up to the answered one, so no record is common."""
    return 0


def cache_with_first_record(s: BrokerState, k: Constants, leader: int) -> None:
    """Leave a new leader's epoch cache alone: its epoch is cached with the first record."""


def forget_followers(s: BrokerState, k: Constants, broker: int) -> None:
    """Forget how far followers are, also of a broker that already led: they may truncate now."""
    for follower in range(k.replicas):
        s.replica[broker].remote_leo[follower] = 0


def clear_message(s: BrokerState, k: Constants, follower: int) -> None:
    """Drop whatever is under way between a follower and its leader."""
    message = s.message[follower]
    message.kind = IDLE
    message.hw = 0
    message.epoch = NONE
    message.end_offset = NONE
    for entry in message.records:
        entry.epoch = NONE
        entry.record = NONE


def at_or_above_hw(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR that has every record which the leader knows is committed."""
    return offset >= s.replica[leader].hw


def at_or_above_epoch_start(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR that has all the leader had when its epoch began (KAFKA-7128).

    After an election the leader's high watermark may lag behind what was committed before it.
    """
    return offset >= s.replica[leader].epoch_start


def leads_in_partition_state(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let a leader change the ISR that knows the partition's present one.

    Kafka writes with a version check: a leader of another epoch fails it, and so does one that
    resumed this epoch with the ISR of its beginning (possible with ``stale_leader_and_isr`` only).
    """
    return (
        s.replica[broker].leader == broker
        and s.partition.leader == broker
        and s.replica[broker].epoch == s.partition.epoch
        and s.replica[broker].isr == s.partition.isr
    )


def stored_isr(s: BrokerState, k: Constants) -> int:
    """Elect from the ISR that the partition state has, which is read anew for each election."""
    return s.partition.isr


def maximal_isr(s: BrokerState, k: Constants, leader: int) -> int:
    """Count the members of the ISR, and those that may be members already (KIP-497).

    The leader has proposed them; the controller may have agreed without its knowing.
    """
    return s.replica[leader].isr | s.replica[leader].proposed


def nothing_in_flight(s: BrokerState, k: Constants, leader: int) -> bool:
    """Propose a change of the ISR only once the last one was answered (KAFKA-12686)."""
    return s.replica[leader].proposed == 0 and s.alter_partition[leader].kind == NOTHING


def in_present_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept a change of the ISR in the present epoch only, which has one leader (KIP-497)."""
    return s.alter_partition[leader].epoch == s.partition.epoch and s.partition.leader == leader


def unless_fenced(s: BrokerState, k: Constants, isr: int) -> bool:
    """Let nobody into the ISR whom the controller holds for dead or about to stop (KIP-841)."""
    return isr & s.partition.fenced == 0


def unless_rebooted(s: BrokerState, k: Constants, leader: int) -> bool:
    """Let nobody into the ISR that has registered anew since it fetched (KIP-903).

    It may have lost what it had then.
    """
    return s.alter_partition[leader].rebooted == 0


def no_divergence(s: BrokerState, k: Constants, leader: int, last_epoch: int, offset: int) -> bool:
    """See no divergence: a fetch does not tell of what epoch its last record is before KIP-595."""
    return False


def nowhere(s: BrokerState, k: Constants, leader: int, last_epoch: int) -> tuple[int, int]:
    """Tell nothing of where logs diverge: a fetch is not answered so before KIP-595."""
    return NONE, NONE


def not_if_diverging(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Learn nothing from a fetch whose log diverges: some of it will be cut."""
    return False


def list_at_once(s: BrokerState, k: Constants, leader: int) -> bool:
    """Tell clients the high watermark as soon as it leads, also while that lags behind."""
    return True


def left_while_below_min_isr(s: BrokerState, k: Constants, isr: int, members: int) -> int:
    """Call whoever left the ISR eligible, until it has min.insync.replicas members again.

    While it has fewer nothing is committed, so whoever left it lacks nothing (KIP-966).
    """
    if members >= k.min_isr:
        return 0
    return (s.partition.elr | s.partition.isr) & ~isr


def without_the_unclean(s: BrokerState, k: Constants, broker: int) -> int:
    """Take a broker out of the ELR that went down uncleanly: it may have lost what it had."""
    return s.partition.elr & ~(1 << broker)


@dataclass(frozen=True)
class Rules:
    """The decision points of the broker family.

    Parameters
    ----------
    epoch_cache
        Whether replicas keep an epoch cache at all.
    begin_following
        What a broker does to its log when it takes up an epoch as a follower; it is told whom it
        followed before.
    drop_in_flight
        What becomes of a request or response under way when its follower takes up an epoch.
    may_serve_fetch, may_serve_epoch_request
        Whether a leader serves a request that carries this leader epoch.
    end_offset_for_epoch
        The leader's answer to OffsetsForLeaderEpoch: (epoch, end offset), both NONE for unknown.
    truncate_by_answer
        Cuts the follower's log by that answer; True when it may fetch, False to ask again.
    offset_without_common_epoch
        Where a log is cut that has no epoch up to the answered one.
    begin_leading
        What a broker does to its epoch cache when it takes up an epoch as the leader.
    forget_followers
        What a broker still knows of its followers when it takes up an epoch.
    has_committed, has_epoch_start
        Whether a follower that fetches at this offset may join the ISR; both must say so.
    may_change_isr
        Whether a leader may change the ISR in the partition state.
    isr_for_election
        The ISR, as a set, from which the controller elects.
    isr_for_hw
        The set of replicas that must have a record before a leader commits it.
    may_propose
        Whether a leader may propose a change of the ISR to the controller.
    may_alter_partition, may_be_members, may_still_be_members
        Whether the controller accepts a leader's proposal: as to its epoch, as to the members of
        the proposed ISR, and as to what they were when they fetched; all must say so.
    truncation_on_fetch
        Whether a fetch tells of what epoch its last record is, and the response where logs diverge.
    diverges
        Whether the log of a follower diverges that fetches at this offset, behind a record of this
        epoch.
    where_logs_diverge
        The epoch and its end that the leader answers to such a follower.
    counts_diverging_fetch
        Whether the leader takes the fetch offset of such a follower for what that holds.
    may_list_offsets
        Whether a leader tells clients its high watermark as the end of the log (ListOffsets).
    eligible_leaders
        Of the option ``elr``: who is an eligible leader replica when the ISR becomes another one,
        of so many members.
    eligible_at_registration
        Of the option ``elr``: who still is one when a broker registers that went down uncleanly.
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
