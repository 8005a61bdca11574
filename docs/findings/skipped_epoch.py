"""A leader that skips a leader epoch, on real brokers with KRaft: an acknowledged record is lost.

Broker A leads epoch e, and its follower C has fetched a record that B has not.  B leads e+1, where
C truncates the record.  A leads e+2 without having applied e+1: for its own state it has led all
the time, so it keeps the log end that C had in e.  The record counts as replicated.
"""

from __future__ import annotations

import asyncio

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.patience import together

from .kafka_cluster import KafkaCluster
from .kraft import KraftCluster
from .node import CONTROLLER
from .schedule import CONTROL, PATIENT, RECORD, A, B, C, Schedule
from .zookeeper_cluster import ZooKeeperCluster

HELD, PAUSED, VOTERS, BUSY = "held", "paused", "voters", "busy"
ZOOKEEPER, KILLED = "zookeeper", "killed"

_BUSY = (BUSY, ZOOKEEPER, KILLED)
"""The modes in which A is busy with another topic."""

_MANY = 2000
"""Partitions whose creation keeps a broker busy for some seconds."""

_BUMPED = 1.0
"""Seconds in which a controller with ZooKeeper begins an epoch for another order of replicas."""

_SESSION = {"zookeeper.session.timeout.ms": 6000}
"""Kafka's own default through 2.4; until then nobody is the controller after it was killed."""

_UNREAD = 0.7
"""Seconds after which whatever a paused broker had asked for is answered, unread.

Fetches of records and of metadata both wait for at most half a second.
"""

_STARTS = "starts at leader epoch"
_DELTA = "Generated a metadata delta"


