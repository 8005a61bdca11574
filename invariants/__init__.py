"""What must hold.  Properties read states, never steps, and know nothing of searching.

A model declares its own.  Those of the broker family are imported on first use: a check of a custom
model needs none of them.
"""

from ..core.spec import Kind, ModelError, Property
from ..model.protocol import Protocol

FAMILIES = ("broker", "published", "async-isr")
"""Kafka's families."""

NOT_PROMISED = frozenset({"OneFailureLeavesCandidate"})
"""Properties that every protocol violates within some bounds: users ask for them by name."""


def properties_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every property that can be checked of a protocol.

    Raises
    ------
    ModelError
        If it gives one of its own the name of another.
    """
    properties = protocol.properties
    if protocol.family == "broker":
        from .broker import PROPERTIES

        properties = (*properties, *PROPERTIES)
    names = [prop.name.lower() for prop in properties]
    for prop in protocol.properties:
        if names.count(prop.name.lower()) > 1:
            raise ModelError(
                f"{protocol.name}: its property {prop.name} has the name of another one; rename it"
            )
    return properties


def invariants_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every invariant of a protocol, but for what Kafka does not promise."""
    return tuple(
        prop
        for prop in properties_of(protocol)
        if prop.kind in (Kind.INVARIANT, Kind.TYPE) and prop.name not in NOT_PROMISED
    )


def all_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return what ``all`` stands for: every property that a protocol declares.

    Deadlock and Stuck belong to it only where they are checked by default.  In Kafka's families
    the bounds end every behavior, so that all protocols violate Deadlock, and Stuck is decided
    state by state in Python.  What Kafka does not promise never belongs to it.
    """
    return tuple(
        prop
        for prop in properties_of(protocol)
        if prop.name in protocol.default_properties
        or (prop.kind not in (Kind.DEADLOCK, Kind.STUCK) and prop.name not in NOT_PROMISED)
    )
