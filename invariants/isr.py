"""The in-sync replicas: every member of the ISR has all committed records."""

from __future__ import annotations

from collections.abc import Callable

from ..core.fields import NONE, members
from ..core.scene import LogOffset
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState
from .deleted import is_deleted


def _out_of_sync(
    stored: bool,
) -> Callable[[BrokerState, Constants], tuple[int, int, int] | None]:
    """Return the witness that a member of the ISR lacks a record below the leader's HW.

    The members are those of the stored ISR, or of the leader's own view of it.
    """

    def out_of_sync(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
        """Return (leader, member, offset): below the leader's HW the member's record differs."""
        for leader in range(k.replicas):
            mine = s.replica[leader]
            if mine.leader != leader:
                continue
            for member in members(s.partition.isr if stored else mine.isr):
                log = s.replica[member].log
                for offset in range(mine.hw):
                    if (
                        log[offset].record != mine.log[offset].record
                        and not is_deleted(s, leader, offset)
                        and not is_deleted(s, member, offset)
                    ):
                        return leader, member, offset
        return None

    return out_of_sync


def explain_weak_isr(s: BrokerState, k: Constants, leader: int, member: int, offset: int) -> str:
    """Explain which member lacks which record."""
    return _explain(s, leader, member, offset, "the leader's own view of the ISR")


def explain_strong_isr(s: BrokerState, k: Constants, leader: int, member: int, offset: int) -> str:
    """Explain which member lacks which record."""
    return _explain(s, leader, member, offset, "the partition state's ISR")


def _explain(s: BrokerState, leader: int, member: int, offset: int, which: str) -> str:
    mine, theirs = s.replica[leader], s.replica[member]
    has = f"ends at {theirs.leo}"
    if theirs.leo > offset:
        has = f"has m{theirs.log[offset].record} there"
    return (
        f"Broker {leader} leads in epoch {mine.epoch} with high watermark {mine.hw}, and has "
        f"m{mine.log[offset].record} at offset {offset}; replica {member} is in {which}, but its "
        f"log {has}."
    )


def member_places(
    s: BrokerState, k: Constants, leader: int, member: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return the place of the record that the member lacks."""
    return (LogOffset(member, offset, f"m{s.replica[leader].log[offset].record}"),)


def known_leader_in_isr(s: BrokerState, k: Constants) -> bool:
    """Whether the partition state's leader, if any, is in its ISR."""
    return s.partition.leader == NONE or bool(s.partition.isr >> s.partition.leader & 1)


def explain_known_leader_in_isr(s: BrokerState, k: Constants) -> str:
    """Explain which leader is not in the ISR."""
    return (
        f"The partition state names broker {s.partition.leader} leader of epoch "
        f"{s.partition.epoch}, but its ISR is {','.join(map(str, members(s.partition.isr)))}."
    )


SOURCE = "hachikuji/kafka-specification, KafkaReplication.tla"

WEAK_ISR = Property(
    name="WeakIsr",
    statement="Every record below the high watermark of a broker that leads is on every member "
    "of this broker's own view of the ISR.",
    source=SOURCE,
    witness=_out_of_sync(stored=False),
    explain=explain_weak_isr,
    places=member_places,
)

STRONG_ISR = Property(
    name="StrongIsr",
    statement="Every record below the high watermark of a broker that leads is on every member "
    "of the partition state's ISR.",
    source=SOURCE,
    witness=_out_of_sync(stored=True),
    explain=explain_strong_isr,
    places=member_places,
)

KNOWN_LEADER_IN_ISR = Property(
    name="KnownLeaderInIsr",
    statement="If the partition state names a leader, that broker is in its ISR.",
    source=f"{SOURCE} (LeaderInIsr, which is false there while no leader is known)",
    predicate=known_leader_in_isr,
    explain=explain_known_leader_in_isr,
)

PROPERTIES = (WEAK_ISR, STRONG_ISR, KNOWN_LEADER_IN_ISR)
