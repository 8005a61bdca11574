"""The controller's steps: elect leaders, and fence brokers that it considers dead."""

from __future__ import annotations

from ....core.fields import NONE, size
from ..assignment import assigned
from ..bounds import Constants
from ..state import BrokerState
from .metadata import forget_outdated, send_leader_and_isr


def _live_members(s: BrokerState, k: Constants, replicas: int) -> int:
    """Return the subset of replicas that are alive and not fenced."""
    live = 0
    for broker in range(k.replicas):
        if s.replica[broker].alive:
            live |= 1 << broker
    return live & replicas & assigned(s, k) & ~s.partition.fenced


def _recovers(s: BrokerState, k: Constants, broker: int) -> bool:
    """Whether the last known leader may lead again: no other replica is known to have its log."""
    if broker == NONE or s.partition.elr:
        return False
    return k.rules.elects_last_known_leader(s, k, broker)


def elect(s: BrokerState, k: Constants, broker: int) -> bool:
    """Make a live member of the ISR the leader, in a new epoch, when there is no leader.

    There is none if the partition state names no leader, or a dead broker: of a broker that has
    restarted the controller sees that it lives.  The new ISR are the live members of the old one.
    If none is alive, a live member of the ELR leads, as the only member of the ISR (KIP-966);
    failing that, with unclean election, any live replica, unless ElectLastKnown has one.  With the
    option ``moves`` a live leader may be replaced too.
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
    if leader != NONE and s.replica[leader].alive and not (k.moves and leader != broker):
        return False
    in_sync = _live_members(s, k, k.rules.isr_for_election(s, k))
    live = in_sync if in_sync else _live_members(s, k, s.partition.elr)
    if not live >> broker & 1 and not (k.unclean_election and live == 0):
        return False
    if k.reassignments and not s.partition.replicas >> broker & 1:
        return False
    if not live and k.last_known_leader and _recovers(s, k, s.partition.last_known_leader):
        return False
    send_leader_and_isr(s, k, broker, in_sync if in_sync else 1 << broker)
    if not live:
        s.partition.elr = 0  # Kafka clears the ELR at an unclean election.
    forget_outdated(s, k)
    return True


def elect_last_known(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect the last known leader, where neither the ISR nor the ELR has a member.

    PartitionChangeBuilder.canElectLastKnownLeader, since Kafka 3.7.0 with ELR enabled.  That is an
    unclean election: the broker went down uncleanly, and may have lost acknowledged records.
    """
    if s.partition.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if s.partition.last_known_leader != broker:
        return False
    if not _recovers(s, k, broker):
        return False
    send_leader_and_isr(s, k, broker, 1 << broker)
    forget_outdated(s, k)
    return True


def fence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Remove a dead broker from the ISR and from leadership, in a new epoch.

    The last member of the ISR stays in it, unless ``elr`` keeps it eligible.  The controller may
    notice late, or never: a broker that has restarted before has bounced unnoticed.  With ``moves``
    the controller may also consider a live broker dead, or the broker shuts down (KafkaController's
    onBrokerFailure and shutdownBroker, which call removeReplicaFromIsr; KIP-841).  With
    ``isr_propagation=records`` FenceFollower fences followers: no epoch begins.
    """
    if s.partition.epoch == k.elections:
        return False
    if s.controller.down:
        return False
    if s.replica[broker].alive and not k.moves:
        return False
    if k.change_records and s.partition.leader != broker:
        return False
    member = s.partition.isr >> broker & 1
    may_leave = k.elr or size(s.partition.isr) > 1
    if s.partition.leader != broker and not (member and may_leave):
        return False
    if k.kraft:
        s.partition.fenced |= 1 << broker
    leader = NONE if s.partition.leader == broker else s.partition.leader
    isr = s.partition.isr & ~(1 << broker)
    send_leader_and_isr(s, k, leader, isr if isr or k.elr else 1 << broker)
    forget_outdated(s, k)
    return True
