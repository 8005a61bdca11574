"""A scripted controller of a KRaft cluster: it decides what a behavior decides.

To brokers it is the one voter of the controller quorum.  Each broker has a metadata log of its own,
so that it learns an epoch when a step says so, however late, and whether it has learnt the one
before or not.  The controller's own rules, such as which ISR it accepts, are the behavior's.
"""

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .messages import (
    ALTER_PARTITION,
    API_VERSIONS,
    BROKER_HEARTBEAT,
    BROKER_REGISTRATION,
    FENCED_LEADER_EPOCH,
    FETCH,
    NONE,
)
from .metadata import (
    EPOCH,
    MetadataLog,
    PartitionState,
    describe_broker,
    describe_partition,
    directory,
    encode_metadata,
    identity,
    name_topic,
)
from .patience import until
from .report import KafkaError
from .server import Server
from .wire import (
    Header,
    Ports,
    WireError,
    decode_header,
    decode_request,
    encode_response,
    read_frame,
    write_frame,
)

ID = 1000
"""The id of the controller."""

_VERSIONS = (
    (FETCH, 12, 18),
    (API_VERSIONS, 0, 4),
    (ALTER_PARTITION, 2, 3),
    (BROKER_REGISTRATION, 0, 4),
    (BROKER_HEARTBEAT, 0, 2),
)
_BY_KEY = {api.key: api for api, _, _ in _VERSIONS}
_METADATA_TOPIC = "__cluster_metadata"
_METADATA_ID = bytes(15) + b"\1"
_NEVER, _HEARTBEAT = 3_600_000, 100
"""Milliseconds: an hour, and the time between two heartbeats."""

_VERSION_FEATURE = "metadata.version"
INVALID_UPDATE_VERSION, INELIGIBLE_REPLICA, NEW_LEADER_ELECTED = 95, 107, 108
_UNKNOWN_TOPIC_ID = 100


@dataclass
class Proposal:
    """AlterPartition of a leader, which waits for the controller.

    Parameters
    ----------
    version
        The partition epoch that the leader knows.
    answer
        The error that is answered, and the state, once the answer may go.
    decided
        The same, as soon as it is decided.
    """

    topic: str
    epoch: int
    version: int
    isr: tuple[int, ...]
    answer: asyncio.Future[tuple[int, PartitionState]] = field(repr=False)
    decided: tuple[int, PartitionState] | None = None


@dataclass
class _Member:
    """A broker as the controller knows it.

    Parameters
    ----------
    needed
        How much metadata it must have to be caught up; 0 before it has registered.
    applied
        How much of it it has applied, as its heartbeats say.
    serves
        Whether it has been unfenced.
    topics
        What its metadata has so far.
    """

    data: Path
    log: MetadataLog = field(default_factory=MetadataLog)
    topics: set[str] = field(default_factory=set)
    needed: int = 0
    applied: int = 0
    serves: bool = False
    proposal: Proposal | None = None


