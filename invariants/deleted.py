"""What is deleted on purpose: it is not lost, and logs do not differ there."""

from __future__ import annotations

from ..core.layout import NONE
from ..model.broker.state import BrokerState
from ..model.published.state import PublishedState


def is_deleted(s: BrokerState | PublishedState, broker: int, offset: int) -> bool:
    """Whether a log has deleted its record at this offset: it has none there, and goes on.

    The logs of the published family never have.
    """
    replica = s.replica[broker]
    return offset < replica.leo and replica.log[offset].record == NONE
