"""Potential loss: committed records that an elected leader, or a candidate, lacks."""

from __future__ import annotations

from collections.abc import Callable

from ..core.fields import NONE
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState
from .loss import committed_places


def _lacking(
    brokers: Callable[[BrokerState], int],
) -> Callable[[BrokerState, Constants], tuple[int, int] | None]:
    """Return the witness that a broker in a set lacks a committed record."""

    def lacking(s: BrokerState, k: Constants) -> tuple[int, int] | None:
        """Return (broker, offset) of a committed record that a broker in the set lacks."""
        candidates = brokers(s)
        for broker in range(k.replicas):
            if not candidates >> broker & 1:
                continue
            log = s.replica[broker].log
            for offset in range(k.log_size):
                committed = s.aux_committed[offset]
                if committed.record != NONE and log[offset].record != committed.record:
                    return broker, offset
        return None

    return lacking


def live_leader(s: BrokerState) -> int:
    """Return the partition state's leader as a set, empty if it is dead."""
    leader = s.partition.leader
    return 1 << leader if leader != NONE and s.replica[leader].alive else 0


def stored_isr(s: BrokerState) -> int:
    """Return the partition state's ISR."""
    return s.partition.isr


def explain_leader(s: BrokerState, k: Constants, broker: int, offset: int) -> str:
    """Explain which committed record the elected leader lacks."""
    return _explain(s, broker, offset, "is the elected leader")


def explain_candidate(s: BrokerState, k: Constants, broker: int, offset: int) -> str:
    """Explain which committed record which member of the ISR lacks."""
    return _explain(s, broker, offset, "is a member of the ISR")


def _explain(s: BrokerState, broker: int, offset: int, role: str) -> str:
    lost, replica = s.aux_committed[offset], s.replica[broker]
    instead = f"its log ends at {replica.leo}"
    if replica.leo > offset:
        instead = f"it has m{replica.log[offset].record} there"
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}. "
        f"Broker {broker} {role} in epoch {s.partition.epoch}, but {instead}."
    )


def committed_nowhere(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return the offset of a committed record that no replica holds."""
    for offset in range(k.log_size):
        record = s.aux_committed[offset].record
        if record != NONE and all(r.log[offset].record != record for r in s.replica):
            return (offset,)
    return None


def explain_nowhere(s: BrokerState, k: Constants, offset: int) -> str:
    """Explain which committed record is on no replica."""
    lost = s.aux_committed[offset]
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}, "
        "and no replica, alive or dead, has it any more."
    )


PROPERTIES = (
    Property(
        name="LeaderCompleteness",
        statement="A live broker that the partition state names leader has every record ever "
        "committed, even before it applies its epoch.",
        source="LeaderCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
        witness=_lacking(live_leader),
        explain=explain_leader,
        places=committed_places,
    ),
    Property(
        name="LeaderCandidateCompleteness",
        statement="Every member of the partition state's ISR, alive or dead, has every committed "
        "record.",
        source="LeaderCandidateCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
        witness=_lacking(stored_isr),
        explain=explain_candidate,
        places=committed_places,
    ),
    Property(
        name="CommittedSomewhere",
        statement="Every record that was ever committed is in the log of at least one replica.",
        source="NoCommittedRecordLostGlobally in Vanlightly/kafka-tlaplus, kraft v3.5",
        witness=committed_nowhere,
        explain=explain_nowhere,
    ),
)
