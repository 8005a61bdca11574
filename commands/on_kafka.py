"""A saved trace on real brokers."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from typing import IO, Any

from ..analysis.conformance import behavior_of, cluster_for
from ..brokers.distribution import Distribution, KafkaError, find_distribution
from ..brokers.report import Behavior, Observed, Report
from ..checker.result import Progress
from ..core.spec import ReplayError, Trace, TransitionSystem
from ..render.terminal import progress, write_json


def need_kazoo() -> None:
    """Refuse to go on without the library that speaks to ZooKeeper.

    Raises
    ------
    KafkaError
        If it is not installed.
    """
    if importlib.util.find_spec("kazoo") is None:
        raise KafkaError("kazoo is not installed; run: pip install 'tidegate[kafka]'")


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
    need_kazoo()
    distribution = find_distribution(folder)
    from ..brokers.replay import cannot_force

    behavior = behavior_of(system, trace)
    reasons = cannot_force(behavior)
    if reasons:
        raise ReplayError(f"{path}: it cannot be replayed on real brokers: {'; '.join(reasons)}")
    with progress(quiet=False) as show:
        show(doing(f"starting Kafka {distribution.version}"))
        return asyncio.run(_run(distribution, behavior, _shower(distribution, behavior, show)))


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
