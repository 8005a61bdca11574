"""A replica's log: its records, its epoch cache, and its start, below which records are deleted.

The cache is Kafka's leader-epoch-checkpoint: the start offset of each leader epoch.  It follows
``LeaderEpochFileCache`` of Kafka 2.7 and later: appending a new epoch removes the entries that it
contradicts, and truncation removes those that start at the new end or beyond, also when it removes
no record (KAFKA-10706).

The rules of the log start offset decide nothing without the option ``deletions``.  Each is a
function of the state, the constants and the replicas concerned; it names the Kafka function and
releases that it is read from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.fields import NONE

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def append(s: BrokerState, k: Constants, broker: int, epoch: int, record: int) -> None:
    """Append a record to a replica's log, and its leader epoch to the epoch cache."""
    replica = s.replica[broker]
    entry = replica.log[replica.leo]
    entry.epoch = epoch
    entry.record = record
    if k.rules.epoch_cache:
        k.rules.assign_epoch(s, k, broker, epoch)
    replica.leo += 1


def remove(s: BrokerState, broker: int, first: int, end: int) -> None:
    """Leave no record at the offsets from `first` to before `end` of a replica's log."""
    for offset in range(first, end):
        s.replica[broker].log[offset].epoch = NONE
        s.replica[broker].log[offset].record = NONE


def truncate_to(s: BrokerState, k: Constants, broker: int, offset: int) -> None:
    """Truncate a replica's log to `offset`; a shorter log stays as it is.

    Below the log start that leaves an empty log, which begins at `offset` (Log.truncateTo).
    """
    replica = s.replica[broker]
    truncates_cache = k.rules.epoch_cache and k.rules.truncates_cache(s, k, broker, offset)
    remove(s, broker, offset, replica.leo)
    replica.leo = min(replica.leo, offset)
    replica.start = min(replica.start, replica.leo)
    replica.hw = min(replica.hw, replica.leo)
    if truncates_cache:
        drop_empty_epochs(s, k, broker)


def drop_empty_epochs(s: BrokerState, k: Constants, broker: int) -> None:
    """Remove the entries of the epoch cache that start at the log end or beyond."""
    replica = s.replica[broker]
    for cached in range(k.elections + 1):
        if replica.epoch_cache[cached] >= replica.leo:
            replica.epoch_cache[cached] = NONE


def delete_below(s: BrokerState, k: Constants, broker: int, offset: int) -> None:
    """Delete the records below `offset`, where the log now starts, and their epochs.

    Log.maybeIncrementLogStartOffset; the epoch of the first record that is left, or of the last one
    deleted, then starts at `offset` (LeaderEpochFileCache.truncateFromStart).
    """
    replica = s.replica[broker]
    remove(s, broker, replica.start, offset)
    replica.start = offset
    first = NONE
    for cached in range(k.elections + 1):
        starts = replica.epoch_cache[cached]
        if starts != NONE and starts <= offset:
            first = cached
    for cached in range(first + 1):
        replica.epoch_cache[cached] = offset if cached == first else NONE


def start_over(s: BrokerState, k: Constants, broker: int, offset: int) -> None:
    """Empty a log that ends below `offset`, and let it start there.

    Log.truncateFullyAndStartAt; a high watermark below it is raised, or stays, by rule.
    """
    replica = s.replica[broker]
    remove(s, broker, replica.start, replica.leo)
    for cached in range(k.elections + 1):
        replica.epoch_cache[cached] = NONE
    replica.start = offset
    replica.leo = offset
    if k.rules.raises_hw(s, k, broker, True):
        replica.hw = offset


def delete_log(s: BrokerState, k: Constants, broker: int) -> None:
    """Delete a replica with its log, its epoch cache and its high watermark."""
    replica = s.replica[broker]
    remove(s, broker, 0, replica.leo)
    for cached in range(k.elections + 1):
        replica.epoch_cache[cached] = NONE
    replica.start = 0
    replica.leo = 0
    replica.hw = 0
    replica.checkpoint = 0


