"""What stands for the controller of a cluster, with ZooKeeper or with KRaft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .server import Server


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


class Coordinator(Protocol):
    """Decides what a behavior decides, and tells brokers of it when a step says so."""

    async def start(self) -> None:
        """Take the place of the controller."""

    async def stop(self) -> None:
        """End what was started."""

    def properties(self, server: Server) -> dict[str, object]:
        """Return the configuration by which a broker finds it."""

    def expect(self, server: Server) -> None:
        """Make ready for a broker that starts."""

    def registered(self, broker: int) -> bool:
        """Whether a broker that was started has registered, and may serve."""

    def unregister(self, broker: int) -> None:
        """Forget a broker that was killed."""

    def create_topic(self, topic: str, replicas: Sequence[int]) -> None:
        """Create a topic of one partition that broker 0 leads in epoch 0."""

    def state(self, topic: str) -> PartitionState:
        """Return the stored state of a topic's partition."""

    def begin_epoch(self, topic: str, leader: int, epoch: int, isr: Sequence[int]) -> None:
        """Store a new leader epoch."""

    async def introduce(self, topic: str, broker: int) -> None:
        """Tell a broker of all brokers, and of a topic's present state, before anything else."""

    async def announce(self, topic: str, epoch: int, isr: Sequence[int], broker: int) -> int:
        """Tell a broker of an epoch, with an ISR; return the error that it answers."""

    async def delete_topic(self, topic: str, brokers: Sequence[int]) -> None:
        """Have brokers delete their replicas."""
