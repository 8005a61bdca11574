"""What the controller does: elect leaders, and fence brokers that it finds dead."""

from __future__ import annotations

from ....layout import NONE
from ..bounds import KRAFT, Constants
from ..leadership import size
from ..state import BrokerState
from .metadata import forget_outdated, send_leader_and_isr


def _live_members(s: BrokerState, k: Constants) -> int:
    """Return the live members of the ISR from which the controller elects, as a set."""
    live = 0
    for broker in range(k.replicas):
        if s.replica[broker].alive:
            live |= 1 << broker
    return live & k.rules.isr_for_election(s, k) & ~s.quorum.fenced


def elect(s: BrokerState, k: Constants, broker: int) -> bool:
    """Make a live member of the ISR the leader, in a new epoch, when there is no leader.

    There is none when the quorum state names none, or a dead broker, or one that restarted and
    has led nothing since (its new registration tells; the controller may see that at any time).
    The new ISR are the live members of the old one.  Where none is alive, unclean election lets
    any live replica lead, alone.  With the option ``moves`` a live leader may be replaced too.
    """
    if s.quorum.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if not s.replica[broker].alive:
        return False
    if s.quorum.fenced >> broker & 1:
        return False
    leader = s.quorum.leader
    if (
        leader != NONE
        and s.replica[leader].alive
        and not s.replica[leader].restarted
        and not (k.moves and leader != broker)
    ):
        return False
    live = _live_members(s, k)
    if not live >> broker & 1 and not (k.unclean_election and live == 0):
        return False
    send_leader_and_isr(s, k, broker, live if live else 1 << broker)
    forget_outdated(s, k)
    return True


def fence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Take a dead broker out of the ISR and out of the lead, in a new epoch.

    The last member of the ISR stays in it.  The controller may notice late, or never: a broker
    that is back by then has bounced unnoticed.  With ``moves`` a live leader may be suspected.
    """
    if s.quorum.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if s.replica[broker].alive and not (k.moves and s.quorum.leader == broker):
        return False
    member = s.quorum.isr >> broker & 1
    if s.quorum.leader != broker and not (member and size(s.quorum.isr) > 1):
        return False
    if k.isr_propagation == KRAFT:
        s.quorum.fenced |= 1 << broker
    leader = NONE if s.quorum.leader == broker else s.quorum.leader
    isr = s.quorum.isr & ~(1 << broker)
    send_leader_and_isr(s, k, leader, isr if isr else 1 << broker)
    forget_outdated(s, k)
    return True


def fence_live_follower(s: BrokerState, k: Constants, broker: int) -> bool:
    """Take a live follower out of the ISR: its heartbeats are late, or it announced its stop."""
    if s.quorum.epoch == k.elections:
        return False
    if not s.replica[broker].alive:
        return False
    if s.quorum.leader == broker:
        return False
    if not s.quorum.isr >> broker & 1:
        return False
    if size(s.quorum.isr) == 1:
        return False
    s.quorum.fenced |= 1 << broker
    send_leader_and_isr(s, k, s.quorum.leader, s.quorum.isr & ~(1 << broker))
    forget_outdated(s, k)
    return True
