"""What can be seen of a cluster from outside, and how it differs from a state of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .client import ask
from .cluster import Broker, Cluster
from .distribution import KafkaError
from .files import epoch_checkpoint, hw_checkpoint, log_entries
from .messages import FETCH, NONE, error_name
from .quorum import ScriptedQuorum
from .records import Entry, decode_records
from .report import Difference, State

NOTHING = -1
"""The model's value for no record, no epoch and no leader."""

_NO_MESSAGE, _REQUEST = "nothing", "AlterPartition request"
_OF_THE_DEAD = "AlterPartition request of a sender that has died"
"""What the model says of AlterPartition in flight."""

CONSUMER, DEBUGGER = -1, -2
"""Replica ids in a fetch: a consumer's, and one that followers answer too (``Request.scala``)."""


@dataclass(frozen=True)
class Readable:
    """What a fetch at offset 0 returns: an error, the high watermark, and records."""

    error: int
    hw: int
    records: tuple[Entry, ...]


async def read(cluster: Cluster, number: int, topic: str, replica_id: int) -> Readable:
    """Fetch from a broker as a consumer or as a debugger."""
    broker = cluster.brokers[number]
    body = {
        "replica_id": replica_id,
        "topics": [{"name": topic, "partitions": [{"index": 0, "offset": 0}]}],
    }
    answer = await ask(broker.port, FETCH, cluster.fetch_version, body)
    partitions = [one for row in answer["topics"] for one in row["partitions"]]
    if not partitions:
        raise KafkaError(f"broker {broker.number} answers a fetch without a word of {topic}")
    partition = partitions[0]
    records = decode_records(partition["records"] or b"")
    return Readable(partition["error"], partition["hw"], tuple(records))


