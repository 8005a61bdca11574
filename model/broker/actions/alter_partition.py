"""AlterPartition: a leader of a KRaft cluster asks the controller to change the ISR (KIP-497).

Between the request and its response the leader does not know whether the change has happened.
The rules say what it counts meanwhile, and what the controller refuses.
"""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import Constants
from ..leadership import advance_hw, leads, set_isr
from ..messages import ACCEPTED, NOTHING, ORPHANED, OUTDATED, REFUSED, REQUEST
from ..state import AlterPartition, BrokerState


def clear_alter_partition(s: BrokerState, leader: int) -> None:
    """Leave nothing under way between a leader and the controller."""
    it = s.alter_partition[leader]
    it.kind = NOTHING
    it.epoch = NONE
    it.isr = 0
    it.rebooted = 0


def _answer(it: AlterPartition, kind: int) -> None:
    """Turn a request into its response."""
    it.kind = kind
    it.rebooted = 0
    if kind != ACCEPTED:
        it.isr = 0


def propose(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Ask the controller for another ISR, unless a change is pending already."""
    if k.rules.may_propose(s, k, leader):
        s.replica[leader].proposed = isr
        it = s.alter_partition[leader]
        if it.kind == NOTHING:
            it.kind = REQUEST
            it.epoch = s.replica[leader].epoch
            it.isr = isr


def propose_shrink(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Ask the controller to take a follower out of the ISR that is behind.

    As with ShrinkIsr any moment may be the one at which it has been behind for long enough.
    """
    if not leads(s, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if s.replica[leader].remote_leo[follower] == s.replica[leader].leo:
        return False
    if not k.rules.may_propose(s, k, leader):
        return False
    propose(s, k, leader, s.replica[leader].isr & ~(1 << follower))
    return True


def handle_alter_partition(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept or refuse, as the controller, what a leader proposes; an orphan gets no response."""
    it = s.alter_partition[leader]
    if it.kind != REQUEST and it.kind != ORPHANED:
        return False
    orphaned = it.kind == ORPHANED
    if not k.rules.may_alter_partition(s, k, leader):
        _answer(it, OUTDATED)
    elif k.rules.may_be_members(s, k, it.isr) and k.rules.may_still_be_members(s, k, leader):
        set_isr(s, k, it.isr)
        _answer(it, ACCEPTED)
    else:
        _answer(it, REFUSED)
    if orphaned:
        clear_alter_partition(s, leader)
    return True


def handle_alter_partition_response(s: BrokerState, k: Constants, leader: int) -> bool:
    """Take the new ISR, or give the proposal up; a response to an older epoch is ignored.

    One that is outdated leaves the proposal pending: the leader waits for the LeaderAndIsr of the
    epoch that it has yet to hear of.
    """
    it = s.alter_partition[leader]
    if it.kind != ACCEPTED and it.kind != REFUSED and it.kind != OUTDATED:
        return False
    replica = s.replica[leader]
    if leads(s, leader) and replica.epoch == it.epoch:
        if it.kind == ACCEPTED:
            replica.isr = it.isr
        if it.kind != OUTDATED:
            replica.proposed = 0
            advance_hw(s, k, leader)
    clear_alter_partition(s, leader)
    return True


def orphan_request(s: BrokerState, k: Constants, broker: int) -> None:
    """Leave the request of a broker that dies under way; nobody waits for a response any more."""
    it = s.alter_partition[broker]
    if it.kind == REQUEST:
        it.kind = ORPHANED
    elif it.kind != ORPHANED:
        clear_alter_partition(s, broker)


def note_registration(s: BrokerState, k: Constants, broker: int) -> None:
    """Let every request under way be one that carries an old broker epoch of this broker."""
    for leader in range(k.replicas):
        it = s.alter_partition[leader]
        if (it.kind == REQUEST or it.kind == ORPHANED) and it.isr >> broker & 1:
            it.rebooted |= 1 << broker


def fence_out_of_sync(s: BrokerState, k: Constants, broker: int) -> bool:
    """Fence a dead broker whose fence changes neither the lead nor the ISR: no epoch begins."""
    if s.replica[broker].alive:
        return False
    if s.partition.fenced >> broker & 1:
        return False
    if s.partition.leader == broker:
        return False
    if s.partition.isr >> broker & 1 and s.partition.isr != 1 << broker:
        return False
    s.partition.fenced |= 1 << broker
    return True


def unfence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Unfence a broker whose heartbeats arrive."""
    if not s.replica[broker].alive:
        return False
    if not s.partition.fenced >> broker & 1:
        return False
    s.partition.fenced &= ~(1 << broker)
    return True
