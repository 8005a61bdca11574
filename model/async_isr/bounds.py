"""The bounds of the async-isr family: the constants of AsyncIsr.tla, and one for its constraint."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.bounds import number
from .rules import Rules

LEADER = 0
"""The replica that leads in every state (Leader): this family has no elections."""


@dataclass(frozen=True)
class AsyncIsrBounds:
    """What a user sets with ``-b NAME=VALUE``.

    The original bounds nothing.  A state with a longer log or a newer version is outside the
    constraint: invariants are checked there, but its successors are not explored.
    """

    replicas: int = number(2, 1, 5, "replicas of the one partition (Replicas)", main=True)
    max_offset: int = number(
        1, 1, 8, "longest leader's log that is explored from, in records (MaxOffset)", main=True
    )
    max_version: int = number(
        2, 0, 8, "newest version of the ISR that is explored from; the first is 0", main=True
    )


@dataclass(frozen=True)
class Constants(AsyncIsrBounds):
    """The ``k`` that actions and rules receive: the bounds and the rules."""

    rules: Rules = Rules()
