"""The rules of the log start offset, below which records are deleted on purpose (KIP-107).

They decide nothing without the option ``deletions``.  Each is a function of the state, the
constants and the replicas concerned; it names the Kafka function and releases that it is read from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


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
