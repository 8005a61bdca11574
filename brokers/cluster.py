"""Brokers with ZooKeeper on one machine, behind the proxy, under the scripted controller."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from .controller import ScriptedController
from .distribution import Distribution, KafkaError
from .inside import Inside
from .jdwp import Debugger
from .patience import together, until
from .process import Jvm, free_ports, start_jvm
from .proxy import Proxy
from .records import record_size
from .server import Server

_START = 60.0
"""Seconds that a process may take to start on a machine that is busy."""

_NEVER = 3_600_000
"""An hour in milliseconds: nothing times out."""

OLDER_PROTOCOL = "2.6"
"""inter.broker.protocol.version of releases since 2.7."""

_OFTEN = 200
"""Milliseconds between a leader's looks at its followers, at most."""

_AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"

_LOG4J = """\
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={file}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d{{HH:mm:ss,SSS}} %p %m (%c)%n
log4j.logger.kafka.server.KafkaConfig=WARN
log4j.logger.org.apache.zookeeper=WARN
log4j.logger.state.change.logger=TRACE
log4j.logger.kafka.cluster.Partition=TRACE
log4j.logger.kafka.server.ReplicaFetcherThread=DEBUG
log4j.logger.kafka.server.epoch=DEBUG
"""


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
    """

    def __init__(
        self,
        distribution: Distribution,
        replicas: int,
        *,
        fetch_size: int = 1,
        min_isr: int = 1,
        unclean_election: bool = False,
    ) -> None:
        self.distribution = distribution
        self.proxy = Proxy()
        self._settings = (fetch_size, min_isr, unclean_election)
        self._folder = Path(tempfile.mkdtemp(prefix=f"tidegate-kafka-{os.getpid()}-"))
        self._zookeeper: Jvm | None = None
        ports = free_ports(3 * replicas + 1)
        self._zookeeper_port = ports.pop()
        self._proxy_ports = ports[:replicas]
        self.brokers = [
            Broker(number, self._folder / f"broker-{number}", *ports[replicas + number :: replicas])
            for number in range(replicas)
        ]
        self.controller = ScriptedController(f"127.0.0.1:{self._zookeeper_port}")

    @property
    def magic(self) -> int:
        """The format of records in the logs of this release."""
        release = self.distribution.release
        return 0 if release < (0, 10) else 1 if release < (0, 11) else 2

    async def __aenter__(self) -> Self:
        try:
            await self._start_zookeeper()
            for broker in self.brokers:
                await self.proxy.listen(
                    broker.number, self._proxy_ports[broker.number], broker.port
                )
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
        await asyncio.to_thread(self.controller.stop)
        if self._zookeeper is not None:
            await self._zookeeper.kill()
        await self.proxy.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def start(self, broker: Broker) -> None:
        """Start a broker, and wait until it has registered and serves requests."""
        broker.process = await start_jvm(
            self.distribution,
            "kafka.Kafka",
            [str(broker.config)],
            [broker.folder / "output", broker.log_file],
            {"log4j.configuration": f"file:{broker.folder / 'log4j.properties'}"},
            [f"{_AGENT},address=127.0.0.1:{broker.debug_port}"],
        )
        await broker.process.listens(broker.port, _START)

        def registered() -> bool | None:
            return self.controller.registered(broker.number) or None

        if await until(registered, _START) is None:
            raise KafkaError(f"broker {broker.number} did not register within {_START:.0f} s")
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
            for broker in self.brokers:
                if broker.alive:
                    await self.controller.delete_replica(topic, broker.port)
        finally:
            for broker in self.brokers:
                self.proxy.admit(broker.number)
        await together(*(self.start(broker) for broker in self.brokers if not broker.alive))

    async def _start_zookeeper(self) -> None:
        folder = self._folder / "zookeeper"
        folder.mkdir()
        config = folder / "zoo.cfg"
        config.write_text(
            f"dataDir={folder}\nclientPortAddress=127.0.0.1\nclientPort={self._zookeeper_port}\n"
            f"tickTime=500\nmaxSessionTimeout={2 * _NEVER}\nmaxClientCnxns=0\n"
            "admin.enableServer=false\n",
            encoding="utf-8",
        )
        log4j = folder / "log4j.properties"
        log4j.write_text(_LOG4J.format(file=folder / "zookeeper.log"), encoding="utf-8")
        self._zookeeper = await start_jvm(
            self.distribution,
            "org.apache.zookeeper.server.ZooKeeperServerMain",
            [str(config)],
            [folder / "output", folder / "zookeeper.log"],
            # The logger of Kafka's jars lacks the beans that ZooKeeper registers.
            {"log4j.configuration": f"file:{log4j}", "zookeeper.jmx.log4j.disable": "true"},
        )
        await self._zookeeper.listens(self._zookeeper_port, _START)
        if await until(self._zookeeper_serves, _START) is None:
            raise self._zookeeper.failure(f"did not serve within {_START:.0f} s")
        await asyncio.to_thread(self.controller.start)

    def _zookeeper_serves(self) -> bool | None:
        """Whether ZooKeeper takes requests; one that comes earlier may never be answered."""
        address = ("127.0.0.1", self._zookeeper_port)
        with suppress(OSError), socket.create_connection(address, 1) as asked:
            asked.sendall(b"srvr")
            return b"Mode:" in asked.recv(4096) or None
        return None

    def _configure(self, broker: Broker) -> None:
        broker.data.mkdir(parents=True)
        settings = self._properties(broker)
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        broker.config.write_text(text, encoding="utf-8")
        log4j = _LOG4J.format(file=broker.log_file)
        (broker.folder / "log4j.properties").write_text(log4j, encoding="utf-8")

    def _properties(self, broker: Broker) -> dict[str, object]:
        """Return the configuration that makes a broker wait for the harness."""
        fetch_size, min_isr, unclean_election = self._settings
        size = fetch_size * record_size(self.magic)
        settings: dict[str, object] = {
            "broker.id": broker.number,
            "listeners": f"PLAINTEXT://127.0.0.1:{broker.port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self._proxy_ports[broker.number]}",
            "zookeeper.connect": f"127.0.0.1:{self._zookeeper_port}",
            "zookeeper.session.timeout.ms": _NEVER,
            "zookeeper.connection.timeout.ms": 30_000,
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
        if self.distribution.release >= (2, 7):
            # Newer brokers ask the controller to change the ISR, which the scripted one does not.
            settings["inter.broker.protocol.version"] = OLDER_PROTOCOL
        if self.distribution.release >= (1, 1):
            settings["max.incremental.fetch.session.cache.slots"] = 0
        return settings
