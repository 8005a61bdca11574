"""What steps share: requests of followers, produces, and what travelled on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .client import ask
from .cluster import Broker, Cluster
from .messages import EPOCH, FETCH, LIST_OFFSETS, NONE, PRODUCE, error_name
from .metadata import PartitionState
from .observe import NOTHING
from .patience import until
from .proxy import Held
from .records import decode_records, encode_record
from .report import KafkaError, State
from .scripted_quorum import ScriptedQuorum

ACKS = {"all": -1, "1": 1}
_UNANSWERED = 3600.0

_FIRST_THAT_HANGS, _FIRST_THAT_ENDS = (0, 10), (0, 11)
_REFUSES = "Exiting because log truncation is not allowed"
_NEXT_REQUEST = 2.0
"""Seconds that a follower has for its next request; it takes milliseconds."""

_FAILS = "marked as failed", "Error due to"
"""What a broker logs when the fetcher of a partition fails: since 2.3, and before."""


class OtherwiseError(Exception):
    """A broker does not do what a step asks for; with the expectation, and the observation."""

    def __init__(self, what: str, expected: str, observed: str) -> None:
        super().__init__(what)
        self.what, self.expected, self.observed = what, expected, observed


def expect(what: str, expected: object, observed: object) -> None:
    """Raise OtherwiseError unless the observation is as expected."""
    if expected != observed:
        raise OtherwiseError(what, str(expected), str(observed))


def error_of(partition: dict[str, Any]) -> str:
    """Return the name of the error in an answer's partition."""
    return error_name(partition["error"])


