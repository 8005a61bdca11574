"""How ISR changes propagate in a ZooKeeper cluster.

The leader writes the partition state, adds the partition to its change set, and later writes a
notification node; the controller reads the node, refreshes its cache from the stored state, sends
UpdateMetadata and deletes the node (Kafka 0.10's ReplicaManager.maybePropagateIsrChanges and
IsrChangeNotificationListener).  Clients know the leader from some broker's metadata.  Of the
controller's cache only the ISR is part of the state: only the controller changes the leader.

The version of the stored state is not a variable.  Within a leader epoch only its leader writes the
ISR, so a leader's cached version is the stored one exactly if its epoch and its ISR are the stored
ones, which the rule ``may_change_isr`` compares.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..bounds import Constants
from ..state import BrokerState

NO_NOTIFICATION, HAS_READ, HAS_REFRESHED = range(3)
"""The controller's progress with the notification that it handles."""


def write_notification(s: BrokerState, k: Constants, leader: int) -> bool:
    """Announce an ISR change; Kafka waits 5 s, or 60 s, the model any time.

    Several unread nodes have the same effect as one.
    """
    if not s.replica[leader].change_set:
        return False
    s.replica[leader].change_set = 0
    s.controller.notification = 1
    return True


def read_notification(s: BrokerState, k: Constants) -> bool:
    """Read that the ISR has changed, but not yet the ISR itself."""
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
    """Delete the notification that was read; a newer one stays."""
    if s.controller.down:
        return False
    if s.controller.handling != HAS_REFRESHED:
        return False
    s.controller.handling = NO_NOTIFICATION
    return True


def crash_controller(s: BrokerState, k: Constants) -> bool:
    """Crash the controller; the next one reads again what this one has not deleted."""
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
    """Make another broker the controller; it begins with the stored state."""
    if not s.controller.down:
        return False
    s.controller.down = 0
    s.controller.isr = s.partition.isr
    return True


def update_metadata(s: BrokerState, k: Constants, broker: int) -> bool:
    """Apply UpdateMetadata: the leader in this broker's metadata responses."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == s.partition.leader:
        return False
    s.replica[broker].metadata = s.partition.leader
    return True


def refresh_producer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Refresh the producer's metadata from a broker, which may return older metadata."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == NONE:
        return False
    if s.producer.leader == s.replica[broker].metadata:
        return False
    s.producer.leader = s.replica[broker].metadata
    return True
