"""What must hold.  Properties read states, never steps, and know nothing of searching."""

from ..spec import DEADLOCK, Property
from . import candidates, divergence, isr, leadership, loss, reads, well_formed
from .progress import STUCK

INVARIANTS: tuple[Property, ...] = (
    *loss.PROPERTIES,
    *candidates.PROPERTIES,
    *divergence.PROPERTIES,
    *reads.PROPERTIES,
    *isr.PROPERTIES,
    *leadership.PROPERTIES,
    *well_formed.PROPERTIES,
)
"""Every statement about single states."""

PROPERTIES: tuple[Property, ...] = (*INVARIANTS, STUCK, DEADLOCK)
"""Every property that can be asked for."""

__all__ = ["INVARIANTS", "PROPERTIES"]
