"""Brokers on one machine, behind the proxy, under a scripted controller."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from .distribution import Distribution
from .inside import Inside
from .jdwp import Debugger
from .jvm import start_jvm
from .logging_settings import logging_settings, write_logging
from .patience import start_patience, together, until
from .proxy import Proxy
from .records import record_size
from .report import KafkaError
from .scripted_quorum import ScriptedQuorum
from .server import Server, free_ports
from .zookeeper import ZooKeeper

_NEVER = 3_600_000
"""An hour in milliseconds: nothing times out."""

OLDER_PROTOCOL, WITH_DIVERGING_EPOCHS = "2.6", "2.7-IV1"
"""inter.broker.protocol.version of releases since 2.7, and of those that truncate on fetch.

Since 2.7-IV2 brokers ask the controller to change the ISR, which the scripted one does not do.
"""

_OFTEN = 200
"""Milliseconds between a leader's looks at its followers, at most."""

_AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"

_LEVELS = {
    "kafka.server.KafkaConfig": "WARN",
    "org.apache.zookeeper": "WARN",
    "state.change.logger": "TRACE",
    "kafka.cluster.Partition": "TRACE",
    "kafka.server.ReplicaFetcherThread": "DEBUG",
    "kafka.server.epoch": "DEBUG",
    # Since 3.x each request of an old version is logged, and the harness sends many.
    "kafka.request.logger": "WARN",
}
"""Log levels beyond those of Kafka's own configuration."""


class Broker(Server):
    """One broker, with a debugger's port."""

    def __init__(self, number: int, folder: Path, port: int, debug_port: int) -> None:
        super().__init__(number, folder, port)
        self.debug_port = debug_port
        self._debugger = Debugger()
        self.inside = Inside(self._debugger)

    async def look_inside(self) -> None:
        """Connect to the debugger of its process, and let no follower lag by itself."""
        await self._debugger.connect(self.debug_port)
        await self.inside.stop_lag()

    async def kill(self) -> None:
        """Kill its process, if it has one."""
        self._debugger.close()
        if self.process is not None:
            await self.process.kill()

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and not self.process.ended