def newest_epoch(s: BrokerState, k: Constants, broker: int) -> int:
    """Return the newest leader epoch in a replica's epoch cache, or NONE."""
    return largest_epoch_up_to(s, k, broker, k.elections)


def largest_epoch_up_to(s: BrokerState, k: Constants, broker: int, epoch: int) -> int:
    """Return the largest cached epoch that does not exceed `epoch`, or NONE."""
    for cached in range(epoch, NONE, -1):
        if s.replica[broker].epoch_cache[cached] != NONE:
            return cached
    return NONE


def smallest_epoch_above(s: BrokerState, k: Constants, broker: int, epoch: int) -> int:
    """Return the smallest cached epoch that exceeds `epoch`, or NONE."""
    for cached in range(epoch + 1, k.elections + 1):
        if s.replica[broker].epoch_cache[cached] != NONE:
            return cached
    return NONE


def end_offset(s: BrokerState, k: Constants, broker: int, epoch: int) -> int:
    """Return the end offset of `epoch` in a log: the start of the next cached epoch, or the LEO."""
    following = smallest_epoch_above(s, k, broker, epoch)
    if following == NONE:
        return s.replica[broker].leo
    return s.replica[broker].epoch_cache[following]


def up_to_log_end(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Delete records above the high watermark too (KAFKA-5634).

    Log.deleteOldSegments of Kafka 0.8.0 to 0.11.0.0: retention asks for no high watermark.
    """
    return True


def up_to_hw(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Delete records below the high watermark only.

    Log.deletableSegments of Kafka 0.11.0.1 and later; Partition.deleteRecordsOnLeader always.
    """
    return offset <= s.replica[leader].hw


def ignore_log_start(s: BrokerState, k: Constants, follower: int) -> bool:
    """Keep the records that the leader has deleted: a fetch response has no log start before 0.11.

    ReplicaFetcherThread.processPartitionData of Kafka 0.8.0 to 0.10.2.
    """
    return False


def take_log_start(s: BrokerState, k: Constants, follower: int) -> bool:
    """Delete what the leader has deleted, or fail if that is above the follower's high watermark.

    ReplicaFetcherThread.processPartitionData of Kafka 0.11.0.0 and later (KIP-107).
    """
    return True


def never_raised(s: BrokerState, k: Constants, broker: int, starts_over: bool) -> bool:
    """Leave a high watermark below the log start: Replica.highWatermark of Kafka before 2.4."""
    return False


def unless_starting_over(s: BrokerState, k: Constants, broker: int, starts_over: bool) -> bool:
    """Raise it when it is set, but not when the log starts over (KAFKA-9491).

    Log.updateHighWatermark and Log.truncateFullyAndStartAt of Kafka 2.4.0.
    """
    return not starts_over


def always_raised(s: BrokerState, k: Constants, broker: int, starts_over: bool) -> bool:
    """Raise it to the log start at once.

    Log.updateLogStartOffset of Kafka 2.4.1 and later.
    """
    return True


def begin_at_log_start(s: BrokerState, k: Constants, leader: int) -> bool:
    """Let a new leader begin with its log start as the high watermark.

    Replica.convertHWToLocalOffsetMetadata of Kafka 1.1 to 2.3.
    """
    return True


def position_unknown(s: BrokerState, k: Constants, leader: int) -> bool:
    """Never advance it: its position in the log cannot be read.

    Log.fetchHighWatermarkMetadata of Kafka 2.4.0 and later throws OffsetOutOfRangeException; since
    2.4.1 no high watermark is below the log start.
    """
    return False


def out_of_range_first(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Answer OFFSET_OUT_OF_RANGE, whether or not the logs diverge.

    Partition.readRecords of Kafka 2.7.2, 2.8.1 and later (KAFKA-12996).
    """
    return False


def epochs_first(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Answer with the diverging epoch, and with the log start (KAFKA-12996).

    Partition.readRecords of Kafka 2.7.0, 2.7.1 and 2.8.0.
    """
    return True
