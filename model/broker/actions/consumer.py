"""A consumer that reads from the leader in its metadata.

It only observes: it is part of the state if a property checks reads, and only its own steps read
its variables.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..bounds import ZOOKEEPER, Constants
from ..history import note_read
from ..leadership import leads
from ..state import BrokerState


def begin_reading(s: BrokerState, k: Constants) -> None:
    """Initialise the consumer's metadata with the first leader, if there is a consumer."""
    if k.isr_propagation == ZOOKEEPER and k.track_read:
        s.aux_consumer.leader = 0


def refresh_consumer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Refresh the consumer's metadata from a broker, which may return older metadata."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == NONE:
        return False
    if s.aux_consumer.leader == s.replica[broker].metadata:
        return False
    s.aux_consumer.leader = s.replica[broker].metadata
    return True


def consume(s: BrokerState, k: Constants, leader: int) -> bool:
    """Read the consumer's next record from the leader in its metadata, if that broker leads.

    If that was deleted, it reads from the log start (auto.offset.reset=earliest).
    """
    if s.aux_consumer.leader != leader:
        return False
    if not leads(s, leader):
        return False
    offset = max(s.aux_consumer.offset, s.replica[leader].start)
    if offset >= s.replica[leader].hw:
        return False
    note_read(s, k, leader, offset)
    s.aux_consumer.offset = offset + 1
    return True
