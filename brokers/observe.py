"""What can be seen of a cluster from outside, and how it differs from a state of the model.

What a broker has on its disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .client import ask
from .cluster import Broker, Cluster
from .messages import FETCH, LIST_OFFSETS, NONE, OFFSET_OUT_OF_RANGE, error_name
from .records import Entry, decode_records
from .report import LISTED, Difference, KafkaError, State
from .scripted_quorum import ScriptedQuorum

_HIGH_WATERMARKS = "replication-offset-checkpoint"
_LOG_STARTS = "log-start-offset-checkpoint"


@dataclass(frozen=True)
class StoredLog:
    """A log on disk.

    Parameters
    ----------
    start
        The log start offset with which the broker would restart.
    end
        The log end offset.
    """

    start: int
    end: int
    _in_segments: tuple[Entry, ...]

    def entries(self, start: int | None = None) -> tuple[Entry, ...]:
        """Return the records from its start on, or from a later one in the broker's memory."""
        first = self.start if start is None else start
        return tuple(entry for entry in self._in_segments if entry.offset >= first)


def stored_log(data: Path, topic: str) -> StoredLog:
    """Return the log of a topic's partition 0; an empty one from 0 on if there is none.

    A log starts where its first segment does, or at a greater offset in
    ``log-start-offset-checkpoint``: what lies between is deleted, and still in the segment.
    """
    segments = log_segments(data, topic)
    stored = [entry for path in segments for entry in decode_records(path.read_bytes())]
    bases = [base_offset(path) for path in segments] or [0]
    start = max(bases[0], _checkpointed(data / _LOG_STARTS, topic))
    end = max([bases[-1], *(entry.offset + 1 for entry in stored)])
    return StoredLog(start, end, tuple(stored))


def log_segments(data: Path, topic: str) -> list[Path]:
    """Return the files of a topic's partition 0 that hold records, the oldest first."""
    return sorted((data / f"{topic}-0").glob("*.log"))


def base_offset(segment: Path) -> int:
    """Return the offset at which a segment starts: its name."""
    return int(segment.stem)


def hw_checkpoint(data: Path, topic: str) -> int:
    """Return the high watermark in ``replication-offset-checkpoint``; 0 if there is none."""
    return _checkpointed(data / _HIGH_WATERMARKS, topic)


def checkpoint_stamp(data: Path) -> int:
    """Return when that file was written last, in nanoseconds; 0 if there is none."""
    try:
        return (data / _HIGH_WATERMARKS).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def epoch_checkpoint(data: Path, topic: str) -> dict[int, int] | None:
    """Return the start offset of each epoch in ``leader-epoch-checkpoint``; None without one."""
    path = data / f"{topic}-0" / "leader-epoch-checkpoint"
    if not path.exists():
        return None
    return {int(epoch): int(start) for epoch, start in _rows(path)}


def _checkpointed(path: Path, topic: str) -> int:
    """Return the offset of a topic's partition 0 in a checkpoint; 0 if it has none."""
    rows = _rows(path)
    return next((int(row[2]) for row in rows if row[:2] == [topic, "0"]), 0)


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a checkpoint file, below its version and its number of rows."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [line.split() for line in lines[2:]]


NOTHING = -1
"""The model's value for no record, no epoch and no leader."""

_NO_MESSAGE, _REQUEST = "nothing", "AlterPartition request"
_OF_THE_DEAD = "AlterPartition request of a sender that has died"
"""What the model says of AlterPartition in flight."""

_NOT_AVAILABLE = "LEADER_NOT_AVAILABLE"
"""What ListOffsets says until a new leader's high watermark has reached its epoch (KIP-207)."""

_LATEST, _LISTS_ONE = -1, (0, 10, 1)
"""The timestamp that stands for the log end, and the release since which one offset is listed."""

_WRITES = 2
CONSUMER, DEBUGGER = -1, -2
"""Replica ids in a fetch: a consumer's, and one that followers answer too (``Request.scala``)."""


