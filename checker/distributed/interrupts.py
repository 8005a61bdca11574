"""Interrupts by the user, where one must not come between two steps that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..interrupts import Interrupted, noted


@contextmanager
def postponed() -> Iterator[None]:
    """Raise an interrupt after the block only."""
    with noted() as seen:
        yield
    if seen:
        raise Interrupted
