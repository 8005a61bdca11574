"""What actions and rules of the family take for granted, since no protocol of it is otherwise.

A protocol that changes other actions may be; then the search says so instead of a verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.fields import NONE
from .leadership import leads

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def leader_knows_its_epoch(s: BrokerState, k: Constants) -> bool:
    """Whether each broker that leads has its own epoch in its epoch cache.

    Where fetch responses carry the diverging epoch, an unknown epoch is out of range instead.
    """
    if k.rules.truncation_on_fetch:
        return True
    for broker in range(k.replicas):
        epoch = s.replica[broker].epoch
        if leads(s, broker) and epoch != NONE and s.replica[broker].epoch_cache[epoch] == NONE:
            return False
    return True


def leader_is_in_isr(s: BrokerState, k: Constants) -> bool:
    """Whether the partition's leader, if there is one, is in the stored ISR."""
    return s.partition.leader == NONE or s.partition.isr >> s.partition.leader & 1 == 1
