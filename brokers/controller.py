"""A scripted controller of a ZooKeeper cluster: it decides what a behavior decides.

It holds ``/controller``, so that no broker becomes the controller, writes the partition's state,
and sends LeaderAndIsr of any epoch, however late.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from .client import ask
from .coordinator import PartitionState
from .distribution import KafkaError
from .messages import LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA

ID, EPOCH = 1000, 1
"""Broker id and epoch of the controller."""

_SESSION = 20.0
"""Seconds of the session; kazoo waits as long for each answer, and for its own end."""

_SILENT = logging.getLogger(f"{__name__}.kazoo")
"""ZooKeeper ends with the harness, which is no news."""
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


class ScriptedController:
    """The controller, and all else that the harness does in ZooKeeper.

    Parameters
    ----------
    address
        Host and port of ZooKeeper.
    """

    def __init__(self, address: str) -> None:
        self._client = KazooClient(hosts=address, timeout=_SESSION, logger=_SILENT)
        self._sent: dict[tuple[str, int], PartitionState] = {}

    def start(self) -> None:
        """Take ``/controller``, for longer than the session: a machine may stop for a while."""
        try:
            self._client.start(timeout=2 * _SESSION)
        except KazooTimeoutError:
            raise KafkaError(f"ZooKeeper did not answer within {2 * _SESSION:.0f} s") from None
        value = {"version": 1, "brokerid": ID, "timestamp": "1"}
        self._client.create("/controller", json.dumps(value).encode())
        self._client.create("/controller_epoch", str(EPOCH).encode())

    def stop(self) -> None:
        """End the session."""
        with suppress(Exception):
            self._client.stop()
            self._client.close()

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

    async def send(
        self,
        topic: str,
        epoch: int,
        isr: Sequence[int],
        replicas: Sequence[int],
        port: int,
        ports: Mapping[int, int],
    ) -> dict[str, Any]:
        """Send LeaderAndIsr of an epoch to the broker at a port, and return its answer.

        Parameters
        ----------
        isr
            The ISR that it names: a controller that sends the present epoch again reads it anew.
        ports
            The ports of all brokers, as they see them.
        """
        present = self.state(topic)
        version = present.version if present.epoch == epoch else self._sent[topic, epoch].version
        leader = self._sent[topic, epoch].leader
        stored = PartitionState(leader, epoch, tuple(sorted(isr)), version)
        body = _body(topic, stored, replicas) | {"leaders": _addresses(ports)}
        return await ask(port, LEADER_AND_ISR, 0, body)

    async def update_metadata(
        self, topic: str, replicas: Sequence[int], port: int, ports: Mapping[int, int]
    ) -> None:
        """Send UpdateMetadata to the broker at a port.

        It must know a leader's address to follow it, and since 0.10 it serves no partition that
        its metadata lacks.
        """
        body = _body(topic, self.state(topic), replicas) | {"brokers": _addresses(ports)}
        await ask(port, UPDATE_METADATA, 0, body)

    async def delete_replica(self, topic: str, port: int) -> None:
        """Have the broker at a port delete its replica, by StopReplica."""
        body = {
            "controller": ID,
            "controller_epoch": EPOCH,
            "delete": True,
            "partitions": [{"topic": topic, "partition": 0}],
        }
        await ask(port, STOP_REPLICA, 0, body)


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


def _body(topic: str, state: PartitionState, replicas: Sequence[int]) -> dict[str, Any]:
    """Return what LeaderAndIsr and UpdateMetadata say of a partition."""
    partition = {
        "topic": topic,
        "partition": 0,
        "controller_epoch": EPOCH,
        "leader": state.leader,
        "epoch": state.epoch,
        "isr": list(state.isr),
        "version": state.version,
        "replicas": list(replicas),
    }
    return {"controller": ID, "controller_epoch": EPOCH, "partitions": [partition]}


def _addresses(ports: Mapping[int, int]) -> list[dict[str, Any]]:
    return [{"id": broker, "host": "127.0.0.1", "port": port} for broker, port in ports.items()]
