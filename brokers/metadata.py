"""The metadata of a KRaft cluster: its records as bytes, and the log that one broker is given.

Source: ``metadata/src/main/resources/common/metadata`` of Kafka 3.9 and 4.4.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .coordinator import PartitionState
from .quorum_messages import LISTENERS_AND_FEATURES
from .records import encode_batch
from .wire import Field, encode_fields, varint

EPOCH = 1
"""The epoch of the controller quorum, whose leader stays."""

ASSIGNS_DIRECTORIES = 17
"""The metadata.version (3.7-IV2) since which partitions name the directories of their replicas."""

_FRAME = b"\1"


@dataclass(frozen=True)
class Kind:
    """A kind of metadata record."""

    key: int
    version: int
    fields: tuple[Field, ...]

    def encode(self, values: Mapping[str, Any]) -> bytes:
        """Return a record as bytes."""
        head = _FRAME + varint(self.key) + varint(self.version)
        return head + encode_fields(self.fields, dict(values), self.version)


FEATURE = Kind(12, 0, (Field("name", "string"), Field("level", "int16")))
TOPIC = Kind(2, 0, (Field("name", "string"), Field("id", "uuid")))
REMOVE_TOPIC = Kind(9, 0, (Field("id", "uuid"),))

_REGISTRATION = (
    Field("broker", "int32"),
    Field("migrating", "bool", since=2, default=False),
    Field("incarnation", "uuid"),
    Field("broker_epoch", "int64"),
    *LISTENERS_AND_FEATURES,
    Field("rack", "string"),
    Field("fenced", "bool", default=False),
    Field("shutting_down", "bool", since=1, default=False),
    Field("directories", "uuids", since=3, tag=0),
)
_PARTITION = (
    Field("partition", "int32"),
    Field("topic", "uuid"),
    Field("replicas", "ids"),
    Field("isr", "ids"),
    Field("removing", "ids", default=()),
    Field("adding", "ids", default=()),
    Field("leader", "int32"),
    Field("epoch", "int32"),
    Field("partition_epoch", "int32"),
    Field("directories", "uuids", since=1),
)


def identity(name: str) -> bytes:
    """Return the id of a topic, a directory or a process; the same name has the same one."""
    return hashlib.sha256(name.encode()).digest()[:16]


def directory(broker: int) -> bytes:
    """Return the id of a broker's directory."""
    return identity(f"directory of broker {broker}")


def describe_broker(number: int, port: int, features: Sequence[Any], level: int) -> bytes:
    """Return RegisterBrokerRecord of a broker, in a metadata.version; it is not fenced."""
    listener = {"name": "PLAINTEXT", "host": "127.0.0.1", "port": port, "security": 0}
    kind = Kind(0, 3 if level >= ASSIGNS_DIRECTORIES else 1, _REGISTRATION)
    described = {
        "broker": number,
        "incarnation": identity(f"broker {number}"),
        "broker_epoch": number,
        "listeners": [listener],
        "features": features,
    }
    if level >= ASSIGNS_DIRECTORIES:
        described["directories"] = [directory(number)]
    return kind.encode(described)


def name_topic(topic: str) -> bytes:
    """Return TopicRecord of a topic, which a broker must know before its partition."""
    return TOPIC.encode({"name": topic, "id": identity(topic)})


def describe_partition(topic: str, state: PartitionState, level: int) -> bytes:
    """Return PartitionRecord of a topic's partition, in a metadata.version."""
    kind = Kind(3, 1 if level >= ASSIGNS_DIRECTORIES else 0, _PARTITION)
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
    return kind.encode(described)


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
