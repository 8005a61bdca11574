"""Brokers with ZooKeeper on one machine, of which one is the controller."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.jvm import Jvm
from tidegate.brokers.patience import start_patience
from tidegate.brokers.report import KafkaError
from tidegate.brokers.server import free_ports
from tidegate.brokers.zookeeper import start_zookeeper

from . import admin
from .kafka_cluster import KafkaCluster
from .node import Node

_PAUSE = 0.1


class ZooKeeperCluster(KafkaCluster):
    """A cluster in which brokers elect one of them as the controller.

    Parameters
    ----------
    settings, proxied
        As for every cluster.
    """

    def __init__(
        self,
        distribution: Distribution,
        brokers: int,
        settings: Mapping[str, object],
        *,
        proxied: bool = True,
    ) -> None:
        if not distribution.has_zookeeper:
            raise KafkaError(f"Kafka {distribution.version} has no ZooKeeper; 3.9 has")
        super().__init__(distribution, range(1, brokers + 1), settings, proxied=proxied)
        (self._port,) = free_ports(1)
        self._zookeeper: Jvm | None = None

    async def stop(self) -> None:
        """End every process, and remove every file."""
        if self._zookeeper is not None:
            await self._zookeeper.kill()
        await super().stop()

    async def let_control(self, number: int) -> None:
        """Make a broker the controller: others that are elected before it are restarted."""
        while (controller := await self._administered_by()) != number:
            self.shut_down(controller)
            await self.ends(controller)
            await self.start(controller)
            await self.is_complete()

    def _finds_controller(self, node: Node) -> dict[str, object]:
        return {
            "broker.id": node.number,
            "zookeeper.connect": f"127.0.0.1:{self._port}",
        }

    async def _prepare(self) -> None:
        folder = self._folder / "zookeeper"
        self._zookeeper = await start_zookeeper(self.distribution, folder, self._port)

    async def _administered_by(self) -> int:
        deadline = asyncio.get_running_loop().time() + start_patience()
        while True:
            answer = await self._ask(self.running[-1], admin.METADATA, {"topics": []})
            controller: int = answer["controller"]
            if controller in self.running:
                return controller
            if asyncio.get_running_loop().time() > deadline:
                raise KafkaError(f"no broker that runs is the controller, but {controller}")
            await asyncio.sleep(_PAUSE)
