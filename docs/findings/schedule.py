"""A schedule on real brokers whose controller is Kafka's own: what each one does and observes.

A, B and C are brokers; A leads a partition.  A producer sends one record with ``acks=all``, and the
schedule shows whether a consumer can still read it once A has died.
"""

from __future__ import annotations

import asyncio
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidegate.brokers.messages import FETCH, Api
from tidegate.brokers.patience import together
from tidegate.brokers.records import Entry
from tidegate.brokers.report import KafkaError

from .kafka_cluster import Consumed, KafkaCluster, PartitionState, Produced
from .run import STEP, Run, numbers, values

A, B, C = 1, 2, 3
"""The brokers: A leads."""

RECORD = "m0"
CONTROL = "control"
"""The mode in which the same steps lose nothing."""

_HOUR = 3_600_000
PATIENT = {
    "controller.quorum.request.timeout.ms": _HOUR,
    "controller.quorum.fetch.timeout.ms": _HOUR,
    "replica.socket.timeout.ms": _HOUR,
    "connections.max.idle.ms": _HOUR,
    "max.incremental.fetch.session.cache.slots": 0,
    "broker.heartbeat.interval.ms": 500,
}
"""For held requests: nothing times out while one waits."""

_AWAITING = "Progress awaiting ISR acks for offset 1: "