@dataclass(frozen=True)
class Readable:
    """What a fetch returns: an error, the high watermark, the log start offset, and records."""

    error: int
    hw: int
    start: int
    records: tuple[Entry, ...]


async def read(cluster: Cluster, number: int, topic: str, replica_id: int, offset: int) -> Readable:
    """Fetch from a broker as a consumer or as a debugger."""
    broker = cluster.brokers[number]
    body = {
        "replica_id": replica_id,
        "topics": [{"name": topic, "partitions": [{"index": 0, "offset": offset}]}],
    }
    version = cluster.debug_version if replica_id == DEBUGGER else cluster.fetch_version
    answer = await ask(broker.port, FETCH, version, body)
    partitions = [one for row in answer["topics"] for one in row["partitions"]]
    if not partitions:
        raise KafkaError(f"broker {broker.number} answers a fetch without a word of {topic}")
    partition = partitions[0]
    records = decode_records(partition["records"] or b"")
    start = partition.get("log_start", 0)
    return Readable(partition["error"], partition["hw"], start, tuple(records))


class Observer:
    """Compares a cluster with states of the model.

    Parameters
    ----------
    acks
        The offset of each record that was acknowledged; it grows while steps are forced.
    empty_caches
        Whether an epoch cache that is empty in the model is compared, too.

    Attributes
    ----------
    stalls
        Whether a broker has not written its checkpoint of high watermarks since they changed, which
        it does every 20 ms: no processor, or no disk, was free for it.
    """

    def __init__(
        self, cluster: Cluster, topic: str, acks: Mapping[int, int], empty_caches: bool
    ) -> None:
        self._cluster = cluster
        self._topic = topic
        self._acks = acks
        self._empty_caches = empty_caches
        self._compared: dict[str, Difference] = {}
        self._checkpoints: dict[int, tuple[int, set[int]]] = {}
        self.stalls = False

    @property
    def compared(self) -> tuple[Difference, ...]:
        """The last comparisons, in an order of their own, with or without a difference."""
        return tuple(self._compared[what] for what in sorted(self._compared))

    async def differences(self, state: State) -> list[Difference]:
        """Return how the cluster differs from a state now; it may still be on its way there."""
        self._compared, self.stalls = {}, False
        await asyncio.gather(
            *(
                self._of_broker(broker, state["replica"][broker.number], state.get(LISTED))
                for broker in self._cluster.brokers
            )
        )
        self._of_partition(state["partition"])
        self._of_acks(state)
        if self._cluster.proposals is not None:
            self._of_proposals(self._cluster.proposals, state)
        if not self._differing():
            assigns = bool(state["partition"]["replicas"])
            for broker in self._cluster.brokers:
                replica = state["replica"][broker.number]
                if replica["hosted"] or not assigns:
                    await self._of_inside(broker, replica)
        return self._differing()

    def _differing(self) -> list[Difference]:
        return [one for one in self._compared.values() if one.expected != one.observed]

    def _compare(self, what: str, expected: object, observed: object) -> None:
        self._compared[what] = Difference(what, str(expected), str(observed))

    async def _of_inside(self, broker: Broker, replica: State) -> None:
        """Compare what a broker holds in memory only; that takes longer than what it shows."""
        # With ZooKeeper a broker that has restarted is in no epoch before it applies one.
        if not broker.alive or (replica["leader"] == NOTHING and not self._cluster.kraft):
            return
        name = f"broker {broker.number}"
        observed = await broker.inside.epoch(self._topic)
        self._compare(f"{name}: leader epoch", replica["epoch"], observed)
        if replica["epoch"] != observed or replica["leader"] != broker.number:
            return
        isr = await broker.inside.isr(self._topic)
        self._compare(f"{name}: ISR", _members(replica["isr"]), _members(isr))
        if self._cluster.proposals is not None:
            proposes = await broker.inside.proposes(self._topic)
            expected = _waits(bool(replica["proposed"]))
            self._compare(f"{name}: change of the ISR", expected, _waits(proposes))
        known = await broker.inside.remote_leos(self._topic)
        for follower, leo in enumerate(replica["remote_leo"]):
            if follower != broker.number:
                what = f"{name}: remote LEO of broker {follower}"
                self._compare(what, leo, known.get(follower, 0))

    async def _of_broker(
        self, broker: Broker, replica: State, listed: Sequence[int | None] | None
    ) -> None:
        name = f"broker {broker.number}"
        self._compare(f"{name}: process", _runs(replica["alive"]), _runs(broker.alive))
        if broker.alive != replica["alive"]:
            return
        stored = stored_log(broker.data, self._topic)
        leads, start = await self._of_answers(broker, replica, name, stored)
        self._compare(f"{name}: log start", replica["start"], start)
        # Older formats store no leader epoch.
        epochs = self._cluster.magic == 2
        expected = [
            Entry(offset, entry["epoch"] if epochs else None, f"m{entry['record']}")
            for offset, entry in enumerate(replica["log"])
            if entry["record"] != NOTHING
        ]
        self._compare(f"{name}: log", _log(expected), _log(stored.entries(start)))
        if leads and listed is not None:
            await self._of_listed(broker, listed[broker.number], name)
        starts = epoch_checkpoint(broker.data, self._topic)
        cache = {e: start for e, start in enumerate(replica["epoch_cache"]) if start != NOTHING}
        compares = self._empty_caches or bool(cache)
        if replica["alive"] and starts is not None and compares:
            self._compare(f"{name}: epoch cache", cache, starts)

    async def _of_listed(self, broker: Broker, listed: int | None, name: str) -> None:
        """Compare the log end that a leader returns to consumers."""
        expected = _NOT_AVAILABLE if listed is None else f"offset {listed}"
        version = 0 if self._cluster.distribution.release < _LISTS_ONE else 1
        partition = {"index": 0, "timestamp": _LATEST}
        body = {
            "replica_id": CONSUMER,
            "topics": [{"name": self._topic, "partitions": [partition]}],
        }
        observed = "none"
        with suppress(KafkaError):
            answer = await ask(broker.port, LIST_OFFSETS, version, body)
            answered = answer["topics"][0]["partitions"][0]
            observed = error_name(answered["error"])
            if answered["error"] == NONE:
                end = answered["offset"] if version else answered["offsets"][0]
                observed = f"offset {end}"
        self._compare(f"{name}: ListOffsets", expected, observed)

    async def _of_answers(
        self, broker: Broker, replica: State, name: str, stored: StoredLog
    ) -> tuple[bool, int]:
        """Compare the high watermark and the role; return whether it leads, and its log start.

        A broker that loads a log takes the smaller one of the checkpoint and the log end.  The
        checkpoint of log starts is first written 30 s after a broker has started.
        """
        start = stored.start
        written = min(hw_checkpoint(broker.data, self._topic), stored.end)
        if not broker.alive or replica["epoch"] == NOTHING or replica["leader"] == NOTHING:
            self._compare(f"{name}: HW on disk", replica["hw"], written)
            return False, start
        with suppress(KafkaError):
            first = replica["start"]
            debugged = await read(self._cluster, broker.number, self._topic, DEBUGGER, first)
            consumed = await read(self._cluster, broker.number, self._topic, CONSUMER, first)
            if debugged.error == NONE:
                start = max(start, debugged.start)
                self._compare(f"{name}: HW", replica["hw"], debugged.hw)
                self._compare(f"{name}: HW on disk", debugged.hw, written)
                if debugged.hw != written:
                    self.stalls |= not self._checkpointed(broker, debugged.hw)
            leads = replica["leader"] == broker.number
            refusal = f"answers {error_name(consumed.error)}" if leads else "does not lead"
            expected = "serves consumers" if leads else "does not lead"
            # A leader whose high watermark is below its log start has nothing to serve.
            low = replica["hw"] < replica["start"]
            served = consumed.error == NONE or (low and consumed.error == OFFSET_OUT_OF_RANGE)
            self._compare(f"{name}: role", expected, "serves consumers" if served else refusal)
            return leads and served, start
        self._compare(f"{name}: answers", "a fetch", "none")
        return False, start

    def _checkpointed(self, broker: Broker, hw: int) -> bool:
        """Whether a broker has written a whole checkpoint since its high watermark is this one."""
        seen, stamps = self._checkpoints.get(broker.number, (None, set()))
        if seen != hw:
            stamps = set()
            self._checkpoints[broker.number] = hw, stamps
        stamps.add(checkpoint_stamp(broker.data))
        # The first was there before, and the second may have been begun before.
        return len(stamps) > _WRITES

    def _of_partition(self, partition: State) -> None:
        stored = self._cluster.controller.state(self._topic)
        expected = (partition["leader"], partition["epoch"], tuple(sorted(partition["isr"])))
        observed = (stored.leader, stored.epoch, stored.isr)
        self._compare("partition state", _partition(*expected), _partition(*observed))

    def _of_proposals(self, scripted: ScriptedQuorum, state: State) -> None:
        """Compare the AlterPartition of each leader that is not answered yet."""
        for broker in self._cluster.brokers:
            message, sent = (
                state["alter_partition"][broker.number],
                scripted.proposal(broker.number),
            )
            waits = message["kind"] not in (_NO_MESSAGE, _OF_THE_DEAD)
            expected = observed = _NO_MESSAGE
            if waits:
                expected = "a request"
            if message["kind"] == _REQUEST:
                expected = _proposal(message["epoch"], message["isr"])
            if sent is not None:
                decided = message["kind"] != _REQUEST and waits
                observed = "a request" if decided else _proposal(sent.epoch, set(sent.isr))
            self._compare(f"broker {broker.number}: AlterPartition", expected, observed)

    def _of_acks(self, state: State) -> None:
        expected = {
            record: acked["offset"]
            for record, acked in enumerate(state["aux_acked"])
            if acked["epoch"] != NOTHING
        }
        self._compare("acknowledged", _acks(expected), _acks(not_deleted(self._acks, state)))


