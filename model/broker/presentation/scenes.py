"""How the broker family shows its states and steps, and the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....core.scene import Entry, Scene, View
from .events import event
from .pictures import Broker, Partition, scene


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return the legend of roles, records and messages, with examples from a behavior."""
    record = next(_records(scenes), Entry("m0", 1))
    leading = next(_roles(scenes, "leads"), "leads e1 isr {0,2}")
    stale = " “(stale)” marks a former leader."
    texts = [
        f"m0, m1, … are records in the order in which producers wrote them; {record} is "
        f"{record.name}, written in leader epoch {record.epoch}. Offsets are counted "
        "separately.",
        f"“{leading}” is a broker that believes it leads leader epoch "
        f"{leading.split()[1][1:]} with the replicas in braces in sync."
        + (stale if next(_roles(scenes, "leads", "(stale)"), "") else ""),
    ]
    if follows := next(_roles(scenes, "follows"), ""):
        _, leader, epoch = follows.replace(",", "").split()[:3]
        texts.append(f"“{follows}” is one that follows broker {leader} in epoch {epoch[1:]}.")
    if next(_roles(scenes, "restarted"), ""):
        texts.append(
            "“restarted” is one that waits for LeaderAndIsr, or for the metadata with KRaft."
        )
    if next(_roles(scenes, "follows", "truncating"), ""):
        texts.append(
            "“truncating” is a follower that must first send OffsetsForLeaderEpoch to its leader "
            "and truncate its log by the answer; only then it fetches."
        )
    if any(isinstance(who, Partition) and who.elr for s in scenes for who in s.participants):
        texts.append(
            "“elr” are the eligible leader replicas: they left the ISR when it had fewer "
            "than min.insync.replicas members, they have every committed record, and one may lead "
            "if no member of the ISR is alive (KIP-966)."
        )
    if any(isinstance(who, Broker) and who.rules.epoch_cache for who in scenes[0].participants):
        texts.append(
            "An epoch cache (leader-epoch-checkpoint) has the start offset of each leader epoch "
            "that its broker knows, on disk. A later epoch drops the entries that contradict it, "
            "truncation those that start at the new log end or beyond."
        )
    responses = [m.text for s in scenes for m in s.messages if ", HW " in m.text]
    if responses:
        texts.append(
            f"“{max(responses, key=len)}” is a fetch response with the leader's high watermark."
        )
    diverging = [m.text for s in scenes for m in s.messages if m.text.startswith("diverging")]
    if diverging:
        texts.append(
            f"“{diverging[0]}” is a fetch response without records: the leader's log "
            "diverges from the follower's there (KIP-595)."
        )
    announced = [m.text for s in scenes for m in s.messages if m.quiet]
    if announced:
        epoch = announced[-1].split(":")[0][1:]
        texts.append(
            f"“{announced[-1]}” is the controller's LeaderAndIsr of epoch {epoch}; it may "
            "arrive late."
        )
    return tuple(texts)


def _records(scenes: Sequence[Scene]) -> Iterator[Entry]:
    """Yield the records in logs."""
    return (e for s in scenes for who in s.participants if who.log for e in who.log.entries)


def _roles(scenes: Sequence[Scene], start: str, end: str = "") -> Iterator[str]:
    """Yield the roles of brokers with this start and end, latest first."""
    return (
        who.role
        for s in reversed(scenes)
        for who in s.participants
        if isinstance(who, Broker) and who.role.startswith(start) and who.role.endswith(end)
    )


VIEW = View(scene, event, legend)
