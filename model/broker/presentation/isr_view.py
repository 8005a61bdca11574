"""How far a change of the ISR has got about, in the words of Kafka, for traces and pictures."""

from __future__ import annotations

from collections.abc import Callable

from ....core.layout import NONE
from ..bounds import KRAFT, ZOOKEEPER, Constants
from ..messages import ACCEPTED, ORPHANED, OUTDATED, REFUSED, REQUEST
from ..replica_sets import braced, replicas
from ..state import BrokerState


def controller(
    s: BrokerState, k: Constants, written: Callable[[int], str] = braced
) -> tuple[str, ...]:
    """Return what the controller knows besides the partition state, and what it has yet to do."""
    if k.isr_propagation == KRAFT:
        return (f"fenced {written(s.partition.fenced)}", *_requests(s, written))
    if k.isr_propagation != ZOOKEEPER:
        return ()
    if s.controller.down:
        return ("down",)
    handles = ("", "has read a notification", "has yet to delete a notification")
    unread = "a notification is unread" if s.controller.notification else ""
    lines = (f"cached isr {written(s.controller.isr)}", unread, handles[s.controller.handling])
    return tuple(line for line in lines if line)


def _requests(s: BrokerState, written: Callable[[int], str]) -> list[str]:
    """Return what has become of requests under way since they were sent."""
    lines = []
    for leader, it in enumerate(s.alter_partition):
        if it.kind == ORPHANED:
            lines.append(f"the request of {leader} has lost its sender")
        if it.rebooted:
            lines.append(
                f"the request of {leader} has an old broker epoch of {written(it.rebooted)}"
            )
    return lines


def clients(s: BrokerState, k: Constants) -> tuple[str, ...]:
    """Return whom clients believe to be the leader."""
    lines = [f"producer -> {s.producer.leader}"]
    if k.track_read:
        lines.append(f"consumer -> {s.aux_consumer.leader}, at {s.aux_consumer.offset}")
    return tuple(lines)


def isr_changes(
    s: BrokerState, k: Constants, broker: int, written: Callable[[int], str] = replicas
) -> tuple[str, ...]:
    """Return how far a broker is with a change of the ISR, and what it tells clients."""
    replica, lines = s.replica[broker], []
    if replica.proposed:
        lines.append(f"proposes isr {written(replica.proposed)}")
    if replica.change_set:
        lines.append("has yet to announce its isr")
    if k.isr_propagation == ZOOKEEPER and replica.alive and replica.metadata != s.partition.leader:
        named = "nobody" if replica.metadata == NONE else f"{replica.metadata}"
        lines.append(f"metadata names {named}")
    return tuple(lines)


def to_controller(s: BrokerState, leader: int) -> str:
    """Return what is under way between a leader and the controller, with an arrow."""
    text = alter_partition(s, leader)
    way = "->" if s.alter_partition[leader].kind in (REQUEST, ORPHANED) else "<-"
    return f"{way} controller: {text}" if text else ""


REFUSALS = {REFUSED: "ineligible replica", OUTDATED: "outdated"}
"""Why the controller has not accepted a proposal."""


def alter_partition(s: BrokerState, leader: int, written: Callable[[int], str] = replicas) -> str:
    """Return what is under way between a leader and the controller; nothing if nothing is."""
    it = s.alter_partition[leader]
    asked = f"AlterPartition e{it.epoch} isr {written(it.isr)}"
    texts = {
        REQUEST: asked,
        ORPHANED: asked,
        ACCEPTED: f"e{it.epoch} isr {written(it.isr)}",
        **{kind: f"e{it.epoch}: {why}" for kind, why in REFUSALS.items()},
    }
    return texts.get(it.kind, "")
