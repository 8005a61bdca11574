"""Brokers with KRaft on one machine: nodes that are controllers alone, and brokers."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
from collections.abc import Mapping

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.patience import start_patience
from tidegate.brokers.report import KafkaError

from .kafka_cluster import KafkaCluster
from .node import CONTROLLER, Node


def _encoded(uuid: bytes) -> str:
    """Return an id as Kafka writes it."""
    return base64.urlsafe_b64encode(uuid).decode().rstrip("=")


_CLUSTER_ID = _encoded(b"tidegate.brokers")


class KraftCluster(KafkaCluster):
    """A cluster whose controllers are nodes of their own.

    Parameters
    ----------
    settings, proxied
        As for every cluster.
    voters
        How many controllers there are, of which one is active.
    features
        Levels of features that are not the release's own choice.
    """

    def __init__(
        self,
        distribution: Distribution,
        brokers: int,
        settings: Mapping[str, object],
        *,
        proxied: bool = True,
        voters: int = 1,
        features: Mapping[str, int] | None = None,
    ) -> None:
        if not distribution.has_kraft:
            raise KafkaError(f"Kafka {distribution.version} has no KRaft for production; 3.3 has")
        numbers = [*range(CONTROLLER, CONTROLLER + voters), *range(1, brokers + 1)]
        super().__init__(distribution, numbers, settings, proxied=proxied)
        self._features = features or {}

    def _finds_controller(self, node: Node) -> dict[str, object]:
        voters = map(self.node, self.controllers)
        places = (f"{voter.number}@127.0.0.1:{voter.advertised}" for voter in voters)
        return {
            "node.id": node.number,
            "process.roles": "controller" if node.controls else "broker",
            "controller.quorum.voters": ",".join(places),
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "initial.broker.registration.timeout.ms": int(1000 * start_patience()),
        }

    async def _prepare(self) -> None:
        first, *others = self._nodes.values()
        await self._format(first)
        for node in others:
            _format_as(first, node)

    async def _administered_by(self) -> int:
        # A broker hands a request on to whichever controller is active.
        return self.running[-1]

    async def _format(self, node: Node) -> None:
        """Write the files by which a node belongs to the cluster."""
        levels = (f"{name}={level}" for name, level in self._features.items())
        features = [word for level in levels for word in ("--feature", level)]
        options = ("format", "-t", _CLUSTER_ID, "-c", str(node.config))
        tool = await node.java(self.distribution, "kafka.tools.StorageTool", *options, *features)
        node.process = tool
        if await asyncio.wait_for(tool.process.wait(), start_patience()):
            raise tool.failure("could not format its storage")


def _format_as(first: Node, node: Node) -> None:
    """Write for a node what the tool has written for the first one; Java would take seconds.

    Kafka tells nodes and their directories apart by ids in meta.properties.
    """
    shutil.copytree(first.data, node.data, dirs_exist_ok=True)
    ids = {"node.id": str(node.number), "directory.id": _encoded(os.urandom(16))}
    meta = node.data / "meta.properties"
    lines = (line.partition("=") for line in meta.read_text(encoding="utf-8").splitlines())
    text = "".join(f"{name}{equals}{ids.get(name, value)}\n" for name, equals, value in lines)
    meta.write_text(text, encoding="utf-8")
