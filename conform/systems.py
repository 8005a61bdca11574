"""What real brokers can walk: a distribution, its protocol, and the steps that can be forced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..brokers.distribution import Distribution, find_distribution
from ..brokers.report import KafkaError
from ..core.bounds import bound_name
from ..core.spec import ReplayError, TransitionSystem
from ..library.names import find_protocol
from ..library.properties import with_every_history
from ..model import Protocol
from ..model.broker.bounds import WITH_KRAFT
from ..model.broker.releases import KRAFT, ZOOKEEPER
from ..model.broker.rules import once_its_fence_is_stored

WALK_BOUNDS = (
    "replicas=3", "records=3", "elections=3", "crashes=1", "lost_messages=1", "moves",
)  # fmt: skip
"""The default bounds of walks."""

FIRST_THAT_WAITS = (0, 10, 2)
"""The release since which the high watermark waits for recently caught-up replicas."""

FIRST_THAT_NEEDS_MIN_ISR = (3, 7)
"""The release since which the high watermark does not advance while the ISR is too small."""


def forcible_distribution(folder: str, named: str = "--kafka") -> Distribution:
    """Return the distribution in a directory, if steps can be forced on it.

    Parameters
    ----------
    named
        The option that names the directory, for messages.

    Raises
    ------
    MissingKafkaError
        If there is none, or no Java.
    KafkaError
        If it has neither ZooKeeper nor KRaft, or more than one version.
    """
    distribution = find_distribution(folder, named)
    if not distribution.has_zookeeper and not distribution.has_kraft:
        version = distribution.version
        raise KafkaError(f"{named} {folder}: there is no ZooKeeper beside Kafka {version}")
    return distribution


def of_brokers(protocol: Protocol) -> Protocol:
    """Return a protocol, if it is one that real brokers follow.

    Raises
    ------
    ReplayError
        If it is of another model.
    """
    if not protocol.is_kafkas:
        raise ReplayError(f"{protocol.name} is not a protocol of Kafka's brokers, as kip-320 is")
    return protocol


def protocol_to_walk(
    name: str | None, distribution: Distribution, settings: Sequence[str]
) -> Protocol:
    """Return the protocol of that name, or the rules of a distribution's release."""
    from ..brokers.cluster import OLDER_PROTOCOL

    if name is None:
        kind = KRAFT if _has_quorum(distribution, settings) else ZOOKEEPER
        name = f"kafka-{distribution.version}-{kind}"
        if distribution.release >= (2, 7) and kind == ZOOKEEPER:
            name += f"-{OLDER_PROTOCOL}"
    return find_protocol(name)


def _has_quorum(distribution: Distribution, settings: Sequence[str]) -> bool:
    """Whether walks are taken with KRaft."""
    return not distribution.has_zookeeper or any(
        f"isr_propagation={value}" in settings for value in WITH_KRAFT
    )


def systems_to_walk(
    protocol: Protocol, distribution: Distribution, settings: Sequence[str]
) -> tuple[TransitionSystem[Any, Any], TransitionSystem[Any, Any]]:
    """Return the system of a protocol, and the system with only the steps that can be forced.

    Raises
    ------
    ReplayError
        If the protocol is not one of brokers, or an option cannot be forced.
    """
    from ..brokers.steps import STEPS, cannot_force

    of_brokers(protocol)
    chosen = set(map(bound_name, settings))
    own = [f"hw_waits={str(distribution.release >= FIRST_THAT_WAITS).lower()}"]
    if _has_quorum(distribution, settings):
        own += ["isr_propagation=kraft", "min_isr=2", "elr=off", "last_known_leader=off"]
        own += ["hw_needs_min_isr"] * (distribution.release >= FIRST_THAT_NEEDS_MIN_ISR)
    bounds = [one for one in (*WALK_BOUNDS, *own) if one.partition("=")[0] not in chosen]
    actions = tuple(action for action in protocol.actions if action.name in STEPS)
    # The scripted controller registers a broker once it is fenced, as that of Kafka 4 does.
    rules = replace(protocol.rules, may_register_unfenced=once_its_fence_is_stored)
    forcible = replace(protocol, actions=actions, rules=rules)
    every = [*bounds, *settings]
    system = with_every_history(protocol, every)
    reasons = cannot_force(system.bounds)
    if reasons:
        raise ReplayError(f"these walks cannot be forced on real brokers: {'; '.join(reasons)}")
    return system, with_every_history(forcible, every)
