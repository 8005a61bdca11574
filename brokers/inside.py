"""The inside of a broker: what it holds in memory only, and the time that it takes to have passed.

A broker shows nobody the log ends that it knows of its followers, and whether a follower lags is a
matter of its clock.  Its debugger's port shows the one and decides the other, with the broker's
code as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from time import time_ns
from typing import Any, Concatenate, ParamSpec, TypeVar

from .jdwp import CollectedError, Debugger
from .report import KafkaError

P = ParamSpec("P")
T = TypeVar("T")

_PARTITION, _CONFIG = "kafka.cluster.Partition", "kafka.server.KafkaConfig"
_REPLICAS = ("remoteReplicasMap", "allReplicasMap", "assignedReplicaMap")

_STATES = ("lastCaughtUpTimeMsUnderlying", "replicaState")
_CAUGHT_UP = ("_lastCaughtUpTimeMs", "lastCaughtUpTimeMs", "value")
_LOG_END = ("logEndOffsetMetadata", "_logEndOffsetMetadata", "replicaState")
_ISR = ("inSyncReplicas", "inSyncReplicaIds", "isrState", "partitionState")
"""Names that one thing has had in Kafka's releases."""

_UNKNOWN = -1
"""The log end of a follower that has not fetched yet (``LogOffsetMetadata.UnknownOffset``)."""

NEVER = 3_600_000
"""An hour, in milliseconds, for which no follower lags."""


_TRIES = 10
_Method = Callable[Concatenate["Inside", P], Coroutine[Any, Any, T]]


def _anew(method: _Method[P, T]) -> _Method[P, T]:
    """Begin a method again where an object is gone on which it was about to look.

    Kafka replaces the state of a replica as a whole, and deleted partitions lie about for a while.
    """

    @wraps(method)
    async def begun(inside: Inside, /, *arguments: P.args, **named: P.kwargs) -> T:
        for _ in range(_TRIES):
            with suppress(CollectedError):
                return await method(inside, *arguments, **named)
        return await method(inside, *arguments, **named)

    return begun


