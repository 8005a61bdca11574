"""The rules in which the protocols of the broker family differ, and the first version of each.

A protocol replaces some of them and keeps the rest.  The first versions are what Kafka did before
leader epochs, and what has not changed.  Each rule is a function of the state, the constants and
the replicas concerned; it names the Kafka function and releases that it is read from.

Explanations of rules: each stands beside its rule, which carries it under any name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.fields import NONE
from . import assignment, log
from .log import newest_epoch, smallest_epoch_above, truncate_to
from .messages import IDLE, NOTHING

if TYPE_CHECKING:
    from .bounds import Constants
    from .presentation.pictures import Answer, Broker
    from .state import BrokerState


Explanation = TypeVar("Explanation", bound=Callable[..., str])


def explains(rule: Callable[..., Any]) -> Callable[[Explanation], Explanation]:
    """Return a decorator that makes a function the explanation of a rule.

    The explanation receives pictures of the brokers concerned, as they are before the step, and
    returns a clause with their numbers.  A rule without one is explained by its result alone.
    """

    def attach(explanation: Explanation) -> Explanation:
        rule.explanation = explanation  # type: ignore[attr-defined]
        return explanation

    return attach


def explained(rule: Callable[..., Any], *pictures: Any) -> str:
    """Return the explanation of a rule's decision; empty if the rule has none."""
    explanation: Callable[..., str] | None = getattr(rule, "explanation", None)
    return explanation(*pictures) if explanation is not None else ""


