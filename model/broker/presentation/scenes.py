"""How the broker family shows its states and steps, and the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....core.layout import NONE
from ....core.scene import Entry, Message, Scene, View
from ..messages import DIVERGING, FETCH_RESPONSE
from .events import event
from .pictures import Announcement, Answer, Broker, partition_of, scene
from .view import RESTARTED


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return the legend of roles, records and messages, with examples from a behavior."""
    brokers = [
        (who, partition_of(scene))
        for scene in reversed(scenes)
        for who in scene.participants
        if isinstance(who, Broker)
    ]
    messages = [message for scene in scenes for message in scene.messages]
    record = next(_records(scenes), Entry("m0", 1))
    leading = next((who for who, _ in brokers if who.leads is not None), None)
    leads, epoch = (leading.role, leading.leads) if leading else ("leads e1 isr {0,2}", 1)
    is_stale = any(who.leads not in (None, partition.epoch) for who, partition in brokers)
    texts = [
        f"m0, m1, … are records in the order in which producers wrote them; {record} is "
        f"{record.name}, written in leader epoch {record.epoch}. Offsets are counted "
        "separately.",
        f"“{leads}” is a broker that believes it leads leader epoch "
        f"{epoch} with the replicas in braces in sync."
        + (" “(stale)” marks a former leader." if is_stale else ""),
    ]
    if follower := next((who for who, _ in brokers if who.follows != NONE), None):
        texts.append(
            f"“{follower.role}” is one that follows broker {follower.follows} in epoch "
            f"{follower.epoch}."
        )
    if any(who.role == RESTARTED for who, _ in brokers):
        texts.append(
            f"“{RESTARTED}” is one that waits for LeaderAndIsr, or for the metadata with KRaft."
        )
    if any(who.follows != NONE and who.truncating for who, _ in brokers):
        texts.append(
            "“truncating” is a follower that must first send OffsetsForLeaderEpoch to its leader "
            "and truncate its log by the answer; only then it fetches."
        )
    if any(partition.elr for _, partition in brokers):
        texts.append(
            "“elr” are the eligible leader replicas: they left the ISR when it had fewer "
            "than min.insync.replicas members, they have every committed record, and one may lead "
            "if no member of the ISR is alive (KIP-966)."
        )
    if any(who.rules.epoch_cache for who, _ in brokers):
        texts.append(
            "An epoch cache (leader-epoch-checkpoint) has the start offset of each leader epoch "
            "that its broker knows, on disk. A later epoch drops the entries that contradict it, "
            "truncation those that start at the new log end or beyond."
        )
    return (*texts, *_messages(messages))


def _messages(messages: Sequence[Message]) -> Iterator[str]:
    """Yield how to read messages, with examples among these."""
    answers = [message for message in messages if isinstance(message, Answer)]
    responses = [answer.text for answer in answers if answer.kind == FETCH_RESPONSE]
    if responses:
        yield f"“{max(responses, key=len)}” is a fetch response with the leader's high watermark."
    if diverging := next((answer.text for answer in answers if answer.kind == DIVERGING), ""):
        yield (
            f"“{diverging}” is a fetch response without records: the leader's log "
            "diverges from the follower's there (KIP-595)."
        )
    announced = [message for message in messages if isinstance(message, Announcement)]
    if announced:
        yield (
            f"“{announced[-1].text}” is the controller's LeaderAndIsr of epoch "
            f"{announced[-1].epoch}; it may arrive late."
        )


def _records(scenes: Sequence[Scene]) -> Iterator[Entry]:
    """Yield the records in logs."""
    return (e for s in scenes for who in s.participants if who.log for e in who.log.entries)


VIEW = View(scene, event, legend)
