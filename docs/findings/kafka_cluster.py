"""Brokers on one machine whose controller is Kafka's own.

What it decides is steered as an administrator would: by reassignments, by preferred elections, by
configuration, by controlled shutdowns and by signals.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tidegate.brokers.client import ask
from tidegate.brokers.distribution import Distribution
from tidegate.brokers.messages import FETCH, NONE, PRODUCE, Api, error_name
from tidegate.brokers.observe import stored_log
from tidegate.brokers.patience import pause, start_patience, together
from tidegate.brokers.records import Entry, decode_records, encode_record
from tidegate.brokers.report import KafkaError
from tidegate.brokers.server import free_ports

from . import admin
from .holding_proxy import HoldingProxy
from .node import Node

_SETTLE = 60.0
"""Seconds that brokers have to answer, and to learn what the controller has decided."""

_ADMIN_MS = 30_000
_PAUSE = 0.02
_PRODUCE_VERSION, _FETCH_VERSION = 7, 11


@dataclass(frozen=True)
class PartitionState:
    """What a broker's Metadata says of partition 0 of a topic."""

    leader: int
    epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(frozen=True)
class Description:
    """What DescribeTopicPartitions says of partition 0 of a topic; a leader of -1 is none."""

    leader: int
    epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]

    def __str__(self) -> str:
        sets = {"replicas": self.replicas, "ISR": self.isr, "ELR": self.elr}
        if self.last_known_elr:
            sets["LastKnownElr"] = self.last_known_elr
        leader = "no leader" if self.leader < 0 else f"leader {self.leader}"
        listed = (f"{name} {list(members)}" for name, members in sets.items())
        return ", ".join([f"{leader}, epoch {self.epoch}", *listed])


@dataclass(frozen=True)
class Consumed:
    """What a consumer gets from a broker.

    Parameters
    ----------
    error
        ``NONE`` or the name of an error.
    hw
        The high watermark.
    """

    error: str
    hw: int
    records: tuple[Entry, ...]


@dataclass(frozen=True)
class Produced:
    """The answer to a producer: an error's name, or ``NONE`` and the record's offset."""

    error: str
    offset: int


