"""The metadata of a KRaft cluster: its records as bytes, and the log that one broker is given.

Source: ``metadata/src/main/resources/common/metadata`` of Kafka 3.9 and 4.4.

What the controller of a cluster has stored of a partition, with ZooKeeper or with KRaft.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .messages import MESSAGES
from .records import encode_batch
from .wire import encode_fields, varint


@dataclass(frozen=True)
class PartitionState:
    """The state of a partition, as the controller has stored it.

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


EPOCH = 1
"""The epoch of the controller quorum, whose leader stays."""

ASSIGNS_DIRECTORIES = 17
"""The metadata.version (3.7-IV2) since which partitions name the directories of their replicas."""

_FRAME = b"\1"


def encode_metadata(name: str, values: Mapping[str, Any], version: int = 0) -> bytes:
    """Return a record of metadata as bytes."""
    message = MESSAGES[name]
    head = _FRAME + varint(message.key) + varint(version)
    return head + encode_fields(message.fields, values, version)


def identity(name: str) -> bytes:
    """Return the id of a topic, a directory or a process; the same name has the same one."""
    return hashlib.sha256(name.encode()).digest()[:16]


def directory(broker: int) -> bytes:
    """Return the id of a broker's directory."""
    return identity(f"directory of broker {broker}")


def describe_broker(number: int, port: int, features: Sequence[Any], level: int) -> bytes:
    """Return RegisterBrokerRecord of a broker, in a metadata.version; it is not fenced."""
    listener = {"name": "PLAINTEXT", "host": "127.0.0.1", "port": port, "security": 0}
    described = {
        "broker": number,
        "incarnation": identity(f"broker {number}"),
        "broker_epoch": number,
        "listeners": [listener],
        "features": features,
    }
    if level < ASSIGNS_DIRECTORIES:
        return encode_metadata("RegisterBrokerRecord", described, 1)
    described["directories"] = [directory(number)]
    return encode_metadata("RegisterBrokerRecord", described, 3)


def name_topic(topic: str) -> bytes:
    """Return TopicRecord of a topic, which a broker must know before its partition."""
    return encode_metadata("TopicRecord", {"name": topic, "id": identity(topic)})


def describe_partition(topic: str, state: PartitionState, level: int) -> bytes:
    """Return PartitionRecord of a topic's partition, in a metadata.version."""
    described = {
        "partition": 0,
        "topic": identity(topic),
        "replicas": state.replicas,
        "isr": state.isr,
        "removing": state.removing,
        "adding": state.adding,
        "leader": state.leader,
        "epoch": state.epoch,
        "partition_epoch": state.version,
        "directories": [directory(number) for number in state.replicas],
    }
    return encode_metadata("PartitionRecord", described, int(level >= ASSIGNS_DIRECTORIES))


class MetadataLog:
    """The log of metadata as one broker is given it, which may lack what others have."""

    def __init__(self) -> None:
        self._batches: list[tuple[int, bytes]] = []
        self._grown = asyncio.Event()
        self.end = 0

    def append(self, records: Sequence[bytes]) -> None:
        """Append records that the broker applies at once."""
        self._batches.append((self.end, encode_batch(records, self.end, EPOCH)))
        self.end += len(records)
        self._grown.set()

    async def read(self, offset: int, seconds: float) -> bytes:
        """Return what there is from an offset on, once there is something or the time is over."""
        if offset >= self.end:
            self._grown.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._grown.wait()
            except TimeoutError:
                return b""
        return b"".join(data for base, data in self._batches if base >= offset)
