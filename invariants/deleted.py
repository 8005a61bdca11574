"""Records that are deleted on purpose: they are not lost, and logs do not differ there."""

from __future__ import annotations

from ..core.fields import NONE
from ..model.broker.state import BrokerState


def is_deleted(s: BrokerState, broker: int, offset: int) -> bool:
    """Whether a log has deleted its record at this offset: it has none there, and ends later."""
    replica = s.replica[broker]
    return offset < replica.leo and replica.log[offset].record == NONE
