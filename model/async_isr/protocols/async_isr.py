"""Asynchronous ISR changes, as published: the leader requests, and assumes the worst case.

The leader sends the controller requests to change the ISR, and the controller also shrinks it by
itself; updates arrive in any order, late or never.  Two rules keep all members of the controller's
ISR at or above the high watermark.  The leader waits for the members of the ISR that it knows and
of all ISRs that it has requested, since a request may have been applied.  And the controller
applies a request only in its own version, since a later ISR may lack a replica that the request
would bring back.

No violation is known at any bounds.  With 1 record and 2 replicas, a member of the ISR lacks a
committed record in 5 steps without the first rule, and in 8 without the second; with 3 replicas
the latter takes 6.

Source: hachikuji/kafka-specification, AsyncIsr.tla, which became KIP-497.
"""

from ...protocol import Expected, Protocol
from ..bounds import Constants
from ..family import ACTIONS, ASYNC_ISR_FAMILY, DEFAULT_PROPERTIES
from ..rules import Rules
from ..state import AsyncIsrState


def isr_and_pending(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows and for all members of requested ISRs."""
    return s.leader.isr | s.leader.pending_isr


def same_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request only while the ISR has the request's version."""
    return version == s.controller.version


ASYNC_ISR = Protocol(
    name="published/async-isr",
    family=ASYNC_ISR_FAMILY,
    summary="As specified in TLA+: the leader requests ISR changes; no violation known.",
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