class Forcing:
    """Forces steps on a cluster.

    Attributes
    ----------
    acks
        The offset of each record that was acknowledged.
    fenced
        Followers whose present epoch was fenced.
    events
        What travelled on the wire in the present step, a sentence each.
    """

    def __init__(self, cluster: Cluster, topic: str, bounds: Mapping[str, str]) -> None:
        self.cluster = cluster
        self.topic = topic
        self.bounds = bounds
        self.acks: dict[int, int] = {}
        self.fenced: set[int] = set()
        self.events: list[str] = []
        self._waiting: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Give up the requests that still wait."""
        for request in self._waiting:
            request.cancel()

    @property
    def scripted(self) -> ScriptedQuorum:
        """The controller of a cluster whose leaders wait for it."""
        scripted = self.cluster.proposals
        assert scripted is not None
        return scripted

    def broker(self, number: int) -> Broker:
        """Return a broker by its number."""
        return self.cluster.brokers[number]

    async def request(self, follower: int, leader: int, key: int) -> Held:
        """Return the request of a follower that is held, of the kind that a step expects."""
        held = await self.cluster.proxy.request(follower, leader)
        if held is None or held.key != key:
            seen = "no request" if held is None else f"{NAMES[held.key]} request"
            raise OtherwiseError(f"broker {follower} to {leader}", f"{NAMES[key]} request", seen)
        return held

    async def fetch(self, follower: int, leader: int) -> Held:
        """Return the fetch of a follower, or what stands in for it.

        Before Kafka 2.1 a follower whose epoch cache is empty first asks where no epoch (-1) ends.
        Its log is empty too, and the answer changes nothing, so the model has no step for it.
        """
        held = await self.cluster.proxy.request(follower, leader)
        if held is not None and stands_in(held):
            return held
        return await self.request(follower, leader, FETCH.key)

    async def response(self, follower: int, leader: int) -> Held:
        """Return the response to a follower that is held."""
        held = await self.cluster.proxy.response(follower, leader)
        if held is None:
            raise OtherwiseError(f"broker {leader} to {follower}", "a response", "none")
        return held

    async def handled(self, follower: int, leader: int, after: State) -> None:
        """Let a follower have the response that is held, and wait until it has handled it.

        A fetcher sends its next request only then.  Before that the follower may look as it did
        before the step, or as the model has it after the step, and differ from it a moment later.
        None is waited for where none comes: the follower ends, its fetcher fails, its epoch is
        fenced, or it follows another leader by now.
        """
        (await self.response(follower, leader)).release()
        replica = after["replica"][follower]
        fetches = replica["alive"] and not replica["failed"] and replica["leader"] == leader
        if fetches and follower not in self.fenced:
            await self.cluster.proxy.request(follower, leader, _NEXT_REQUEST)

    async def announce(self, number: int, epoch: int, isr: Sequence[int], is_locked: bool) -> None:
        """Have a broker apply an epoch, and wait until it has.

        Parameters
        ----------
        is_locked
            Whether its fetcher waits for ListOffsets.  Through 2.0 that holds a lock meanwhile
            (AbstractFetcherThread's partitionMapLock), for which LeaderAndIsr waits once the
            partition has the new epoch: so it is answered only after ListOffsets.
        """
        if is_locked:
            self._let_wait(self._announced_later(number, epoch, isr))
        else:
            await self._announced(number, epoch, isr)

    async def _announced_later(self, number: int, epoch: int, isr: Sequence[int]) -> None:
        with suppress(KafkaError):
            await self._announced(number, epoch, isr)

    async def _announced(self, number: int, epoch: int, isr: Sequence[int]) -> None:
        error = await self.cluster.controller.announce(self.topic, epoch, isr, number)
        what = "metadata" if self.cluster.kraft else "LeaderAndIsr"
        answer = f"{what} of epoch {epoch}: {error_name(error)}"
        self.events.append(f"controller -> {number}: {answer}")

    async def give(self, number: int, state: PartitionState) -> None:
        """Have a broker of a KRaft cluster apply a state of the partition."""
        await self.scripted.give(self.topic, state, number)
        isr = ",".join(map(str, state.isr))
        self.events.append(f"controller -> {number}: metadata of epoch {state.epoch}, ISR {isr}")

    async def ends(self, number: int) -> None:
        """Wait until a broker ends by itself, as it does rather than truncate its log.

        From 0.10.0 to 0.10.2 it hangs instead (KAFKA-4039): System.exit waits for the fetcher, and
        the fetcher for System.exit.  It answers nobody any more, so it is killed.  0.9 halts, so
        that ZooKeeper would keep its session, and refuse the broker when it starts again.
        """
        broker = self.broker(number)
        hangs = _FIRST_THAT_HANGS <= self.cluster.distribution.release < _FIRST_THAT_ENDS

        def gone() -> bool:
            if hangs:
                return any(_REFUSES in line for line in broker.logged())
            return not broker.alive

        if await until(gone):
            if hangs:
                self.events.append(f"{number} hangs in System.exit, and is killed")
            await self.cluster.kill(broker)

    async def fails(self, number: int) -> None:
        """Wait until a broker says that the fetcher of the partition has failed."""
        broker = self.broker(number)

        def failed() -> bool:
            return any(sign in line for line in broker.logged() for sign in _FAILS)

        if not await until(failed):
            raise OtherwiseError(f"broker {number}: fetcher", "fails", "does not fail")

    async def exchange(self, follower: int, leader: int, key: int) -> dict[str, Any]:
        """Let a request through, and return what its response says; that is held."""
        held = await self.request(follower, leader, key)
        self.events.append(f"{follower} -> {leader}: {NAMES[key]} {_about(held.partition)}")
        held.release()
        partition = (await self.response(follower, leader)).partition
        self.events.append(f"{leader} -> {follower}: {_answer(key, partition)}")
        return partition

    def produce(self, leader: int, record: int) -> None:
        """Send a record to a broker; its acknowledgement may come much later."""
        self._let_wait(self._produce(leader, record))

    def _let_wait(self, request: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(request)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _produce(self, leader: int, record: int) -> None:
        magic = self.cluster.magic
        data = encode_record(f"m{record}", magic)
        body = {
            "acks": ACKS[self.bounds["acks"]],
            "timeout_ms": int(_UNANSWERED * 1000),
            "topics": [{"name": self.topic, "partitions": [{"index": 0, "records": data}]}],
        }
        version = {0: 0, 1: 2, 2: 3}[magic]
        try:
            answer = await ask(self.broker(leader).port, PRODUCE, version, body, _UNANSWERED)
        except KafkaError:
            return
        partition = answer["topics"][0]["partitions"][0]
        if partition["error"] == NONE:
            self.acks[record] = partition["offset"]


NAMES = {api.key: api.name for api in (FETCH, LIST_OFFSETS, EPOCH)}


def _about(partition: dict[str, Any]) -> str:
    if "offset" in partition:
        return f"at {partition['offset']}"
    return f"of epoch {partition['epoch']}" if "epoch" in partition else ""


def _answer(key: int, partition: dict[str, Any]) -> str:
    error = partition["error"]
    if error != NONE:
        return error_name(error)
    if key != FETCH.key:
        end = partition.get("end_offset", partition.get("offset"))
        return f"end offset {end}" if end is not None else str(partition["offsets"][0])
    values = [entry.value for entry in decode_records(partition["records"] or b"")]
    if "diverging" in partition:
        return f"diverging {partition['diverging']}"
    return f"{', '.join(values) or 'nothing'}, HW {partition['hw']}"


def stands_in(held: Held) -> bool:
    """Whether a request asks where no epoch ends."""
    return held.key == EPOCH.key and held.partition["epoch"] == NOTHING
