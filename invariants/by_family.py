"""The properties of each of Kafka's families."""

from collections.abc import Mapping

from ..core.spec import DEADLOCK, TYPE_OK, Property
from . import (
    async_isr,
    candidates,
    divergence,
    eligible,
    eventually,
    exits,
    isr,
    leadership,
    loss,
    published,
    published_eventually,
    reads,
    well_formed,
)
from .offline import ONE_FAILURE_LEAVES_CANDIDATE
from .progress import STUCK

INVARIANTS: Mapping[str, tuple[Property, ...]] = {
    "broker": (
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
    ),
    "published": (
        isr.WEAK_ISR,
        isr.STRONG_ISR,
        isr.KNOWN_LEADER_IN_ISR,
        leadership.AT_MOST_ONE_LEADER_PER_EPOCH,
        TYPE_OK,
        *published.PROPERTIES,
    ),
    "async-isr": (TYPE_OK, *async_isr.PROPERTIES),
}
"""Every invariant, by family."""

PROPERTIES: Mapping[str, tuple[Property, ...]] = {
    "broker": (
        *INVARIANTS["broker"],
        ONE_FAILURE_LEAVES_CANDIDATE,
        STUCK,
        *eventually.PROPERTIES,
        DEADLOCK,
    ),
    "published": (*INVARIANTS["published"], *published_eventually.PROPERTIES, DEADLOCK),
    "async-isr": (*INVARIANTS["async-isr"], DEADLOCK),
}
"""Every property that can be checked, by family."""
