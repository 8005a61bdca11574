"""A saved trace on real brokers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from ..brokers.distribution import Distribution
from ..brokers.report import ForcedBehavior, Observed, Report
from ..checker.replay import retaken
from ..core.behavior import Behavior
from ..core.spec import ReplayError
from ..library.properties import with_every_history
from ..model import Protocol
from .forced import cluster_for, forced_behavior, run_brokers

OF_LISTED_OFFSETS = "ListedOffsetsMonotonic"
"""The property of the leaders' answers to ListOffsets."""


def forcible_behavior(path: str, protocol: Protocol, shown: Behavior) -> ForcedBehavior:
    """Return a trace in the form that real brokers replay.

    The cycle of a lasso closes only without acknowledgements in the states, but brokers send them.
    The leaders' answers to ListOffsets are compared only if they are the bug: releases since 2.2
    would differ by them from traces of older ones.

    Parameters
    ----------
    path
        The file of the trace.
    shown
        It, with the violated property if that is known.

    Raises
    ------
    ReplayError
        If it has a step that cannot be forced.
    """
    from ..brokers.replay import why_not

    system, trace, prop = shown.system, shown.trace, shown.prop
    if trace.loop is not None:
        settings = [f"{name}={value}" for name, value in system.bounds.items()]
        system = with_every_history(protocol, settings)
        trace = retaken(system, 0, trace.steps, None)
    lists = prop is not None and prop.name == OF_LISTED_OFFSETS
    behavior = forced_behavior(system, trace, lists=lists)
    reasons = why_not(behavior)
    if reasons:
        raise ReplayError(f"{path}: it cannot be replayed on real brokers: {'; '.join(reasons)}")
    return behavior


def replay_on(
    distribution: Distribution,
    behavior: ForcedBehavior,
    say: Callable[[str], None],
    until: float = inf,
) -> Report:
    """Start brokers, force a behavior on them step by step, and compare; see :func:`run_brokers`.

    Parameters
    ----------
    say
        Called with the next step.

    Raises
    ------
    KafkaError
        If Kafka cannot be started or controlled.
    """
    from ..brokers.replay import replay

    def follow(observed: Observed) -> None:
        if observed.number < len(behavior.steps):
            step = f"step {observed.number + 1} of {len(behavior.steps)}"
            following = behavior.steps[observed.number]
            say(f"Kafka {distribution.version}: {step}, {following}")

    async def replayed() -> Report:
        async with cluster_for(distribution, behavior) as cluster:
            return await replay(cluster, behavior, follow)

    say(f"starting Kafka {distribution.version}")
    return run_brokers(replayed(), until)
