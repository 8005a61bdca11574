"""A consumer that reads from whom its metadata names.

It only watches: it is part of the state where a property asks what was read, and nothing but its
own steps looks at it.
"""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import ZOOKEEPER, Constants
from ..history import note_read
from ..leadership import leads
from ..state import BrokerState


def begin_reading(s: BrokerState, k: Constants) -> None:
    """Let the consumer know the first leader, where there is a consumer."""
    if k.isr_propagation == ZOOKEEPER and k.track_read:
        s.aux_consumer.leader = 0


def refresh_consumer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Ask a broker for metadata, as a consumer; it may know less than was known already."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == NONE:
        return False
    if s.aux_consumer.leader == s.replica[broker].metadata:
        return False
    s.aux_consumer.leader = s.replica[broker].metadata
    return True


def consume(s: BrokerState, k: Constants, leader: int) -> bool:
    """Read the consumer's next record from whom it believes to lead, and who believes so too."""
    if s.aux_consumer.leader != leader:
        return False
    if not leads(s, leader):
        return False
    if s.aux_consumer.offset >= s.replica[leader].hw:
        return False
    note_read(s, k, leader, s.aux_consumer.offset)
    s.aux_consumer.offset += 1
    return True
