"""A leader that skips a leader epoch, on real brokers with KRaft: an acknowledged record is lost.

Broker A leads epoch e, and its follower C has fetched a record that B has not.  B leads e+1, where
C truncates the record.  A leads e+2 without having applied e+1: for its own state it has led all
the time, so it keeps the log end that C had in e.  The record counts as replicated.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .distribution import Distribution, KafkaError
from .kraft import Consumed, KraftCluster, PartitionState, Produced
from .kraft_node import CONTROLLER
from .patience import together, until
from .records import Entry

A, B, C = 1, 2, 3
"""The brokers: A leads, B is the preferred leader, C follows."""

RECORD = "m0"

HELD, PAUSED, CONTROL = "held", "paused", "control"
MODES = (HELD, PAUSED, CONTROL)
"""How A misses epoch e+1; in the last one it does not."""

_HOUR = 3_600_000
_STEP = 60.0
"""Seconds for a step that takes brokers a second or two."""

_UNREAD = 0.7
"""Seconds after which whatever a broker that stands still had asked for is answered, unread.

Fetches of records and of metadata both wait for at most half a second.
"""

_PATIENT = {
    "controller.quorum.request.timeout.ms": _HOUR,
    "controller.quorum.fetch.timeout.ms": _HOUR,
    "replica.socket.timeout.ms": _HOUR,
    "connections.max.idle.ms": _HOUR,
    "max.incremental.fetch.session.cache.slots": 0,
    "broker.heartbeat.interval.ms": 500,
    "broker.session.timeout.ms": 5000,
}
"""For held requests: nothing times out while one waits, and a dead broker is fenced soon."""

_STARTS = "starts at leader epoch"
_DELTA = "Generated a metadata delta"
_TELLING = (
    f"(Leader|Follower) {{partition}} .*{_STARTS}"
    "|Partition {partition} .*(High watermark updated|Recorded replica|awaiting ISR acks)"
    "|Truncating partition {partition} |leader epoch for partition {partition} "
    f"|{_DELTA} "
)
"""Lines of a broker's log that tell the story, as a pattern."""


@dataclass(frozen=True)
class SkippedEpoch:
    """What one run showed.

    Parameters
    ----------
    version
        Of Kafka.
    offset, error
        The offset at which the record was acknowledged; or None and the error's name.
    before, after
        What a consumer got from A before the elections, and once the producer had its answer.
    state
        What C's Metadata said when the producer had its answer.
    logs
        The records in each broker's log then.
    leader, read
        Who leads after A has died, and what a consumer gets there; None in the control.
    final_logs
        The records in each broker's log once A is back.
    lost
        Whether the record was acknowledged, and no broker has it at the end.
    steps
        What happened, with seconds since the topic was created.
    log_lines
        Telling lines of the logs of A and of C.
    seconds
        Durations by name.
    """

    version: str
    mode: str
    offset: int | None
    error: str
    before: Consumed
    after: Consumed
    state: PartitionState
    logs: Mapping[int, tuple[Entry, ...]]
    leader: int | None
    read: Consumed | None
    final_logs: Mapping[int, tuple[Entry, ...]]
    lost: bool
    steps: tuple[str, ...]
    log_lines: Mapping[int, tuple[str, ...]]
    seconds: Mapping[str, float]

    @property
    def expected(self) -> bool:
        """Whether the run ended as its mode should."""
        if self.mode == CONTROL:
            return not self.lost and self.offset is None
        return self.lost


def cluster_for(distribution: Distribution, mode: str) -> KraftCluster:
    """Return a cluster for runs of a mode: three brokers, and a controller of its own."""
    paused = mode == PAUSED
    return KraftCluster(distribution, 3, {} if paused else _PATIENT, proxied=not paused)


async def skip_epoch(cluster: KraftCluster, mode: str, topic: str) -> SkippedEpoch:
    """Run the schedule once; at the end every broker runs again.

    Parameters
    ----------
    cluster
        As :func:`cluster_for` returns for the mode.
    mode
        ``held``: the proxy holds A's metadata fetch.  ``paused``: A stands still, with Kafka's own
        timeouts and no proxy.  ``control``: A applies epoch e+1 when the others do.
    topic
        A name that the cluster has not seen yet.

    Raises
    ------
    KafkaError
        If Kafka cannot be controlled, or a step does not happen.
    """
    run = _Run(cluster, mode, topic)
    try:
        await run.create()
        if mode == PAUSED:
            await run.with_pauses()
        else:
            await run.with_held_fetches(skips=mode == HELD)
        await run.restart()
    finally:
        await run.close()
    return run.result()


