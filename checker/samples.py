"""Samples that are spread evenly over what a search has found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def spread(members: Sequence[T], most: int) -> Sequence[T]:
    """Return at most so many members, at equal distances."""
    return members[:: max(1, -(-len(members) // most))]
