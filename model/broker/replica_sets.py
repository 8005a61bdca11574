"""Sets of replicas: how many they have, and as text for traces and pictures."""

from __future__ import annotations

from ...core.fields import members


def braced(isr: int) -> str:
    """Return a set of replicas as a set.

    >>> braced(0b101)
    '{0,2}'
    """
    return f"{{{','.join(str(broker) for broker in members(isr))}}}"


def size(isr: int) -> int:
    """Return the size of a set of replicas.

    >>> size(0b101)
    2
    """
    count = 0
    while isr:
        isr &= isr - 1
        count += 1
    return count
