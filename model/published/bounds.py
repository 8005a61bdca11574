"""The bounds of the published family: the constants of KafkaReplication.tla."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.bounds import number
from .rules import Rules


@dataclass(frozen=True)
class PublishedBounds:
    """What a user sets with ``-b NAME=VALUE``."""

    replicas: int = number(2, 1, 5, "replicas of the one partition (Replicas)", main=True)
    log_size: int = number(
        2, 0, 8, "longest log of a replica, in records (LogSize)", follows="records", main=True
    )
    records: int = number(2, 0, 8, "records that producers write in total (MaxRecords)", main=True)
    max_leader_epoch: int = number(
        1, 0, 8, "largest leader epoch; the first election starts epoch 0 (MaxLeaderEpoch)",
        main=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Constants(PublishedBounds):
    """The ``k`` that actions and rules receive: the bounds, the rules and what to record.

    ``track_committed`` says whether the history of committed records is part of the state.
    """

    rules: Rules = Rules()
    track_committed: bool = False