class Inside:
    """The memory of one broker."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._found: dict[str, list[int]] = {}

    def forget(self, topic: str) -> None:
        """Look for the partition of a topic anew: it was deleted."""
        self._found.pop(topic, None)

    @_anew
    async def stop_lag(self) -> None:
        """Let no follower lag from now on, and no longer than an hour.

        The broker is configured with a short lag time, by which it looks for lagging followers
        often.  The partitions that it creates from now on take over the long one.
        """
        self._found.clear()
        for config in await self._debugger.instances(_CONFIG):
            boxed = await self._debugger.field(config, "replicaLagTimeMaxMs")
            await self._debugger.set_field(boxed, "value", NEVER)
        for partition in await self._debugger.instances(_PARTITION):
            # With KRaft a broker that starts creates them before it serves.
            if "replicaLagTimeMaxMs" in await self._debugger.fields(partition):
                await self._debugger.set_field(partition, "replicaLagTimeMaxMs", NEVER)

    @_anew
    async def let_lag(self, topic: str, follower: int) -> None:
        """Let a leader believe that a follower had its log end for the last time long ago."""
        await self._set_time(topic, follower, _CAUGHT_UP, 0)

    @_anew
    async def let_catch_up(self, topic: str, follower: int) -> None:
        """Let a leader believe that a follower has had its log end just now."""
        await self._set_time(topic, follower, _CAUGHT_UP, time_ns() // 1_000_000)

    @_anew
    async def remote_leos(self, topic: str) -> dict[int, int]:
        """Return the log end that a leader knows of each follower; 0 if it knows none."""
        return {number: max(0, leo) for number, leo in (await self._log_ends(topic)).items()}

    @_anew
    async def knows_log_end(self, topic: str, follower: int) -> bool:
        """Whether a follower has fetched from a leader since that began to lead."""
        return (await self._log_ends(topic)).get(follower, _UNKNOWN) != _UNKNOWN

    async def _log_ends(self, topic: str) -> dict[int, int]:
        known: dict[int, int] = {}
        for replica in await self._replicas(topic):
            number = await self._debugger.field(replica, "brokerId")
            held = await self._first(replica, _LOG_END)
            held = await self._into(held, "logEndOffsetMetadata")
            known[number] = await self._debugger.field(held, "messageOffset")
        return known

    @_anew
    async def epoch(self, topic: str) -> int | None:
        """Return the leader epoch that a broker is in; None if it has no replica."""
        for partition in await self._partitions(topic):
            number: int = await self._debugger.field(partition, "leaderEpoch")
            return number
        return None

    @_anew
    async def isr(self, topic: str) -> set[int]:
        """Return the ISR as a leader knows it; it has at most four members."""
        members: set[int] = set()
        for partition in await self._partitions(topic):
            held = await self._first(partition, _ISR)
            held = await self._into(held, "lastCommittedState", "isr")
            for member in await self._members(held):
                members.add(await self._number(member))
        return members

    @_anew
    async def proposes(self, topic: str) -> bool:
        """Whether a leader waits for the answer to a change of the ISR that it has proposed."""
        for partition in await self._partitions(topic):
            held = await self._debugger.field(partition, "partitionState")
            return "lastCommittedState" in await self._debugger.fields(held)
        return False

    async def _number(self, member: int) -> int:
        """Return the id of a broker, which older releases hold as its replica."""
        boxed = "value" in await self._debugger.fields(member)
        number: int = await self._debugger.field(member, "value" if boxed else "brokerId")
        return number

    async def _members(self, held: int) -> list[int]:
        """Return the members of a small set of Scala's, or of one of Java's."""
        known = await self._debugger.fields(held)
        if "underlying" in known:
            return await self._members(await self._debugger.field(held, "underlying"))
        if "map" in known:
            table = await self._debugger.field(await self._debugger.field(held, "map"), "table")
            nodes = await self._debugger.elements(table) if table else []
            return [await self._debugger.field(node, "key") for node in nodes]
        if "elements" in known:
            return await self._debugger.elements(await self._debugger.field(held, "elements"))
        names = [name for name in known if name.startswith("elem") or name in ("e0", "e1")]
        listed = [await self._debugger.field(held, name) for name in names]
        # A set of one of Java's fills the second place with what is not a number.
        return [
            one for one in listed if {"value", "brokerId"} & {*await self._debugger.fields(one)}
        ]

    @_anew
    async def forget_fetch(self, topic: str, follower: int) -> None:
        """Let a leader believe that a follower's last fetch was long ago.

        Since 0.10 a fetch at the log end of the one before counts as caught up at the time of that.
        """
        await self._set_time(topic, follower, ("lastFetchTimeMs",), 0)

    async def _set_time(self, topic: str, follower: int, names: tuple[str, ...], time: int) -> None:
        """Write into the field that this release has, if any, of a follower as a leader knows it.

        Times are in milliseconds since 1970.
        """
        for replica in await self._replicas(topic):
            if await self._debugger.field(replica, "brokerId") == follower:
                state = await self._state(replica)
                known = await self._debugger.fields(state)
                name = next((name for name in names if name in known), None)
                if name is not None:
                    await self._debugger.set_field(state, name, time)

    async def _state(self, replica: int) -> int:
        """Return what holds the state of a follower: its replica, or what that points to."""
        known = await self._debugger.fields(replica)
        name = next((name for name in _STATES if name in known), None)
        if name is None:
            return replica
        atomic = await self._debugger.field(replica, name)
        if name == "lastCaughtUpTimeMsUnderlying":
            number: int = atomic
            return number
        held: int = await self._debugger.field(atomic, "value")
        return held

    async def _first(self, target: int, names: tuple[str, ...]) -> int:
        """Return the object in the field that this release has; an atomic reference is followed."""
        known = await self._debugger.fields(target)
        name = next((name for name in names if name in known), None)
        if name is None:
            raise KafkaError(f"an object of Kafka's has none of the fields {', '.join(names)}")
        held: int = await self._debugger.field(target, name)
        if name == "replicaState":
            held = await self._debugger.field(held, "value")
        return held

    async def _into(self, target: int, *names: str) -> int:
        """Return what an object holds in a field, and so on; a field that it lacks is left out."""
        for name in names:
            if name in await self._debugger.fields(target):
                target = await self._debugger.field(target, name)
        return target

    async def _partitions(self, topic: str) -> list[int]:
        """Return the partition of a topic; to look for it the JVM searches all of its memory.

        One that was deleted, with its log, may still be there.
        """
        if not self._found.get(topic):
            listed = await self._debugger.instances(_PARTITION)
            named = [one for one in listed if await self._topic(one) == topic]
            if len(named) > 1:
                named = [one for one in named if await self._has_log(one)]
            self._found[topic] = named
        return self._found[topic]

    async def _has_log(self, partition: int) -> bool:
        """Whether a partition's ``log`` is Some, and not None."""
        log = await self._debugger.field(partition, "log")
        return "value" in await self._debugger.fields(log)

    async def _replicas(self, topic: str) -> list[int]:
        """Return the replicas that the partition of a topic holds now."""
        listed: list[int] = []
        for partition in await self._partitions(topic):
            held = await self._into(await self._first(partition, _REPLICAS), "pool")
            table = await self._debugger.field(held, "table")
            for node in await self._debugger.elements(table) if table else ():
                while node:
                    listed.append(await self._debugger.field(node, "val"))
                    node = await self._debugger.field(node, "next")
        return listed

    async def _topic(self, target: int) -> str:
        """Return the topic of a partition."""
        known = await self._debugger.fields(target)
        if "topic" not in known:
            name = "topicPartition" if "topicPartition" in known else "partition"
            target = await self._debugger.field(target, name)
        return await self._debugger.text(await self._debugger.field(target, "topic"))
