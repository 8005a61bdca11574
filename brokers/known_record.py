"""A leader that applies a change of the ISR which it knows: an acknowledged record is lost.

Broker A removes C from the ISR and has the answer of Kafka's own controller, but not the metadata.
C fetches, and A asks for C in the ISR again.  Then the metadata of the first change reach A: they
drop what it has asked for, so the high watermark no longer waits for C.  The controller accepts it.
"""

from __future__ import annotations

import asyncio

from .distribution import Distribution
from .kraft import KraftCluster
from .kraft_node import CONTROLLER
from .patience import together
from .quorum_messages import ALTER_PARTITION
from .schedule import CONTROL, PATIENT, RECORD, A, B, C, Schedule, values

HELD, VOTERS = "held", "voters"

_LAG = 30.0
"""Seconds: Kafka's default of ``replica.lag.time.max.ms``."""

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
        await self._restart()

    def expects(self, *, acknowledged: bool, lost: bool) -> bool:
        """Whether the mode should end so."""
        return acknowledged and lost == (self._mode != CONTROL)

    async def _begin(self) -> None:
        """Create the topic; C's next fetch takes longer than the lag time."""
        proxy = self._cluster.proxy
        await self._create([A, C, B])
        await self._fetched_at_first()
        self._tell("A leads epoch 0, replicas A, C, B; ISR A, B, C; both have fetched")
        proxy.hold(C, A)
        await self._held(C, A)
        self._tell("C's fetch to A is held")
        await asyncio.sleep(_LAG)

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
        await self._logs(A, _UPDATED)

    async def _by_itself(self) -> None:
        """Let C's fetch arrive as soon as A has its answer, and B's after it."""
        proxy = self._cluster.proxy
        proxy.release(C, A)
        await self._logs(A, _PENDING)
        began = self._clock()
        proxy.let_pass(B, A)
        self._tell("A has the answer: the ISR is A, B; C's fetch at 0 arrives, and B's after it")
        assert self._produce is not None
        produce = self._produce

        def decided() -> bool | None:
            answers = [line for line in self._partition_lines(A) if _UPDATED in line]
            return produce.done() or len(answers) > 1 or None

        await self._happens(decided, "A has no answer from the controller")
        if not produce.done():
            self._tell("A has the answer: the ISR is A, B, C; it has dropped nothing")
            proxy.let_pass(C, A)
        await self._answered(began)
        await self._consume_after()
        await self._has_c_again()

    async def _expand(self) -> None:
        """Let C's fetch arrive: A asks for it in the ISR.  Neither is answered."""
        cluster, proxy = self._cluster, self._cluster.proxy
        await cluster.learns(C, self._topic, lambda s: s.isr == (A, B), "the ISR is A, B")
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
        await self._has_c_again()

    async def _has_c_again(self) -> None:
        everyone = (A, B, C)
        await self._cluster.learns(
            C, self._topic, lambda s: s.isr == everyone, "C is in the ISR again"
        )
        await self._note_state()
        self._tell("the controller has accepted the ISR A, B, C")

    async def _restart(self) -> None:
        """Start A again, which follows C then."""
        cluster = self._cluster
        cluster.proxy.let_pass(C, A)
        await cluster.start(A)
        await self._logs(A, f"Follower {self._topic}-0 ")
        if not self._seen["read"].records:
            await together(*map(self._log_becomes_empty, (A, B)))
        self._tell(f"A is started again; A's log: {values(self._log(A))}")
        self._seconds["schedule"] = self._clock() - self._began
        await cluster.is_complete()
