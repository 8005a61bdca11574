"""A behavior to force on real brokers, the cluster that its bounds ask for, and its run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from ..brokers.distribution import Distribution
from ..brokers.report import LISTED, ForcedBehavior, ForcedStep, KafkaError
from ..core.interrupts import noted
from ..core.layout import State
from ..core.spec import Trace, TransitionSystem
from ..model.broker.bounds import WITH_KRAFT

if TYPE_CHECKING:
    from ..brokers.cluster import Cluster


T = TypeVar("T")

_LOOK = 0.1
"""Seconds between checks for a signal."""

_TRUNCATION = "HandleDivergingEpoch"

FIRST_THAT_DELETES = (0, 11)
"""The release since which clients can delete records (KIP-107)."""


def listed(system: TransitionSystem[Any, Any], state: State) -> list[int | None]:
    """Return each replica's answer to ListOffsets as a leader; None for not available yet."""
    system.layout.load(state)
    s, k = system.record, system.constants
    may_list = k.rules.may_list_offsets
    return [one.hw if may_list(s, k, number) else None for number, one in enumerate(s.replica)]


def forced_behavior(
    system: TransitionSystem[Any, Any], trace: Trace, *, lists: bool = True
) -> ForcedBehavior:
    """Return a trace as a behavior to force on real brokers.

    Parameters
    ----------
    lists
        Whether to compare the leaders' answers to ListOffsets, too.
    """
    states = [system.layout.describe(state) for state in trace.states]
    if lists:
        described = zip(states, trace.states, strict=True)
        states = [{**state, LISTED: listed(system, packed)} for state, packed in described]
    steps = tuple(
        ForcedStep(step.action, dict(zip(step.parameters, step.arguments, strict=True)), after)
        for step, after in zip(trace.steps, states[1:], strict=True)
    )
    truncates_on_fetch = any(action.name == _TRUNCATION for action in system.actions)
    return ForcedBehavior(states[0], steps, dict(system.bounds), truncates_on_fetch)


def cluster_for(distribution: Distribution, behavior: ForcedBehavior) -> Cluster:
    """Return a cluster that is configured as the bounds of a behavior say.

    Raises
    ------
    KafkaError
        If the distribution lacks what they need.
    """
    version, bounds = distribution.version, behavior.bounds
    kraft = bounds["isr_propagation"] in WITH_KRAFT
    deletions = bounds["deletions"]
    if deletions != "0" and distribution.release < FIRST_THAT_DELETES:
        raise KafkaError(
            f"deletions is {deletions}, but Kafka {version} has no DeleteRecords; 0.11 has"
        )
    if bounds["elr"] == "true" and distribution.has_zookeeper and not kraft:
        raise KafkaError(
            f"elr is true, but Kafka {version} with ZooKeeper has no eligible leader replicas; "
            "set isr_propagation=kraft or records"
        )
    # Its controller imports kazoo, which nothing else needs.
    from ..brokers.cluster import Cluster

    return Cluster(
        distribution,
        int(bounds["replicas"]),
        fetch_size=int(bounds["fetch_size"]),
        min_isr=int(bounds["min_isr"]),
        unclean_election=bounds["unclean_election"] == "true",
        kraft=kraft,
        truncates_on_fetch=behavior.truncates_on_fetch,
    )


class OutOfTimeError(KafkaError):
    """The time was up before brokers had done everything."""


def run_brokers(work: Coroutine[Any, Any, T], until: float = inf) -> T:
    """Run a coroutine that drives brokers; what cancels it once lets it end its processes.

    Parameters
    ----------
    until
        When it is cancelled, as :func:`time.perf_counter` says it.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    OutOfTimeError
        If the time was up.
    """
    with noted() as signals:

        async def watched() -> T:
            task = asyncio.ensure_future(work)
            while not task.done():
                await asyncio.wait({task}, timeout=_LOOK)
                if (signals or perf_counter() >= until) and not task.cancelling():
                    task.cancel()
            return await task

        try:
            return asyncio.run(watched())
        except asyncio.CancelledError:
            if signals:
                raise KeyboardInterrupt from None
            raise OutOfTimeError("the time is up") from None
