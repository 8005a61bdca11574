"""The invariant of asynchronous ISR changes."""

from __future__ import annotations

from ..core.layout import NONE
from ..core.spec import Property
from ..model.async_isr.actions import high_watermark
from ..model.async_isr.bounds import Constants
from ..model.async_isr.state import AsyncIsrState


def _lagging(s: AsyncIsrState, k: Constants) -> int:
    """Return a member of the controller's ISR that lacks committed records, or NONE."""
    end = high_watermark(s, k)
    for replica in range(k.replicas):
        if s.controller.isr >> replica & 1 and s.leader.offset[replica] < end:
            return replica
    return NONE


def valid_high_watermark(s: AsyncIsrState, k: Constants) -> bool:
    """Whether every member of the controller's ISR has reached the leader's high watermark."""
    return _lagging(s, k) == NONE


def explain_valid_high_watermark(s: AsyncIsrState, k: Constants) -> str:
    """Explain which member lacks committed records."""
    replica = _lagging(s, k)
    return (
        f"The leader's high watermark is {high_watermark(s, k)}, but replica {replica} is in the "
        f"controller's ISR of version {s.controller.version} and its log ends at "
        f"{s.leader.offset[replica]}: its election would lose committed records."
    )


PROPERTIES = (
    Property(
        name="ValidHighWatermark",
        statement="Every member of the controller's ISR has all records below the leader's high "
        "watermark.",
        source="hachikuji/kafka-specification, AsyncIsr.tla",
        predicate=valid_high_watermark,
        explain=explain_valid_high_watermark,
    ),
)