class Observer:
    """Compares a cluster with states of the model.

    Parameters
    ----------
    acks
        The offset of each record that was acknowledged; it grows while steps are forced.
    """

    def __init__(self, cluster: Cluster, topic: str, acks: Mapping[int, int]) -> None:
        self._cluster = cluster
        self._topic = topic
        self._acks = acks

    async def differences(self, state: State) -> list[Difference]:
        """Return how the cluster differs from a state now; it may still be on its way there."""
        of_brokers = await asyncio.gather(
            *(
                self._of_broker(broker, state["replica"][broker.number])
                for broker in self._cluster.brokers
            )
        )
        listed = [difference for part in of_brokers for difference in part]
        listed += self._of_partition(state["partition"]) + self._of_acks(state)
        if self._cluster.proposals is not None:
            listed += self._of_proposals(self._cluster.proposals, state)
        if listed:
            return listed
        for broker in self._cluster.brokers:
            listed += await self._of_inside(broker, state["replica"][broker.number])
        return listed

    async def _of_inside(self, broker: Broker, replica: State) -> list[Difference]:
        """Compare what a broker holds in memory only; that takes longer than what it shows."""
        # With ZooKeeper a broker that has restarted is in no epoch before it applies one.
        if not broker.alive or (replica["leader"] == NOTHING and not self._cluster.kraft):
            return []
        name = f"broker {broker.number}"
        expected, observed = replica["epoch"], await broker.inside.epoch(self._topic)
        if expected != observed:
            return [Difference(f"{name}: leader epoch", str(expected), str(observed))]
        if replica["leader"] != broker.number:
            return []
        listed = []
        isr = await broker.inside.isr(self._topic)
        if isr != replica["isr"]:
            listed.append(Difference(f"{name}: ISR", *map(_members, (replica["isr"], isr))))
        if self._cluster.proposals is not None:
            proposes = await broker.inside.proposes(self._topic)
            if proposes != bool(replica["proposed"]):
                told = map(_waits, (bool(replica["proposed"]), proposes))
                listed.append(Difference(f"{name}: change of the ISR", *told))
        known = await broker.inside.remote_leos(self._topic)
        for follower, leo in enumerate(replica["remote_leo"]):
            if follower != broker.number and leo != known.get(follower, 0):
                what = f"{name}: remote LEO of broker {follower}"
                listed.append(Difference(what, str(leo), str(known.get(follower, 0))))
        return listed

    async def _of_broker(self, broker: Broker, replica: State) -> list[Difference]:
        name = f"broker {broker.number}"
        if broker.alive != replica["alive"]:
            return [Difference(f"{name}: process", *map(_runs, (replica["alive"], broker.alive)))]
        listed = []
        entries = log_entries(broker.data, self._topic)
        expected = [
            (entry["epoch"], f"m{entry['record']}")
            for entry in replica["log"]
            if entry["record"] != NOTHING
        ]
        if not _same_log(entries, expected):
            shown = [f"{value} (e{epoch})" for epoch, value in expected]
            listed.append(Difference(f"{name}: log", _listed(shown), _listed(map(_entry, entries))))
        listed += await self._of_memory(broker, replica, name, len(entries))
        starts = epoch_checkpoint(broker.data, self._topic)
        cache = {e: start for e, start in enumerate(replica["epoch_cache"]) if start != NOTHING}
        if replica["alive"] and starts is not None and cache != starts and _has_cache(replica):
            listed.append(Difference(f"{name}: epoch cache", str(cache), str(starts)))
        return listed

    async def _of_memory(
        self, broker: Broker, replica: State, name: str, leo: int
    ) -> list[Difference]:
        """Compare the high watermark and the role.

        A broker that loads a log takes the smaller one of the checkpoint and the log end.
        """
        listed = []
        written = min(hw_checkpoint(broker.data, self._topic) or 0, leo)
        if not broker.alive or replica["epoch"] == NOTHING or replica["leader"] == NOTHING:
            if written != replica["hw"]:
                hw = str(replica["hw"])
                listed.append(Difference(f"{name}: HW on disk", hw, str(written)))
            return listed
        with suppress(KafkaError):
            debugged = await read(self._cluster, broker.number, self._topic, DEBUGGER)
            consumed = await read(self._cluster, broker.number, self._topic, CONSUMER)
            if debugged.error == NONE and debugged.hw != replica["hw"]:
                listed.append(Difference(f"{name}: HW", str(replica["hw"]), str(debugged.hw)))
            leads = replica["leader"] == broker.number
            if leads != (consumed.error == NONE):
                error = error_name(consumed.error)
                observed = "serves consumers" if consumed.error == NONE else f"answers {error}"
                role = "serves consumers" if leads else "does not lead"
                listed.append(Difference(f"{name}: role", role, observed))
            if written != debugged.hw and debugged.error == NONE:
                hw = str(debugged.hw)
                listed.append(Difference(f"{name}: HW on disk", hw, str(written)))
            return listed
        return [Difference(f"{name}: answers", "a fetch", "none")]

    def _of_partition(self, partition: State) -> list[Difference]:
        stored = self._cluster.controller.state(self._topic)
        expected = (partition["leader"], partition["epoch"], tuple(sorted(partition["isr"])))
        observed = (stored.leader, stored.epoch, stored.isr)
        if expected == observed:
            return []
        return [Difference("partition state", _partition(*expected), _partition(*observed))]

    def _of_proposals(self, quorum: ScriptedQuorum, state: State) -> list[Difference]:
        """Compare the AlterPartition of each leader that is not answered yet."""
        listed = []
        for broker in self._cluster.brokers:
            message, sent = state["alter_partition"][broker.number], quorum.proposal(broker.number)
            waits = message["kind"] not in (_NO_MESSAGE, _OF_THE_DEAD)
            expected = observed = _NO_MESSAGE
            if waits:
                expected = "a request"
            if message["kind"] == _REQUEST:
                expected = _proposal(message["epoch"], message["isr"])
            if sent is not None:
                decided = message["kind"] != _REQUEST and waits
                observed = "a request" if decided else _proposal(sent.epoch, set(sent.isr))
            if expected != observed:
                what = f"broker {broker.number}: AlterPartition"
                listed.append(Difference(what, expected, observed))
        return listed

    def _of_acks(self, state: State) -> list[Difference]:
        expected = {
            record: acked["offset"]
            for record, acked in enumerate(state["aux_acked"])
            if acked["epoch"] != NOTHING
        }
        if expected == dict(self._acks):
            return []
        return [Difference("acknowledged", _acks(expected), _acks(self._acks))]


def _proposal(epoch: int, isr: Set[int]) -> str:
    return f"a request of epoch {epoch} for ISR {_members(isr)}"


def _waits(proposes: bool) -> str:
    return "waits for an answer" if proposes else "has proposed none"


def _has_cache(replica: State) -> bool:
    """Whether the model gives this replica an epoch cache."""
    return any(start != NOTHING for start in replica["epoch_cache"])


def _same_log(entries: Sequence[Entry], expected: Sequence[tuple[int, str]]) -> bool:
    """Whether a log holds these records from offset 0 on; older formats store no leader epoch."""
    return len(entries) == len(expected) and all(
        entry.offset == offset and entry.value == value and entry.epoch in (None, epoch)
        for offset, (entry, (epoch, value)) in enumerate(zip(entries, expected, strict=True))
    )


def _entry(entry: Entry) -> str:
    epoch = "" if entry.epoch is None else f" (e{entry.epoch})"
    return f"{entry.value}{epoch}"


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
