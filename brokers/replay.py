"""Replay of a behavior on real brokers: force each step, then compare."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .cluster import Cluster
from .forcing import Forcing, OtherwiseError
from .observe import CONSUMER, NOTHING, Observer, not_deleted, read, stored_log
from .patience import LOOKS, START, patience, pause
from .report import Difference, ForcedBehavior, ForcedStep, KafkaError, Observed, Report, State
from .steps import STEPS, cannot_force, force

TOPIC = "trace"
"""The topic that a behavior is replayed on, unless another one is named."""

_PAUSE = 0.02
_STACK = re.compile(r"\s+at |java\.|Caused by")
"""Lines of stack traces, which brokers print when a connection is cut."""


def why_not(behavior: ForcedBehavior) -> list[str]:
    """Return why a behavior cannot be forced, a sentence each; empty if it can."""
    actions = [step.action for step in behavior.steps if step.action not in STEPS]
    reasons = [f"no step {action} can be forced" for action in dict.fromkeys(actions)]
    return reasons + cannot_force(behavior.bounds)


async def replay(
    cluster: Cluster,
    behavior: ForcedBehavior,
    follow: Callable[[Observed], Any],
    topic: str = TOPIC,
    empty_caches: bool = False,
) -> Report:
    """Force the steps of a behavior on a cluster whose brokers all run.

    Parameters
    ----------
    follow
        Is called at the beginning and after each step.
    topic
        A name that the cluster has not seen yet.
    empty_caches
        Whether an epoch cache that is empty in the model is compared, too.  A release that caches
        an epoch at once leaves each trace of one that does so later, at the beginning.
    """
    report = Report(cluster.distribution.version)
    forcing = Forcing(cluster, topic, behavior.bounds)
    observer = Observer(cluster, topic, forcing.acks, empty_caches and _has_caches(behavior))
    try:
        before = behavior.first
        marks = _marks(cluster)
        await _begin(forcing, before)
        observed = Observed(0, await _settled(observer, before), compared=observer.compared)
        follow(observed)
        if observed.differences:
            report.steps.append(replace(observed, log=_logged(cluster, marks)))
            return report
        report.first = observed
        for number, step in enumerate(behavior.steps, 1):
            marks = _marks(cluster)
            observed = await _step(forcing, observer, number, step, before)
            if observed.differences:
                observed = replace(observed, log=_logged(cluster, marks))
            report.steps.append(observed)
            follow(observed)
            before = step.after
            if observed.differences:
                break
        report.acked = not_deleted(forcing.acks, before)
        await _consume(cluster, topic, report, before)
    finally:
        forcing.close()
    return report


def _has_caches(behavior: ForcedBehavior) -> bool:
    """Whether the protocol has epoch caches: some replica has cached an epoch."""
    states = [behavior.first, *(step.after for step in behavior.steps)]
    caches = [replica["epoch_cache"] for state in states for replica in state["replica"]]
    return any(start != NOTHING for cache in caches for start in cache)


async def _begin(forcing: Forcing, first: State) -> None:
    """Create the topic, let each broker apply epoch 0, and see that each follower follows."""
    cluster, topic = forcing.cluster, forcing.topic
    every = [broker.number for broker in cluster.brokers]
    replicas = sorted(first["partition"]["replicas"]) or every
    cluster.controller.create_topic(topic, replicas)
    isr = first["partition"]["isr"]
    for broker in cluster.brokers:
        await cluster.controller.introduce(topic, broker.number)
        await cluster.controller.announce(topic, 0, isr, broker.number)
    leader = first["partition"]["leader"]
    for number in replicas:
        if number != leader:
            await forcing.fetch(number, leader)


async def _step(
    forcing: Forcing, observer: Observer, number: int, step: ForcedStep, before: State
) -> Observed:
    compared: tuple[Difference, ...] = ()
    try:
        await force(forcing, step.action, step.arguments, before, step.after)
        differences = await _settled(observer, step.after)
        compared = observer.compared
    except OtherwiseError as refused:
        differences = (Difference(refused.what, refused.expected, refused.observed),)
    except KafkaError as error:
        differences = (Difference(step.action, "the step", str(error)),)
    return Observed(number, differences, tuple(forcing.events), compared=compared)


async def _settled(observer: Observer, state: State) -> tuple[Difference, ...]:
    """Return the differences that are left when patience ends."""
    clock = asyncio.get_running_loop()
    began = clock.time()
    deadline = began + patience()
    looks = 0
    while differences := await observer.differences(state):
        looks += 1
        longest = deadline + START * observer.stalls
        if clock.time() > longest and looks > LOOKS:
            break
        await pause(clock.time() - began, _PAUSE)
    return tuple(differences)


async def _consume(cluster: Cluster, topic: str, report: Report, reached: State) -> None:
    """Read as a consumer does from the leader that is stored."""
    leader = cluster.controller.state(topic).leader
    if leader < 0 or not cluster.brokers[leader].alive:
        return
    start = reached["replica"][leader]["start"]
    answer = await read(cluster, leader, topic, CONSUMER, start)
    if not answer.error:
        report.leader = leader
        report.readable = tuple(entry.value for entry in answer.records)
        stored = stored_log(cluster.brokers[leader].data, topic)
        report.log = tuple(entry.value for entry in stored.entries(start))


def _marks(cluster: Cluster) -> list[int]:
    """Return how much each broker has reported so far, in bytes."""
    return [broker.log_size() for broker in cluster.brokers]


def _logged(cluster: Cluster, marks: Sequence[int]) -> tuple[str, ...]:
    """Return what the brokers have reported since, without stack traces."""
    return tuple(
        f"broker {broker.number}: {line}"
        for broker, mark in zip(cluster.brokers, marks, strict=True)
        for line in broker.logged(mark)
        if not _STACK.match(line)
    )
