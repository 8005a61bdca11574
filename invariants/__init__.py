"""What must hold.  Properties read states, never steps, and know nothing of searching."""

from collections.abc import Mapping

from ..core.spec import DEADLOCK, TYPE_OK, Kind, ModelError, Property
from ..model.protocol import Protocol
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
    "broker": (*INVARIANTS["broker"], STUCK, *eventually.PROPERTIES, DEADLOCK),
    "published": (*INVARIANTS["published"], *published_eventually.PROPERTIES, DEADLOCK),
    "async-isr": (*INVARIANTS["async-isr"], DEADLOCK),
}
"""Every property that can be checked, by family."""


def properties_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every property that can be checked of a protocol.

    Raises
    ------
    ModelError
        If it gives one of its own the name of another.
    """
    properties = (*protocol.properties, *PROPERTIES.get(protocol.family.name, ()))
    names = [prop.name.lower() for prop in properties]
    for prop in protocol.properties:
        if names.count(prop.name.lower()) > 1:
            raise ModelError(
                f"{protocol.name}: its property {prop.name} has the name of another one; rename it"
            )
    return properties


def invariants_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every invariant of a protocol: what ``all`` stands for."""
    return tuple(
        prop for prop in properties_of(protocol) if prop.kind in (Kind.INVARIANT, Kind.TYPE)
    )


__all__ = ["INVARIANTS", "PROPERTIES", "invariants_of", "properties_of"]
