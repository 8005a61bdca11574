"""The propagation of ISR changes as text, for traces and pictures."""

from __future__ import annotations

from ....core.fields import NONE
from ....core.scene import Detail
from ..assignment import braced
from ..bounds import ZOOKEEPER, Constants
from ..messages import ACCEPTED, ORPHANED, OUTDATED, REFUSED, REQUEST
from ..state import BrokerState

PRODUCER, CONSUMER = "producer", "consumer"

UNAPPLIED = "unapplied records"
"""What the lines about partition change records are about that a leader has not applied."""


def controller(s: BrokerState, k: Constants) -> tuple[Detail, ...]:
    """Return the controller's own state, beside the partition state, and its pending work."""
    if k.kraft:
        lines = [Detail(f"fenced {braced(s.partition.fenced)}", about="fenced")]
        for leader in range(k.replicas):
            lines += [Detail(line, about="requests") for line in requests(s, leader)]
        return (*lines, *_unapplied(s))
    if k.isr_propagation != ZOOKEEPER:
        return ()
    if s.controller.down:
        return (Detail("down", about="down"),)
    handles = ("", "has read a notification", "has yet to delete a notification")
    unread = "a notification is unread" if s.controller.notification else ""
    parts = (
        Detail(f"cached isr {braced(s.controller.isr)}", about="cached isr"),
        Detail(unread, about="unread"),
        Detail(handles[s.controller.handling], about="handling"),
    )
    return tuple(part for part in parts if part)


def requests(s: BrokerState, leader: int) -> tuple[str, ...]:
    """Return how a leader's request in flight has become outdated since it was sent."""
    request, lines = s.alter_partition[leader], []
    if request.kind == ORPHANED:
        lines.append(f"the request of {leader} has lost its sender")
    if request.rebooted:
        lines.append(
            f"the request of {leader} has an old broker epoch of {braced(request.rebooted)}"
        )
    if request.outdated:
        lines.append(f"the request of {leader} has an old partition epoch")
    return tuple(lines)


def unapplied(s: BrokerState) -> dict[int, list[int]]:
    """Return, by leader epoch, the ISRs of the records that its leader has not applied.

    A record that begins an epoch is in flight like LeaderAndIsr: on its own it does not count.
    """
    queues = {
        epoch: [isr for isr in sent.isrs if isr] for epoch, sent in enumerate(s.leader_and_isr)
    }
    return {
        epoch: isrs
        for epoch, isrs in queues.items()
        if len(isrs) > 1 or (isrs and s.replica[s.leader_and_isr[epoch].leader].epoch == epoch)
    }


def _unapplied(s: BrokerState) -> list[Detail]:
    """Return the partition change records that the leader of their epoch has not applied."""
    lines = []
    for epoch, queue in unapplied(s).items():
        sent, isrs = s.leader_and_isr[epoch], [braced(isr) for isr in queue]
        if sent.assignments:
            isrs = [
                f"{isr} of {braced(replicas)}"
                for isr, replicas in zip(isrs, sent.assignments, strict=False)
            ]
        known = " (known from a response)" if sent.known else ""
        records = f"isr {', then '.join(isrs)}{known}"
        line = f"broker {sent.leader} has yet to apply in e{epoch}: {records}"
        lines.append(Detail(line, about=UNAPPLIED))
    return lines


def clients(s: BrokerState, k: Constants) -> dict[str, Detail]:
    """Return a line for each client, with the leader in its metadata."""
    lines = {PRODUCER: Detail(f"{PRODUCER} -> {s.producer.leader}", about=PRODUCER)}
    if k.track_read:
        at = f"{s.aux_consumer.leader}, at {s.aux_consumer.offset}"
        lines[CONSUMER] = Detail(f"{CONSUMER} -> {at}", about=CONSUMER)
    return lines


def isr_changes(s: BrokerState, k: Constants, broker: int) -> tuple[Detail, ...]:
    """Return a broker's pending ISR change, and the leader in its metadata if outdated."""
    replica, lines = s.replica[broker], []
    if replica.proposed:
        lines.append(Detail(f"proposes isr {braced(replica.proposed)}", about="proposal"))
    if replica.change_set:
        lines.append(Detail("has not yet announced its isr", about="notification"))
    if k.isr_propagation == ZOOKEEPER and replica.alive and replica.metadata != s.partition.leader:
        named = "no leader" if replica.metadata == NONE else f"{replica.metadata}"
        lines.append(Detail(f"metadata names {named}", about="metadata"))
    return tuple(lines)


REFUSALS = {REFUSED: "ineligible replica", OUTDATED: "outdated"}
"""Why the controller has not accepted a proposal."""


def alter_partition(s: BrokerState, leader: int) -> str:
    """Return the message in flight between a leader and the controller; empty if none."""
    message = s.alter_partition[leader]
    request = f"AlterPartition e{message.epoch} isr {braced(message.isr)}"
    texts = {
        REQUEST: request,
        ORPHANED: request,
        ACCEPTED: f"e{message.epoch} isr {braced(message.isr)}",
        **{kind: f"e{message.epoch}: {why}" for kind, why in REFUSALS.items()},
    }
    return texts.get(message.kind, "")
