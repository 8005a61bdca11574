"""The invariant of asynchronous ISR changes."""

from __future__ import annotations

from ..core.spec import Property
from ..model.async_isr.actions import high_watermark
from ..model.async_isr.bounds import Constants
from ..model.async_isr.state import AsyncIsrState


def lagging_member(s: AsyncIsrState, k: Constants) -> tuple[int] | None:
    """Return a member of the controller's ISR whose log ends below the leader's high watermark."""
    end = high_watermark(s, k)
    for replica in range(k.replicas):
        if s.controller.isr >> replica & 1 and s.leader.offset[replica] < end:
            return (replica,)
    return None


def explain_lagging_member(s: AsyncIsrState, k: Constants, replica: int) -> str:
    """Explain which member lacks committed records."""
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
        witness=lagging_member,
        explain=explain_lagging_member,
    ),
)
