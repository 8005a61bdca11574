"""A saved trace on real brokers."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Coroutine
from typing import IO, Any, TypeVar

from ..analysis.conformance import behavior_of, cluster_for
from ..brokers.distribution import Distribution, KafkaError, find_distribution
from ..brokers.report import Behavior, Observed, Report
from ..checker.interrupts import noted
from ..checker.result import Progress
from ..core.spec import ReplayError, Trace, TransitionSystem
from ..render.terminal import progress, write_json

T = TypeVar("T")

_LOOK = 0.1
"""Seconds between looks at whether a signal has come."""


def forcible_distribution(folder: str) -> Distribution:
    """Return the distribution in a directory, if steps can be forced on it.

    Raises
    ------
    KafkaError
        If there is none, if it has no ZooKeeper, or if kazoo, which speaks to that, is missing.
    """
    if importlib.util.find_spec("kazoo") is None:
        raise KafkaError("kazoo is not installed; run: pip install 'tidegate[kafka]'")
    distribution = find_distribution(folder)
    if not distribution.has_zookeeper:
        raise KafkaError(
            f"--kafka {folder}: there is no ZooKeeper beside Kafka {distribution.version}; steps "
            "are forced on releases before 4.0"
        )
    return distribution


def run_brokers(work: Coroutine[Any, Any, T]) -> T:
    """Run what drives brokers to its end; a signal cancels it once, and it ends its processes.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    """
    with noted() as signals:

        async def watched() -> T:
            task = asyncio.ensure_future(work)
            while not task.done():
                await asyncio.wait({task}, timeout=_LOOK)
                if signals and not task.cancelling():
                    task.cancel()
            return await task

        try:
            return asyncio.run(watched())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def doing(what: str) -> Progress:
    """Return what goes on, for the progress line."""
    return Progress(0, 0, 0, 0.0, doing=what)


def replay_on_kafka(
    path: str, folder: str, system: TransitionSystem[Any, Any], trace: Trace
) -> Report:
    """Start brokers, force a trace on them step by step, and compare.

    Parameters
    ----------
    path
        Where the trace was read from.
    folder
        Of the distribution.

    Raises
    ------
    KafkaError
        If Kafka cannot be started or controlled.
    ReplayError
        If the trace has a step that cannot be forced.
    """
    distribution = forcible_distribution(folder)
    from ..brokers.replay import why_not

    behavior = behavior_of(system, trace)
    reasons = why_not(behavior)
    if reasons:
        raise ReplayError(f"{path}: it cannot be replayed on real brokers: {'; '.join(reasons)}")
    with progress(quiet=False) as show:
        show(doing(f"starting Kafka {distribution.version}"))
        return run_brokers(_run(distribution, behavior, _shower(distribution, behavior, show)))


def _shower(
    distribution: Distribution, behavior: Behavior, show: Callable[[Progress], None]
) -> Callable[[Observed], None]:
    """Return a function that says which step comes next."""

    def follow(observed: Observed) -> None:
        if observed.number < len(behavior.steps):
            step = f"step {observed.number + 1} of {len(behavior.steps)}"
            following = behavior.steps[observed.number]
            show(doing(f"Kafka {distribution.version}: {step}, {following}"))

    return follow


async def _run(
    distribution: Distribution, behavior: Behavior, follow: Callable[[Observed], None]
) -> Report:
    from ..brokers.replay import replay

    async with cluster_for(distribution, behavior.bounds) as cluster:
        return await replay(cluster, behavior, follow)


def write_report(target: IO[str], trace: Trace, report: Report) -> None:
    """Write how real brokers followed a trace, as JSON."""
    differs = report.differs
    write_json(
        target,
        {
            "kafka": report.version,
            "outcome": "differs" if differs else "followed",
            "steps": [
                {
                    "step": observed.number,
                    "action": str(trace.steps[observed.number - 1]) if observed.number else "",
                    "events": list(observed.events),
                    "differences": [vars(difference) for difference in observed.differences],
                    "log": list(observed.log),
                }
                for observed in report.steps
            ],
            "acknowledged": {f"m{record}": at for record, at in sorted(report.acked.items())},
            "leader": report.leader,
            "readable": list(report.readable),
            "gone": list(report.gone),
        },
    )
