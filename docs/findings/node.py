"""One node of a cluster: its files, its configuration and what it logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.jvm import Jvm, start_jvm
from tidegate.brokers.logging_settings import logging_settings, write_logging
from tidegate.brokers.server import Server

CONTROLLER = 100
"""The id of the controller's node, or of the first voter's; brokers count from 1."""

_LEVELS = {
    "state.change.logger": "INFO",
    "kafka.cluster.Partition": "TRACE",
    "kafka.server.ReplicaFetcherThread": "DEBUG",
    "org.apache.kafka.image.loader": "DEBUG",
    "org.apache.kafka.controller.ReplicationControlManager": "DEBUG",
    "org.apache.kafka.controller.PartitionChangeBuilder": "TRACE",
}
"""Log levels beyond those of Kafka's own configuration."""


class Node(Server):
    """The controller or a broker.

    Parameters
    ----------
    advertised
        Where others connect to it: a port of the proxy, or its own.
    """

    def __init__(self, number: int, folder: Path, port: int, advertised: int) -> None:
        super().__init__(number, folder, port)
        self.advertised = advertised

    @property
    def controls(self) -> bool:
        """Whether it is a controller, and no broker."""
        return self.number >= CONTROLLER

    async def java(self, distribution: Distribution, main: str, *arguments: str) -> Jvm:
        """Start a class of Kafka for this node."""
        return await start_jvm(
            distribution,
            main,
            arguments,
            [self.folder / "output", self.log_file],
            logging_settings(distribution, self.folder),
        )

    def configure(self, distribution: Distribution, settings: Mapping[str, object]) -> None:
        """Write its configuration.

        Parameters
        ----------
        settings
            Beside what every small cluster on loopback needs.
        """
        self.data.mkdir(parents=True)
        properties = {**self._properties(), **settings}
        text = "".join(f"{name}={value}\n" for name, value in properties.items())
        self.config.write_text(text, encoding="utf-8")
        write_logging(distribution, self.folder, self.log_file, _LEVELS)

    def _properties(self) -> dict[str, object]:
        listener = "CONTROLLER" if self.controls else "PLAINTEXT"
        return {
            "listeners": f"{listener}://127.0.0.1:{self.port}",
            "advertised.listeners": f"{listener}://127.0.0.1:{self.advertised}",
            "log.dirs": self.data,
            "auto.leader.rebalance.enable": "false",
            "auto.create.topics.enable": "false",
            "unclean.leader.election.enable": "false",
            "num.network.threads": 2,
            "num.io.threads": 4,
            "background.threads": 2,
            "log.cleaner.dedupe.buffer.size": 2 << 20,
        }
