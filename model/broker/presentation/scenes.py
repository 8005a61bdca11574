"""How the broker family shows its states and steps, and how that is to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....core.scene import Entry, Scene, View
from .events import event
from .pictures import Broker, Partition, scene


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return how to read roles, records and messages, with those of a behavior."""
    record = next(_records(scenes), Entry("m0", 1))
    leading = next(_roles(scenes, "leads"), "leads e1 isr {0,2}")
    stale = " A “(stale)” one is not the controller's leader any more."
    texts = [
        f"m0, m1, … are records in the order in which producers wrote them; {record} is "
        f"{record.name}, written in leader epoch {record.epoch}. Offsets are counted apart from "
        "that.",
        f"“{leading}” is a broker that believes it leads leader epoch "
        f"{leading.split()[1][1:]} with the replicas in braces in sync."
        + (stale if next(_roles(scenes, "leads", "(stale)"), "") else ""),
    ]
    if follows := next(_roles(scenes, "follows"), ""):
        _, leader, epoch = follows.replace(",", "").split()[:3]
        texts.append(f"“{follows}” is one that follows broker {leader} in epoch {epoch[1:]}.")
    if next(_roles(scenes, "restarted"), ""):
        texts.append("“restarted” is one that has yet to hear from the controller.")
    if next(_roles(scenes, "follows", "truncating"), ""):
        texts.append(
            "“truncating” is a follower that must first ask its leader where an epoch ends "
            "(OffsetsForLeaderEpoch) and cut its log by the answer; only then it fetches."
        )
    if any(isinstance(who, Partition) and who.elr for it in scenes for who in it.participants):
        texts.append(
            "“elr” are the eligible leader replicas: out of the ISR since it had fewer than "
            "min.insync.replicas members, they lack nothing that is committed, and one may lead "
            "where no member of the ISR is alive (KIP-966)."
        )
    if any(isinstance(who, Broker) and who.rules.epoch_cache for who in scenes[0].participants):
        texts.append(
            "An epoch cache (leader-epoch-checkpoint) has the start offset of each leader epoch "
            "that its broker knows, on disk. A later epoch drops what contradicts it, a cut what "
            "starts at the new log end or beyond."
        )
    answers = [m.text for it in scenes for m in it.messages if ", HW " in m.text]
    if answers:
        texts.append(
            f"“{max(answers, key=len)}” is a fetch response with the leader's high watermark."
        )
    departs = [m.text for it in scenes for m in it.messages if m.text.startswith("diverging")]
    if departs:
        texts.append(
            f"“{departs[0]}” is a fetch response that brings no records but tells where the "
            "leader's log departs from the follower's (KIP-595)."
        )
    announced = [m.text for it in scenes for m in it.messages if m.quiet]
    if announced:
        epoch = announced[-1].split(":")[0][1:]
        texts.append(
            f"“{announced[-1]}” is what the controller says of epoch {epoch} (LeaderAndIsr); it "
            "may arrive late."
        )
    return tuple(texts)


def _records(scenes: Sequence[Scene]) -> Iterator[Entry]:
    """Yield the records in logs."""
    return (e for it in scenes for who in it.participants if who.log for e in who.log.entries)


def _roles(scenes: Sequence[Scene], start: str, end: str = "") -> Iterator[str]:
    """Yield what brokers are that begins and ends so."""
    return (
        who.role
        for it in reversed(scenes)
        for who in it.participants
        if isinstance(who, Broker) and who.role.startswith(start) and who.role.endswith(end)
    )


VIEW = View(scene, event, legend)
