"""Walks on real brokers: those in which brokers differ from the model are shortened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

from ..brokers.distribution import Distribution
from ..brokers.report import KafkaError, Report
from ..core.spec import Trace, TransitionSystem
from ..library.shortening import without
from .forced import cluster_for, forced_behavior, run_brokers
from .walks import CoveringWalks, Pair, by_action

if TYPE_CHECKING:
    from ..brokers.cluster import Cluster


@dataclass(frozen=True)
class Departure:
    """A walk in which brokers differ from the model.

    Parameters
    ----------
    walk
        Its number, from 1.
    trace
        The walk, shortened as far as it still differs.
    report
        What the brokers did in it.
    again
        Whether they differ a second time; if not, the trace is the walk up to the difference.
    """

    walk: int
    trace: Trace
    report: Report
    again: bool


@dataclass
class Conformance:
    """The results of walks on real brokers so far.

    Attributes
    ----------
    complete
        Whether all requested walks were taken.
    """

    version: str
    complete: bool = False
    walks: int = 0
    steps: int = 0
    taken: Counter[Pair] = field(default_factory=Counter)
    departures: list[Departure] = field(default_factory=list)

    @property
    def actions(self) -> Counter[str]:
        """How often each action was forced."""
        return by_action(self.taken)


class Conforming:
    """Walks on brokers, which serve one walk after another until they differ from the model.

    Parameters
    ----------
    walks
        The walks to take.
    say
        Shows what is going on.
    forced
        Takes each walk, and how many of its steps the brokers did as the model says.

    Attributes
    ----------
    done
        The results so far; each is added at once.
    """

    def __init__(
        self,
        distribution: Distribution,
        system: TransitionSystem[Any, Any],
        walks: CoveringWalks,
        say: Callable[[str], None],
        forced: Callable[[Trace, int], None] = lambda trace, steps: None,
    ) -> None:
        self._distribution = distribution
        self._system = system
        self._walks = walks
        self.done = Conformance(distribution.version)
        self._say = say
        self._forced = forced
        self._topics = 0
        self._cluster: Cluster | None = None

    def take(self, count: int, until: float = inf) -> None:
        """Take walks, and shorten those in which brokers differ; see :func:`run_brokers`."""
        self._say("looking for ways to rare actions")
        self._walks.guide(count)
        self._say(f"starting Kafka {self._distribution.version}")
        run_brokers(self._take(count), until)

    async def _take(self, count: int) -> None:
        try:
            for number, trace in enumerate(islice(self._walks, count), 1):
                self._say(f"Kafka {self._distribution.version}: walk {number} of {count}")
                report = await self._replayed(trace)
                self.done.walks = number
                self._count_steps(trace, report)
                self._forced(trace, len(report.steps) - bool(report.differs))
                if report.differs:
                    # Record it before shortening, so that an interrupt does not lose it.
                    unshortened = Departure(number, _up_to_difference(trace, report), report, False)
                    self.done.departures.append(unshortened)
                    self.done.departures[-1] = await self._shortened(number, trace, report)
            self.done.complete = True
        finally:
            await self._stop()

    async def _replayed(self, trace: Trace) -> Report:
        """Replay a trace; if brokers that had served earlier walks fail, once more on new ones."""
        served = self._cluster is not None
        try:
            return await self._replay(trace)
        except KafkaError:
            await self._stop()
            if not served:
                raise
            return await self._replay(trace)

    async def _replay(self, trace: Trace) -> Report:
        """Replay a trace.

        Brokers that differ are in a state that the model does not know, so they are replaced.
        """
        from ..brokers.replay import replay

        behavior = forced_behavior(self._system, trace)
        if self._cluster is None:
            # It is noted before it starts, so that an interrupt ends what has started of it.
            self._cluster = cluster_for(self._distribution, behavior)
            await self._cluster.__aenter__()
        self._topics += 1
        topic = f"walk-{self._topics}"
        report = await replay(self._cluster, behavior, lambda observed: None, topic)
        if report.differs:
            await self._stop()
        else:
            await self._cluster.renew(topic)
        return report

    async def _stop(self) -> None:
        if self._cluster is not None:
            await self._cluster.stop()
            self._cluster = None

    def _count_steps(self, trace: Trace, report: Report) -> None:
        before = ""
        for step, _ in zip(trace.steps, report.steps, strict=False):
            self.done.taken[before, step.action] += 1
            self.done.steps += 1
            before = step.action

    async def _shortened(self, number: int, trace: Trace, report: Report) -> Departure:
        """Drop steps for as long as the brokers still differ."""
        best = _up_to_difference(trace, report)
        seen = await self._replayed(best)
        if not seen.differs:
            return Departure(number, best, report, again=False)
        best, report = _up_to_difference(best, seen), seen
        size = max(1, len(best.steps) // 2)
        while size:
            for shorter in self._shorter(best, size):
                self._say(f"walk {number} differs; shortening its {len(best.steps)} steps")
                seen = await self._replayed(shorter)
                if seen.differs:
                    best, report = _up_to_difference(shorter, seen), seen
                    break
            else:
                size //= 2
        return Departure(number, best, report, again=True)

    def _shorter(self, trace: Trace, size: int) -> Iterator[Trace]:
        """Yield behaviors with fewer steps that end with the same action."""
        for start in range(len(trace.steps) - 1 - size, -1, -1):
            shorter = without(self._system, trace, start, size)
            if shorter.steps and shorter.steps[-1].action == trace.steps[-1].action:
                yield shorter


def _up_to_difference(trace: Trace, report: Report) -> Trace:
    """Return the part of a trace that ends with the step in which brokers differ."""
    differs = report.differs
    steps = differs.number if differs is not None else len(trace.steps)
    return Trace(trace.states[: steps + 1], trace.steps[:steps])