class SkippedEpoch(Schedule):
    """A misses epoch e+1; B is the preferred leader, and C follows.

    ``held``: the proxy holds A's metadata fetch.  ``paused``: A is paused, with Kafka's own
    timeouts and no proxy.  ``voters``: as ``paused``, with three controllers, and A is paused
    from the moment of the election.  ``busy``: A's metadata loader creates the partitions of
    another topic meanwhile; only B's fetches are held.  ``zookeeper``: the same with ZooKeeper,
    where B is the controller, so what it has not sent to A ends with it.  ``killed``: the same,
    but B is killed.  ``control``: A applies epoch e+1 when the others do.
    """

    modes = (HELD, PAUSED, VOTERS, BUSY, ZOOKEEPER, KILLED, CONTROL)
    telling = (
        f"(Leader|Follower) {{partition}} .*{_STARTS}"
        "|Partition {partition} .*(High watermark updated|Recorded replica|awaiting ISR acks)"
        "|Truncating partition {partition} |leader epoch for partition {partition} "
        f"|{_DELTA} |Ready to serve as the new controller|Handling LeaderAndIsr request"
        "|for partition {partition} .*cannot become follower"
    )
    _epoch = _last = 0
    """The epochs in which A leads first, and again."""

    @classmethod
    def cluster(cls, distribution: Distribution, mode: str) -> KafkaCluster:
        """Return a cluster for runs of a mode: three brokers, and one controller or three."""
        if mode in (ZOOKEEPER, KILLED):
            return ZooKeeperCluster(distribution, 3, _SESSION if mode == KILLED else {})
        paused = mode in (PAUSED, VOTERS)
        settings = {} if paused or mode == BUSY else PATIENT
        voters = 3 if mode == VOTERS else 1
        return KraftCluster(distribution, 3, settings, proxied=not paused, voters=voters)

    async def follow(self) -> None:
        """Take the steps; at the end every broker runs again."""
        await self._begin()
        if self._mode in (PAUSED, VOTERS):
            await self._with_pauses()
        elif self._mode in _BUSY:
            await self._with_busy_leader()
        else:
            await self._with_held_fetches(skips=self._mode == HELD)
        await self._restart()

    def expects(self, *, acknowledged: bool, lost: bool) -> bool:
        """Whether the mode should end so."""
        return not acknowledged if self._mode == CONTROL else lost

    async def _with_held_fetches(self, *, skips: bool) -> None:
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
        await self._answered_by_a(before)
        if skips:
            await self._crash_of_leader()
            await self._read_at_new_leader()

    async def _with_pauses(self) -> None:
        """Steer by processes that are paused for two seconds, with every timeout as it is."""
        cluster = self._cluster
        cluster.pause(B)
        self._tell("B is paused (SIGSTOP)")
        await asyncio.sleep(_UNREAD)
        await self._produced_and_fetched()
        cluster.pause(A)
        paused = self._clock()
        self._tell("A is paused (SIGSTOP)")
        if self._mode == PAUSED:
            await asyncio.sleep(_UNREAD)
        await cluster.elect(self._topic)
        cluster.resume(B)
        self._tell("B goes on (SIGCONT)")
        await self._follow_new_leader()
        await self._return_to_first_leader()
        cluster.resume(A)
        self._seconds["pause"] = self._clock() - paused
        self._tell(f"A goes on (SIGCONT) after {self._seconds['pause']:.1f} s")
        await self._answered_by_a(self._clock())
        await self._crash_of_leader()
        await self._read_at_new_leader()

    async def _with_busy_leader(self) -> None:
        """Let A be busy with the metadata of a large topic, and hold only B's fetches."""
        cluster, proxy = self._cluster, self._cluster.proxy
        proxy.hold(B, A)
        await self._held(B, A)
        self._tell("B's fetch to A is held")
        await self._produced_and_fetched()
        await cluster.create_topic(self._large, [A], 1, _MANY)
        self._tell(f"another topic is created, with {_MANY} partitions at A")
        await cluster.elect(self._topic)
        # B can stop fetching from A only when its request has ended.
        proxy.drop(B, A)
        await self._follow_new_leader()
        await self._return_to_first_leader()
        await self._answered_by_a(self._clock())
        await self._crash_of_leader()
        await self._read_at_new_leader()

    @property
    def _large(self) -> str:
        return f"{self._topic}-large"

    async def _begin(self) -> None:
        """Create the topic with leader A, and make B its preferred leader."""
        cluster = self._cluster
        if isinstance(cluster, ZooKeeperCluster):
            await cluster.let_control(B)
            self._tell("B is the controller")
        await self._create([A, B, C])
        await cluster.reassign(self._topic, [B, A, C])
        state = await cluster.learns(
            C, self._topic, lambda s: s.replicas == (B, A, C), "the replicas have another order"
        )
        if isinstance(cluster, ZooKeeperCluster):
            await asyncio.sleep(_BUMPED)
            state = await cluster.learns(C, self._topic, lambda s: s.leader == A, "A leads")
        self._epoch = state.epoch
        await self._fetched_at_first()
        self._tell(f"A leads epoch {state.epoch}, replicas B, A, C; ISR A, B, C; both have fetched")

    async def _produced_and_fetched(self) -> None:
        """Produce the record; C fetches it, and fetches again at offset 1; B does not."""
        self._begin_produce()
        await self._logs(A, f"Recorded replica {C} log end offset (LEO) position 1")
        before = await self._consume_before()
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
        if self._mode == KILLED:
            await self._cluster.kill(B)
            what = "B is killed, and another broker becomes the controller"
        else:
            self._cluster.shut_down(B)
            what = "controlled shutdown of B"
        # A new controller first begins an epoch without a leader, unless B has elected one.
        state = await self._cluster.learns(
            C,
            self._topic,
            lambda s: (s.leader, s.isr) == (A, (A, C)) and s.epoch > self._epoch + 1,
            "A leads again with ISR A, C",
        )
        self._last = state.epoch
        self._tell(f"{what}: A leads epoch {state.epoch}, ISR A, C")

    async def _answered_by_a(self, since: float) -> None:
        """Wait for the producer's answer, and observe what there is then."""
        epoch = self._last
        answer = await self._answered(since)
        if answer.error != "NONE":
            await self._cluster.learns(
                A,
                self._topic,
                lambda s: (s.leader, s.epoch) == (A, epoch),
                f"A leads epoch {epoch}",
            )
        await self._consume_after()
        await self._note_state()

    async def _restart(self) -> None:
        """Start B again, and A if it has died; A follows C then."""
        cluster = self._cluster
        cluster.proxy.let_pass(C, A)
        await cluster.ends(B)
        if "leader" not in self._seen:
            await cluster.start(B)
        else:
            await together(cluster.start(A), cluster.start(B))
            await self._former_leader_follows()
        if self._mode in _BUSY:
            await cluster.delete_topic(self._large)
        await cluster.is_complete()

    def _telling(self, broker: int) -> tuple[str, ...]:
        lines = super()._telling(broker)
        # Of the metadata that a broker loads, that counts by which a leader begins an epoch.
        return tuple(
            line
            for line, after in zip(lines, [*lines[1:], ""], strict=True)
            if _DELTA not in line or (_STARTS in after and " Leader " in after)
        )
