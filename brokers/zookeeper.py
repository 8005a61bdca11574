"""A scripted controller of a ZooKeeper cluster: it decides what a behavior decides.

It holds ``/controller``, so that no broker becomes the controller, writes the partition's state,
and sends LeaderAndIsr of any epoch, however late.

ZooKeeper on this machine, as releases of Kafka before 4.0 bring it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from .client import ask
from .distribution import Distribution
from .jvm import Jvm, start_jvm
from .logging_settings import logging_settings, write_logging
from .messages import LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA
from .metadata import PartitionState
from .patience import start_patience, until
from .report import KafkaError
from .server import Server

NEVER = 3_600_000
"""An hour in milliseconds."""


async def start_zookeeper(distribution: Distribution, folder: Path, port: int) -> Jvm:
    """Start ZooKeeper with its files in a new folder, and wait until it serves.

    Raises
    ------
    KafkaError
        If it does not in time.
    """
    folder.mkdir()
    config = folder / "zoo.cfg"
    config.write_text(
        f"dataDir={folder}\nclientPortAddress=127.0.0.1\nclientPort={port}\n"
        f"tickTime=500\nmaxSessionTimeout={2 * NEVER}\nmaxClientCnxns=0\n"
        "admin.enableServer=false\n",
        encoding="utf-8",
    )
    log = folder / "zookeeper.log"
    write_logging(distribution, folder, log, {"org.apache.zookeeper": "WARN"})
    process = await start_jvm(
        distribution,
        "org.apache.zookeeper.server.ZooKeeperServerMain",
        [str(config)],
        [folder / "output", log],
        # The logger of Kafka's jars lacks the beans that ZooKeeper registers.
        logging_settings(distribution, folder) | {"zookeeper.jmx.log4j.disable": "true"},
    )
    limit = start_patience()
    try:
        await process.listens(port, limit)
        if not await until(lambda: _serves(port), limit):
            raise process.failure(f"did not serve within {limit:.0f} s")
    except BaseException:
        await process.kill()
        raise
    return process


def _serves(port: int) -> bool:
    """Whether ZooKeeper takes requests; one that comes earlier may never be answered."""
    with (
        suppress(OSError),
        socket.create_connection(("127.0.0.1", port), 1) as connection,
    ):
        connection.sendall(b"srvr")
        return b"Mode:" in connection.recv(4096)
    return False


ID, EPOCH = 1000, 1
"""Broker id and epoch of the controller."""

_SESSION = 20.0
"""Seconds of the session; kazoo waits as long for each answer, and for its own end."""

_SILENT = logging.getLogger(f"{__name__}.kazoo")
"""ZooKeeper ends with the harness, and that is not news."""
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


class ZooKeeper:
    """A coordinator of releases before 4.0: ZooKeeper on this machine, and the controller.

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
        self._client = KazooClient(hosts=f"127.0.0.1:{port}", timeout=_SESSION, logger=_SILENT)
        self._sent: dict[tuple[str, int], PartitionState] = {}

    async def start(self) -> None:
        """Start ZooKeeper, and take ``/controller``."""
        self._process = await start_zookeeper(self._distribution, self._folder, self._port)
        await asyncio.to_thread(self._take_control)

    async def stop(self) -> None:
        """End the session, and ZooKeeper."""
        await asyncio.to_thread(self._end_session)
        if self._process is not None:
            await self._process.kill()

    def _take_control(self) -> None:
        """Take ``/controller``, for longer than the session: a machine may stop for a while."""
        try:
            self._client.start(timeout=2 * _SESSION)
        except KazooTimeoutError:
            raise KafkaError(f"ZooKeeper did not answer within {2 * _SESSION:.0f} s") from None
        value = {"version": 1, "brokerid": ID, "timestamp": "1"}
        self._client.create("/controller", json.dumps(value).encode())
        self._client.create("/controller_epoch", str(EPOCH).encode())

    def _end_session(self) -> None:
        with suppress(Exception):
            self._client.stop()
            self._client.close()

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
        return self._client.exists(f"/brokers/ids/{broker}") is not None

    def unregister(self, broker: int) -> None:
        """End the session of a broker that was killed, which ZooKeeper would keep for an hour."""
        with suppress(NoNodeError):
            self._client.delete(f"/brokers/ids/{broker}")

    def create_topic(self, topic: str, replicas: Sequence[int]) -> None:
        """Create a topic of one partition that broker 0 leads in epoch 0."""
        for path, value in (
            (f"/config/topics/{topic}", {"version": 1, "config": {}}),
            (f"/brokers/topics/{topic}", {"version": 1, "partitions": {"0": list(replicas)}}),
        ):
            with suppress(NodeExistsError):
                self._client.create(path, json.dumps(value).encode(), makepath=True)
        self._client.create(_state(topic), _encoded(0, 0, replicas), makepath=True)
        self._sent[topic, 0] = self.state(topic)

    def retain(self, topic: str, size: int) -> None:
        """Have brokers retain this many bytes of a topic; -1: all."""
        config = {"version": 1, "config": {"retention.bytes": str(size)}}
        self._client.set(f"/config/topics/{topic}", json.dumps(config).encode())
        change = {"version": 1, "entity_type": "topics", "entity_name": topic}
        path = "/config/changes/config_change_"
        self._client.create(path, json.dumps(change).encode(), makepath=True, sequence=True)

    def state(self, topic: str) -> PartitionState:
        """Return the stored state of a topic's partition."""
        data, stat = self._client.get(_state(topic))
        value = json.loads(data)
        isr = tuple(sorted(value["isr"]))
        return PartitionState(value["leader"], value["leader_epoch"], isr, stat.version)

    def begin_epoch(self, topic: str, leader: int, epoch: int, isr: Sequence[int]) -> None:
        """Store a new leader epoch."""
        self._client.set(_state(topic), _encoded(leader, epoch, isr))
        self._sent[topic, epoch] = self.state(topic)

    async def introduce(self, topic: str, broker: int) -> None:
        """Send UpdateMetadata to a broker.

        It must know a leader's address to follow it, and since 0.10 it serves no partition that
        its metadata lacks.
        """
        body = self._body(topic, self.state(topic)) | {"brokers": self._addresses()}
        await ask(self._upstream[broker], UPDATE_METADATA, 0, body)

    async def announce(self, topic: str, epoch: int, isr: Sequence[int], broker: int) -> int:
        """Send LeaderAndIsr of an epoch to a broker, and return the error that it answers.

        Parameters
        ----------
        isr
            The ISR that it names: a controller that sends the present epoch again reads it anew.
        """
        present = self.state(topic)
        version = present.version if present.epoch == epoch else self._sent[topic, epoch].version
        leader = self._sent[topic, epoch].leader
        stored = PartitionState(leader, epoch, tuple(sorted(isr)), version)
        body = self._body(topic, stored) | {"leaders": self._addresses()}
        answer = await ask(self._upstream[broker], LEADER_AND_ISR, 0, body)
        error: int = answer["error"] or answer["partitions"][0]["error"]
        return error

    async def delete_topic(self, topic: str, brokers: Sequence[int]) -> None:
        """Have brokers delete their replicas, by StopReplica."""
        body = {
            "controller": ID,
            "controller_epoch": EPOCH,
            "delete": True,
            "partitions": [{"topic": topic, "partition": 0}],
        }
        for broker in brokers:
            await ask(self._upstream[broker], STOP_REPLICA, 0, body)

    def _body(self, topic: str, state: PartitionState) -> dict[str, Any]:
        """Return what LeaderAndIsr and UpdateMetadata say of a partition."""
        partition = {
            "topic": topic,
            "partition": 0,
            "controller_epoch": EPOCH,
            "leader": state.leader,
            "epoch": state.epoch,
            "isr": list(state.isr),
            "version": state.version,
            "replicas": list(self._ports),
        }
        return {"controller": ID, "controller_epoch": EPOCH, "partitions": [partition]}

    def _addresses(self) -> list[dict[str, Any]]:
        return [
            {"id": broker, "host": "127.0.0.1", "port": port}
            for broker, port in self._ports.items()
        ]


def _state(topic: str) -> str:
    return f"/brokers/topics/{topic}/partitions/0/state"


def _encoded(leader: int, epoch: int, isr: Sequence[int]) -> bytes:
    value = {
        "controller_epoch": EPOCH,
        "leader": leader,
        "version": 1,
        "leader_epoch": epoch,
        "isr": sorted(isr),
    }
    return json.dumps(value).encode()
