"""What must hold.  Properties read states, never steps, and know nothing of searching."""

from ..spec import Property
from . import candidates, divergence, isr, leadership, loss, reads, well_formed

INVARIANTS: tuple[Property, ...] = (
    *loss.PROPERTIES,
    *candidates.PROPERTIES,
    *divergence.PROPERTIES,
    *reads.PROPERTIES,
    *isr.PROPERTIES,
    *leadership.PROPERTIES,
    *well_formed.PROPERTIES,
)
"""Every property that can be asked for."""

__all__ = ["INVARIANTS"]
