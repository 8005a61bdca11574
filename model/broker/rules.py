"""The rules in which the protocols of the broker family differ.

A protocol replaces some of them and keeps the rest; the defaults are those of Kafka before KIP-101.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .assignment import added_in_isr, stay_eligible
from .defaults import (
    also_if_known,
    also_if_log_stays,
    append_only,
    at_any_fetch,
    at_any_offset,
    at_any_time,
    at_or_above_hw,
    before_the_fetch,
    bounce_unnoticed,
    cache_with_first_record,
    clear_message,
    drop_rejected,
    exit_unless_unclean,
    fail_at_once,
    if_leader_changes,
    ignore_epoch,
    in_present_epoch,
    leads_in_partition_state,
    left_while_below_min_isr,
    list_at_once,
    maximal_isr,
    no_divergence,
    no_epoch_ends,
    not_if_diverging,
    nothing_in_flight,
    nowhere,
    of_the_fetch,
    once_its_fence_is_stored,
    once_unfenced,
    serve_anyone,
    start_of_first_epoch,
    stored_isr,
    truncate_first,
    truncate_to_hw,
    truncate_to_hw_at_answer,
    unless_fenced,
    unless_leading,
    unless_outdated,
    unless_rebooted,
    without_the_unclean,
)
from .log_start import (
    begin_at_log_start,
    ignore_log_start,
    never_raised,
    out_of_range_first,
    up_to_log_end,
)

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


@dataclass(frozen=True)
class Rules:
    """The decision points of the broker family.

    Parameters
    ----------
    epoch_cache
        Whether replicas keep an epoch cache.
    without_leader
        What a broker of a ZooKeeper cluster does with an epoch without a leader; False for nothing.
    has_new_leader
        Whether a broker that applies this epoch as a follower begins to follow: it drops what is in
        flight and truncates.  Otherwise it continues as before, in the new epoch.
    may_restart
        Whether a dead broker may restart now.
    may_register_unfenced
        With KRaft: whether a dead broker may register before it is fenced; it stays in the ISR and
        leads on.
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
    assign_epoch
        How a leader epoch is added to the epoch cache, at the log end.
    hw_with_records
        The high watermark in a fetch response with records; the last argument is the one from
        before the leader updated its follower state by that fetch.
    fetch_advances_hw
        Whether a leader recomputes its high watermark at a fetch at this offset; the last arguments
        are the follower's log end that it knew before, and the offset.
    exits_if_longer
        Whether a follower's process ends if its log is longer than its leader's.
    begin_leading
        What a broker does to its epoch cache when it applies an epoch as the leader.
    forgets_remote_leos
        Whether a broker that applies this epoch as the leader resets its remote LEOs.
    fails_produces
        Whether the produces that wait at a leader fail when it becomes a follower.
    has_committed, has_epoch_start
        Whether a follower that fetches at this offset may join the ISR; both must hold.
    may_lag
        Whether a leader may remove this follower from the ISR because it lags.
    may_change_isr
        Whether a leader may change the ISR in the partition state.
    keeps_rejected_change
        With ZooKeeper and ``hw_waits``: whether the high watermark of a leader whose ISR expansion
        is rejected waits for that replica until a newer epoch.
    isr_for_election
        The ISR, as a set, from which the controller elects.
    isr_for_hw
        The set of replicas that must have a record before a leader commits it.
    may_propose
        Whether a leader may propose an ISR change to the controller.
    may_alter_partition, may_be_members, may_still_be_members
        Whether the controller accepts a leader's proposal: by its epoch, by the members of the
        proposed ISR, and by their broker epochs when they fetched; all must hold.
    keeps_broker_epoch
        Whether a proposal because of a late fetch carries the broker epoch of that fetch, rather
        than that of its sender's newest registration.
    knows_partition_epoch
        With ``isr_propagation=records``: whether the controller accepts a leader's proposal by its
        partition epoch.
    applies_known_record
        With ``isr_propagation=records``: whether a leader applies the record of a partition epoch
        that it knows from the response to its own request, which drops a proposal in flight.
    truncation_on_fetch
        Whether a fetch carries the epoch of the last record, and the response a diverging epoch.
    diverges
        Whether a follower's log diverges if it fetches at this offset, after a record of this
        epoch.
    where_logs_diverge
        The epoch and its end that the leader answers to such a follower.
    counts_diverging_fetch
        Whether the leader sets the remote LEO from the fetch offset of such a follower.
    applies_diverging_hw
        Whether a follower applies the high watermark of such a response before it truncates.
    may_list_offsets
        Whether a leader returns its high watermark to clients as the end of the log (ListOffsets).
    elects_last_known_leader
        With the option ``last_known_leader``: whether the last known leader may be elected now.
    eligible_leaders
        With the option ``elr``: the eligible leader replicas after the ISR changes to another one,
        with this number of members.
    eligible_at_registration
        With the option ``elr``: the eligible leader replicas after a broker that went down
        uncleanly registers.
    may_delete
        With ``deletions``: whether a leader may delete the records below this offset.
    follows_log_start
        With ``deletions``: whether a follower deletes what its leader has deleted.
    raises_hw
        With ``deletions``: whether a replica raises a high watermark below its log start to that;
        the last argument says whether its log has just started over there.
    finds_low_hw
        With ``deletions``: whether a leader whose high watermark is below its log start begins with
        the log start instead.  Otherwise it can never advance it.
    diverges_below_start
        With ``deletions``: whether a leader compares epochs for a fetch below its log start.
    may_complete
        With ``reassignments``: whether a reassignment is complete with this ISR, from which the
        removed replicas are left out.
    removed_are_eligible
        With ``reassignments`` and ``elr``: whether a removed replica stays in the ELR.
    """

    epoch_cache: bool = False
    without_leader: Callable[[BrokerState, Constants, int], bool] = ignore_epoch
    has_new_leader: Callable[[BrokerState, Constants, int, int], bool] = if_leader_changes
    may_restart: Callable[[BrokerState, Constants, int], bool] = bounce_unnoticed
    may_register_unfenced: Callable[[BrokerState, Constants, int], bool] = once_its_fence_is_stored
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
    assign_epoch: Callable[[BrokerState, Constants, int, int], None] = append_only
    hw_with_records: Callable[[BrokerState, Constants, int, int], int] = before_the_fetch
    fetch_advances_hw: Callable[[BrokerState, Constants, int, int, int], bool] = at_any_fetch
    exits_if_longer: Callable[[BrokerState, Constants, int], bool] = exit_unless_unclean
    begin_leading: Callable[[BrokerState, Constants, int], None] = cache_with_first_record
    forgets_remote_leos: Callable[[BrokerState, Constants, int, int], bool] = unless_leading
    fails_produces: Callable[[BrokerState, Constants, int], bool] = fail_at_once
    has_committed: Callable[[BrokerState, Constants, int, int], bool] = at_or_above_hw
    has_epoch_start: Callable[[BrokerState, Constants, int, int], bool] = at_any_offset
    may_lag: Callable[[BrokerState, Constants, int, int], bool] = at_any_time
    may_change_isr: Callable[[BrokerState, Constants, int], bool] = leads_in_partition_state
    keeps_rejected_change: Callable[[BrokerState, Constants, int], bool] = drop_rejected
    isr_for_election: Callable[[BrokerState, Constants], int] = stored_isr
    isr_for_hw: Callable[[BrokerState, Constants, int], int] = maximal_isr
    may_propose: Callable[[BrokerState, Constants, int], bool] = nothing_in_flight
    may_alter_partition: Callable[[BrokerState, Constants, int], bool] = in_present_epoch
    may_be_members: Callable[[BrokerState, Constants, int], bool] = unless_fenced
    may_still_be_members: Callable[[BrokerState, Constants, int], bool] = unless_rebooted
    keeps_broker_epoch: Callable[[BrokerState, Constants, int, int], bool] = of_the_fetch
    knows_partition_epoch: Callable[[BrokerState, Constants, int], bool] = unless_outdated
    applies_known_record: Callable[[BrokerState, Constants, int], bool] = also_if_known
    truncation_on_fetch: bool = False
    diverges: Callable[[BrokerState, Constants, int, int, int], bool] = no_divergence
    where_logs_diverge: Callable[[BrokerState, Constants, int, int], tuple[int, int]] = nowhere
    counts_diverging_fetch: Callable[[BrokerState, Constants, int, int], bool] = not_if_diverging
    applies_diverging_hw: Callable[[BrokerState, Constants, int], bool] = truncate_first
    may_list_offsets: Callable[[BrokerState, Constants, int], bool] = list_at_once
    elects_last_known_leader: Callable[[BrokerState, Constants, int], bool] = once_unfenced
    eligible_leaders: Callable[[BrokerState, Constants, int, int], int] = left_while_below_min_isr
    eligible_at_registration: Callable[[BrokerState, Constants, int], int] = without_the_unclean
    may_delete: Callable[[BrokerState, Constants, int, int], bool] = up_to_log_end
    follows_log_start: Callable[[BrokerState, Constants, int], bool] = ignore_log_start
    raises_hw: Callable[[BrokerState, Constants, int, bool], bool] = never_raised
    finds_low_hw: Callable[[BrokerState, Constants, int], bool] = begin_at_log_start
    diverges_below_start: Callable[[BrokerState, Constants, int, int], bool] = out_of_range_first
    may_complete: Callable[[BrokerState, Constants, int], bool] = added_in_isr
    removed_are_eligible: Callable[[BrokerState, Constants], bool] = stay_eligible
