"""The properties of the broker family."""

from ..core.spec import DEADLOCK, TYPE_OK, Property
from . import (
    candidates,
    divergence,
    eligible,
    eventually,
    exits,
    isr,
    leadership,
    loss,
    reads,
    well_formed,
)
from .offline import ONE_FAILURE_LEAVES_CANDIDATE
from .progress import STUCK

INVARIANTS: tuple[Property, ...] = (
    *loss.PROPERTIES,
    *candidates.PROPERTIES,
    *divergence.PROPERTIES,
    *reads.PROPERTIES,
    *isr.PROPERTIES,
    *eligible.PROPERTIES,
    *exits.PROPERTIES,
    *leadership.PROPERTIES,
    *well_formed.PROPERTIES,
    TYPE_OK,
)

PROPERTIES: tuple[Property, ...] = (
    *INVARIANTS,
    ONE_FAILURE_LEAVES_CANDIDATE,
    STUCK,
    *eventually.PROPERTIES,
    DEADLOCK,
)