@dataclass(frozen=True)
class Evidence:
    """What one run showed.

    Parameters
    ----------
    version
        Of Kafka.
    expected
        Whether the run ended as its mode should.
    offset, error
        The offset at which the record was acknowledged; or None and the error's name.
    before, after
        What a consumer got from A before the schedule began to differ from what should be, and
        once the producer had its answer.
    awaited
        The members of the ISR whose log ends A looked at when it acknowledged the record.
    state
        What C's Metadata said before A died.
    logs
        The records in each broker's log when the producer had its answer.
    leader, read
        Who leads after A has died, and what a consumer gets there; None if A did not die.
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
    expected: bool
    offset: int | None
    error: str
    before: Consumed
    after: Consumed
    awaited: tuple[int, ...]
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
    def summary(self) -> str:
        """The run in one line."""
        if self.offset is None:
            produced = f"refused with {self.error}"
        else:
            took = f"{self.seconds['answer'] * 1000:.0f} ms"
            produced = f"acknowledged at offset {self.offset} after {took}"
        parts = [
            f"{'LOST' if self.lost else 'not lost':8}  {RECORD} {produced}",
            f"HW {self.after.hw} and ISR {numbers(self.awaited)} at A",
            f"ISR {numbers(self.state.isr)} at the controller",
        ]
        if self.read is not None:
            parts.append(f"then broker {self.leader} leads and serves {values(self.read.records)}")
        kept = numbers(broker for broker, log in self.final_logs.items() if log)
        return "; ".join([*parts, f"at the end in the log of {kept or 'none'}"])


class Schedule(Run[Evidence]):
    """A run with one record, on three brokers of which all run again at the end."""

    def __init__(self, cluster: KafkaCluster, mode: str, topic: str) -> None:
        super().__init__(cluster, mode, topic)
        self._produce: asyncio.Task[Produced] | None = None

    @abstractmethod
    def expects(self, *, acknowledged: bool, lost: bool) -> bool:
        """Whether the mode should end so."""

    async def run(self) -> Evidence:
        """Run the schedule once, and leave no producer behind.

        Raises
        ------
        KafkaError
            If Kafka cannot be controlled, or a step does not happen.
        """
        try:
            return await super().run()
        finally:
            if self._produce is not None:
                self._produce.cancel()
                await asyncio.gather(self._produce, return_exceptions=True)

    async def _create(self, replicas: Sequence[int]) -> None:
        """Create the topic, led by A, with every broker in the ISR."""
        cluster = self._cluster
        await cluster.create_topic(self._topic, replicas, min_isr=2)
        everyone = (A, B, C)
        await cluster.learns(
            C, self._topic, lambda s: s.leader == A and s.isr == everyone, "A leads"
        )

    async def _fetched_at_first(self) -> None:
        """Wait until A has had a fetch of each follower."""
        for follower in (B, C):
            await self._logs(A, f"Recorded replica {follower} log end offset (LEO) position 0")

    def _begin_produce(self) -> None:
        """Produce the record with acks=all; the answer may take several steps."""

        async def produce() -> Produced:
            answer = await self._cluster.produce(A, self._topic, RECORD, 2 * STEP)
            self._seen["answered"] = self._clock()
            return answer

        self._produce = asyncio.create_task(produce())

    async def _consume_before(self) -> Consumed:
        seen: Consumed = await self._cluster.consume(A, self._topic)
        self._seen["before"] = seen
        return seen

    async def _answered(self, since: float) -> Produced:
        """Wait for the producer's answer, and tell it."""
        assert self._produce is not None
        answer: Produced = await self._produce
        self._seen["answer"] = answer
        at = self._seen["answered"]
        self._seconds["answer"] = at - since
        if answer.error == "NONE":
            self._tell(f"{RECORD} is acknowledged at offset {answer.offset}", at)
        else:
            self._tell(f"{RECORD} is refused: {answer.error}", at)
        return answer

    async def _consume_after(self) -> None:
        """Observe what there is now, while A still runs."""
        self._seen["after"] = after = await self._cluster.consume(A, self._topic)
        self._seen["logs"] = self._all_logs()
        self._tell(f"a consumer at A reads {values(after.records)}; HW {after.hw}")

    async def _note_state(self) -> None:
        self._seen["state"] = await self._cluster.state(C, self._topic)

    async def _crash_of_leader(self) -> None:
        """Kill A; C leads then."""
        cluster = self._cluster
        await cluster.kill(A)
        self._tell("A is killed")
        state = await cluster.learns(C, self._topic, lambda s: s.leader == C, "C leads")
        self._seen["leader"] = state.leader
        self._tell(f"C leads epoch {state.epoch}")

    async def _read_at_new_leader(self) -> None:
        self._seen["read"] = read = await self._cluster.consume(C, self._topic)
        self._tell(f"a consumer at C reads {values(read.records)}; HW {read.hw}")

    async def _former_leader_follows(self) -> None:
        """Wait until A, which runs again, follows C and has truncated what C does not have."""
        await self._logs(A, f"Follower {self._topic}-0 ")
        if not self._log(C):
            await together(*map(self._log_becomes_empty, (A, B)))
        self._tell(f"A runs again; A's log: {values(self._log(A))}")
        self._seconds["schedule"] = self._clock() - self._began

    def _evidence(self) -> Evidence:
        answer, logs = self._seen["answer"], self._all_logs()
        acknowledged = answer.error == "NONE"
        kept = any(entry.value == RECORD for log in logs.values() for entry in log)
        lost = acknowledged and not kept
        return Evidence(
            version=self._cluster.distribution.version,
            mode=self._mode,
            expected=self.expects(acknowledged=acknowledged, lost=lost),
            offset=answer.offset if acknowledged else None,
            error=answer.error,
            before=self._seen["before"],
            after=self._seen["after"],
            awaited=self._awaited(),
            state=self._seen["state"],
            logs=self._seen["logs"],
            leader=self._seen.get("leader"),
            read=self._seen.get("read"),
            final_logs=logs,
            lost=lost,
            steps=tuple(self._steps),
            log_lines={broker: self._telling(broker) for broker in (A, C)},
            seconds=dict(self._seconds),
        )

    def _awaited(self) -> tuple[int, ...]:
        """Return the ISR with which A last decided on the produce, as its log has it."""
        *_, last = ["", *(line for line in self._partition_lines(A) if _AWAITING in line)]
        return tuple(sorted(map(int, re.findall(r"broker (\d+): ", last))))

    async def _held(self, sender: int, to: int, what: Api = FETCH) -> None:
        if await self._cluster.proxy.request(sender, to, STEP, what) is None:
            raise KafkaError(f"node {sender} has not sent {what.name} to node {to}")

    async def _log_becomes_empty(self, broker: int) -> None:
        await self._happens(
            lambda: not self._log(broker) or None, f"broker {broker} does not truncate {RECORD}"
        )
