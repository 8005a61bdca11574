"""The steps of the published family.  Their names are those of the originals."""

from __future__ import annotations

from ...core.layout import NONE
from .bounds import Constants
from .history import note_committed
from .log import append, end_of_last_match, last_epoch, truncate_to
from .state import PublishedState


def leads(s: PublishedState, replica: int) -> bool:
    """Whether a replica presumes leadership, even in an old epoch."""
    return s.replica[replica].leader == replica


def true_leader(s: PublishedState, replica: int) -> bool:
    """Whether a replica leads, and the partition state agrees for the same epoch."""
    return (
        s.partition.leader == replica
        and leads(s, replica)
        and s.replica[replica].epoch == s.partition.epoch
    )


def _begin_epoch(s: PublishedState, leader: int, isr: int) -> None:
    """Begin the next leader epoch in the partition state and send LeaderAndIsr to all replicas."""
    s.partition.epoch += 1
    s.partition.leader = leader
    s.partition.isr = isr
    s.leader_and_isr[s.partition.epoch].leader = leader
    s.leader_and_isr[s.partition.epoch].isr = isr


def _change_isr(s: PublishedState, leader: int, isr: int) -> None:
    """Write a new ISR to the partition state and make it the leader's own, in the same epoch."""
    s.partition.isr = isr
    s.replica[leader].isr = isr


def elect_leader(s: PublishedState, k: Constants, replica: int) -> bool:
    """Make another member of the ISR the leader, at any time."""
    if s.partition.epoch == k.max_leader_epoch:
        return False
    if not s.partition.isr >> replica & 1:
        return False
    if s.partition.leader == replica:
        return False
    _begin_epoch(s, replica, s.partition.isr)
    return True


def controller_shrink_isr(s: PublishedState, k: Constants, replica: int) -> bool:
    """Remove a replica from the ISR and from leadership, as if it had failed.

    A leader that is the last member stays in the ISR.  Without a leader the last member is removed
    too: the ISR is then empty, and no replica can ever be elected again.
    """
    if s.partition.epoch == k.max_leader_epoch:
        return False
    if s.partition.leader != replica and not s.partition.isr >> replica & 1:
        return False
    if s.partition.leader != replica:
        _begin_epoch(s, s.partition.leader, s.partition.isr & ~(1 << replica))
    elif s.partition.isr == 1 << replica:
        _begin_epoch(s, NONE, s.partition.isr)
    else:
        _begin_epoch(s, NONE, s.partition.isr & ~(1 << replica))
    return True


def become_leader(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as the leader: log and high watermark stay."""
    if epoch > s.partition.epoch:
        return False
    if s.leader_and_isr[epoch].leader != leader:
        return False
    if epoch <= s.replica[leader].epoch:
        return False
    s.replica[leader].epoch = epoch
    s.replica[leader].leader = leader
    s.replica[leader].isr = s.leader_and_isr[epoch].isr
    return True


def become_follower(s: PublishedState, k: Constants, follower: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as a follower, and truncate the log by the protocol's rule.

    No replica applies an epoch without a leader.
    """
    if epoch > s.partition.epoch:
        return False
    leader = s.leader_and_isr[epoch].leader
    if leader == NONE:
        return False
    if leader == follower:
        return False
    if epoch <= s.replica[follower].epoch:
        return False
    if not k.rules.may_follow(s, k, leader, epoch):
        return False
    offset = k.rules.truncation_offset(s, k, leader, follower)
    if offset > s.replica[follower].leo:
        return False
    truncate_to(s, k, follower, offset)
    s.replica[follower].epoch = epoch
    s.replica[follower].leader = leader
    s.replica[follower].isr = s.leader_and_isr[epoch].isr
    return True


def leader_write(s: PublishedState, k: Constants, leader: int) -> bool:
    """Append the next record to the log of a replica that presumes leadership."""
    if s.written == k.records:
        return False
    if not leads(s, leader):
        return False
    if s.replica[leader].leo == k.log_size:
        return False
    append(s, k, leader, s.replica[leader].epoch, s.written)
    s.written += 1
    return True


def follower_fetch(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Copy the leader's next record and its high watermark, in one step."""
    if not leads(s, leader):
        return False
    end = s.replica[follower].leo
    if s.replica[leader].leo <= end:
        return False
    if not k.rules.may_fetch(s, k, leader, follower, end):
        return False
    entry = s.replica[leader].log[end]
    append(s, k, follower, entry.epoch, entry.record)
    s.replica[follower].hw = min(s.replica[leader].hw, end + 1)
    return True


def increase_high_watermark(s: PublishedState, k: Constants, leader: int) -> bool:
    """Advance a leader's high watermark by one record that its entire ISR acknowledges."""
    if not leads(s, leader):
        return False
    if s.replica[leader].hw >= s.replica[leader].leo:
        return False
    if not _all_acknowledge(s, k, leader, s.replica[leader].hw + 1):
        return False
    s.replica[leader].hw += 1
    note_committed(s, k, leader)
    return True


def _all_acknowledge(s: PublishedState, k: Constants, leader: int, end: int) -> bool:
    """Whether every member of a leader's own ISR has acknowledged all records below `end`."""
    for member in range(k.replicas):
        counts = s.replica[leader].isr >> member & 1
        if counts and not k.rules.acknowledges(s, k, leader, member, end):
            return False
    return True


def leader_shrink_isr(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Remove from the ISR a follower that does not keep up."""
    if not true_leader(s, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if k.rules.keeps_up(s, k, leader, follower, s.replica[leader].leo):
        return False
    _change_isr(s, leader, s.replica[leader].isr & ~(1 << follower))
    return True


def leader_expand_isr(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Add to the ISR a follower that has all records below the leader's high watermark."""
    if not true_leader(s, leader):
        return False
    if s.replica[leader].isr >> follower & 1:
        return False
    if not k.rules.reached_hw(s, k, leader, follower, s.replica[leader].hw):
        return False
    if not k.rules.may_expand_isr(s, k, leader):
        return False
    _change_isr(s, leader, s.replica[leader].isr | 1 << follower)
    return True


def follower_truncate(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate a follower's log, at any time, if its end contradicts the leader's log."""
    if not leads(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    if not _contradicts(s, k, leader, follower):
        return False
    truncate_to(s, k, follower, end_of_last_match(s, k, leader, follower))
    return True


def _contradicts(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Whether a follower's log is longer than the leader's, or its last epoch differs there."""
    end = s.replica[follower].leo
    if end > s.replica[leader].leo:
        return True
    return end > 0 and s.replica[leader].log[end - 1].epoch != last_epoch(s, k, follower)