class Cluster:
    """A cluster; ``async with`` starts it, and ends every process when it is left.

    Parameters
    ----------
    fetch_size
        Most records of a fetch response.
    unclean_election
        Whether brokers allow unclean leader election.
    truncates_on_fetch
        Whether fetch responses say where logs diverge, as with KRaft; with ZooKeeper since 2.8.
    kraft
        Whether there is a controller quorum, and changes of the ISR wait for its decision.
        Releases without ZooKeeper have one in any case.

    Attributes
    ----------
    proposals
        The controller, if changes of the ISR wait for its decision.
    """

    def __init__(
        self,
        distribution: Distribution,
        replicas: int,
        *,
        kraft: bool = False,
        truncates_on_fetch: bool = False,
        fetch_size: int = 1,
        min_isr: int = 1,
        unclean_election: bool = False,
    ) -> None:
        if kraft and not distribution.has_kraft:
            raise KafkaError(
                f"isr_propagation is kraft, but Kafka {distribution.version} has no KRaft for "
                "production; 3.3 has"
            )
        self.distribution = distribution
        self.proxy = Proxy()
        self._settings = (fetch_size, min_isr, unclean_election)
        self._folder = Path(tempfile.mkdtemp(prefix=f"tidegate-kafka-{os.getpid()}-"))
        ports = free_ports(3 * replicas + 1)
        controller_port = ports.pop()
        advertised = dict(enumerate(ports[:replicas]))
        self.brokers = [
            Broker(number, self._folder / f"broker-{number}", *ports[replicas + number :: replicas])
            for number in range(replicas)
        ]
        self._advertised = advertised
        self._version = WITH_DIVERGING_EPOCHS if truncates_on_fetch else OLDER_PROTOCOL
        self.kraft = kraft or not distribution.has_zookeeper
        self.proposals: ScriptedQuorum | None = None
        self.controller: ScriptedQuorum | ZooKeeper
        if self.kraft:
            scripted = ScriptedQuorum(controller_port, advertised, instant=not kraft)
            self.controller = scripted
            self.proposals = scripted if kraft else None
        else:
            self.controller = ZooKeeper(
                distribution,
                self._folder / "zookeeper",
                controller_port,
                advertised,
                {broker.number: broker.port for broker in self.brokers},
            )

    @property
    def magic(self) -> int:
        """The format of records in the logs of this release."""
        release = self.distribution.release
        return 0 if release < (0, 10) else 1 if release < (0, 11) else 2

    @property
    def retains_above_hw(self) -> bool:
        """Whether retention deletes above the high watermark, and fetch responses say so.

        KAFKA-5634, of 0.11.0.0; so each record has a segment of its own there.
        """
        return (0, 11) <= self.distribution.release < (0, 11, 0, 1)

    @property
    def fetch_version(self) -> int:
        """A version of Fetch that every release of this kind answers, and followers refuse."""
        return 10 if self.kraft else 1

    @property
    def debug_version(self) -> int:
        """A version of Fetch that followers answer: since 2.4 one of KIP-392.

        Since 0.11 the answer has the log start.
        """
        if self.distribution.release >= (2, 4):
            return 11
        return 5 if self.distribution.release >= (0, 11) else self.fetch_version

    async def __aenter__(self) -> Self:
        try:
            await self.controller.start()
            for broker in self.brokers:
                await self.proxy.listen(broker.number, self._advertised[broker.number], broker.port)
                self._configure(broker)
            await together(*map(self.start, self.brokers))
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """End every process and remove every file."""
        await asyncio.gather(*(broker.kill() for broker in self.brokers))
        await self.controller.stop()
        await self.proxy.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def start(self, broker: Broker) -> None:
        """Start a broker, and wait until it has registered and serves requests."""
        self.controller.expect(broker)
        limit = start_patience()
        broker.process = await start_jvm(
            self.distribution,
            "kafka.Kafka",
            [str(broker.config)],
            [broker.folder / "output", broker.log_file],
            logging_settings(self.distribution, broker.folder),
            [f"{_AGENT},address=127.0.0.1:{broker.debug_port}"],
        )
        await broker.process.listens(broker.port, limit)
        if not await until(lambda: self.controller.registered(broker.number), limit):
            raise KafkaError(f"broker {broker.number} did not register within {limit:.0f} s")
        await broker.look_inside()

    async def kill(self, broker: Broker) -> None:
        """Kill a broker's process, with all its connections."""
        await broker.kill()
        self.proxy.cut(broker.number)
        self.controller.unregister(broker.number)

    async def renew(self, topic: str) -> None:
        """Delete a topic's replicas and start what is down, for the next behavior."""
        for broker in self.brokers:
            self.proxy.refuse(broker.number)
        try:
            alive = [broker.number for broker in self.brokers if broker.alive]
            await self.controller.delete_topic(topic, alive)
        finally:
            for broker in self.brokers:
                self.proxy.admit(broker.number)
        await together(*(self.start(broker) for broker in self.brokers if not broker.alive))

    def _configure(self, broker: Broker) -> None:
        broker.data.mkdir(parents=True)
        settings = self._properties(broker)
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        broker.config.write_text(text, encoding="utf-8")
        write_logging(self.distribution, broker.folder, broker.log_file, _LEVELS)

    def _properties(self, broker: Broker) -> dict[str, object]:
        """Return the configuration that makes a broker wait for the harness."""
        fetch_size, min_isr, unclean_election = self._settings
        size = fetch_size * record_size(self.magic)
        settings: dict[str, object] = {
            **self.controller.properties(broker),
            "listeners": f"PLAINTEXT://127.0.0.1:{broker.port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self._advertised[broker.number]}",
            "log.dirs": broker.data,
            "num.network.threads": 2,
            "num.io.threads": 4,
            "num.replica.fetchers": 1,
            "replica.socket.timeout.ms": _NEVER,
            "controller.socket.timeout.ms": _NEVER,
            "replica.lag.time.max.ms": _OFTEN,
            "request.timeout.ms": _NEVER,
            "connections.max.idle.ms": _NEVER,
            "replica.fetch.wait.max.ms": 20,
            "replica.fetch.backoff.ms": 50,
            "replica.fetch.max.bytes": size,
            "message.max.bytes": size,
            "replica.high.watermark.checkpoint.interval.ms": 20,
            "min.insync.replicas": min_isr,
            "unclean.leader.election.enable": str(unclean_election).lower(),
            "auto.leader.rebalance.enable": "false",
            "auto.create.topics.enable": "false",
            "controlled.shutdown.enable": "false",
            "log.cleaner.enable": "false",
            "log.retention.check.interval.ms": _NEVER,
            "log.index.size.max.bytes": 4096,
            "offsets.topic.num.partitions": 1,
            "offsets.topic.replication.factor": 1,
        }
        if self.distribution.release >= (2, 7) and not self.kraft:
            settings["inter.broker.protocol.version"] = self._version
        if self.distribution.release >= (0, 11):
            settings["log.flush.start.offset.checkpoint.interval.ms"] = 20
        if self.retains_above_hw:
            settings["log.retention.check.interval.ms"] = _OFTEN
            settings["log.segment.bytes"] = record_size(self.magic)
        if self.distribution.release >= (1, 1):
            settings["max.incremental.fetch.session.cache.slots"] = 0
        return settings
