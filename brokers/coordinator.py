"""What the controller of a cluster has stored of a partition, with ZooKeeper or with KRaft."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PartitionState:
    """What is stored of a partition.

    Parameters
    ----------
    version
        Its partition epoch, or the version of its znode.
    replicas
        With KRaft: its replicas, with those that a reassignment adds, and removes.
    """

    leader: int
    epoch: int
    isr: tuple[int, ...]
    version: int
    replicas: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
