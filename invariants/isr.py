"""The in-sync replicas: every member of the ISR has all committed records.

Eligibility for the ISR, which the controller of a KRaft cluster checks.
"""

from __future__ import annotations

from ..core.fields import NONE, members
from ..core.scene import LogOffset
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState
from .divergence import first_difference


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


SOURCE = "hachikuji/kafka-specification, KafkaReplication.tla"


@BROKER.invariant(
    "Every record below the high watermark of a broker that leads is on every member of this "
    "broker's own view of the ISR.",
    source=SOURCE,
    explain=lambda s, k, leader, member, offset: _explain(
        s, leader, member, offset, "the leader's own view of the ISR"
    ),
    places=member_places,
)
def weak_isr(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return (leader, member, offset): below the leader's HW the member's record differs."""
    for leader in range(k.replicas):
        mine = s.replica[leader]
        if mine.leader == leader:
            for member in members(mine.isr):
                offset = first_difference(s, leader, member, mine.hw)
                if offset != NONE:
                    return leader, member, offset
    return None


@BROKER.invariant(
    "Every record below the high watermark of a broker that leads is on every member of the "
    "partition state's ISR.",
    source=SOURCE,
    explain=lambda s, k, leader, member, offset: _explain(
        s, leader, member, offset, "the partition state's ISR"
    ),
    places=member_places,
)
def strong_isr(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return (leader, member, offset): below the leader's HW the member's record differs."""
    for leader in range(k.replicas):
        mine = s.replica[leader]
        if mine.leader == leader:
            for member in members(s.partition.isr):
                offset = first_difference(s, leader, member, mine.hw)
                if offset != NONE:
                    return leader, member, offset
    return None


@BROKER.invariant(
    "If the partition state names a leader, that broker is in its ISR.",
    source=f"{SOURCE} (LeaderInIsr, which is false there while no leader is known)",
    explain=lambda s, k: (
        f"The partition state names broker {s.partition.leader} leader of epoch "
        f"{s.partition.epoch}, but its ISR is {{{','.join(map(str, members(s.partition.isr)))}}}."
    ),
)
def known_leader_in_isr(s: BrokerState, k: Constants) -> bool:
    """Whether the partition state's leader, if any, is in its ISR."""
    return s.partition.leader == NONE or bool(s.partition.isr >> s.partition.leader & 1)


def explain(s: BrokerState, k: Constants, broker: int) -> str:
    """Explain which fenced broker is in the ISR."""
    why = "it cannot be elected, it is not fenced again, and the high watermark waits for it"
    if s.partition.leader == broker:
        why = "it leads, but brokers name no fenced leader to clients"
    isr = ",".join(map(str, members(s.partition.isr)))
    return f"The controller has fenced broker {broker}, and yet it is in the ISR {{{isr}}}: {why}."


@BROKER.invariant(
    "No member of the ISR is fenced, unless it is the only one and does not lead "
    "(relevant with isr_propagation=kraft; otherwise no member is fenced).",
    source="KIP-841 (KAFKA-13916, KAFKA-14140), KAFKA-19522",
    explain=explain,
)
def eligible_isr(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a fenced member of the ISR that leads, or is not the only one."""
    isr = s.partition.isr
    for broker in members(isr & s.partition.fenced):
        if isr != 1 << broker or s.partition.leader == broker:
            return (broker,)
    return None
