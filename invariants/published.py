"""Loss and divergence in the published family, in addition to its originals' properties."""

from __future__ import annotations

from ..core.layout import NONE, members
from ..core.scene import LogOffset
from ..core.spec import Property
from ..model.published.actions import true_leader
from ..model.published.bounds import Constants
from ..model.published.state import PublishedState
from .divergence import both_places, explain_mismatch_everywhere, mismatch_everywhere


def missing_committed(s: PublishedState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, record): the true leader lacks a record that was committed."""
    leader = s.partition.leader
    if leader == NONE or not true_leader(s, leader):
        return None
    log = s.replica[leader].log
    for record in members(s.aux_committed):
        if not any(entry.record == record for entry in log):
            return leader, record
    return None


def explain_loss(s: PublishedState, k: Constants, leader: int, record: int) -> str:
    """Explain which record is lost, and which leader lacks it."""
    return (
        f"Record m{record} was below a leader's high watermark: consumers have read it. Replica "
        f"{leader} now leads epoch {s.partition.epoch}, and m{record} is not in its log."
    )


def places(s: PublishedState, k: Constants, leader: int, record: int) -> tuple[LogOffset, ...]:
    """Return the expected place of the lost record: its offset on another replica."""
    offsets = [
        offset
        for replica in s.replica
        for offset, entry in enumerate(replica.log)
        if entry.record == record
    ]
    return (LogOffset(leader, offsets[0] if offsets else s.replica[leader].leo, f"m{record}"),)


PROPERTIES = (
    Property(
        name="NoCommittedRecordLost",
        statement="Every record that was once below a leader's high watermark is in the log of the "
        "true leader: the one that the partition state names, and that leads in its epoch.",
        source="KIP-101; LeaderCompleteness in Ongaro and Ousterhout, Raft (2014)",
        witness=missing_committed,
        explain=explain_loss,
        places=places,
    ),
    Property(
        name="LogMatchingEverywhere",
        statement="All replicas hold the same record at every offset below both their high "
        "watermarks.",
        source="LogMatchingProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
        witness=mismatch_everywhere,
        explain=explain_mismatch_everywhere,
        places=both_places,
    ),
)
