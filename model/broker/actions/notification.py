"""ISR propagation in a cluster with ZooKeeper: who hears of a leader's change, and how late.

The leader writes the partition's state, remembers that it did, and later writes a notification
node; the controller reads that, refreshes its cache from the stored state, sends UpdateMetadata
and deletes the node (Kafka 0.10's ReplicaManager.maybePropagateIsrChanges and
IsrChangeNotificationListener).  Clients know of the leader what some broker's metadata said.  Of
the controller's cache only the ISR is part of the state: the leader in it nobody else changes.

The version of the stored state is not a number here.  Within a leader epoch nobody but its leader
writes the ISR, so the version that a leader has cached is the stored one exactly if its epoch and
its ISR are the stored ones, which the rule ``may_change_isr`` compares.
"""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import Constants
from ..state import BrokerState

NO_NOTIFICATION, HAS_READ, HAS_REFRESHED = range(3)
"""How far the controller is with the notification that it handles."""


def write_notification(s: BrokerState, k: Constants, leader: int) -> bool:
    """Announce a change of the ISR; Kafka waits 5 s, or 60 s, which may be any time here.

    Several unread nodes say no more than one does.
    """
    if not s.replica[leader].change_set:
        return False
    s.replica[leader].change_set = 0
    s.controller.notification = 1
    return True


def read_notification(s: BrokerState, k: Constants) -> bool:
    """Learn that the ISR has changed, but not yet what it is."""
    if s.controller.down:
        return False
    if not s.controller.notification:
        return False
    if s.controller.handling != NO_NOTIFICATION:
        return False
    s.controller.notification = 0
    s.controller.handling = HAS_READ
    return True


def refresh_cache(s: BrokerState, k: Constants) -> bool:
    """Read the stored ISR into the controller's cache, and send UpdateMetadata to every broker."""
    if s.controller.down:
        return False
    if s.controller.handling != HAS_READ:
        return False
    s.controller.isr = s.partition.isr
    s.controller.handling = HAS_REFRESHED
    return True


def delete_notification(s: BrokerState, k: Constants) -> bool:
    """Delete the notification that was read; one that was written since stays."""
    if s.controller.down:
        return False
    if s.controller.handling != HAS_REFRESHED:
        return False
    s.controller.handling = NO_NOTIFICATION
    return True


def crash_controller(s: BrokerState, k: Constants) -> bool:
    """Kill the controller; what it has read and not deleted will be read again."""
    if s.controller.down:
        return False
    if s.controllers_crashed == k.controller_crashes:
        return False
    s.controllers_crashed += 1
    s.controller.down = 1
    s.controller.isr = 0
    if s.controller.handling != NO_NOTIFICATION:
        s.controller.notification = 1
    s.controller.handling = NO_NOTIFICATION
    return True


def start_controller(s: BrokerState, k: Constants) -> bool:
    """Let another broker be the controller; it begins with what is stored."""
    if not s.controller.down:
        return False
    s.controller.down = 0
    s.controller.isr = s.partition.isr
    return True


def update_metadata(s: BrokerState, k: Constants, broker: int) -> bool:
    """Take up an UpdateMetadata: who leads, for clients that ask this broker."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == s.partition.leader:
        return False
    s.replica[broker].metadata = s.partition.leader
    return True


def refresh_producer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Ask a broker for metadata, as a producer; it may know less than was known already."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == NONE:
        return False
    if s.producer.leader == s.replica[broker].metadata:
        return False
    s.producer.leader = s.replica[broker].metadata
    return True
