"""What the controller does: elect leaders, and fence brokers that it finds dead."""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import KRAFT, Constants
from ..leadership import size
from ..state import BrokerState
from .metadata import forget_outdated, send_leader_and_isr


def _live_members(s: BrokerState, k: Constants, replicas: int) -> int:
    """Return those of a set of replicas that are alive, and not fenced, as a set."""
    live = 0
    for broker in range(k.replicas):
        if s.replica[broker].alive:
            live |= 1 << broker
    return live & replicas & ~s.partition.fenced


def elect(s: BrokerState, k: Constants, broker: int) -> bool:
    """Make a live member of the ISR the leader, in a new epoch, when there is no leader.

    There is none when the partition state names none, or a dead broker, or one that restarted and
    has led nothing since (its new registration tells; the controller may see that at any time).
    The new ISR are the live members of the old one.  Where none is alive, a live member of the ELR
    leads, alone (KIP-966), and where that has none, unclean election lets any live replica lead,
    alone.  With the option ``moves`` a live leader may be replaced too.
    """
    if s.partition.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if not s.replica[broker].alive:
        return False
    if s.partition.fenced >> broker & 1:
        return False
    leader = s.partition.leader
    if (
        leader != NONE
        and s.replica[leader].alive
        and not s.replica[leader].restarted
        and not (k.moves and leader != broker)
    ):
        return False
    in_sync = _live_members(s, k, k.rules.isr_for_election(s, k))
    live = in_sync if in_sync else _live_members(s, k, s.partition.elr)
    if not live >> broker & 1 and not (k.unclean_election and live == 0):
        return False
    send_leader_and_isr(s, k, broker, in_sync if in_sync else 1 << broker)
    if not live:
        s.partition.elr = 0  # Kafka forgets who was eligible at an unclean election.
    forget_outdated(s, k)
    return True


def fence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Take a dead broker out of the ISR and out of the lead, in a new epoch.

    The last member of the ISR stays in it, unless ``elr`` keeps it eligible.  The controller may
    notice late, or never: a broker that is back by then has bounced unnoticed.  With ``moves`` a
    live leader may be suspected.
    """
    if s.partition.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if s.replica[broker].alive and not (k.moves and s.partition.leader == broker):
        return False
    member = s.partition.isr >> broker & 1
    may_leave = k.elr or size(s.partition.isr) > 1
    if s.partition.leader != broker and not (member and may_leave):
        return False
    if k.isr_propagation == KRAFT:
        s.partition.fenced |= 1 << broker
    leader = NONE if s.partition.leader == broker else s.partition.leader
    isr = s.partition.isr & ~(1 << broker)
    send_leader_and_isr(s, k, leader, isr if isr or k.elr else 1 << broker)
    forget_outdated(s, k)
    return True


def fence_live_follower(s: BrokerState, k: Constants, broker: int) -> bool:
    """Take a live follower out of the ISR: its heartbeats are late, or it announced its stop."""
    if s.partition.epoch == k.elections:
        return False
    if not s.replica[broker].alive:
        return False
    if s.partition.leader == broker:
        return False
    if not s.partition.isr >> broker & 1:
        return False
    if size(s.partition.isr) == 1:
        return False
    s.partition.fenced |= 1 << broker
    send_leader_and_isr(s, k, s.partition.leader, s.partition.isr & ~(1 << broker))
    forget_outdated(s, k)
    return True
