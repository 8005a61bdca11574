"""Liveness of the published family: what follows its last election.

The originals make neither fetching nor elections fair, so "logs become equal" and "somebody leads"
fail in all of them.  What they do promise begins once the last leader epoch within the bounds has
begun and has a leader: the controller then takes no further step.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.layout import NONE, members
from ..core.scene import LogOffset
from ..core.spec import Kind, Property
from ..model.published.actions import true_leader
from ..model.published.bounds import Constants
from ..model.published.state import PublishedState

SOURCE = "Spec in hachikuji/kafka-specification"


def last_leader(s: PublishedState, k: Constants) -> int:
    """Return the leader of the last epoch within the bounds, or NONE before it begins."""
    return s.partition.leader if s.partition.epoch == k.max_leader_epoch else NONE


def acting_last_leader(s: PublishedState, k: Constants) -> int:
    """Return that leader once it has applied the epoch, or NONE."""
    leader = last_leader(s, k)
    return leader if leader != NONE and true_leader(s, leader) else NONE


def last_epoch_has_leader(s: PublishedState, k: Constants) -> bool:
    """Whether the last epoch has begun, with a leader."""
    return last_leader(s, k) != NONE


def last_leader_acts(s: PublishedState, k: Constants) -> bool:
    """Whether the leader of the last epoch has applied it."""
    return acting_last_leader(s, k) != NONE


def explain_last_leader_acts(s: PublishedState, k: Constants) -> str:
    """Explain which replica does not apply the epoch."""
    return (
        f"Replica {s.partition.leader} is the leader of the last epoch, {s.partition.epoch}, but "
        f"stays in epoch {s.replica[s.partition.leader].epoch}."
    )


def in_older_epoch(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a replica that has not applied the last epoch."""
    for replica in range(k.replicas):
        if s.replica[replica].epoch != k.max_leader_epoch:
            return (replica,)
    return None


def explain_older_epoch(s: PublishedState, k: Constants, replica: int) -> str:
    """Explain which replica does not apply the last epoch."""
    leader = s.partition.leader
    return (
        f"Replica {leader} is the leader of the last epoch, {s.partition.epoch}; replica {replica} "
        f"stays in epoch {s.replica[replica].epoch}, with its log end at {s.replica[replica].leo}, "
        f"the leader's at {s.replica[leader].leo}."
    )