class ScriptedQuorum:
    """The controller.

    Parameters
    ----------
    port
        Where it listens.
    ports
        The ports of all brokers, as they see them.
    instant
        Whether it accepts every change of the ISR at once.
    """

    def __init__(self, port: int, ports: Mapping[int, int], *, instant: bool) -> None:
        self._port = port
        self._ports = ports
        self._instant = instant
        self._members: dict[int, _Member] = {}
        self._states: dict[str, list[PartitionState]] = {}
        self._listening = Ports()
        self._level = 0

    async def start(self) -> None:
        """Listen."""
        await self._listening.listen(self._port, self._serve)

    async def stop(self) -> None:
        """End every connection."""
        await self._listening.close()

    def properties(self, server: Server) -> dict[str, object]:
        """Return the configuration by which a broker finds it."""
        return {
            "node.id": server.number,
            "process.roles": "broker",
            "controller.quorum.voters": f"{ID}@127.0.0.1:{self._port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "controller.quorum.request.timeout.ms": _NEVER,
            "controller.quorum.fetch.timeout.ms": _NEVER,
            "initial.broker.registration.timeout.ms": _NEVER,
            "broker.heartbeat.interval.ms": _HEARTBEAT,
            "broker.session.timeout.ms": _NEVER,
        }

    def expect(self, server: Server) -> None:
        """Begin anew with a broker that starts: nothing of what it knew is left on its disk."""
        self._members[server.number] = _Member(server.data)
        shutil.rmtree(server.data / f"{_METADATA_TOPIC}-0", ignore_errors=True)
        lines = {
            "version": 1,
            "cluster.id": _text(b"tidegate.brokers"),
            "node.id": server.number,
            "directory.id": _text(directory(server.number)),
        }
        text = "".join(f"{name}={value}\n" for name, value in lines.items())
        (server.data / "meta.properties").write_text(text, encoding="utf-8")

    def registered(self, broker: int) -> bool:
        """Whether a broker has registered and is unfenced."""
        return self._members[broker].serves

    async def introduce(self, topic: str, broker: int) -> None:
        """Do nothing: a broker knows all others since its registration."""

    def unregister(self, broker: int) -> None:
        """Forget a broker that was killed."""
        self._members.pop(broker, None)

    def create_topic(self, topic: str, replicas: Sequence[int]) -> None:
        """Create a topic of one partition that broker 0 leads in epoch 0; nobody learns of it."""
        first = tuple(replicas)
        self._states[topic] = [PartitionState(0, 0, first, 1, first)]

    def state(self, topic: str) -> PartitionState:
        """Return the state of a topic's partition."""
        return self._states[topic][-1]

    def states(self, topic: str, epoch: int) -> list[PartitionState]:
        """Return the states of a topic's partition in a leader epoch, the oldest first."""
        return [state for state in self._states[topic] if state.epoch == epoch]

    def begin_epoch(self, topic: str, leader: int, epoch: int, isr: Sequence[int]) -> None:
        """Begin a leader epoch."""
        self.store(topic, leader=leader, epoch=epoch, isr=tuple(sorted(isr)))

    def store(self, topic: str, **changed: Any) -> None:
        """Store another state, in a new partition epoch."""
        state = self.state(topic)
        self._states[topic].append(replace(state, version=state.version + 1, **changed))

    async def announce(self, topic: str, epoch: int, isr: Sequence[int], broker: int) -> int:
        """Let a broker learn of an epoch, up to the change that made the ISR this one."""
        first, *changes = self.states(topic, epoch)
        members = tuple(sorted(isr))
        state = replace(first, isr=members)
        for change in changes:
            state = change if change.isr == members else state
        await self.give(topic, state, broker)
        return NONE

    async def give(self, topic: str, state: PartitionState, broker: int) -> None:
        """Let a broker learn of a state of a topic's partition."""
        await self._give(broker, self._topic(self._members[broker], topic, state))

    async def delete_topic(self, topic: str, brokers: Sequence[int]) -> None:
        """Have brokers delete their replicas, and forget the topic and what leaders ask of it."""
        gone = self._states.pop(topic)[-1]
        for member in self._members.values():
            if member.proposal is not None:
                member.proposal.answer.set_result((_UNKNOWN_TOPIC_ID, gone))
                member.proposal = None
        for broker in brokers:
            removed = encode_metadata("RemoveTopicRecord", {"id": identity(topic)})
            await self._give(broker, [removed])

    def proposal(self, leader: int) -> Proposal | None:
        """Return the AlterPartition of a leader that waits for a decision or for its answer."""
        member = self._members.get(leader)
        return member.proposal if member is not None else None

    def decide(self, leader: int, error: int, changes: Mapping[str, Any]) -> None:
        """Decide on the AlterPartition of a leader: store what changes, and keep the answer."""
        proposal = self._members[leader].proposal
        assert proposal is not None
        if changes:
            self.store(proposal.topic, **changes)
        proposal.decided = error, self.state(proposal.topic)

    def answer(self, leader: int) -> None:
        """Answer the AlterPartition of a leader as was decided."""
        member = self._members[leader]
        assert member.proposal is not None
        assert member.proposal.decided is not None
        member.proposal.answer.set_result(member.proposal.decided)
        member.proposal = None

    async def _give(self, broker: int, records: Sequence[bytes]) -> None:
        """Give metadata to a broker, and wait until it says that it has applied them."""
        member = self._members[broker]
        member.log.append(records)
        end = member.log.end
        if not await until(lambda: member.applied >= end):
            raise KafkaError(f"broker {broker} did not apply its metadata")

    def _topic(self, member: _Member, topic: str, state: PartitionState) -> list[bytes]:
        """Return the records of a topic that are new to a broker."""
        named = [] if topic in member.topics else [name_topic(topic)]
        member.topics.add(topic)
        return [*named, describe_partition(topic, state, self._level)]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(WireError, KeyError):
            while True:
                data = await read_frame(reader)
                header, _ = decode_header(data)
                body = await self._answer(header, data)
                api = _BY_KEY[header.key]
                answer = encode_response(api, header.version, header.correlation, body)
                write_frame(writer, answer)

    async def _answer(self, header: Header, data: bytes) -> dict[str, Any]:
        if header.key == API_VERSIONS.key:
            keys = [{"key": a.key, "least": first, "most": last} for a, first, last in _VERSIONS]
            return {"error": NONE, "keys": keys}
        request = decode_request(_BY_KEY[header.key], data)
        if header.key == FETCH.key:
            return await self._fetched(request)
        member = self._members[request["broker"]]
        if header.key == BROKER_REGISTRATION.key:
            self._register(request["broker"], request["features"])
            return {"broker_epoch": request["broker"]}
        if header.key == BROKER_HEARTBEAT.key:
            member.applied = request["metadata_offset"] + 1
            caught_up = 0 < member.needed <= member.applied
            member.serves = caught_up and not request["wants_fence"]
            return {"caught_up": caught_up, "fenced": not member.serves}
        return await self._proposed(member, request["topics"][0])

    def _register(self, broker: int, features: list[dict[str, Any]]) -> None:
        """Give a broker the newest metadata.version that it knows, all brokers, and its topics.

        These have no leader, in the epoch before the present one: it learns that in a later step.
        So it learns that it has, or has lost, a replica.
        """
        member = self._members[broker]
        if member.needed:
            return
        levels = {one["name"]: one["most"] for one in features}
        self._level = levels[_VERSION_FEATURE]
        log = member.log
        level = {"name": _VERSION_FEATURE, "level": self._level}
        log.append([encode_metadata("FeatureLevelRecord", level)])
        log.append([describe_broker(*one, features, self._level) for one in self._ports.items()])
        for topic in self._states:
            state = self.state(topic)
            hosted = (member.data / f"{topic}-0").exists()
            replicas = {*state.replicas, broker} if hosted else {*state.replicas} - {broker}
            former = PartitionState(-1, state.epoch - 1, state.isr, 0, tuple(sorted(replicas)))
            log.append(self._topic(member, topic, former))
        member.needed = log.end

    async def _fetched(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a fetch of metadata."""
        broker = request["replica"]["id"] if "replica" in request else request["replica_id"]
        [topic] = request["topics"]
        [wanted] = topic["partitions"]
        log, records = self._members[broker].log, b""
        knows = wanted["current_epoch"] == EPOCH
        if knows:
            records = await log.read(wanted["offset"], request["max_wait_ms"] / 1000)
        answered = {
            "index": 0,
            "error": NONE if knows else FENCED_LEADER_EPOCH,
            "hw": log.end if knows else -1,
            "last_stable": -1,
            "log_start": 0,
            "aborted": (),
            "preferred_replica": -1,
            "records": records,
            "current_leader": {"leader": ID, "epoch": EPOCH},
        }
        named = {"name": _METADATA_TOPIC, "topic_id": _METADATA_ID, "partitions": [answered]}
        return {"throttle_ms": 0, "error": NONE, "session_id": 0, "topics": [named]}

    async def _proposed(self, member: _Member, topic: dict[str, Any]) -> dict[str, Any]:
        """Answer AlterPartition, once that is decided."""
        [request] = topic["partitions"]
        name = next((one for one in self._states if identity(one) == topic["id"]), None)
        if name is None:
            return _altered(topic["id"], _UNKNOWN_TOPIC_ID, PartitionState(-1, -1, (), -1))
        isr = request["isr"] if "isr" in request else [one["id"] for one in request["members"]]
        answer = asyncio.get_running_loop().create_future()
        made = Proposal(
            name, request["epoch"], request["partition_epoch"], tuple(sorted(isr)), answer
        )
        if self._instant:
            return _altered(topic["id"], self._judged(made), self.state(name))
        member.proposal = made
        return _altered(topic["id"], *await answer)

    def _judged(self, proposal: Proposal) -> int:
        """Accept a proposal, if its leader knows the present state; return the error."""
        state = self.state(proposal.topic)
        if state.epoch != proposal.epoch:
            return FENCED_LEADER_EPOCH
        if state.version != proposal.version:
            return INVALID_UPDATE_VERSION
        self.store(proposal.topic, isr=proposal.isr)
        return NONE


def _text(identity: bytes) -> str:
    """Return an id as Kafka writes it."""
    return base64.urlsafe_b64encode(identity).decode().rstrip("=")


def _altered(topic: bytes, error: int, state: PartitionState) -> dict[str, Any]:
    described = {
        "index": 0,
        "error": error,
        "leader": state.leader,
        "epoch": state.epoch,
        "isr": list(state.isr),
        "partition_epoch": state.version,
    }
    return {"topics": [{"id": topic, "partitions": [described]}]}