class KafkaCluster(ABC):
    """A cluster; ``async with`` starts it, and ends every process when it is left.

    Parameters
    ----------
    numbers
        The ids of the nodes.
    settings
        Configuration of every node, beside what a cluster on one machine needs.  Without any,
        timeouts are Kafka's own.
    proxied
        Whether nodes reach each other through the proxy.
    """

    def __init__(
        self,
        distribution: Distribution,
        numbers: Sequence[int],
        settings: Mapping[str, object],
        *,
        proxied: bool = True,
    ) -> None:
        self.distribution = distribution
        self.proxy = HoldingProxy()
        self._settings = settings
        self._proxied = proxied
        self._folder = Path(tempfile.mkdtemp(prefix=f"tidegate-kafka-{os.getpid()}-"))
        ports = free_ports(2 * len(numbers))
        self._nodes = {
            number: Node(number, self._folder / f"node-{number}", port, proxy if proxied else port)
            for number, port, proxy in zip(numbers, ports[::2], ports[1::2], strict=True)
        }

    @property
    def brokers(self) -> tuple[int, ...]:
        """The ids of the brokers."""
        return tuple(number for number, node in self._nodes.items() if not node.controls)

    @property
    def running(self) -> tuple[int, ...]:
        """The ids of the brokers whose processes have not ended."""
        processes = {number: self.node(number).process for number in self.brokers}
        return tuple(number for number, one in processes.items() if one and not one.ended)

    @property
    def controllers(self) -> tuple[int, ...]:
        """The ids of the controllers."""
        return tuple(number for number, node in self._nodes.items() if node.controls)

    def node(self, number: int) -> Node:
        """Return the node with an id."""
        return self._nodes[number]

    @abstractmethod
    def _finds_controller(self, node: Node) -> Mapping[str, object]:
        """Return the configuration by which a node belongs to the cluster."""

    @abstractmethod
    async def _prepare(self) -> None:
        """Do what comes before the nodes start."""

    @abstractmethod
    async def _administered_by(self) -> int:
        """Return the broker that takes an administrator's requests."""

    async def __aenter__(self) -> Self:
        try:
            for node in self._nodes.values():
                settings = {**self._finds_controller(node), **self._settings}
                node.configure(self.distribution, settings)
                if self._proxied:
                    await self.proxy.listen(node.number, node.advertised, node.port)
            await self._prepare()
            await together(*map(self.start, self._nodes))
            await self.is_complete()
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
        """End every process, paused ones too, and remove every file."""
        await asyncio.gather(*map(self.kill, self._nodes))
        await self.proxy.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def start(self, number: int) -> None:
        """Start a node, and wait until it accepts connections."""
        node = self.node(number)
        node.process = await node.java(self.distribution, "kafka.Kafka", str(node.config))
        await node.process.listens(node.port, start_patience())

    async def is_complete(self) -> None:
        """Wait until each broker that runs knows that those are registered and not fenced."""
        await together(*map(self._knows_all, self.running))

    async def kill(self, number: int) -> None:
        """Kill a node's process with SIGKILL, with all its connections."""
        process = self.node(number).process
        if process is not None:
            await process.kill()
        self.proxy.cut(number)

    def shut_down(self, number: int) -> None:
        """Ask a broker to end: it gives up its leaderships first (controlled shutdown)."""
        self._send(number, signal.SIGTERM)

    async def ends(self, number: int) -> None:
        """Wait until a node has ended."""
        process = self.node(number).process
        if process is not None:
            await asyncio.wait_for(process.process.wait(), start_patience())

    def pause(self, number: int) -> None:
        """Pause the process of a node."""
        self._send(number, signal.SIGSTOP)

    def resume(self, number: int) -> None:
        """Let a node's process go on."""
        self._send(number, signal.SIGCONT)

    def _send(self, number: int, kind: signal.Signals) -> None:
        process = self.node(number).process
        if process is not None:
            with suppress(ProcessLookupError):
                process.process.send_signal(kind)

    async def create_topic(
        self, topic: str, replicas: Sequence[int], min_isr: int, partitions: int = 1
    ) -> None:
        """Create a topic whose partitions all have these replicas; the first one leads them."""
        created = {
            "name": topic,
            "assignments": [
                {"partition": number, "replicas": replicas} for number in range(partitions)
            ],
            "configs": [{"name": "min.insync.replicas", "value": str(min_isr)}],
        }
        answer = await self._administer(admin.CREATE_TOPICS, {"topics": [created]})
        _accepted(admin.CREATE_TOPICS, answer["topics"][0])

    async def delete_topic(self, topic: str) -> None:
        """Delete a topic; brokers learn of that later."""
        answer = await self._administer(admin.DELETE_TOPICS, {"topics": [topic]})
        _accepted(admin.DELETE_TOPICS, answer["topics"][0])

    async def reassign(self, topic: str, replicas: Sequence[int] | None) -> None:
        """Give a topic other replicas, or in another order; None cancels a reassignment."""
        wanted = {"name": topic, "partitions": [{"index": 0, "replicas": replicas}]}
        answer = await self._administer(admin.REASSIGN, {"topics": [wanted]})
        _accepted(admin.REASSIGN, answer)
        _accepted(admin.REASSIGN, answer["topics"][0]["partitions"][0])

    async def configure(self, kind: int, name: str, values: Mapping[str, object]) -> None:
        """Set configuration of a topic, or of a broker, which takes its own only."""
        configs = [{"name": key, "value": str(value)} for key, value in values.items()]
        body = {"resources": [{"type": kind, "name": name, "configs": configs}]}
        number = int(name) if kind == admin.BROKER else self.running[-1]
        answer = await self._ask(number, admin.ALTER_CONFIGS, body)
        _accepted(admin.ALTER_CONFIGS, answer["resources"][0])

    async def elect(self, topic: str) -> None:
        """Elect the preferred leader, which is the first replica."""
        body = {"topics": [{"name": topic, "partitions": [0]}]}
        answer = await self._administer(admin.ELECT_LEADERS, body)
        _accepted(admin.ELECT_LEADERS, answer)
        _accepted(admin.ELECT_LEADERS, answer["topics"][0]["partitions"][0])

    async def state(self, broker: int, topic: str) -> PartitionState | None:
        """Return what a broker's Metadata says; None if it does not know the topic."""
        answer = await self._ask(broker, admin.METADATA, {"topics": [{"name": topic}]})
        described = answer["topics"][0]
        if described["error"] != NONE or not described["partitions"]:
            return None
        partition = described["partitions"][0]
        return PartitionState(
            partition["leader"],
            partition["epoch"],
            tuple(partition["replicas"]),
            tuple(sorted(partition["isr"])),
        )

    async def describe(self, topic: str) -> Description | None:
        """Return what a broker that runs says of a topic; None if it does not know the topic."""
        body = {"topics": [{"name": topic}]}
        answer = await self._ask(self.running[-1], admin.DESCRIBE, body)
        described = answer["topics"][0]
        if described["error"] != NONE or not described["partitions"]:
            return None
        one = described["partitions"][0]
        names = ("replicas", "isr", "elr", "last_known_elr")
        return Description(one["leader"], one["epoch"], *(tuple(one[name]) for name in names))

    async def learns(
        self, broker: int, topic: str, wanted: Callable[[PartitionState], bool], what: str
    ) -> PartitionState:
        """Wait until a broker's Metadata has a wanted state, and return it.

        Raises
        ------
        KafkaError
            If it does not in time.
        """
        clock = asyncio.get_running_loop()
        began = clock.time()
        while True:
            state = await self.state(broker, topic)
            if state is not None and wanted(state):
                return state
            if clock.time() > began + _SETTLE:
                raise KafkaError(f"broker {broker} does not see that {what}; it sees {state}")
            await pause(clock.time() - began, _PAUSE)

    async def produce(self, broker: int, topic: str, value: str, seconds: float) -> Produced:
        """Produce a record with acks=all, and return the answer."""
        partition = {"index": 0, "records": encode_record(value, 2)}
        body = {
            "acks": -1,
            "timeout_ms": int(seconds * 1000),
            "topics": [{"name": topic, "partitions": [partition]}],
        }
        port = self.node(broker).port
        answer = await ask(port, PRODUCE, _PRODUCE_VERSION, body, seconds + _SETTLE)
        said = answer["topics"][0]["partitions"][0]
        return Produced(error_name(said["error"]), said["offset"])

    async def consume(self, broker: int, topic: str, offset: int = 0) -> Consumed:
        """Fetch at an offset as a consumer does."""
        body = {"topics": [{"name": topic, "partitions": [{"index": 0, "offset": offset}]}]}
        port = self.node(broker).port
        answer = await ask(port, FETCH, _FETCH_VERSION, body, _SETTLE)
        said = answer["topics"][0]["partitions"][0]
        records = decode_records(said["records"] or b"")
        return Consumed(error_name(said["error"]), said["hw"], tuple(records))

    def log(self, broker: int, topic: str) -> tuple[Entry, ...]:
        """Return the records that a broker's log of a topic holds."""
        return stored_log(self.node(broker).data, topic).entries()

    async def _knows_all(self, broker: int) -> None:
        deadline = asyncio.get_running_loop().time() + start_patience()
        while True:
            answer = await self._ask(broker, admin.METADATA, {"topics": []})
            if {broker["id"] for broker in answer["brokers"]} == set(self.running):
                return
            if asyncio.get_running_loop().time() > deadline:
                raise KafkaError(f"broker {broker} knows {len(answer['brokers'])} brokers only")
            await asyncio.sleep(_PAUSE)

    async def _ask(self, number: int, api: Api, body: dict[str, Any]) -> dict[str, Any]:
        port, version = self.node(number).port, admin.VERSIONS[api.key]
        return await ask(port, api, version, body, _ADMIN_MS / 1000)

    async def _administer(self, api: Api, body: dict[str, Any]) -> dict[str, Any]:
        number = await self._administered_by()
        return await self._ask(number, api, {"timeout_ms": _ADMIN_MS, **body})


def _accepted(api: Api, answer: Mapping[str, Any]) -> None:
    if answer["error"] != NONE:
        reason = answer.get("message") or error_name(answer["error"])
        raise KafkaError(f"{api.name} failed: {reason}")
