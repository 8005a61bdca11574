"""Behaviors of the model on real brokers: one that was saved, or random walks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..brokers.distribution import Distribution
from ..brokers.report import Behavior, ForcedStep, Report
from ..checker.itf import itf
from ..core.spec import Trace, TransitionSystem
from .shorten import without

if TYPE_CHECKING:
    from ..brokers.cluster import Cluster


def behavior_of(system: TransitionSystem[Any, Any], trace: Trace) -> Behavior:
    """Return a trace as what real brokers are told."""
    states = [system.layout.describe(state) for state in trace.states]
    steps = tuple(
        ForcedStep(step.action, dict(zip(step.parameters, step.arguments, strict=True)), after)
        for step, after in zip(trace.steps, states[1:], strict=True)
    )
    return Behavior(states[0], steps, dict(system.bounds))


def cluster_for(distribution: Distribution, bounds: Mapping[str, str]) -> Cluster:
    """Return a cluster that is configured as the bounds of a behavior say."""
    # Its controller needs kazoo, which is installed for real brokers alone.
    from ..brokers.cluster import Cluster

    return Cluster(
        distribution,
        int(bounds["replicas"]),
        fetch_size=int(bounds["fetch_size"]),
        min_isr=int(bounds["min_isr"]),
        unclean_election=bounds["unclean_election"] == "true",
    )


@dataclass
class Conformance:
    """What walks on real brokers have shown so far.

    Attributes
    ----------
    differences
        File of each behavior in which brokers do otherwise, with the report of its shortest form.
    """

    version: str
    walks: int = 0
    steps: int = 0
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[tuple[str, Report]] = field(default_factory=list)

    @property
    def actions(self) -> Counter[str]:
        """How often each action was forced."""
        counted: Counter[str] = Counter()
        for (_, action), times in self.taken.items():
            counted[action] += times
        return counted


class Conforming:
    """Walks on a cluster, which is started anew only after a difference.

    Parameters
    ----------
    done
        What is found out is added to it at once.
    folder
        Where behaviors go in which the brokers do otherwise.
    say
        Is told what goes on.
    """

    def __init__(
        self,
        distribution: Distribution,
        system: TransitionSystem[Any, Any],
        done: Conformance,
        folder: Path,
        say: Callable[[str], None],
    ) -> None:
        self._distribution = distribution
        self._system = system
        self._done = done
        self._folder = folder
        self._say = say
        self._topics = 0

    async def take(self, walks: Iterable[Trace], count: int, seed: int) -> None:
        """Take walks, and shorten those in which brokers do otherwise."""
        left = islice(walks, count)
        while True:
            async with cluster_for(self._distribution, self._system.bounds) as cluster:
                different = await self._agreeing(cluster, left, count)
            if different is None:
                return
            number = self._done.walks
            trace, report = await self._shortened(different, number)
            path = self._folder / f"{self._system.name}-seed-{seed}-walk-{number}.json"
            self._save(path, trace)
            self._done.differences.append((str(path), report))

    async def _agreeing(self, cluster: Cluster, walks: Iterable[Trace], count: int) -> Trace | None:
        """Take walks until one differs, and return that one; None if all were taken."""
        for trace in walks:
            self._done.walks += 1
            self._say(f"Kafka {self._distribution.version}: walk {self._done.walks} of {count}")
            report = await self._replayed(cluster, trace)
            self._count_steps(trace, report)
            if report.differs:
                return trace
        return None

    async def _replayed(self, cluster: Cluster, trace: Trace) -> Report:
        from ..brokers.replay import replay

        self._topics += 1
        topic = f"walk-{self._topics}"
        behavior = behavior_of(self._system, trace)
        report = await replay(cluster, behavior, lambda observed: None, topic)
        if not report.differs:
            await cluster.renew(topic)
        return report

    def _count_steps(self, trace: Trace, report: Report) -> None:
        before = ""
        for step, _ in zip(trace.steps, report.steps, strict=False):
            self._done.taken[before, step.action] += 1
            self._done.steps += 1
            before = step.action

    async def _shortened(self, trace: Trace, number: int) -> tuple[Trace, Report]:
        """Drop steps for as long as the brokers still do otherwise.

        Each attempt has brokers of its own: those that have done otherwise are in a state that the
        model does not know.
        """
        best, report = trace, await self._alone(trace)
        while report.differs:
            best = Trace(best.states[: len(report.steps) + 1], best.steps[: len(report.steps)])
            for shorter in self._shorter(best):
                self._say(f"walk {number} differs; shortening its {len(best.steps)} steps")
                seen = await self._alone(shorter)
                if seen.differs:
                    best, report = shorter, seen
                    break
            else:
                break
        return best, report

    def _shorter(self, trace: Trace) -> Iterator[Trace]:
        """Yield behaviors with fewer steps; the last step stays."""
        for start in range(len(trace.steps) - 2, -1, -1):
            shorter = without(self._system, trace, start)
            if shorter.steps and shorter.steps[-1].action == trace.steps[-1].action:
                yield shorter

    async def _alone(self, trace: Trace) -> Report:
        from ..brokers.replay import replay

        async with cluster_for(self._distribution, self._system.bounds) as cluster:
            return await replay(cluster, behavior_of(self._system, trace), lambda observed: None)

    def _save(self, path: Path, trace: Trace) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(itf(self._system, None, trace)), encoding="utf-8")
