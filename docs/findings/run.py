"""One run on real brokers whose controller is Kafka's own: steps, and what their logs say."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from tidegate.brokers.distribution import Distribution
from tidegate.brokers.patience import until
from tidegate.brokers.records import Entry
from tidegate.brokers.report import KafkaError

from .kafka_cluster import KafkaCluster

STEP = 60.0
"""Seconds for a step that takes brokers a second or two."""

E = TypeVar("E")


class Run(ABC, Generic[E]):
    """One run, on a cluster that :meth:`cluster` has made for the mode.

    Parameters
    ----------
    mode
        One of ``modes``.
    topic
        A name that the cluster has not seen yet.
    """

    modes: ClassVar[Sequence[str]]
    """What the run is to show; the first is the default."""

    telling: ClassVar[str]
    """Lines of a node's log that tell the story: a pattern with ``{topic}`` and ``{partition}``."""

    def __init__(self, cluster: KafkaCluster, mode: str, topic: str) -> None:
        self._cluster = cluster
        self._mode = mode
        self._topic = topic
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        nodes = (*cluster.controllers, *cluster.brokers)
        self._marks = {number: cluster.node(number).log_size() for number in nodes}
        self._seconds: dict[str, float] = {}
        self._steps: list[str] = []
        self._seen: dict[str, Any] = {}

    @classmethod
    @abstractmethod
    def cluster(cls, distribution: Distribution, mode: str) -> KafkaCluster:
        """Return a cluster for runs of a mode."""

    @abstractmethod
    async def follow(self) -> None:
        """Take the steps; at the end the cluster is ready for another run."""

    @abstractmethod
    def _evidence(self) -> E:
        """Return what the run showed."""

    async def run(self) -> E:
        """Run the schedule once.

        Raises
        ------
        KafkaError
            If Kafka cannot be controlled, or a step does not happen.
        """
        try:
            await self.follow()
        except KafkaError as error:
            error.details = (*error.details, "so far:", *self._steps)
            raise
        return self._evidence()

    def _tell(self, step: str, at: float | None = None) -> None:
        """Note what has happened, now or at a time before now."""
        now = self._clock() if at is None else at
        self._steps.append(f"{now - self._began:6.2f} s  {step}")

    def _log(self, broker: int) -> tuple[Entry, ...]:
        return self._cluster.log(broker, self._topic)

    def _all_logs(self) -> dict[int, tuple[Entry, ...]]:
        return {broker: self._log(broker) for broker in self._cluster.brokers}

    def _logged(self, broker: int) -> list[str]:
        """Return what a broker has reported since the run began."""
        return self._cluster.node(broker).logged(self._marks[broker])

    def _partition_lines(self, broker: int) -> list[str]:
        return [line for line in self._logged(broker) if f"{self._topic}-0" in line]

    def _telling(self, broker: int) -> tuple[str, ...]:
        names = {"topic": self._topic, "partition": f"{self._topic}-0"}
        pattern = re.compile(self.telling.format(**names))
        return tuple(line for line in self._logged(broker) if pattern.search(line))

    async def _logs(self, broker: int, *words: str) -> None:
        """Wait until a broker reports something of the topic: one of these."""

        def reported() -> bool | None:
            lines = self._partition_lines(broker)
            return any(one in line for line in lines for one in words) or None

        await self._happens(reported, f"broker {broker} has not logged: {', '.join(words)}")

    async def _happens(self, look: Callable[[], bool | None], otherwise: str) -> None:
        if await until(look, STEP) is None:
            raise KafkaError(otherwise)


def values(records: Iterable[Entry]) -> str:
    """Return what records say, or that there is nothing."""
    return ", ".join(entry.value for entry in records) or "nothing"


def numbers(brokers: Iterable[int]) -> str:
    """Return the ids of brokers."""
    return ", ".join(map(str, brokers))
