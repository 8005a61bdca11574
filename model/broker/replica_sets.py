"""Sets of replicas as text, for traces and pictures."""

from __future__ import annotations

from ...core.layout import members


def replicas(isr: int) -> str:
    """Return a set of replicas as numbers.

    >>> replicas(0b101)
    '0,2'
    """
    return ",".join(str(broker) for broker in members(isr)) or "none"


def braced(isr: int) -> str:
    """Return a set of replicas as a set.

    >>> braced(0b101)
    '{0,2}'
    """
    return f"{{{','.join(str(broker) for broker in members(isr))}}}"