def not_deleted(acks: Mapping[int, int], state: State) -> dict[int, int]:
    """Return those of some acknowledged records, with their offsets, that nobody has deleted."""
    return {record: offset for record, offset in acks.items() if offset >= state["aux_deleted"]}


def _proposal(epoch: int, isr: Set[int]) -> str:
    return f"a request of epoch {epoch} for ISR {_members(isr)}"


def _waits(proposes: bool) -> str:
    return "waits for an answer" if proposes else "has proposed none"


def _log(entries: Sequence[Entry]) -> str:
    """Return a log as text; it names an offset where that is not the next one."""
    before = -1
    parts = []
    for entry in entries:
        place = "" if entry.offset == before + 1 else f" at {entry.offset}"
        parts.append(entry.value + place + ("" if entry.epoch is None else f" (e{entry.epoch})"))
        before = entry.offset
    return _listed(parts)


def _listed(parts: Any) -> str:
    return ", ".join(parts) or "nothing"


def _members(isr: Set[int]) -> str:
    return ",".join(map(str, sorted(isr))) or "nobody"


def _runs(alive: bool) -> str:
    return "runs" if alive else "has ended"


def _partition(leader: int, epoch: int, isr: Sequence[int]) -> str:
    who = "no leader" if leader == NOTHING else f"leader {leader}"
    return f"{who}, epoch {epoch}, ISR {','.join(map(str, isr))}"


def _acks(acks: Mapping[int, int]) -> str:
    return _listed(f"m{record} at offset {offset}" for record, offset in sorted(acks.items()))
