"""Asynchronous changes of the ISR, as published: the leader asks, and counts on nothing yet.

The leader sends the controller requests to change the ISR, and the controller also shrinks it by
itself; updates come back in any order, late or never.  Two decisions keep every member of the
controller's ISR at or above the high watermark.  The leader waits for all who are in the ISR that
it knows or in one that it has asked for, since that request may have been applied.  And the
controller applies a request only in the version in which it was made, since a later ISR may lack
somebody whom the request would bring back.

No violation is known at any bounds.  With 1 record and 2 replicas, a member of the ISR lacks a
committed record in 5 steps without the first decision, and in 8 without the second; with 3
replicas the latter takes 6.

Source: hachikuji/kafka-specification, AsyncIsr.tla, which became KIP-497.
"""

from ...protocol import Expected, Protocol
from ..bounds import Constants
from ..family import ACTIONS, ASYNC_ISR_FAMILY, DEFAULT_PROPERTIES
from ..rules import Rules
from ..state import AsyncIsrState


def isr_and_pending(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows and for all who are in one that it has asked for."""
    return s.leader.isr | s.leader.pending_isr


def same_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request only while the ISR is the one that it was made in."""
    return version == s.controller.version


ASYNC_ISR = Protocol(
    name="published/async-isr",
    family=ASYNC_ISR_FAMILY,
    summary="As specified in TLA+: the leader asks for changes of the ISR; no violation known.",
    rules=Rules(waits_for=isr_and_pending, may_apply=same_version),
    actions=ACTIONS,
    default_properties=DEFAULT_PROPERTIES,
    story=__doc__,
    expected=(
        Expected(""),
        Expected("replicas=3"),
        Expected("replicas=3 max_offset=2"),
    ),
)
