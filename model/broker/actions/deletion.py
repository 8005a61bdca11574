"""Deletion: a leader's log start offset moves up, and its followers' after it.

DeleteRecords (KIP-107) and retention are one to the model: what is below the log start is deleted
on purpose.
"""

from __future__ import annotations

from ..bounds import Constants
from ..history import note_deleted
from ..leadership import leads
from ..log import delete_below
from ..state import BrokerState


def delete_records(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Delete a leader's records below `offset`; a zombie leader does it too.

    Partition.deleteRecordsOnLeader, and Log.deleteOldSegments of a leader.
    """
    if not leads(s, leader):
        return False
    if s.deleted == k.deletions:
        return False
    if offset <= s.replica[leader].start:
        return False
    if offset > s.replica[leader].leo:
        return False
    if not k.rules.may_delete(s, k, leader, offset):
        return False
    s.deleted += 1
    delete_below(s, k, leader, offset)
    note_deleted(s, k, offset)
    return True


def raise_hw(s: BrokerState, k: Constants, broker: int) -> None:
    """Raise a high watermark that was set below the log start, if the rule ``raises_hw`` says so.

    Log.updateHighWatermark, which brokers call for a fetch response and when they start.
    """
    replica = s.replica[broker]
    if replica.hw < replica.start and k.rules.raises_hw(s, k, broker, False):
        replica.hw = replica.start


def follow_log_start(s: BrokerState, k: Constants, follower: int, offset: int) -> bool:
    """Delete what the leader has deleted; False if the follower's fetcher fails.

    It fails if the leader's log starts above the follower's high watermark: Log (before 2.4
    Replica) .maybeIncrementLogStartOffset throws OffsetOutOfRangeException.  Then it fetches no
    more before it applies another epoch (AbstractFetcherThread.markPartitionFailed, since 2.3;
    before, the fetcher thread ends).
    """
    raise_hw(s, k, follower)
    if not k.rules.follows_log_start(s, k, follower):
        return True
    if offset > s.replica[follower].hw:
        s.replica[follower].failed = 1
        return False
    if offset > s.replica[follower].start:
        delete_below(s, k, follower, offset)
    return True
