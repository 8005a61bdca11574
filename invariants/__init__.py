"""What must hold.  Properties read states, never steps, and know nothing of searching."""

from ..spec import Property
from . import divergence, leadership, loss, well_formed

INVARIANTS: tuple[Property, ...] = (
    *loss.PROPERTIES,
    *divergence.PROPERTIES,
    *leadership.PROPERTIES,
    *well_formed.PROPERTIES,
)
"""Every property that can be asked for."""

__all__ = ["INVARIANTS"]
