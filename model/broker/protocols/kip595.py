"""KIP-595 (Kafka 2.8): fetch responses carry the diverging epoch; followers no longer ask before.

A fetch carries the newest epoch of the follower's epoch cache.  The leader first looks up that
epoch in its own cache: its largest epoch up to that one, and the end offset.  If that epoch is
smaller, or ends below the fetch offset, the logs diverge: the leader answers with the epoch and its
end alone and does not update the follower's state (KAFKA-13141: at first it counted the fetch
offset).  The follower truncates its log by them as since KIP-279, and continues to fetch.  A new
follower fetches at once, and there is no OffsetsForLeaderEpoch.  ListOffsets returns the log end
only once the leader's high watermark has reached its epoch start (KIP-207, Kafka 2.2).  A bounce is
always noticed (KIP-380, Kafka 2.2).  Holds wherever kip-320 does; the loss after 3 elections with 3
replicas and ``moves`` remains.

Kafka 2.7 leaders answer in this way, its followers do not ask.

Source: KIP-595; Partition.readRecords and AbstractFetcherThread.truncateOnFetchResponse of Kafka
3.0; KIP-207, apache/kafka#5991; KAFKA-13141, apache/kafka#11136; KAFKA-18991, apache/kafka#19223.
"""

from dataclasses import replace

from ....core.fields import NONE
from .. import assignment, log, older, rules
from ..bounds import Constants
from ..family import TRUNCATION_ON_FETCH
from ..log import newest_epoch, truncate_to
from ..state import BrokerState
from .hw import HW
from .kip320 import KIP_320


def fetch_at_once(s: BrokerState, k: Constants, follower: int) -> None:
    """Leave the log as it is, and fetch: the response says where to truncate.

    AbstractFetcherThread.truncateOnFetchResponse of Kafka 2.8 and later truncates.  A follower
    without any epoch in its cache truncates to its high watermark before it fetches
    (AbstractFetcherThread.truncateToHighWatermark).
    """
    if newest_epoch(s, k, follower) == NONE:
        truncate_to(s, k, follower, s.replica[follower].hw)


def departs_by_epoch_cache(
    s: BrokerState, k: Constants, leader: int, last_epoch: int, offset: int
) -> bool:
    """Whether the leader lacks the last record's epoch, or ends it below the fetch offset.

    Partition.readRecords of Kafka 2.8 and later; a fetch whose epoch is above all that the leader
    knows is out of range.
    """
    if last_epoch == NONE:
        return False
    epoch, end_offset = k.rules.end_offset_for_epoch(s, k, leader, last_epoch)
    return end_offset != NONE and (epoch < last_epoch or end_offset < offset)


def end_of_that_epoch(
    s: BrokerState, k: Constants, leader: int, last_epoch: int
) -> tuple[int, int]:
    """Return the answer to OffsetsForLeaderEpoch for that epoch.

    Partition.readRecords of Kafka 2.8 and later.
    """
    return k.rules.end_offset_for_epoch(s, k, leader, last_epoch)


def list_from_epoch_start(s: BrokerState, k: Constants, leader: int) -> bool:
    """Return OFFSET_NOT_AVAILABLE until the high watermark is at the epoch's start (KIP-207)."""
    return s.replica[leader].hw >= s.replica[leader].epoch_start


KIP_595 = replace(
    KIP_320,
    name="kip-595",
    parent=KIP_320,
    story=__doc__,
    summary="Fetch responses carry diverging epochs: safe, but for a leader that missed an epoch.",
    rules=replace(
        KIP_320.rules,
        may_restart=rules.once_fenced,
        fetch_advances_hw=rules.if_log_end_moves,
        keeps_rejected_change=rules.keep_rejected,
        begin_following=fetch_at_once,
        truncation_on_fetch=True,
        diverges=departs_by_epoch_cache,
        where_logs_diverge=end_of_that_epoch,
        may_list_offsets=list_from_epoch_start,
    ),
    actions=HW.actions + TRUNCATION_ON_FETCH,
    older_rules=(
        ("may_restart", rules.bounce_unnoticed),
        ("fetch_advances_hw", rules.at_any_fetch),
        ("keeps_rejected_change", rules.drop_rejected),
        ("drop_in_flight", older.drop_requests_only),
        ("has_epoch_start", rules.at_any_offset),
        ("may_change_isr", older.leads_in_any_epoch),
        ("counts_diverging_fetch", older.also_if_diverging),
        ("applies_diverging_hw", older.before_truncating),
        ("diverges_below_start", log.epochs_first),
        *older.OF_ISR_CHANGES,
        *older.OF_CHANGE_RECORDS,
        ("may_complete", assignment.all_in_isr),
        *older.OF_ELECTIONS,
    ),
)