class _Run:
    """One run: what was observed so far."""

    def __init__(self, cluster: KraftCluster, mode: str, topic: str) -> None:
        self._cluster = cluster
        self._mode = mode
        self._topic = topic
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._marks = {number: cluster.node(number).log_size() for number in cluster.brokers}
        self._seconds: dict[str, float] = {}
        self._steps: list[str] = []
        self._epoch = 0
        self._produce: asyncio.Task[Produced] | None = None
        self._seen: dict[str, Any] = {}

    def _tell(self, step: str) -> None:
        self._steps.append(f"{self._clock() - self._began:6.2f} s  {step}")

    async def with_held_fetches(self, *, skips: bool) -> None:
        """Steer by held requests; A's metadata fetch is one of them if it skips the epoch."""
        cluster, proxy = self._cluster, self._cluster.proxy
        proxy.hold(B, A)
        await self._held(B, A)
        self._tell("B's fetch to A is held")
        await self._produced_and_fetched()
        if skips:
            proxy.hold(A, CONTROLLER)
            await self._held(A, CONTROLLER)
            self._tell("A's next fetch of metadata is held")
        await cluster.elect(self._topic)
        # B can stop fetching from A only when its request has ended.
        proxy.drop(B, A)
        await self._follow_new_leader()
        proxy.hold(C, A)
        await self._return_to_first_leader()
        await self._held(C, A)
        self._tell("C's fetch to A is held: A does not learn that C's log has become shorter")
        before = self._clock()
        if skips:
            self._tell("A's fetch of metadata is released")
            proxy.let_pass(A, CONTROLLER)
        await self._answered(before)
        if skips:
            await self._crash_of_first_leader()

    async def with_pauses(self) -> None:
        """Steer by processes that stand still for two seconds, with every timeout as it is."""
        cluster = self._cluster
        cluster.pause(B)
        self._tell("B stands still (SIGSTOP)")
        await asyncio.sleep(_UNREAD)
        await self._produced_and_fetched()
        cluster.pause(A)
        paused = self._clock()
        self._tell("A stands still (SIGSTOP)")
        await asyncio.sleep(_UNREAD)
        await cluster.elect(self._topic)
        cluster.resume(B)
        self._tell("B goes on (SIGCONT)")
        await self._follow_new_leader()
        await self._return_to_first_leader()
        cluster.resume(A)
        self._seconds["pause"] = self._clock() - paused
        self._tell(f"A goes on (SIGCONT) after {self._seconds['pause']:.1f} s")
        await self._answered(self._clock())
        await self._crash_of_first_leader()

    async def create(self) -> None:
        """Create the topic with leader A, and make B its preferred leader."""
        cluster = self._cluster
        await cluster.create_topic(self._topic, [A, B, C], min_isr=2)
        everyone = (A, B, C)
        await cluster.learns(
            C, self._topic, lambda s: s.leader == A and s.isr == everyone, "A leads"
        )
        await cluster.reassign(self._topic, [B, A, C])
        state = await cluster.learns(
            C, self._topic, lambda s: s.replicas == (B, A, C), "the replicas have another order"
        )
        self._epoch = state.epoch
        for follower in (B, C):
            await self._logs(A, f"Recorded replica {follower} log end offset (LEO) position 0")
        self._tell(f"A leads epoch {state.epoch}, replicas B, A, C; ISR A, B, C; both have fetched")

    async def _produced_and_fetched(self) -> None:
        """Produce the record; C fetches it, and fetches again at offset 1; B does not."""
        cluster = self._cluster
        self._produce = asyncio.create_task(cluster.produce(A, self._topic, RECORD, 2 * _STEP))
        await self._logs(A, f"Recorded replica {C} log end offset (LEO) position 1")
        self._seen["before"] = before = await cluster.consume(A, self._topic)
        self._tell(
            f"{RECORD} is produced with acks=all; C has fetched it and fetches at 1; "
            f"HW at A is {before.hw}"
        )

    async def _follow_new_leader(self) -> None:
        epoch = self._epoch + 1
        await self._cluster.learns(
            C, self._topic, lambda s: (s.leader, s.epoch) == (B, epoch), f"B leads epoch {epoch}"
        )
        self._tell(f"preferred election: B leads epoch {epoch}")
        await self._log_becomes_empty(C)
        self._tell(f"C truncates {RECORD}, which B does not have")

    async def _return_to_first_leader(self) -> None:
        epoch = self._epoch + 2
        self._cluster.shut_down(B)
        await self._cluster.learns(
            C,
            self._topic,
            lambda s: (s.leader, s.epoch, s.isr) == (A, epoch, (A, C)),
            f"A leads epoch {epoch} with ISR A, C",
        )
        self._tell(f"controlled shutdown of B: A leads epoch {epoch}, ISR A, C")

    async def _answered(self, since: float) -> None:
        """Wait for the producer's answer, and observe what there is then."""
        assert self._produce is not None
        cluster, epoch = self._cluster, self._epoch + 2
        answer = self._seen["answer"] = await self._produce
        self._seconds["answer"] = self._clock() - since
        if answer.error == "NONE":
            self._tell(f"{RECORD} is acknowledged at offset {answer.offset}")
        else:
            self._tell(f"{RECORD} is refused: {answer.error}")
            await cluster.learns(
                A,
                self._topic,
                lambda s: (s.leader, s.epoch) == (A, epoch),
                f"A leads epoch {epoch}",
            )
        self._seen["after"] = after = await cluster.consume(A, self._topic)
        self._seen["logs"] = self._all_logs()
        self._seen["state"] = await cluster.state(C, self._topic)
        self._tell(f"a consumer at A reads {_values(after.records)}; HW {after.hw}")

    async def _crash_of_first_leader(self) -> None:
        """Kill A before C has fetched from it, so that C leads."""
        cluster = self._cluster
        await cluster.kill(A)
        self._tell("A is killed")
        state = await cluster.learns(C, self._topic, lambda s: s.leader == C, "C leads")
        self._seen["leader"] = state.leader
        self._seen["read"] = read = await cluster.consume(C, self._topic)
        self._tell(f"C leads epoch {state.epoch}; a consumer reads {_values(read.records)} there")

    async def restart(self) -> None:
        """Start B again, and A if it has died; A follows C then."""
        cluster = self._cluster
        cluster.proxy.let_pass(C, A)
        await cluster.ends(B)
        if "leader" not in self._seen:
            await cluster.start(B)
        else:
            await together(cluster.start(A), cluster.start(B))
            await self._logs(A, f"Follower {self._topic}-0 ")
            if not self._seen["read"].records:
                await self._log_becomes_empty(A)
            self._tell(f"A and B are started again; A's log: {_values(self._log(A))}")
        self._seconds["schedule"] = self._clock() - self._began
        await cluster.is_complete()

    async def close(self) -> None:
        """Give up the produce, if it has no answer."""
        if self._produce is not None:
            self._produce.cancel()
            await asyncio.gather(self._produce, return_exceptions=True)

    def result(self) -> SkippedEpoch:
        """Return what was observed."""
        answer, logs = self._seen["answer"], self._all_logs()
        acknowledged = answer.error == "NONE"
        kept = any(entry.value == RECORD for log in logs.values() for entry in log)
        return SkippedEpoch(
            version=self._cluster.distribution.version,
            mode=self._mode,
            offset=answer.offset if acknowledged else None,
            error=answer.error,
            before=self._seen["before"],
            after=self._seen["after"],
            state=self._seen["state"],
            logs=self._seen["logs"],
            leader=self._seen.get("leader"),
            read=self._seen.get("read"),
            final_logs=logs,
            lost=acknowledged and not kept,
            steps=tuple(self._steps),
            log_lines={broker: self._telling(broker) for broker in (A, C)},
            seconds=dict(self._seconds),
        )

    def _log(self, broker: int) -> tuple[Entry, ...]:
        return self._cluster.log(broker, self._topic)

    def _all_logs(self) -> dict[int, tuple[Entry, ...]]:
        return {broker: self._log(broker) for broker in self._cluster.brokers}

    def _logged(self, broker: int) -> list[str]:
        """Return what a broker has reported since the run began."""
        return self._cluster.node(broker).logged(self._marks[broker])

    def _telling(self, broker: int) -> tuple[str, ...]:
        pattern = re.compile(_TELLING.format(partition=f"{self._topic}-0"))
        lines = [line for line in self._logged(broker) if pattern.search(line)]
        following = [*lines[1:], ""]
        # Of the metadata that a broker loads, that counts by which a leader begins an epoch.
        return tuple(
            line
            for line, after in zip(lines, following, strict=True)
            if _DELTA not in line or (_STARTS in after and " Leader " in after)
        )

    async def _held(self, sender: int, to: int) -> None:
        if await self._cluster.proxy.request(sender, to, _STEP) is None:
            raise KafkaError(f"node {sender} has not sent a fetch to node {to}")

    async def _logs(self, broker: int, words: str) -> None:
        """Wait until a broker reports something of the topic."""

        def reported() -> bool | None:
            lines = self._logged(broker)
            return any(words in line and self._topic in line for line in lines) or None

        if await until(reported, _STEP) is None:
            raise KafkaError(f"broker {broker} has not logged: {words}")

    async def _log_becomes_empty(self, broker: int) -> None:
        if await until(lambda: not self._log(broker) or None, _STEP) is None:
            raise KafkaError(f"broker {broker} does not truncate {RECORD}")


def _values(records: Iterable[Entry]) -> str:
    return ", ".join(entry.value for entry in records) or "nothing"