def if_leader_changes(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Continue as before if the leader stays the same: the follower truncates nothing.

    Partition.makeFollower of Kafka 0.8.2.0 to 2.0.0; before and since KAFKA-7164 it differs.
    """
    return s.replica[follower].leader != s.leader_and_isr[epoch].leader


def ignore_epoch(s: BrokerState, k: Constants, follower: int) -> bool:
    """Change nothing: ReplicaManager.makeFollowers of Kafka 0.8.2.0 to 3.9, with ZooKeeper."""
    return False


def truncate_first(s: BrokerState, k: Constants, follower: int) -> bool:
    """Leave the high watermark to the next response: AbstractFetcherThread since Kafka 3.4.1."""
    return False


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
    """Truncate the follower's log to its high watermark as soon as it applies a new epoch.

    ReplicaManager.makeFollowers of Kafka 0.8.2.0 to 0.10.2; before, Partition.makeFollower.
    """
    truncate_to(s, k, follower, s.replica[follower].hw)


@explains(truncate_to_hw)
def _why_to_hw(follower: Broker) -> str:
    return f"a new follower keeps only the records below its own high watermark, {follower.log.hw}"


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


@explains(start_of_first_epoch)
def _why_start_of_first_epoch(follower: Broker, answer: Answer) -> str:
    start = min(follower.cache[0][1], answer.end)
    return f"it keeps the records below offset {start}, where its first epoch starts"


def also_if_log_stays(s: BrokerState, k: Constants, broker: int, offset: int) -> bool:
    """Truncate the epoch cache even if the log ends at or below `offset` (KAFKA-10706).

    Log.truncateTo of Kafka 2.6.1 and 2.7.
    """
    return True


@explains(also_if_log_stays)
def _why_also_if_log_stays() -> str:
    return "truncation: those that start at the new log end or beyond"


def cache_with_first_record(s: BrokerState, k: Constants, leader: int) -> None:
    """Leave a new leader's epoch cache as it is: the first record adds the epoch.

    Log.append assigns the epoch in Kafka 0.11.0.0 to 2.0.0; before, there is no epoch cache.
    """


def unless_leading(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Keep the remote LEOs of a broker that leads already, even if it has missed an epoch.

    Partition.makeLeader resets them for a new leader only, since Kafka 0.9.0.0.
    """
    return s.replica[broker].leader != broker


def fail_at_once(s: BrokerState, k: Constants, broker: int) -> bool:
    """Fail them with NOT_LEADER_OR_FOLLOWER: ReplicaManager.makeFollowers since Kafka 0.10.0.0."""
    return True


def clear_message(s: BrokerState, k: Constants, follower: int) -> None:
    """Drop the message in flight between a follower and its leader.

    ReplicaManager.makeFollowers removes the fetcher (removeFetcherForPartitions).
    """
    message = s.message[follower]
    message.kind = IDLE
    message.hw = 0
    message.epoch = NONE
    message.end_offset = NONE
    message.start = 0
    message.leader = NONE
    message.offset = 0
    for entry in message.records:
        entry.epoch = NONE
        entry.record = NONE


def append_only(s: BrokerState, k: Constants, broker: int, epoch: int) -> None:
    """Ignore an epoch that is not newer than the newest one, or would start before that one.

    LeaderEpochFileCache.assign of Kafka 0.11.0.0 to 2.0.0.
    """
    replica, newest = s.replica[broker], newest_epoch(s, k, broker)
    if newest == NONE or (epoch > newest and replica.leo >= replica.epoch_cache[newest]):
        replica.epoch_cache[epoch] = replica.leo


def before_the_fetch(s: BrokerState, k: Constants, leader: int, before: int) -> int:
    """Answer with the high watermark from before this fetch: the log is read first.

    ReplicaManager.fetchMessages of Kafka 0.8.2.0 and later, except 1.0.0, 1.0.1 and 1.1.0.
    """
    return before


def at_any_fetch(s: BrokerState, k: Constants, leader: int, before: int, offset: int) -> bool:
    """Recompute the high watermark at every fetch, also at one that moves no log end.

    Partition.updateReplicaLogReadResult, which calls maybeExpandIsr, of Kafka 0.8 to 2.3.
    """
    return True


def if_log_end_moves(s: BrokerState, k: Constants, leader: int, before: int, offset: int) -> bool:
    """Recompute the high watermark only if the fetch moves the follower's log end.

    Partition.updateFollowerFetchState of Kafka 2.4.0 and later.
    """
    return offset != before


def drop_rejected(s: BrokerState, k: Constants, leader: int) -> bool:
    """Forget an ISR that ZooKeeper has rejected: the high watermark does not wait for it.

    Partition.maybeUpdateIsrAndVersion of Kafka before 2.8.
    """
    return False


def keep_rejected(s: BrokerState, k: Constants, leader: int) -> bool:
    """Keep a rejected ISR as the pending one until a newer epoch, and propose no other one.

    Partition.sendAlterIsrRequest of Kafka 2.8 and later, with INVALID_UPDATE_VERSION.
    """
    return True


def exit_unless_unclean(s: BrokerState, k: Constants, follower: int) -> bool:
    """End the broker's process, unless unclean elections are allowed.

    ReplicaFetcherThread.handleOffsetOutOfRange of Kafka 0.8.2.0 to 2.0.0 (KAFKA-7414).
    """
    return not k.unclean_election


def at_any_time(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Remove even a follower that has the leader's log end, if its next fetch is late.

    Partition.getOutOfSyncReplicas of Kafka 0.8.1 to 2.0.1 compares times only.  0.8.0 compares log
    ends, too; this rule stands for it, with the same verdicts.
    """
    return True


def not_at_log_end(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Keep a follower that has the leader's log end, however late its next fetch is.

    Partition.getOutOfSyncReplicas of Kafka 2.1 and later (KAFKA-7152).
    """
    return s.replica[leader].remote_leo[follower] != s.replica[leader].leo


def at_any_offset(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR below the start of the leader's epoch (KAFKA-7128).

    It has to reach only the leader's high watermark, which lags after an election.
    Partition.maybeExpandIsr of Kafka before 2.0.1.
    """
    return True


def at_or_above_hw(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR once its LEO has reached the leader's high watermark.

    Partition.maybeExpandIsr.
    """
    return offset >= s.replica[leader].hw


def at_or_above_epoch_start(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR once it has reached the leader's epoch start (KAFKA-7128).

    Partition.maybeExpandIsr of Kafka 2.0.1, since 2.4 Partition.isFollowerInSync.
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
    """Elect from the ISR of the partition state, which the controller reads for each election.

    PartitionStateMachine.electLeaderForPartition, doElectLeaderForPartitions since Kafka 1.1.
    """
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


def once_its_fence_is_stored(s: BrokerState, k: Constants, broker: int) -> bool:
    """Refuse a registration before the fence: since Kafka 4.0.0 registering is a shutdown first.

    ReplicationControlManager.handleBrokerShutdown removes the broker from the ISR and from
    leadership; fencing it first leads to the same partition state.
    """
    return False


def of_the_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Propose a member with the broker epoch of the fetch by which it joins.

    Since Kafka 3.7.0 Partition.maybeExpandIsr decides and fills the request by one state of the
    follower (KAFKA-15221).
    """
    return True


def unless_outdated(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept ISR changes only if the leader knew the present partition epoch.

    ReplicationControlManager.validateAlterPartitionData; INVALID_UPDATE_VERSION otherwise.
    """
    return s.alter_partition[leader].outdated == 0


def also_if_known(s: BrokerState, k: Constants, leader: int) -> bool:
    """Apply the record of a partition epoch that the leader knows from a response.

    Partition.makeLeader of Kafka 3.3.0 to 4.4.0 skips smaller partition epochs only (KAFKA-13790).
    """
    return True


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
    """Do not update the follower's state from a diverging fetch: the follower will truncate.

    Partition.fetchRecords of Kafka 3.8 (KAFKA-13141).
    """
    return False


def list_at_once(s: BrokerState, k: Constants, leader: int) -> bool:
    """Answer ListOffsets with the high watermark at once, even while it lags.

    Partition.fetchOffsetForTimestamp of Kafka before 2.2 (KIP-207).
    """
    return True


def once_unfenced(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect the last known leader once it is back and its heartbeats arrive.

    PartitionChangeBuilder.canElectLastKnownLeader of Kafka 4.1.0 and later (KAFKA-19522).
    """
    return s.replica[broker].alive and not s.partition.fenced >> broker & 1


def left_while_below_min_isr(s: BrokerState, k: Constants, isr: int, members: int) -> int:
    """Add replicas that leave the ISR to the ELR until the ISR has min.insync.replicas members.

    While the ISR has fewer members nothing is committed, so they lack no committed one (KIP-966).
    """
    if members >= assignment.least_isr(s, k, s.partition.replicas):
        return 0
    return (s.partition.elr | s.partition.isr) & ~isr


def without_the_unclean(s: BrokerState, k: Constants, broker: int) -> int:
    """Remove from the ELR a broker that went down uncleanly: it may have lost records.

    ReplicationControlManager.handleBrokerUncleanShutdown of Kafka 3.8 and later.
    """
    return s.partition.elr & ~(1 << broker)


@dataclass(frozen=True)
class Rules:
    """The decision points of the broker family.

    Where steps ask a rule only with some options, or in some protocols, ``asked.py`` says so.

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
        Whether a dead broker may restart now.  With KRaft ``bounce_unnoticed`` decides as
        ``once_fenced``: a broker registers once it is fenced.
    may_register_unfenced
        Whether a dead broker may register before it is fenced; it stays in the ISR and
        remains the leader.
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
        Whether the high watermark of a leader whose ISR expansion
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
        Whether the controller accepts a leader's proposal by its partition epoch.  With
        ``isr_propagation=kraft`` it is always the present one.
    applies_known_record
        Whether a leader applies the record of a partition epoch
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
        It is asked only for ListedOffsetsMonotonic, which no other property needs.
    elects_last_known_leader
        Whether the last known leader may be elected now.
    eligible_leaders
        The eligible leader replicas after the ISR changes to another one,
        with this number of members.
    eligible_at_registration
        The eligible leader replicas after a broker that went down
        uncleanly registers.
    may_delete
        Whether a leader may delete the records below this offset.
    follows_log_start
        Whether a follower deletes what its leader has deleted.
    raises_hw
        Whether a replica raises a high watermark below its log start to that;
        the last argument says whether its log has just started over there.
    finds_low_hw
        Whether a leader whose high watermark is below its log start begins with
        the log start instead.  Otherwise it can never advance it.
    diverges_below_start
        Whether a leader compares epochs for a fetch below its log start.
    may_complete
        Whether a reassignment is complete with this ISR, from which the
        removed replicas are left out.
    removed_are_eligible
        Whether a removed replica stays in the ELR.
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
    may_delete: Callable[[BrokerState, Constants, int, int], bool] = log.up_to_log_end
    follows_log_start: Callable[[BrokerState, Constants, int], bool] = log.ignore_log_start
    raises_hw: Callable[[BrokerState, Constants, int, bool], bool] = log.never_raised
    finds_low_hw: Callable[[BrokerState, Constants, int], bool] = log.begin_at_log_start
    diverges_below_start: Callable[[BrokerState, Constants, int, int], bool] = (
        log.out_of_range_first
    )
    may_complete: Callable[[BrokerState, Constants, int], bool] = assignment.added_in_isr
    removed_are_eligible: Callable[[BrokerState, Constants], bool] = assignment.stay_eligible
