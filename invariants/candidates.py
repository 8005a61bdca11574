"""Potential loss: committed records that an elected leader, or a candidate, lacks."""

from __future__ import annotations

from ..core.layout import NONE
from ..core.scene import Place
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState


def _missing(s: BrokerState, k: Constants, brokers: int) -> tuple[int, int] | None:
    """Return (broker, offset) of a committed record that a broker in the set lacks."""
    for broker in range(k.replicas):
        if not brokers >> broker & 1:
            continue
        log = s.replica[broker].log
        for offset in range(k.log_size):
            committed = s.aux_committed[offset]
            if committed.record != NONE and log[offset].record != committed.record:
                return broker, offset
    return None


def _live_leader(s: BrokerState) -> int:
    """Return the partition state's leader as a set, empty if it is dead."""
    leader = s.partition.leader
    return 1 << leader if leader != NONE and s.replica[leader].alive else 0


def leader_completeness(s: BrokerState, k: Constants) -> bool:
    """Whether the elected leader has every record committed before, even before LeaderAndIsr."""
    return _missing(s, k, _live_leader(s)) is None


def explain_leader_completeness(s: BrokerState, k: Constants) -> str:
    """Explain which committed record the elected leader lacks."""
    missing = _missing(s, k, _live_leader(s))
    return _explain(s, missing, "is the leader by election") if missing else ""


def leader_candidate_completeness(s: BrokerState, k: Constants) -> bool:
    """Whether every member of the ISR has every committed record."""
    return _missing(s, k, s.partition.isr) is None


def explain_leader_candidate_completeness(s: BrokerState, k: Constants) -> str:
    """Explain which committed record which member of the ISR lacks."""
    missing = _missing(s, k, s.partition.isr)
    return _explain(s, missing, "is a member of the ISR") if missing else ""


def leader_places(s: BrokerState, k: Constants) -> tuple[Place, ...]:
    """Return the place of the record that the elected leader lacks."""
    return _places(s, _missing(s, k, _live_leader(s)))


def candidate_places(s: BrokerState, k: Constants) -> tuple[Place, ...]:
    """Return the place of the record that a member of the ISR lacks."""
    return _places(s, _missing(s, k, s.partition.isr))


def _places(s: BrokerState, missing: tuple[int, int] | None) -> tuple[Place, ...]:
    if missing is None:
        return ()
    broker, offset = missing
    return (Place(broker, offset, f"m{s.aux_committed[offset].record}"),)


def _explain(s: BrokerState, missing: tuple[int, int], role: str) -> str:
    """Explain which broker lacks which record."""
    broker, offset = missing
    lost, replica = s.aux_committed[offset], s.replica[broker]
    instead = f"its log ends at {replica.leo}"
    if replica.leo > offset:
        instead = f"it has m{replica.log[offset].record} there"
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}. "
        f"Broker {broker} {role} in epoch {s.partition.epoch}, but {instead}."
    )


def _nowhere(s: BrokerState, k: Constants) -> int:
    """Return the offset of a committed record that no replica holds, or NONE."""
    for offset in range(k.log_size):
        record = s.aux_committed[offset].record
        if record != NONE and all(r.log[offset].record != record for r in s.replica):
            return offset
    return NONE


def committed_somewhere(s: BrokerState, k: Constants) -> bool:
    """Whether every committed record is on at least one replica."""
    return _nowhere(s, k) == NONE


def explain_committed_somewhere(s: BrokerState, k: Constants) -> str:
    """Explain which committed record is on no replica."""
    offset = _nowhere(s, k)
    lost = s.aux_committed[offset]
    return (
        f"Record m{lost.record} was committed at offset {offset} in leader epoch {lost.epoch}, "
        "and no replica, alive or dead, has it any more."
    )


COMMITTED = frozenset({"committed"})

PROPERTIES = (
    Property(
        name="LeaderCompleteness",
        statement="A live broker that the partition state names leader has every record ever "
        "committed, even before it applies its epoch.",
        source="LeaderCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
        predicate=leader_completeness,
        explain=explain_leader_completeness,
        places=leader_places,
        needs=COMMITTED,
    ),
    Property(
        name="LeaderCandidateCompleteness",
        statement="Every member of the partition state's ISR, alive or dead, has every committed "
        "record.",
        source="LeaderCandidateCompletenessProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
        predicate=leader_candidate_completeness,
        explain=explain_leader_candidate_completeness,
        places=candidate_places,
        needs=COMMITTED,
    ),
    Property(
        name="CommittedSomewhere",
        statement="Every record that was ever committed is in the log of at least one replica.",
        source="NoCommittedRecordLostGlobally in Vanlightly/kafka-tlaplus, kraft v3.5",
        predicate=committed_somewhere,
        explain=explain_committed_somewhere,
        needs=COMMITTED,
    ),
)
