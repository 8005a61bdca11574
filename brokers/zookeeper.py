"""ZooKeeper on this machine, with the scripted controller."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from .controller import ScriptedController
from .coordinator import PartitionState
from .distribution import Distribution
from .process import Jvm
from .server import Server
from .zookeeper_process import NEVER, start_zookeeper


class ZooKeeper:
    """A coordinator of releases before 4.0.

    Parameters
    ----------
    ports, upstream
        The ports of all brokers, as they see them, and their real ones.
    """

    def __init__(
        self,
        distribution: Distribution,
        folder: Path,
        port: int,
        ports: Mapping[int, int],
        upstream: Mapping[int, int],
    ) -> None:
        self._distribution = distribution
        self._folder = folder
        self._port = port
        self._ports = ports
        self._upstream = upstream
        self._process: Jvm | None = None
        self._controller = ScriptedController(f"127.0.0.1:{port}")

    async def start(self) -> None:
        """Start ZooKeeper, and take ``/controller``."""
        self._process = await start_zookeeper(self._distribution, self._folder, self._port)
        await asyncio.to_thread(self._controller.start)

    async def stop(self) -> None:
        """End the session, and ZooKeeper."""
        await asyncio.to_thread(self._controller.stop)
        if self._process is not None:
            await self._process.kill()

    def properties(self, server: Server) -> dict[str, object]:
        """Return the configuration by which a broker finds it."""
        return {
            "broker.id": server.number,
            "zookeeper.connect": f"127.0.0.1:{self._port}",
            "zookeeper.session.timeout.ms": NEVER,
            "zookeeper.connection.timeout.ms": 30_000,
        }

    def expect(self, server: Server) -> None:
        """Do nothing: ZooKeeper knows nobody before he registers."""

    def registered(self, broker: int) -> bool:
        """Whether a broker has registered."""
        return self._controller.registered(broker)

    def unregister(self, broker: int) -> None:
        """End the session of a broker that was killed."""
        self._controller.unregister(broker)

    def create_topic(self, topic: str, replicas: Sequence[int]) -> None:
        """Create a topic of one partition that broker 0 leads in epoch 0."""
        self._controller.create_topic(topic, replicas)

    def retain(self, topic: str, size: int) -> None:
        """Let a topic retain this many bytes; -1: all."""
        self._controller.retain(topic, size)

    def state(self, topic: str) -> PartitionState:
        """Return the stored state of a topic's partition."""
        return self._controller.state(topic)

    def begin_epoch(self, topic: str, leader: int, epoch: int, isr: Sequence[int]) -> None:
        """Store a new leader epoch."""
        self._controller.begin_epoch(topic, leader, epoch, isr)

    async def introduce(self, topic: str, broker: int) -> None:
        """Send UpdateMetadata to a broker."""
        port = self._upstream[broker]
        await self._controller.update_metadata(topic, list(self._ports), port, self._ports)

    async def announce(self, topic: str, epoch: int, isr: Sequence[int], broker: int) -> int:
        """Send LeaderAndIsr of an epoch to a broker."""
        port = self._upstream[broker]
        answer = await self._controller.send(
            topic, epoch, isr, list(self._ports), port, self._ports
        )
        error: int = answer["error"] or answer["partitions"][0]["error"]
        return error

    async def delete_topic(self, topic: str, brokers: Sequence[int]) -> None:
        """Send StopReplica to brokers."""
        for broker in brokers:
            await self._controller.delete_replica(topic, self._upstream[broker])