def former_leader(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a replica that presumes leadership and is not the stored leader."""
    for replica in range(k.replicas):
        if s.replica[replica].leader == replica and s.partition.leader != replica:
            return (replica,)
    return None


def explain_former_leader(s: PublishedState, k: Constants, former: int) -> str:
    """Explain which replica still presumes leadership."""
    return (
        f"Replica {s.partition.leader} is the leader of the last epoch, {s.partition.epoch}; "
        f"replica {former} still presumes leadership, from epoch {s.replica[former].epoch}."
    )


def diverging(s: PublishedState, k: Constants) -> tuple[int, int] | None:
    """Return a follower in the last epoch with the first offset where it differs."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return None
    mine = s.replica[leader]
    for follower in range(k.replicas):
        theirs = s.replica[follower]
        if theirs.epoch == mine.epoch:
            for offset in range(min(mine.leo, theirs.leo)):
                if mine.log[offset].record != theirs.log[offset].record:
                    return follower, offset
    return None


def explain_diverging(s: PublishedState, k: Constants, follower: int, offset: int) -> str:
    """Explain which follower contradicts its leader, and where."""
    leader = s.partition.leader
    return (
        f"Replica {follower} follows replica {leader} in the last epoch, {s.partition.epoch}, but "
        f"keeps m{s.replica[follower].log[offset].record} at offset {offset}, where the leader has "
        f"m{s.replica[leader].log[offset].record}."
    )


def diverging_places(
    s: PublishedState, k: Constants, follower: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return the record that contradicts the leader's."""
    return (LogOffset(follower, offset, f"m{s.replica[follower].log[offset].record}"),)


def _left_out(
    to_log_end: bool,
) -> Callable[[PublishedState, Constants], tuple[int] | None]:
    """Return the witness that a follower has caught up but is not in the ISR.

    It has caught up with the leader's log end, or with its high watermark.
    """

    def left_out(s: PublishedState, k: Constants) -> tuple[int] | None:
        """Return a follower outside the ISR, in the last epoch, that has caught up."""
        leader = acting_last_leader(s, k)
        if leader == NONE:
            return None
        mine = s.replica[leader]
        end = mine.leo if to_log_end else mine.hw
        for follower in range(k.replicas):
            theirs = s.replica[follower]
            is_member = mine.isr >> follower & 1
            if not is_member and theirs.epoch == mine.epoch and theirs.leo >= end:
                return (follower,)
        return None

    return left_out


def explain_left_out(s: PublishedState, k: Constants, follower: int) -> str:
    """Explain which follower stays outside."""
    leader = s.partition.leader
    return (
        f"Replica {follower} follows replica {leader} in the last epoch, {s.partition.epoch}, with "
        f"its log end at {s.replica[follower].leo}; the leader's high watermark is "
        f"{s.replica[leader].hw}, its log end {s.replica[leader].leo}.  Replica {follower} is not "
        "in the ISR."
    )


def isr_is_committed(s: PublishedState, k: Constants) -> bool:
    """Whether the last leader's high watermark is not below what its entire ISR has."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return True
    mine = s.replica[leader]
    for member in members(mine.isr):
        theirs = s.replica[member]
        if theirs.epoch != mine.epoch or theirs.leo <= mine.hw:
            return True
    return False


def explain_isr_is_committed(s: PublishedState, k: Constants) -> str:
    """Explain where the high watermark stays."""
    leader = s.partition.leader
    return (
        f"Every member of the ISR of replica {leader} has the record at offset "
        f"{s.replica[leader].hw}, but the leader's high watermark stays there."
    )


def records_are_written(s: PublishedState, k: Constants) -> bool:
    """Whether all records are written, or the last leader's log is full."""
    leader = acting_last_leader(s, k)
    return leader != NONE and (s.written == k.records or s.replica[leader].leo == k.log_size)


def explain_records_are_written(s: PublishedState, k: Constants) -> str:
    """Explain how many are not."""
    return (
        f"{s.written} of {k.records} records are written, though replica {s.partition.leader} is "
        f"the leader of the last epoch and its log has room."
    )


PROPERTIES = (
    Property(
        name="LastLeaderActs",
        kind=Kind.LEADS_TO,
        statement="The leader of the last epoch eventually applies it.",
        source=SOURCE,
        premise=last_epoch_has_leader,
        predicate=last_leader_acts,
        explain=explain_last_leader_acts,
    ),
    Property(
        name="LastEpochIsApplied",
        kind=Kind.LEADS_TO,
        statement="Once the last epoch has a leader, every replica eventually applies it.",
        source=SOURCE,
        premise=last_epoch_has_leader,
        witness=in_older_epoch,
        explain=explain_older_epoch,
    ),
    Property(
        name="FormerLeadersResign",
        kind=Kind.LEADS_TO,
        statement="Once the last epoch has a leader, no other replica presumes leadership any more "
        "eventually.",
        source=SOURCE,
        premise=last_epoch_has_leader,
        witness=former_leader,
        explain=explain_former_leader,
    ),
    Property(
        name="FollowersMatch",
        kind=Kind.EVENTUALLY_ALWAYS,
        statement="From some state on, no follower in the last epoch has a record that contradicts "
        "its leader's.",
        source="KIP-101, KIP-279, KIP-320",
        witness=diverging,
        explain=explain_diverging,
        places=diverging_places,
    ),
    Property(
        name="CaughtUpFollowerJoins",
        kind=Kind.ALWAYS_EVENTUALLY,
        statement="A follower in the last epoch that stays at its leader's log end eventually "
        "joins the ISR.",
        source=SOURCE,
        witness=_left_out(to_log_end=True),
        explain=explain_left_out,
    ),
    Property(
        name="FollowerAtHwJoins",
        kind=Kind.ALWAYS_EVENTUALLY,
        statement="A follower in the last epoch that stays at its leader's high watermark "
        "eventually joins the ISR.",
        source=SOURCE,
        witness=_left_out(to_log_end=False),
        explain=explain_left_out,
    ),
    Property(
        name="IsrIsCommitted",
        kind=Kind.ALWAYS_EVENTUALLY,
        statement="Once every member of the last leader's ISR has a record, the high watermark "
        "eventually passes it.",
        source=SOURCE,
        predicate=isr_is_committed,
        explain=explain_isr_is_committed,
    ),
    Property(
        name="RecordsAreWritten",
        kind=Kind.LEADS_TO,
        statement="Once the last epoch has a leader, it eventually writes records while its log "
        "has room and any are left.",
        source=SOURCE,
        premise=last_epoch_has_leader,
        predicate=records_are_written,
        explain=explain_records_are_written,
    ),
)
