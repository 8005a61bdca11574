"""A removed replica that stays in the ELR, on real brokers: acknowledged records are lost.

A reassignment ends, or is cancelled, and leaves fewer members of the ISR than
``min.insync.replicas``.  The controller puts the replica that it removes into the ELR; the broker
deletes its log.  Assigned again, it is eligible with an empty log: a clean election takes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.patience import together
from tidegate.brokers.records import Entry
from tidegate.brokers.report import KafkaError

from . import admin
from .kafka_cluster import Consumed, Description
from .kraft import KraftCluster
from .node import CONTROLLER
from .run import STEP, Run, numbers
from .schedule import CONTROL, A, B, C

THROTTLED, KILLED, DRAINED = "throttled", "killed", "drained"
OFFLINE, CAUGHT_UP = "offline", "caught-up"

D = 4
"""A broker that does not run."""

RECORDS = ("m0", "m1", "m2", "m3")
_FILLER = "." * 600_000
"""Makes a record so long that a fetch gets one of them (``replica.fetch.max.bytes``: 1 MiB)."""

_NOBODY = -1
_THROTTLE = 1000
"""Bytes per second; the first fetch passes, since nothing has been counted yet."""

_COPYING = 2.0
"""Seconds that a replica has to copy under the throttle."""

_PAUSE = 0.1
_ELR = "eligible.leader.replicas.version"


@dataclass(frozen=True)
class Removal:
    """What one run showed.

    Parameters
    ----------
    version
        Of Kafka.
    expected
        Whether the run ended as its mode should.
    offsets
        At which the records were acknowledged.
    isr
        The ISR at that time.
    before
        What a consumer got then.
    removed
        The partition once the replica was removed and its broker had no log any more.
    again
        The partition once the replica was assigned again; None if that was refused.
    refusal
        Why it was refused; empty if it was not.
    stopped
        The partition once its leader had stopped.
    logs
        The records in each broker's log at that time.
    read
        What a consumer got at the end.
    ended
        The partition once A and B run again.
    final_logs
        The records in each broker's log at the end.
    lost
        The acknowledged records that no broker has at the end.
    mended
        The partition once C had been killed and ran again, which takes it out of the ELR; None if
        that was not done.
    """

    version: str
    mode: str
    expected: bool
    offsets: tuple[int, ...]
    isr: tuple[int, ...]
    before: Consumed
    removed: Description
    again: Description | None
    refusal: str
    stopped: Description
    logs: Mapping[int, tuple[str, ...]]
    read: Consumed
    ended: Description
    final_logs: Mapping[int, tuple[str, ...]]
    lost: tuple[str, ...]
    mended: Description | None
    steps: tuple[str, ...]
    log_lines: Mapping[int, tuple[str, ...]]

    @property
    def summary(self) -> str:
        """The run in one line."""
        strange = sorted({*self.removed.elr} - {*self.removed.replicas})
        if self.mended is None:
            leads = f"at the end broker {self.ended.leader} leads"
        else:
            leads = f"nobody leads until broker {C} was killed, then broker {self.mended.leader}"
        kept = numbers(broker for broker, log in self.final_logs.items() if log)
        return "; ".join(
            [
                f"{'LOST ' + ', '.join(self.lost) if self.lost else 'nothing lost'}",
                f"acknowledged at {numbers(self.offsets)} with ISR {numbers(self.isr)}",
                f"in the ELR and no replica: {numbers(strange) or 'none'}",
                f"{leads}; a consumer reads {_listed(self.read.records)}",
                f"records in the log of {kept or 'none'}",
            ]
        )


class RemovedReplica(Run[Removal]):
    """A leads and B follows; then B is down, and C joins for a while.

    ``throttled``: the reassignment to A, C and D is cancelled and made again; C copies under a
    throttle; A restarts in order.  ``killed``: A is killed before the reassignment is made again.
    ``drained``: the reassignment from A to C completes, since 4.3; A is assigned again and copies
    under a throttle; C restarts in order.  ``offline``: as ``killed``, once A is fenced.
    ``control``: as ``throttled``, without the ELR.  ``caught-up``: as ``throttled``, unthrottled.
    """

    modes = (THROTTLED, KILLED, DRAINED, OFFLINE, CONTROL, CAUGHT_UP)
    telling = (
        "(Leader|Follower) {partition} .*starts at leader epoch"
        "|Truncating {partition} to offset|Truncating partition {partition} .*leader epoch and"
        "|Log for partition {partition} is renamed"
        "|Replayed partition .*for topic {topic}\\.|[Uu]nable to alter partition .* {topic}:0"
        "|Try to elect last known leader"
    )

    @classmethod
    def cluster(cls, distribution: Distribution, mode: str) -> KraftCluster:
        """Return a cluster for runs of a mode: with ELR but for the control."""
        if distribution.release < (4,):
            raise KafkaError(f"Kafka {distribution.version} has no ELR; 4.0 has")
        if mode == DRAINED and distribution.release < (4, 3):
            text = "completes no reassignment while a broker that stays is down; 4.3 does"
            raise KafkaError(f"Kafka {distribution.version} {text}")
        features = {}
        if mode == CONTROL or distribution.release < (4, 1):
            # Since 4.1 a new cluster has it.
            features[_ELR] = int(mode != CONTROL)
        brokers = 3 if mode == DRAINED else 4
        return KraftCluster(distribution, brokers, {}, proxied=False, features=features)

    @property
    def _gone(self) -> int:
        """The broker whose replica is removed and assigned again."""
        return A if self._mode == DRAINED else C

    @property
    def _last(self) -> int:
        """The broker that leads when it is removed, and stops."""
        return C if self._mode == DRAINED else A

    async def follow(self) -> None:
        """Take the steps; at the end A, B and C run."""
        if D in self._cluster.running:
            await self._cluster.kill(D)
        await self._acknowledge()
        await self._remove()
        if self._mode in (KILLED, OFFLINE):
            await self._cluster.kill(self._last)
            self._tell(f"broker {self._last} is killed")
        if self._mode == OFFLINE:
            await self._becomes(lambda d: d.leader == _NOBODY, "is without a leader")
        await self._assign_again()
        await self._stop()
        await self._restart()
        await self._end()

    async def _acknowledge(self) -> None:
        """Produce with A and B in the ISR; then B is killed."""
        cluster = self._cluster
        await cluster.create_topic(self._topic, [A, B], min_isr=2)
        created = await self._becomes(
            lambda d: d.leader == A and {*d.isr} == {A, B}, "has its leader and its ISR"
        )
        await self._logs(A, f"Leader {self._topic}-0 ")
        offsets = [await self._produce(record) for record in RECORDS]
        self._seen |= {"offsets": tuple(offsets), "isr": tuple(sorted(created.isr))}
        self._seen["before"] = before = await self._consume(A)
        self._tell(
            f"{', '.join(RECORDS)} are acknowledged at {numbers(offsets)}; a consumer at broker "
            f"{A} reads {_listed(before.records)}; HW {before.hw}"
        )
        await cluster.kill(B)
        self._tell(f"broker {B} is killed")
        await self._becomes(lambda d: d.isr == (A,), "has the ISR A")

    async def _produce(self, record: str) -> int:
        """Produce a record with acks=all, again while the ISR is too small; return its offset."""
        deadline = self._clock() + STEP
        while True:
            answer = await self._cluster.produce(A, self._topic, record + _FILLER, STEP)
            if answer.error == "NONE":
                return answer.offset
            # On a busy machine a broker may be fenced for a moment.
            if answer.error != "NOT_ENOUGH_REPLICAS" or self._clock() > deadline:
                raise KafkaError(f"{record} is refused: {answer.error}")
            await asyncio.sleep(_PAUSE)

    async def _remove(self) -> None:
        """Let C join and a replica leave: by completion, or by cancellation."""
        cluster = self._cluster
        if self._mode == DRAINED:
            await self._assign([B, C])
            removed = await self._becomes(lambda d: d.replicas == (B, C), "has the replicas B, C")
        else:
            await self._assign([A, C, D])
            await self._becomes(lambda d: {*d.isr} == {A, C}, "has the ISR A, C")
            await cluster.reassign(self._topic, None)
            self._tell("the reassignment is cancelled")
            removed = await self._becomes(lambda d: d.replicas == (A, B), "has the replicas A, B")
        await self._happens(
            lambda: not self._folder(self._gone).exists() or None,
            f"broker {self._gone} does not delete its log",
        )
        self._seen["removed"] = removed
        self._tell(f"broker {self._gone} has deleted its log")

    async def _assign_again(self) -> None:
        """Assign the replica again; it copies under a throttle, or its leader is gone."""
        if self._mode in (THROTTLED, CONTROL, DRAINED):
            await self._throttle()
        target = [C, A] if self._mode == DRAINED else [A, C, D]
        try:
            await self._assign(target)
        except KafkaError as error:
            if self._mode != OFFLINE:
                raise
            self._seen["refusal"] = str(error)
            self._tell(f"refused: {error}")
            return
        gone = self._gone
        if self._mode == CAUGHT_UP:
            self._seen["again"] = await self._becomes(lambda d: gone in d.isr, "has C in its ISR")
            return
        self._seen["again"] = await self._becomes(lambda d: gone in d.replicas, "has the replica")
        if self._mode == OFFLINE:
            return
        await self._happens(
            lambda: self._folder(gone).exists() or None, f"broker {gone} has no log again"
        )
        await asyncio.sleep(_COPYING)
        self._tell(f"broker {gone} has {_listed(self._log(gone))}")

    async def _throttle(self) -> None:
        """Do what ``kafka-reassign-partitions --throttle`` does."""
        pair = {"leader": self._last, "follower": self._gone}
        for broker in pair.values():
            rates = {f"{role}.replication.throttled.rate": _THROTTLE for role in pair}
            await self._cluster.configure(admin.BROKER, str(broker), rates)
        lists = {f"{role}.replication.throttled.replicas": f"0:{n}" for role, n in pair.items()}
        await self._cluster.configure(admin.TOPIC, self._topic, lists)
        self._tell(f"replication is throttled: {_THROTTLE} bytes per second")

    async def _stop(self) -> None:
        """Shut the leader down in order, unless it is dead; see who leads then."""
        cluster, last = self._cluster, self._last
        if last in cluster.running:
            cluster.shut_down(last)
            self._tell(f"broker {last} is shut down (SIGTERM)")
            await cluster.ends(last)
        stopped = await self._becomes(lambda d: d.leader != last, "loses its leader")
        self._seen |= {"stopped": stopped, "logs": self._values()}
        if stopped.leader != _NOBODY:
            read = await self._consume(stopped.leader)
            text = f"reads {_listed(read.records)}; HW {read.hw}"
            self._tell(f"a consumer at broker {stopped.leader} {text}")

    async def _restart(self) -> None:
        """Start the former leader and B again, until every replica has what the leader has."""
        cluster = self._cluster
        await together(*map(cluster.start, (self._last, B)))
        await cluster.is_complete()
        self._tell(f"brokers {self._last} and {B} run again")
        if self._mode == OFFLINE:
            # Its registration after the kill takes A out of the ELR.
            await self._becomes(lambda d: A not in d.elr, "has no A in its ELR")
            await asyncio.sleep(_COPYING)
            self._seen["ended"] = await self._becomes(lambda _: True, "is known")
            return
        if self._seen["stopped"].leader == _NOBODY:
            wanted = {self._last, B}
        else:
            wanted = {A, C} if self._mode == DRAINED else {A, B, C}
        self._seen["ended"] = await self._becomes(
            lambda d: wanted <= {*d.isr}, f"has {numbers(sorted(wanted))} in its ISR"
        )

    async def _end(self) -> None:
        """Read the logs; where nobody leads, restart C before, so that it leaves the ELR."""
        leader = self._seen["ended"].leader
        if leader == _NOBODY:
            await self._cluster.kill(C)
            await self._cluster.start(C)
            self._tell(f"broker {C}, which is not a replica, was killed and runs again")
            mended = await self._becomes(lambda d: d.leader > 0, "has a leader")
            self._seen["mended"], leader = mended, mended.leader
        self._seen["read"] = read = await self._consume(leader)
        self._tell(f"a consumer at broker {leader} reads {_listed(read.records)}; HW {read.hw}")

    async def _assign(self, replicas: list[int]) -> None:
        self._tell(f"reassignment to {numbers(replicas)}")
        await self._cluster.reassign(self._topic, replicas)

    async def _becomes(self, wanted: Callable[[Description], bool], what: str) -> Description:
        """Wait until the controller has stored a wanted state of the partition, and return it."""
        deadline = self._clock() + STEP
        while (state := await self._cluster.describe(self._topic)) is None or not wanted(state):
            if self._clock() > deadline:
                raise KafkaError(f"no broker knows that the partition {what}; it is: {state}")
            await asyncio.sleep(_PAUSE)
        self._tell(f"    {state}")
        return state

    async def _consume(self, broker: int) -> Consumed:
        """Fetch all that a broker serves, one long record after the other."""
        records: list[Entry] = []
        while True:
            seen = await self._cluster.consume(broker, self._topic, len(records))
            if not seen.records:
                return Consumed(seen.error, seen.hw, tuple(records))
            records += seen.records

    def _folder(self, broker: int) -> Path:
        """Return where a broker has its log of the partition, if it has one."""
        return self._cluster.node(broker).data / f"{self._topic}-0"

    def _values(self) -> dict[int, tuple[str, ...]]:
        return {number: tuple(map(_name, log)) for number, log in self._all_logs().items()}

    def _evidence(self) -> Removal:
        seen, logs = self._seen, self._values()
        lost = tuple(one for one in RECORDS if not any(one in log for log in logs.values()))
        loses = self._mode in (THROTTLED, KILLED, DRAINED)
        leaderless = seen["ended"].leader == _NOBODY
        return Removal(
            version=self._cluster.distribution.version,
            mode=self._mode,
            expected=bool(lost) == loses and leaderless == (self._mode == OFFLINE),
            offsets=seen["offsets"],
            isr=seen["isr"],
            before=seen["before"],
            removed=seen["removed"],
            again=seen.get("again"),
            refusal=seen.get("refusal", ""),
            stopped=seen["stopped"],
            logs=seen["logs"],
            read=seen["read"],
            ended=seen["ended"],
            final_logs=logs,
            lost=lost,
            mended=seen.get("mended"),
            steps=tuple(self._steps),
            log_lines={node: self._telling(node) for node in (CONTROLLER, A, B, C)},
        )


def _name(entry: Entry) -> str:
    return entry.value.rstrip(".")


def _listed(records: tuple[Entry, ...]) -> str:
    """Return the names of records, or that there is nothing."""
    return ", ".join(map(_name, records)) or "nothing"
