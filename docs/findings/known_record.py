"""A leader that applies a change of the ISR which it knows: an acknowledged record is lost.

Broker A removes C from the ISR and has the answer of Kafka's own controller, but not the metadata.
C fetches, and A asks for C in the ISR again.  Then the metadata of the first change reach A: they
drop what it has asked for, so the high watermark no longer waits for C.  The controller accepts it.
"""

from __future__ import annotations

import asyncio

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.messages import ALTER_PARTITION
from tidegate.brokers.report import KafkaError

from .kraft import KraftCluster
from .node import CONTROLLER
from .run import STEP, numbers
from .schedule import CONTROL, PATIENT, RECORD, A, B, C, Schedule

HELD, VOTERS = "held", "voters"

_LAG = 30.0
"""Seconds: Kafka's default of ``replica.lag.time.max.ms``."""

_PAUSE = 0.05
_WAITS = "awaiting ISR acks for offset 1"
_PENDING = "Submitting ISR state change PendingExpandIsr"
_UPDATED = "ISR updated to "
_APPLIED = "Skipped the become-leader state change"
"""What a leader logs of metadata in its own epoch."""


class KnownRecord(Schedule):
    """A leads, C is the next in the order of replicas, and B follows.

    ``held``: the proxy holds A's metadata fetch, and its second AlterPartition.  ``voters``: there
    are three controllers, as in production, and nothing between A and them is held.  ``control``:
    only the second AlterPartition is held, so that A applies the first change before it asks again.
    """

    modes = (HELD, VOTERS, CONTROL)
    telling = (
        "(Leader|Follower) {partition} .*starts at leader epoch"
        "|Partition {partition} .*(Shrinking ISR|Submitting ISR|ISR updated|Ignoring failed)"
        "|Partition {partition} .*(High watermark updated|position 1 and|awaiting ISR acks)"
        f"|{_APPLIED} for {{partition}} |Truncating partition {{partition}} "
    )

    @classmethod
    def cluster(cls, distribution: Distribution, mode: str) -> KraftCluster:
        """Return a cluster for runs of a mode: three brokers, and one controller or three."""
        return KraftCluster(distribution, 3, PATIENT, voters=3 if mode == VOTERS else 1)

    async def follow(self) -> None:
        """Take the steps; at the end every broker runs again."""
        await self._begin()
        await self._shrink()
        if self._mode == VOTERS:
            await self._by_itself()
        else:
            await self._expand()
        if self._mode == HELD:
            await self._acknowledge_without_c()
        if self._mode == CONTROL:
            await self._acknowledge_with_c()
        await self._crash_of_leader()
        await self._serves()
        await self._read_at_new_leader()
        await self._restart()

    def expects(self, *, acknowledged: bool, lost: bool) -> bool:
        """Whether the mode should end so."""
        return acknowledged and lost == (self._mode != CONTROL)

    async def _begin(self) -> None:
        """Create the topic; C's next fetch takes longer than the lag time."""
        cluster, proxy = self._cluster, self._cluster.proxy
        await self._create([A, C, B])
        await self._fetched_at_first()
        self._tell("A leads epoch 0, replicas A, C, B; ISR A, B, C; both have fetched")
        proxy.hold(C, A)
        await self._held(C, A)
        self._tell("C's fetch to A is held")
        await asyncio.sleep(_LAG)
        # A broker that was fenced on a busy machine is another story, also if it is back.
        await self._isr_is(C, (A, B, C))
        self._marks[A] = cluster.node(A).log_size()

    async def _shrink(self) -> None:
        """Produce; A removes C from the ISR, and has the controller's answer."""
        proxy = self._cluster.proxy
        proxy.hold(B, A)
        await self._held(B, A)
        self._tell("B's fetch to A is held")
        if self._mode == HELD:
            proxy.hold(A, CONTROLLER)
            await self._held(A, CONTROLLER)
            self._tell("A's next fetch of metadata is held")
        self._begin_produce()
        await self._logs(A, _WAITS)
        before = await self._consume_before()
        self._tell(f"{RECORD} is produced with acks=all; HW at A is {before.hw}")
        proxy.hold_response(C, A)
        await self._logs(A, _UPDATED, _APPLIED)

    async def _by_itself(self) -> None:
        """Let C's fetch arrive as soon as A knows of the first change, and B's after it."""
        proxy = self._cluster.proxy
        proxy.release(C, A)
        await self._logs(A, _PENDING)
        self._tell("A has the ISR A, B; C's fetch at 0 arrives, so A asks for the ISR A, B, C")
        began = self._clock()
        proxy.let_pass(B, A)
        await self._has_c_again(A)
        assert self._produce is not None
        if not self._produce.done():
            self._tell("A has the ISR A, B, C, and has dropped nothing: C's fetches pass")
            proxy.let_pass(C, A)
        await self._answered(began)
        await self._consume_after()

    async def _expand(self) -> None:
        """Let C's fetch arrive: A asks for it in the ISR.  Neither is answered."""
        proxy = self._cluster.proxy
        await self._isr_is(C, (A, B))
        if self._mode == CONTROL:
            await self._logs(A, _APPLIED)
        self._tell("A has removed C: the ISR is A, B at the controller and at A")
        proxy.hold(A, CONTROLLER, ALTER_PARTITION)
        proxy.release(C, A)
        await self._logs(A, _PENDING)
        await self._held(A, CONTROLLER, ALTER_PARTITION)
        self._tell("C's fetch at 0 arrives; A asks for the ISR A, B, C; that request is held")

    async def _acknowledge_without_c(self) -> None:
        """Let A apply the first change, by which it forgets what it has asked for."""
        proxy = self._cluster.proxy
        proxy.let_pass(A, CONTROLLER)
        await self._logs(A, _APPLIED)
        self._tell("A's fetch of metadata is released: A applies the ISR A, B, which it knows")
        began = self._clock()
        proxy.let_pass(B, A)
        self._tell("B's fetch is released")
        await self._answered(began)
        await self._consume_after()
        await self._decide()

    async def _acknowledge_with_c(self) -> None:
        """See that A waits for C; then let C have the record, too."""
        proxy = self._cluster.proxy
        proxy.let_pass(B, A)
        await self._logs(A, f"Recorded replica {B} log end offset (LEO) position 1")
        self._tell(f"B has fetched {RECORD}; A waits for C")
        await self._decide()
        began = self._clock()
        proxy.let_pass(C, A)
        await self._answered(began)
        await self._consume_after()

    async def _decide(self) -> None:
        """Let the controller decide on A's second request."""
        self._cluster.proxy.let_pass(A, CONTROLLER, ALTER_PARTITION)
        await self._has_c_again(C)

    async def _has_c_again(self, broker: int) -> None:
        """Wait until a broker knows that the controller has accepted the second change."""
        await self._isr_is(broker, (A, B, C))
        self._tell("the controller has accepted the ISR A, B, C")
        self._seen["state"] = await self._cluster.state(broker, self._topic)

    async def _isr_is(self, broker: int, members: tuple[int, ...]) -> None:
        await self._cluster.learns(
            broker, self._topic, lambda s: s.isr == members, f"the ISR is {numbers(members)}"
        )

    async def _serves(self) -> None:
        """Wait until C serves what it has: B fetches from it."""
        deadline = self._clock() + STEP
        while (await self._cluster.consume(C, self._topic)).hw < len(self._log(C)):
            if self._clock() > deadline:
                raise KafkaError(f"broker {C} does not serve what it has")
            await asyncio.sleep(_PAUSE)

    async def _restart(self) -> None:
        """Start A again, which follows C then."""
        cluster = self._cluster
        cluster.proxy.let_pass(C, A)
        await cluster.start(A)
        await self._former_leader_follows()
        await cluster.is_complete()
